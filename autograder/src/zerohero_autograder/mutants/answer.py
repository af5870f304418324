"""What the rules know of a reference answer: its syntax tree, and the part each name plays in it.

Nothing is run. A part is guessed from how a name is made: ``n, d = x.shape`` makes two counts, what is computed from the
upstream gradient is a gradient. A wrong guess can only give a mutant another kind than a teacher would; the atlas
drops no answer for it.
"""

import ast
import re
from collections.abc import Iterator
from functools import cached_property

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
UPSTREAM = re.compile(r"d|g|up|delta|upstream|grad(_\w+)?|d_?(out|y|z|h|c|L|loss|next)\w*|g_?out|dnext\w*")
GRADIENTS = ("grad", "g")
"""Attributes that hold a gradient in a scalar engine."""
CONSTANTS = re.compile(r"[A-Z][A-Z0-9_]*|p|rate|keep|keep_prob|prob|eps|epsilon|alpha|scale")
REDUCTIONS = ("sum", "mean", "max", "min", "var", "std", "argmax", "argmin", "prod", "amax")
ROOTS = ("sqrt", "log", "float", "int", "abs")


class Answer:
    """One reference answer. Raises SyntaxError when ``source`` is not Python."""

    def __init__(self, source: str):
        self.tree = ast.parse(source)
        self._known: dict[ast.AST, bool] = {}
        self.parents = {child: parent for parent in ast.walk(self.tree) for child in ast.iter_child_nodes(parent) if not isinstance(child, ast.expr_context)}
        self.nodes = [node for node in ast.walk(self.tree) if not isinstance(node, (ast.expr_context, ast.operator, ast.unaryop, ast.cmpop, ast.boolop))]

    # ------------------------------------------------------------ places

    def of(self, *kinds: type) -> Iterator:
        """All nodes of these kinds, in the order of ast.walk. Annotations, decorators and docstrings do not compute anything and are left out."""
        return (node for node in self.nodes if isinstance(node, kinds) and node not in self._still)

    @cached_property
    def _still(self):
        still = set()
        for node in self.nodes:
            parts = []
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
                parts = [node]
            elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                parts = [*node.decorator_list, *([node.returns] if node.returns else [])]
            elif isinstance(node, ast.ClassDef):
                parts = [*node.decorator_list, *node.bases]
            elif (isinstance(node, ast.arg) and node.annotation) or isinstance(node, ast.AnnAssign):
                parts = [node.annotation]
            elif isinstance(node, (ast.Raise, ast.Assert, ast.Import, ast.ImportFrom, ast.JoinedStr)):
                parts = [node]
            still |= {inner for part in parts for inner in ast.walk(part)}
        return still

    def up(self, node: ast.AST) -> Iterator[ast.AST]:
        """The nodes around ``node``, from the inside out."""
        while node in self.parents:
            node = self.parents[node]
            yield node

    def outer(self, node: ast.AST) -> ast.AST:
        """The outermost function around ``node`` (a method, not its class), or the whole tree."""
        found = self.tree
        for one in [node, *self.up(node)]:
            if isinstance(one, FUNCTIONS):
                found = one
        return found

    def inner(self, node: ast.AST) -> ast.AST:
        """The innermost function around ``node``, or the whole tree."""
        return next((one for one in self.up(node) if isinstance(one, FUNCTIONS)), self.tree)

    def statement(self, node: ast.AST) -> ast.AST:
        return next((one for one in [node, *self.up(node)] if isinstance(one, ast.stmt)), node)

    def in_index(self, node: ast.AST) -> bool:
        """Whether ``node`` is part of an index, a slice or the bounds of a loop: counting, not computing."""
        for one in self.up(node):
            inside = isinstance(one, ast.Subscript) and node is one.slice
            counted = isinstance(one, ast.Call) and called(one) in (
                "range",
                "slice",
                "arange",
                "pad",
                "zeros",
                "empty",
                "ones",
                "full",
                "reshape",
                "eye",
                "one_hot",
            )
            if inside or (counted and node is not one.func):
                return True
            node = one
        return False

    # ------------------------------------------------------------ names

    @cached_property
    def _made(self) -> dict[tuple[ast.AST, str], list[ast.AST]]:
        """{(outermost function, name): the expressions it is made of}"""
        made: dict[tuple[ast.AST, str], list[ast.AST]] = {}

        def bind(target, value, where):
            if isinstance(target, ast.Name):
                made.setdefault((where, target.id), []).append(value)
            elif isinstance(target, (ast.Tuple, ast.List)):
                paired = isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(target.elts)
                for place, one in enumerate(target.elts):
                    bind(one, value.elts[place] if paired else value, where)
            elif isinstance(target, (ast.Subscript, ast.Starred)):
                bind(target.value, value, where)

        for node in self.nodes:
            where = self.outer(node)
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    bind(target, node.value, where)
            elif isinstance(node, (ast.AugAssign, ast.AnnAssign, ast.NamedExpr)) and node.value is not None:
                bind(node.target, node.value, where)
            elif isinstance(node, (ast.For, ast.comprehension)):
                bind(node.target, node.iter, where)
            elif isinstance(node, ast.Call) and called(node) == "at" and len(node.args) == 3:  # np.add.at(g, i, d)
                bind(node.args[0], node.args[2], where)
            elif isinstance(node, FUNCTIONS) and node is not where:  # lambda d: ... called on the spot
                pass
        return made

    def made_of(self, name: ast.Name) -> list[ast.AST]:
        """The expressions that ``name`` is made of, in the function around it."""
        return self._made.get((self.outer(name), name.id), [])

    @cached_property
    def _upstream(self) -> dict[ast.AST, set[str]]:
        """{outermost function: names of its upstream gradients}"""
        found = {}
        for function in self.of(*FUNCTIONS):
            if self.outer(function) is not function:
                continue
            arguments = [a.arg for a in function.args.args if a.arg not in ("self", "cls", "ctx")]
            backward = re.search("back|grad|bwd", getattr(function, "name", "") or self._given_name(function))
            first = {arguments[0]} if arguments and (backward or UPSTREAM.fullmatch(arguments[0])) else set()
            names = first | {a for a in arguments if re.fullmatch(r"dnext\w*|d_?out\w*|grad_output", a)}
            for name in list(names):  # dh, dc = dout
                for (where, target), values in self._made.items():
                    if where is function and any(isinstance(v, ast.Name) and v.id == name for v in values):
                        names.add(target)
            found[function] = names
        return found

    def _given_name(self, function):
        parent = self.parents.get(function)
        return parent.targets[0].id if isinstance(parent, ast.Assign) and isinstance(parent.targets[0], ast.Name) else ""

    @cached_property
    def _gradients(self) -> set[tuple[ast.AST, str]]:
        """Names computed from an upstream gradient, each with its outermost function."""
        found = {(where, name) for where, names in self._upstream.items() for name in names}
        before = -1
        while before != len(found):
            before = len(found)
            for (where, name), values in self._made.items():
                if any(self._touches(value, where, found) for value in values):
                    found.add((where, name))
        return found

    def _touches(self, node, where, names):
        # x[dout.shape[0]] reads no gradient: a shape or a length is a count
        if isinstance(node, ast.Attribute) and node.attr in ("shape", "ndim", "size", "dtype"):
            return False
        if isinstance(node, ast.Call) and called(node) in ("len", "range", "zeros_like", "empty_like", "ones_like", "zeros", "empty", "ndindex"):
            return False
        if isinstance(node, ast.Name):
            return (where, node.id) in names
        if isinstance(node, ast.Attribute) and node.attr in GRADIENTS:
            return True
        return any(self._touches(child, where, names) for child in ast.iter_child_nodes(node))

    def is_gradient(self, node: ast.AST) -> bool:
        """Whether ``node`` depends on an upstream gradient."""
        if node not in self._known:
            self._known[node] = self._touches(node, self.outer(node), self._gradients)
        return self._known[node]

    def upstream(self, node: ast.AST) -> set[str]:
        """Names of the upstream gradients of the function around ``node``."""
        return self._upstream.get(self.outer(node), set())

    def is_upstream(self, node: ast.AST) -> bool:
        """Whether ``node`` is the upstream gradient itself, as it came in."""
        if isinstance(node, ast.Attribute):
            return node.attr in GRADIENTS
        if isinstance(node, ast.Subscript):
            return self.is_upstream(node.value)
        return isinstance(node, ast.Name) and node.id in self._upstream.get(self.outer(node), ())

    def arguments(self, node: ast.AST) -> list[str]:
        """Argument names of the outermost function around ``node``."""
        function = self.outer(node)
        return [a.arg for a in function.args.args] if isinstance(function, FUNCTIONS) else []

    # ------------------------------------------------------------ parts

    def is_count(self, node: ast.AST, seen: frozenset = frozenset()) -> bool:
        """A number of things: a length, an axis of a shape, or made of these."""
        if isinstance(node, ast.Call):
            return called(node) in ("len", "prod") or (called(node) in ("float", "int") and len(node.args) == 1 and self.is_count(node.args[0], seen))
        if isinstance(node, ast.Attribute):
            return node.attr in ("size", "shape")
        if isinstance(node, ast.Subscript):
            return isinstance(node.value, ast.Attribute) and node.value.attr == "shape"
        if isinstance(node, ast.BinOp):
            sides = (node.left, node.right)
            return any(self.is_count(s, seen) for s in sides) and all(self.is_count(s, seen) or number(s) is not None for s in sides)
        if isinstance(node, ast.Name) and node.id not in seen:
            values = self.made_of(node)
            return bool(values) and all(self.is_count(v, seen | {node.id}) for v in values)
        return False

    def is_constant(self, node: ast.AST, seen: frozenset = frozenset()) -> bool:
        """A number that does not depend on the data: 0.5, 1 / sqrt(d), 1 - p. A count is one too."""
        if isinstance(node, ast.Constant):
            return isinstance(node.value, (int, float)) and not isinstance(node.value, bool)
        if self.is_count(node):
            return True
        if isinstance(node, ast.UnaryOp):
            return self.is_constant(node.operand, seen)
        if isinstance(node, ast.BinOp):
            return self.is_constant(node.left, seen) and self.is_constant(node.right, seen)
        if isinstance(node, ast.Call):
            return called(node) in ROOTS and all(self.is_constant(a, seen) for a in node.args)
        if isinstance(node, ast.Attribute):
            return node.attr in ("pi", "e") or CONSTANTS.fullmatch(node.attr) is not None
        if isinstance(node, ast.Name) and node.id not in seen:
            values = self.made_of(node)
            if values:
                return all(self.is_constant(v, seen | {node.id}) for v in values)
            return CONSTANTS.fullmatch(node.id) is not None and not (node.id.isupper() and node.id in self.arguments(node))
        return False

    def is_mask(self, node: ast.AST, seen: frozenset = frozenset()) -> bool:
        """Made by comparing."""
        if isinstance(node, (ast.Compare, ast.BoolOp)):
            return True
        if isinstance(node, ast.UnaryOp):
            return isinstance(node.op, (ast.Invert, ast.Not)) and self.is_mask(node.operand, seen)
        if isinstance(node, ast.BinOp):
            return any(self.is_mask(s, seen) and (self.is_mask(o, seen) or self.is_constant(o)) for s, o in ((node.left, node.right), (node.right, node.left)))
        if isinstance(node, ast.Call):
            inside = [*node.args, *([node.func.value] if isinstance(node.func, ast.Attribute) else [])]
            return called(node) in ("astype", "float64", "float", "asarray") and any(self.is_mask(a, seen) for a in inside)
        if isinstance(node, ast.Name) and node.id not in seen:
            values = self.made_of(node)
            return "mask" in node.id or (bool(values) and all(self.is_mask(v, seen | {node.id}) for v in values))
        return "mask" in getattr(node, "attr", "")

    def through_statistic(self, node: ast.AST, seen: frozenset = frozenset()) -> bool:
        """Whether a gradient in ``node`` has come through a sum or mean over an axis, as that of a mean or variance does."""
        for inner in ast.walk(node):
            if isinstance(inner, ast.Call) and called(inner) in ("sum", "mean") and self.is_gradient(inner):
                return True
            if isinstance(inner, ast.Name) and inner.id not in seen and any(self.through_statistic(v, seen | {inner.id}) for v in self.made_of(inner)):
                return True
        return False

    def depends(self, node: ast.AST, seen: frozenset = frozenset()) -> frozenset[str]:
        """Every name that ``node`` is made of, directly or through others."""
        names: set[str] = set()
        for inner in ast.walk(node):
            if isinstance(inner, ast.Name) and inner.id not in seen:
                names.add(inner.id)
                for value in self.made_of(inner):
                    names |= self.depends(value, seen | names)
        return frozenset(names)

    # ------------------------------------------------------------ products and sums

    def products(self) -> Iterator[tuple[ast.AST, list[tuple[ast.AST, bool]]]]:
        """(whole product, [(factor, whether it divides)]) of each chain of * and /."""
        for node in self.of(ast.BinOp):
            if isinstance(node.op, (ast.Mult, ast.Div)) and not self._continues(node, (ast.Mult, ast.Div)) and not _of_sequences(node):
                yield node, factors(node)

    def sums(self) -> Iterator[tuple[ast.AST, list[tuple[ast.AST, int]]]]:
        """(whole sum, [(term, its sign)]) of each chain of + and -, of two terms or more."""
        for node in self.of(ast.BinOp):
            if isinstance(node.op, (ast.Add, ast.Sub)) and not self._continues(node, (ast.Add, ast.Sub)) and not _of_sequences(node):
                yield node, terms(node)

    def _continues(self, node, operators):
        parent = self.parents.get(node)
        return isinstance(parent, ast.BinOp) and isinstance(parent.op, operators)


def results(answer: Answer) -> Iterator[ast.expr]:
    """Each gradient that is returned."""
    for node in answer.of(ast.Return):
        for one in node.value.elts if isinstance(node.value, (ast.Tuple, ast.List)) else [node.value]:
            if one is not None and answer.is_gradient(one) and not isinstance(one, (ast.Tuple, ast.List, ast.Dict)):
                yield one


def called(node: ast.AST) -> str:
    """The last part of the name a call calls: "sum" for np.sum(x) and for x.sum()."""
    function = node.func if isinstance(node, ast.Call) else None
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def number(node: ast.AST | None) -> float | None:
    """The value of a written number, with its sign; None for anything else."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        value = number(node.operand)
        return None if value is None else -value
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)) and not isinstance(node.value, bool):
        return node.value
    return None


def factors(node: ast.AST, divides: bool = False) -> list[tuple[ast.AST, bool]]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        return factors(node.left, divides) + factors(node.right, divides)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
        return factors(node.left, divides) + factors(node.right, not divides)
    return [(node, divides)]


def terms(node: ast.AST, sign: int = 1) -> list[tuple[ast.AST, int]]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub)):
        return terms(node.left, sign) + terms(node.right, sign if isinstance(node.op, ast.Add) else -sign)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and number(node) is None:
        return terms(node.operand, -sign)
    return [(node, sign)]


def _of_sequences(node):
    """[0] * n, "a" + b: no arithmetic."""
    kinds = (ast.List, ast.Tuple, ast.ListComp, ast.JoinedStr)
    return any(isinstance(n, kinds) or (isinstance(n, ast.Constant) and isinstance(n.value, str)) for n in _operands(node))


def _operands(node):
    if isinstance(node, ast.BinOp):
        return [*_operands(node.left), *_operands(node.right)]
    return [node]
