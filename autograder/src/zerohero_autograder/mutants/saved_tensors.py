"""The right formula with another tensor in it: before or after the activation, of another time step, of another operand."""

import ast
import re
from itertools import combinations

from .answer import REDUCTIONS, Answer, called, factors, number, results, terms
from .reductions import SOFTMAX
from .rule import Change, change, product, rule, write, write_lines

ACTIVATIONS = ("tanh", "sigmoid", "sig", "exp", "relu", "gelu", "silu", "erf", *SOFTMAX)
ANOTHER = "another value stands in the formula than is due"
MADE = ("zeros_like", "empty_like", "ones_like", "zeros", "empty", "ones", "arange", "eye", "len", "range")


def _tensors(answer: Answer, node: ast.AST) -> list[str]:
    """Names that hold arrays, none of them a gradient, in the function around ``node``; in the order in which they are made."""
    where = answer.outer(node)
    here = [*answer.arguments(node), *(name for (place, name) in answer._made if place is where)]
    found = []
    for name in dict.fromkeys(here):
        probe = ast.Name(name, ast.Load())
        answer.parents[probe] = answer.parents.get(node, answer.tree)
        made = answer.made_of(probe)
        plain = answer.is_gradient(probe) or answer.is_constant(probe) or answer.is_mask(probe)
        other = any(isinstance(v, (ast.Tuple, ast.List, ast.For, ast.Constant)) or (isinstance(v, ast.Call) and called(v) in MADE) for v in made)
        if not plain and not other and name not in ("self", "cls", "ctx"):
            found.append(name)
    return found


def _uses(answer: Answer):
    """Names of saved tensors where they are read in computing a gradient or a local derivative."""
    for node in answer.of(ast.Name):
        parent = answer.parents.get(node)
        if (
            not isinstance(node.ctx, ast.Load)
            or answer.in_index(node)
            or (isinstance(parent, ast.Attribute) and parent.attr in ("shape", "ndim", "size", "dtype"))
        ):
            continue
        if isinstance(parent, ast.Call) and (parent.func is node or called(parent) in MADE):
            continue
        yield node


def _relation(answer: Answer, used: str, other: str, node: ast.AST) -> tuple[str, str]:
    """(kind, sentence) for ``other`` where ``used`` is due."""
    if _same_state(used, other):
        return "INDEXING", "the state of another time step stands where this one's is due"
    for later, earlier in ((used, other), (other, used)):
        if any(_share(value, earlier, answer) for value in answer.made_of(_named(answer, later, node))):
            return "FORMULA", "a value stands in the formula without having been divided by its sum or norm, or the reverse"
        if _one_step(answer, later, earlier, node) or (later in OUTPUT and earlier == used and earlier in answer.depends(_named(answer, later, node))):
            return "PRE_POST", "the value before a step stands where the one after it is due, or the reverse"
    probe = {name: _named(answer, name, node) for name in (used, other)}
    made = {name: frozenset().union(*(answer.depends(v) for v in answer.made_of(probe[name]))) for name in probe}
    arguments = set(answer.arguments(node))
    for later, earlier in ((used, other), (other, used)):
        others = made[later] & arguments - {earlier} - made[earlier]
        reduced = any(isinstance(value, ast.Call) and called(value) in REDUCTIONS for value in answer.made_of(probe[earlier]))
        if earlier in made[later] and not others and not reduced and _elementwise(answer, probe[later], earlier):
            return "PRE_POST", "the value before a step stands where the one after it is due, or the reverse"
    return "FORMULA", ANOTHER


def _elementwise(answer, node, earlier, seen=frozenset()):
    """Whether ``earlier`` goes into ``node`` element by element, not through sums alone."""
    if isinstance(node, ast.Name):
        return node.id == earlier or (node.id not in seen and any(_elementwise(answer, v, earlier, seen | {node.id}) for v in answer.made_of(node)))
    if isinstance(node, ast.Call) and called(node) in (*REDUCTIONS, "norm"):
        return False
    return not isinstance(node, ast.Attribute) and any(_elementwise(answer, child, earlier, seen) for child in ast.iter_child_nodes(node))


OUTPUT = ("out", "output", "y", "z")


def _share(value, earlier, answer):
    """Whether ``value`` is ``earlier`` divided by its own sum or norm."""
    if not (isinstance(value, ast.BinOp) and isinstance(value.op, ast.Div) and isinstance(value.left, ast.Name) and value.left.id == earlier):
        return False
    below = answer.made_of(value.right) if isinstance(value.right, ast.Name) else [value.right]
    return any(isinstance(n, ast.Name) and n.id == earlier for one in below for n in ast.walk(one))


def _named(answer, name, node):
    probe = ast.Name(name, ast.Load())
    answer.parents[probe] = answer.parents.get(node, answer.tree)
    return probe


def _one_step(answer, later, earlier, node):
    """Whether ``later`` is an activation of ``earlier``, or of an expression in which it is the only array."""
    for value in answer.made_of(_named(answer, later, node)):
        if isinstance(value, ast.Call) and called(value) in ACTIVATIONS and any(isinstance(n, ast.Name) and n.id == earlier for n in ast.walk(value)):
            return True
    return False


def _same_state(a, b):
    """next_h and prev_h, h and h_prev, c0 and c1: one state at two times."""
    stem = [re.sub(r"_?(next|prev|new|old|last|out|in|\d)_?", "", name) for name in (a, b)]
    return stem[0] == stem[1] != ""


@rule
def another_tensor(answer):
    for node in _uses(answer):
        used = node.id
        if used not in _tensors(answer, node):
            continue
        for other in _tensors(answer, node):
            if other != used:
                kind, because = _relation(answer, used, other, node)
                if any(called(one) in ("argmax", "argmin", "unravel_index", "divmod") for one in answer.up(node)):
                    kind, because = "INDEXING", "a place is worked out from another array"
                new = ast.Name(other, ast.Load())
                yield change(kind, because, node, new, alike=(answer.outer(node), used, other), weak=because == ANOTHER)


@rule
def slope_of_the_other_operand(answer):
    """dout * a for a and dout * b for b, where each operand of a product has the other one as its slope."""
    uses = [node for node in _uses(answer) if node.id in answer.arguments(node) and _meets_a_gradient(answer, node)]
    for where in dict.fromkeys(answer.outer(node) for node in uses):
        here = [node for node in uses if answer.outer(node) is where]
        for a, b in combinations(dict.fromkeys(node.id for node in here), 2):
            edits = tuple((node, ast.Name(b if node.id == a else a, ast.Load())) for node in here if node.id in (a, b))
            yield Change("SWAPPED", "each operand gets its own value as slope; it is the other one's", edits)


def _meets_a_gradient(answer, node):
    parent = answer.parents.get(node)
    return isinstance(parent, ast.BinOp) and isinstance(parent.op, (ast.Mult, ast.MatMult)) and answer.is_gradient(parent)


@rule
def activation_of_the_wrong_thing(answer):
    """tanh(x) where x is due and the reverse, and the activation taken twice."""
    because = "the derivative is taken at the wrong place: before the activation where after it is due, or the reverse"
    for node in answer.of(ast.Call):
        if called(node) in ACTIVATIONS and node.args and not answer.is_gradient(node):
            yield change("PRE_POST", because, node, node.args[0], alike=("inside", ast.dump(node)))
            twice = ast.Call(node.func, [node, *node.args[1:]], node.keywords)
            yield change("PRE_POST", "the activation is applied to what has gone through it already", node, twice, alike=("twice", ast.dump(node)))
    for node in _uses(answer):
        if _activation(answer, node):
            yield change("PRE_POST", "the activation is applied to what has gone through it already", node, _activated(answer, node))
        for value in answer.made_of(node):
            if isinstance(value, ast.Call) and called(value) in ACTIVATIONS and value.args:
                twice = ast.Call(value.func, [node, *value.args[1:]], value.keywords)
                yield change(
                    "PRE_POST", "the activation is applied to what has gone through it already", node, twice, alike=("again", node.id, answer.outer(node))
                )
                yield change("PRE_POST", because, node, value.args[0], alike=("before", node.id, answer.outer(node)))


@rule
def saved_data_of_a_value(answer):
    """Scalar engines: self.data where out.data is due, and the reverse."""
    for node in answer.of(ast.Attribute):
        if node.attr not in ("data", "d", "value", "val") or not isinstance(node.value, ast.Name) or not isinstance(node.ctx, ast.Load):
            continue
        owners = {n.value.id for n in ast.walk(answer.outer(node)) if isinstance(n, ast.Attribute) and n.attr == node.attr and isinstance(n.value, ast.Name)}
        owners |= {"self", *(["out"] if _makes(answer, node, "out") else []), *(["other"] if "other" in answer.arguments(node) else [])} & set(
            _all_names(answer, node)
        )
        if answer.inner(node) is answer.outer(node) and not any(isinstance(n, ast.Attribute) and n.attr == "_local" for n in answer.nodes):
            continue  # the value itself, not its derivative
        for owner in sorted(owners - {node.value.id}):
            pre_post = "out" in (owner, node.value.id)
            kind, because = (
                ("PRE_POST", "the derivative is taken at the input where the output is due, or the reverse")
                if pre_post
                else ("SWAPPED", "each operand gets its own value as slope; it is the other one's")
            )
            yield change(
                kind,
                because,
                node,
                ast.Attribute(ast.Name(owner, ast.Load()), node.attr, ast.Load()),
                alike=("data", answer.outer(node)) if kind == "SWAPPED" else (node.value.id, owner, answer.outer(node)),
            )


def _makes(answer, node, name):
    return bool(answer.made_of(_named(answer, name, node)))


def _all_names(answer, node):
    return {n.id for n in ast.walk(answer.outer(node)) if isinstance(n, ast.Name)} | set(answer.arguments(node))


@rule
def derivative_of_the_derivative(answer):
    """f(s) and f(s) * (1 - f(s)) where s = f(z) and s * (1 - s) is due."""
    for whole, parts in answer.products():
        for node, _ in parts:
            other = next((p for p, _ in parts if _one_minus(p, node)), None)
            if other is None or not _activation(answer, node):
                continue
            rest = [part for part in parts if part[0] is not node and part[0] is not other]
            again = _activated(answer, node)
            because = "the activation is applied to what has gone through it already"
            yield change("PRE_POST", because, whole, product([*rest, (again, False)]))
            yield change("PRE_POST", because, whole, product([*rest, (again, False), (write("1 - A", A=again), False)]))


def _one_minus(node, of):
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub) and number(node.left) == 1 and ast.dump(node.right) == ast.dump(of)


def _activation(answer: Answer, node: ast.AST, seen: frozenset = frozenset()) -> ast.AST | str | None:
    """The function that made ``node``: what is called, or "sigmoid" when that is written out; through names and slices."""
    if isinstance(node, ast.Call) and called(node) in ACTIVATIONS:
        return node.func
    if isinstance(node, ast.Subscript):
        return _activation(answer, node.value, seen)
    if re.fullmatch(r"np\.where\(.*, 1(\.0)? / \((1(\.0)? \+ .*|.* \+ 1)\), .* / \(.*\)\)", ast.unparse(node)):
        return "sigmoid"
    if isinstance(node, ast.Name) and node.id not in seen:
        return next((found for v in answer.made_of(node) if (found := _activation(answer, v, seen | {node.id}))), None)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div) and number(node.left) == 1:
        return "sigmoid" if re.fullmatch(r"1 \+ (np|math)\.exp\(-.*\)|(np|math)\.exp\(-.*\) \+ 1", ast.unparse(node.right)) else None
    return None


def _activated(answer: Answer, node: ast.AST) -> ast.expr:
    """The function that made ``node``, applied to it once more."""
    function = _activation(answer, node)
    return write("1 / (1 + np.exp(-(A)))", A=node) if function == "sigmoid" else ast.Call(function, [node], [])


@rule
def forward_steps_again(answer):
    """The derivative of an activation taken at its output, as by calling it with what it returned: the steps that made a saved tensor, twice."""
    for function in answer.of(ast.FunctionDef):
        if answer.outer(function) is not function:
            continue
        names = [a for a in answer.arguments(function.body[0]) if a not in ("self", "cls", "ctx") and a not in answer.upstream(function.body[0])]
        for place, statement in enumerate(function.body):
            if not (isinstance(statement, ast.Assign) and len(statement.targets) == 1 and isinstance(statement.targets[0], ast.Name)) or answer.is_gradient(
                statement.value
            ):
                continue
            used = [n for n in names if n in answer.depends(statement.value)]
            steps = [s for s in function.body[: place + 1] if isinstance(s, ast.Assign) and not answer.is_gradient(s.value)]
            bent = any(isinstance(n, ast.Call) and called(n) in (*ACTIVATIONS, "where", "maximum") for s in steps for n in ast.walk(s))
            if (
                bent
                and len(used) == 1
                and _elementwise(answer, statement.value, used[0])
                and not answer.is_count(statement.value)
                and not answer.is_constant(statement.value)
            ):
                again = [statement, ast.Assign([ast.Name(used[0], ast.Store())], statement.targets[0], lineno=1), *steps]
                yield change("PRE_POST", "the activation is applied to what has gone through it already", statement, again)


INTEGRALS = {"sigmoid": "np.logaddexp(0, A)", "cos": "np.sin(A)", "sin": "-np.cos(A)", "exp": "np.exp(A)"}


@rule
def slope_at_the_output(answer):
    """The slope of an operation that the backward pass need not compute, taken at what comes out of it: softplus' sigmoid, of softplus."""
    because = "the derivative is taken at the output where the input is due"
    for whole, parts in answer.products():
        other = [node for node, divides in parts if not answer.is_gradient(node)]
        if len(other) == 1 and len(parts) == 2:
            made = _activation(answer, other[0])
            name = made if isinstance(made, str) else getattr(made, "attr", getattr(made, "id", ""))
            for argument in answer.arguments(whole)[1:]:
                if name in INTEGRALS and argument in answer.depends(other[0]) | _read(answer, other[0]):
                    out = write(INTEGRALS[name], A=ast.Name(argument, ast.Load()))
                    again = write("1 / (1 + np.exp(-(A)))", A=out) if name == "sigmoid" else write(f"np.{name}(A)", A=out)
                    yield change("PRE_POST", because, whole, product([(again, False) if node is other[0] else (node, d) for node, d in parts]))


def _read(answer, node):
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}


@rule
def value_where_the_slope_is_due(answer):
    """dout * relu(x) where dout * (x > 0) is due, dout * tanh(x) where 1 - tanh(x) ** 2 is."""
    because = "the value of the function stands where its slope is due"
    for node in answer.of(ast.Compare):
        if len(node.ops) == 1 and isinstance(node.ops[0], (ast.Gt, ast.GtE)) and number(node.comparators[0]) == 0 and not _steers(answer, node):
            yield change("FORMULA", because, node, write("A * (C)", A=node.left, C=node), alike="value")
    for node in answer.of(ast.Call):
        if called(node) == "where" and len(node.args) == 3 and number(node.args[2]) in (0, 0.0) and isinstance(node.args[0], ast.Compare):
            yield change("FORMULA", because, node, write("A * W", A=node.args[0].left, W=node))
    for node in answer.of(ast.BinOp):
        if isinstance(node.op, ast.Sub) and number(node.left) == 1 and isinstance(node.right, ast.BinOp):
            square = node.right
            if isinstance(square.op, ast.Pow) and number(square.right) == 2 and _activation(answer, square.left):
                yield change("FORMULA", because, node, square.left)


def _steers(answer, node):
    return isinstance(answer.parents.get(node), (ast.While, ast.If, ast.Assert, ast.comprehension, ast.Subscript))


@rule
def slope_of_the_sibling_form(answer):
    """GELU has an exact form, with erf, and one by tanh; each has a slope of its own."""
    because = "the slope is that of another form of the same function"
    constants = {number(n) for n in answer.of(ast.Constant)}
    called_names = {called(n) for n in answer.of(ast.Call)}
    by_tanh, exact = 0.044715 in constants and "tanh" in called_names, "erf" in called_names
    if not by_tanh and not exact:
        return
    for one in results(answer):
        for up in sorted(answer.upstream(one)):
            for x in [a for a in answer.arguments(one) if a not in answer.upstream(one)][:1]:
                if by_tanh:
                    yield change("FORMULA", because, one, write(EXACT_GELU, D=up, X=x))
                else:
                    yield change("FORMULA", because, one, write(GELU_BY_TANH, D=up, X=x))
                yield change("FORMULA", because, one, write(GELU_BY_SIGMOID, D=up, X=x))


EXACT_GELU = "D * (0.5 * (1 + np.vectorize(__import__('math').erf)(X / 2**0.5)) + X * np.exp(-X**2 / 2) / (2 * np.pi) ** 0.5)"
GELU_BY_TANH = (
    "D * (0.5 * (1 + np.tanh((2 / np.pi) ** 0.5 * (X + 0.044715 * X**3)))"
    " + 0.5 * X * (1 - np.tanh((2 / np.pi) ** 0.5 * (X + 0.044715 * X**3)) ** 2) * (2 / np.pi) ** 0.5 * (1 + 3 * 0.044715 * X**2))"
)
GELU_BY_SIGMOID = "D * (1 / (1 + np.exp(-1.702 * X)) * (1 + 1.702 * X * (1 - 1 / (1 + np.exp(-1.702 * X)))))"


@rule
def only_the_label(answer):
    """p - 1 at the label and nothing for the other classes, which move as well."""
    because = "only the class of the label gets a gradient; the others move the loss too"
    for node in answer.of(ast.AugAssign):
        if isinstance(node.op, ast.Sub) and number(node.value) == 1 and isinstance(node.target, ast.Subscript) and isinstance(node.target.value, ast.Name):
            lines = "_only = np.zeros_like(P)\n_only[I] = P[I] - 1\nP = _only"
            yield change("DIAG_JACOBIAN", because, node, write_lines(lines, P=node.target.value.id, I=node.target.slice))
    for whole, parts in answer.sums():
        for node, plus in parts:
            if plus < 0 and isinstance(node, ast.Name) and any(_one_hot(value) for value in answer.made_of(node)):
                yield change("DIAG_JACOBIAN", because, whole, write("(A) * (B)", A=whole, B=node))


def _one_hot(value):
    return isinstance(value, ast.Subscript) and isinstance(value.value, ast.Call) and called(value.value) == "eye"


@rule
def softmax_elementwise(answer):
    """s * (1 - s) times the upstream gradient where each logit moves every probability."""
    because = "softmax is treated as if each output depended on its own input only"
    for whole, parts in answer.products():
        for node, _ in parts:
            inner = next(
                (p for p, _ in parts if p is not node and isinstance(p, ast.BinOp) and isinstance(p.op, ast.Sub) and _row_sum(answer, p.right, node)), None
            )
            if inner is not None and not answer.is_gradient(node):
                rest = [part for part in parts if part[0] is not inner]
                yield change("DIAG_JACOBIAN", because, whole, product([*rest, (inner.left, False), (write("1 - A", A=node), False)]))
    for whole, parts in answer.sums():  # s * d - s * (s * d).sum()
        if len(parts) == 2 and all(answer.is_gradient(node) for node, _ in parts) and isinstance(parts[0][0], ast.BinOp):
            shared = [a for a, _ in factors(parts[0][0]) if not answer.is_gradient(a) and not answer.is_constant(a) and _row_sum(answer, parts[1][0], a)]
            if shared:
                yield change("DIAG_JACOBIAN", because, whole, write("A * (1 - B)", A=parts[0][0], B=shared[0]))


def _row_sum(answer, node, softmax):
    """Whether ``node`` holds a sum over the products of a gradient and ``softmax``."""
    if not answer.through_statistic(node):
        return False
    if isinstance(softmax, ast.Name):
        return softmax.id in answer.depends(node)
    return any(ast.dump(n) == ast.dump(softmax) for n in ast.walk(node))


# ---------------------------------------------------------------- large numbers


@rule
def no_maximum_subtracted(answer):
    because = "right on small numbers, overflow on large ones: the maximum is not subtracted"
    for node in answer.of(ast.Call):
        if called(node) in SOFTMAX[:2] and node.args:
            axis = next((k.value for k in node.keywords if k.arg == "axis"), node.args[1] if len(node.args) > 1 else ast.Constant(-1))
            yield change("UNSTABLE", because, node, write("np.exp(A) / np.exp(A).sum(X, keepdims=True)", A=node.args[0], X=axis), alike="softmax")


@rule
def naive_formula(answer):
    because = "right on small numbers, overflow or NaN on large ones"
    for node in answer.of(ast.Call):
        if called(node) in ("sigmoid", "sig") and len(node.args) == 1:
            yield change("UNSTABLE", because, node, write("np.exp(A) / (1 + np.exp(A))", A=node.args[0]), alike="sigmoid")
            yield change("UNSTABLE", because, node, write("1 / (1 + np.exp(-(A)))", A=node.args[0]), alike="sigmoid 2")
        if called(node) == "tanh" and len(node.args) == 1 and not answer.is_gradient(node):
            exp = (
                write("F.exp", F=node.func.value)
                if isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name) and node.func.value.id in ("np", "math")
                else None
            )
            if exp is not None:
                yield change("UNSTABLE", because, node, write("(F(A) - F(-(A))) / (F(A) + F(-(A)))", F=exp, A=node.args[0]), alike="tanh")
                yield change("UNSTABLE", because, node, write("(F(2 * (A)) - 1) / (F(2 * (A)) + 1)", F=exp, A=node.args[0]), alike="tanh 2")


# ---------------------------------------------------------------- gradients of other places


@rule
def gradient_of_another_step(answer: Answer):
    """dout where da = dout * slope is due, dnext_c where dc = dnext_c + ... is; and the reverse."""
    for node in _uses(answer):
        if not answer.is_gradient(node):
            continue
        for earlier, how in _steps_before(answer, node):
            if how is ast.Mult:
                kind, because = "DROPPED_LOCAL", "the gradient before a step is used where the one behind it is due: a local derivative is missing"
            else:
                kind, because = "MISSING_PATH", "one of several contributions is used where their sum is due"
            yield change(kind, because, node, ast.Name(earlier, ast.Load()), alike=("earlier", answer.outer(node), node.id, earlier))
    for (where, later), made in answer._made.items():
        for node in _uses(answer):
            if answer.outer(node) is where and answer.is_gradient(node) and later != node.id:
                before = [name for v in made for name, _ in _linear(answer, v) if name == node.id]
                inside = isinstance(answer.statement(node), ast.Assign) and any(
                    isinstance(t, ast.Name) and t.id == later for t in answer.statement(node).targets
                )
                if before and not inside:
                    yield change("FORMULA", "the gradient behind a step is used where the one before it is due", node, ast.Name(later, ast.Load()))


def _steps_before(answer, node):
    """[(name of a gradient, ast.Mult or ast.Add)]: what ``node`` was made of by a product with local derivatives, or as one term of a sum."""
    found = [(name, how) for value in answer.made_of(node) for name, how in _linear(answer, value) if name != node.id]
    return list(dict.fromkeys(found))


def _linear(answer, value):
    parts = [part for part, _ in factors(value) if answer.is_gradient(part)]
    if len(parts) == 1 and isinstance(parts[0], ast.Name):
        return [(parts[0].id, ast.Mult)]
    return [(term.id, ast.Add) for term, _ in terms(value) if isinstance(term, ast.Name) and answer.is_gradient(term)]


@rule
def slope_of_another_activation(answer):
    """1 - s**2, which is tanh's, where s * (1 - s) is due, and the reverse."""
    because = "the slope is that of another activation"
    for whole, parts in answer.products():
        for node, _ in parts:
            other = next((p for p, _ in parts if _one_minus(p, node)), None)
            if other is not None:
                rest = [part for part in parts if part[0] is not node and part[0] is not other]
                yield change("FORMULA", because, whole, product([*rest, (write("1 - A ** 2", A=node), False)]))
    for node in answer.of(ast.BinOp):
        if isinstance(node.op, ast.Sub) and number(node.left) == 1:
            square = node.right
            of = square.left if isinstance(square, ast.BinOp) and (isinstance(square.op, ast.Pow) and number(square.right) == 2) else None
            if isinstance(square, ast.BinOp) and isinstance(square.op, ast.Mult) and ast.dump(square.left) == ast.dump(square.right):
                of = square.left
            if of is not None:
                yield change("FORMULA", because, node, write("A * (1 - A)", A=of))
