"""Reads whether code measures a slope by a difference, (f(x + h) - f(x)) / h in any of its common forms. Nothing is run.

What is looked for is a quotient: above, somewhere, a difference of two calls of one function (or of two expressions that
are the same but for a nudge); below, the nudge, or twice the nudge. The nudge must be seen where it is added: in an
argument, or in what is stored into an argument. That is narrow on purpose: an honest formula has no such quotient, and
a person who hides one well is not found.
"""

import ast
from collections.abc import Iterator, Mapping

LARGEST = 0.1
"""Of numbers written out, the largest that is taken for a nudge: x[t + 1] - x[t - 1] over 2 is none."""
DEEPEST = 5
"""Names that are followed one behind the other."""
MOST_NODES = 400
"""Nodes of an expression that is compared with another."""

Step = tuple[str, object]


def measured_slopes(code: ast.AST, values: Mapping[str, ast.expr]) -> Iterator[ast.expr]:
    """The quotients in ``code`` that measure a slope, in order. ``values``: what the notebook's global names stand for, where that is sure."""
    scope = _Scope(code, values)
    for node in nodes_of(code):
        for above, below in _quotients(node, scope):
            steps = set(_below(below, scope))
            if steps and _measures(above, steps, scope):
                yield node if isinstance(node, ast.expr) else node.value
                break


def nodes_of(tree: ast.AST) -> tuple[ast.AST, ...]:
    """What ast.walk gives, walked once: the same functions are looked at for one thing after the other."""
    if not hasattr(tree, "nodes"):
        tree.nodes = tuple(ast.walk(tree))
    return tree.nodes


class _Scope:
    """What the names in a piece of code stand for."""

    def __init__(self, code, values):
        assigned: dict[str, list[ast.expr]] = {}
        self.stored: dict[str, list[ast.expr]] = {}
        """{name: what is added to it, or put into an element of it}"""
        for node in nodes_of(code):
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    self._assign(target, node.value, assigned)
            elif isinstance(node, (ast.AnnAssign, ast.NamedExpr)) and node.value is not None:
                self._assign(node.target, node.value, assigned)
            elif isinstance(node, ast.AugAssign):
                name = _base(node.target)
                assigned.setdefault(name, []).append(node.value)
                assigned[name].append(node.value)  # more than one: what the name stands for is not sure
                if isinstance(node.op, (ast.Add, ast.Sub)):
                    self.stored.setdefault(name, []).append(node.value)
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                assigned.setdefault(node.id, [])
            elif isinstance(node, ast.arg):
                assigned.setdefault(node.arg, []).extend([ast.Constant(0)] * 2)
        self.first = {name: found[0] for name, found in assigned.items() if found}
        self._values = {name: found[0] for name, found in assigned.items() if len(found) == 1}
        self._values |= {name: value for name, value in values.items() if name not in assigned}

    def _assign(self, target, value, assigned):
        if isinstance(target, ast.Name):
            assigned.setdefault(target.id, []).append(value)
        elif isinstance(target, (ast.Tuple, ast.List)):
            pairs = isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(target.elts)
            for place, one in enumerate(target.elts):
                self._assign(one, value.elts[place] if pairs else value, assigned)
        elif isinstance(target, ast.Subscript):
            self.stored.setdefault(_base(target), []).append(value)

    def value(self, expression):
        """The expression with a name that stands for one thing replaced by that thing."""
        for _ in range(DEEPEST):
            if not (isinstance(expression, ast.Name) and expression.id in self._values):
                break
            expression = self._values[expression.id]
        return expression

    def walk(self, *expressions):
        """All nodes of the expressions and of what the names in them stand for, each name once."""
        seen, waiting = set(), list(expressions)
        while waiting:
            for node in ast.walk(waiting.pop()):
                yield node
                if isinstance(node, ast.Name) and node.id not in seen:
                    seen.add(node.id)
                    if node.id in self._values:
                        waiting.append(self._values[node.id])

    def number(self, expression, depth=DEEPEST):
        """The number that the expression is, or None: 1e-5, 10**-5, 2 * 1e-5, or a name for one of these."""
        expression = self.value(expression)
        if isinstance(expression, ast.Constant):
            return float(expression.value) if type(expression.value) in (int, float) and abs(expression.value) < 1e300 else None
        if isinstance(expression, ast.UnaryOp) and isinstance(expression.op, (ast.USub, ast.UAdd)) and depth:
            number = self.number(expression.operand, depth - 1)
            return None if number is None else -number if isinstance(expression.op, ast.USub) else number
        if isinstance(expression, ast.BinOp) and depth:
            left, right = self.number(expression.left, depth - 1), self.number(expression.right, depth - 1)
            if left is None or right is None:
                return None
            try:
                return {ast.Mult: lambda: left * right, ast.Div: lambda: left / right, ast.Pow: lambda: float(left**right)}[type(expression.op)]()
            except (KeyError, ArithmeticError, TypeError):
                return None
        return None


def _base(target):
    while isinstance(target, (ast.Subscript, ast.Attribute, ast.Starred)):
        target = target.value
    return target.id if isinstance(target, ast.Name) else ""


def _quotients(node, scope):
    """(above, below) for each way in which the node divides."""
    if isinstance(node, (ast.BinOp, ast.AugAssign)):
        left, right = (node.left, node.right) if isinstance(node, ast.BinOp) else (node.target, node.value)
        if isinstance(node.op, ast.Div):
            yield left if isinstance(node, ast.BinOp) else scope.first.get(_base(left), left), right
        if isinstance(node.op, ast.Mult):
            for above, factor in ((left, right), (right, left)):
                number, inverse = scope.number(factor), scope.value(factor)
                if number is not None and abs(number) > 1:
                    yield above, ast.Constant(1 / number)
                elif isinstance(inverse, ast.BinOp) and isinstance(inverse.op, ast.Div) and scope.number(inverse.left) is not None:
                    yield above, inverse.right


def _below(expression, scope) -> Iterator[Step]:
    """The steps that a denominator can stand for: itself, and each of its factors."""
    number = scope.number(expression)
    if number is not None:
        yield ("number", number)
        return
    expression = scope.value(expression)
    if isinstance(expression, ast.BinOp) and isinstance(expression.op, ast.Mult):
        yield from _below(expression.left, scope)
        yield from _below(expression.right, scope)
    elif (
        isinstance(expression, ast.BinOp)
        and isinstance(expression.op, ast.Add)
        and _small(expression)
        and ast.dump(expression.left) == ast.dump(expression.right)
    ):
        yield from _below(expression.left, scope)
    elif not isinstance(expression, (ast.BinOp, ast.Constant)) and _small(expression):
        yield ("text", ast.dump(expression))


def _nudge(expression, scope) -> Iterator[Step]:
    """The steps that something added can stand for: itself, and each of its factors."""
    number = scope.number(expression)
    if number is not None:
        yield ("number", number)
        return
    expression = scope.value(expression)
    if isinstance(expression, ast.UnaryOp):
        yield from _nudge(expression.operand, scope)
    elif isinstance(expression, ast.BinOp) and isinstance(expression.op, ast.Mult):
        yield from _nudge(expression.left, scope)
        yield from _nudge(expression.right, scope)
    elif not isinstance(expression, (ast.BinOp, ast.Constant)) and _small(expression):
        yield ("text", ast.dump(expression))


def _matches(nudge, steps):
    kind, what = nudge
    if kind == "text":
        return nudge in steps
    return 0 < abs(what) <= LARGEST and any(k == "number" and abs(abs(s / what) - ratio) < 1e-6 for k, s in steps for ratio in (1, 2))


def _measures(above, steps, scope):
    for node in scope.walk(above):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub):
            if any(_matches(nudge, steps) for nudge in _shifts(scope.value(node.left), scope.value(node.right), scope)):
                return True
            left, right = _calls(node.left, scope), _calls(node.right, scope)
            for function in left.keys() & right.keys():
                if any(_matches(nudge, steps) for nudge in _nudges_in([*left[function], *right[function]], scope)):
                    return True
    return False


def _calls(expression, scope):
    """{function, as text: its calls} in an expression and what its names stand for."""
    found: dict[str, list[ast.Call]] = {}
    for node in scope.walk(expression):
        if isinstance(node, ast.Call) and _small(node.func):
            found.setdefault(ast.dump(node.func), []).append(node)
    return found


def _nudges_in(calls, scope):
    """What is added to or taken from the arguments of the calls."""
    stored = set()
    arguments = [argument for call in calls for argument in (*call.args, *(k.value for k in call.keywords))]
    for node in scope.walk(*arguments):
        if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub)):
            yield from _nudge(node.right, scope)
            if isinstance(node.op, ast.Add):
                yield from _nudge(node.left, scope)
        elif isinstance(node, ast.Name) and node.id not in stored:
            stored.add(node.id)
            for value in scope.stored.get(node.id, ()):
                yield from _nudge(value, scope)
                for inner in scope.walk(value):
                    if isinstance(inner, ast.BinOp) and isinstance(inner.op, (ast.Add, ast.Sub)):
                        yield from _nudge(inner.right, scope)


def _shifts(left, right, scope):
    """The nudges by which two expressions differ; nothing when they differ in anything else."""
    if not (_small(left) and _small(right)):
        return []
    found: list[ast.expr] = []
    return [nudge for one in found for nudge in _nudge(one, scope)] if _same(left, right, found) else []


def _same(a, b, found):
    if _sum(a) and _sum(b) and type(a.op) is not type(b.op):  # x + h beside x - h
        found.append(a.right)
        return _same(a.left, b.left, found) and ast.dump(a.right) == ast.dump(b.right)
    for shifted, plain in ((a, b), (b, a)):  # x + h beside x
        if _sum(shifted) and ast.dump(shifted.left) == ast.dump(plain):
            found.append(shifted.right)
            return True
    ours, theirs = list(ast.iter_child_nodes(a)), list(ast.iter_child_nodes(b))
    return type(a) is type(b) and _own(a) == _own(b) and len(ours) == len(theirs) and all(_same(x, y, found) for x, y in zip(ours, theirs, strict=True))


def _sum(node):
    return isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub))


def _own(node):
    """What a node says itself, without its children."""
    return [(name, value) for name, value in ast.iter_fields(node) if not isinstance(value, (ast.AST, list))]


def _small(node):
    return all(count < MOST_NODES for count, _ in enumerate(ast.walk(node)))
