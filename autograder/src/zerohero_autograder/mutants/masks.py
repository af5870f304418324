"""Conditions that let a gradient through: inverted, of the wrong tensor, with ties."""

import ast

from .answer import called, number
from .rule import change, rule, total, write
from .saved_tensors import _tensors

OPPOSITE = {ast.Gt: ast.LtE, ast.GtE: ast.Lt, ast.Lt: ast.GtE, ast.LtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq}
WITH_EQUAL = {ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Lt: ast.LtE, ast.LtE: ast.Lt}


def _comparisons(answer):
    """Comparisons of one pair, not those that steer a loop or tell types apart."""
    for node in answer.of(ast.Compare):
        if (
            len(node.ops) == 1
            and type(node.ops[0]) in OPPOSITE
            and not isinstance(answer.parents.get(node), (ast.While, ast.Assert, ast.comprehension))
            and not _of_shapes(node)
        ):
            yield node


def _of_shapes(node):
    return any(
        (isinstance(n, ast.Attribute) and n.attr in ("shape", "ndim", "size", "dtype"))
        or (isinstance(n, ast.Call) and called(n) == "len")
        or (isinstance(n, ast.Constant) and isinstance(n.value, str))
        for n in ast.walk(node)
    )


@rule
def mask_inverted(answer):
    for node in _comparisons(answer):
        new = ast.Compare(node.left, [OPPOSITE[type(node.ops[0])]()], node.comparators)
        yield change("WRONG_MASK", "the condition that lets the gradient through is the wrong way round", node, new, alike=("mask", ast.dump(node)))
    for node in answer.of(ast.Name):
        if isinstance(node.ctx, ast.Load) and "mask" in node.id and not answer.in_index(node):
            yield change("WRONG_MASK", "the mask is inverted", node, write("1 - A", A=node), alike=("invert", node.id))
    for node in answer.of(ast.Call):
        if called(node) == "where" and len(node.args) == 3:
            yield change(
                "WRONG_MASK",
                "the condition that lets the gradient through is the wrong way round",
                node,
                ast.Call(node.func, [node.args[0], node.args[2], node.args[1]], node.keywords),
            )


@rule
def mask_with_ties(answer):
    for node in _comparisons(answer):
        if type(node.ops[0]) in WITH_EQUAL:
            new = ast.Compare(node.left, [WITH_EQUAL[type(node.ops[0])]()], node.comparators)
            yield change("WRONG_MASK", "the condition is wrong where both sides are equal", node, new)


@rule
def mask_of_another_tensor(answer):
    because = "the condition that lets the gradient through looks at the wrong array"
    for node in _comparisons(answer):
        if not isinstance(node.left, ast.Name) or number(node.comparators[0]) is None:
            continue
        gradients = [n for n in answer.arguments(node)[:1] if n not in ("self", "cls", "ctx")]
        for other in dict.fromkeys([*gradients, *_tensors(answer, node)]):
            if other != node.left.id:
                yield change("WRONG_MASK", because, node.left, ast.Name(other, ast.Load()))


@rule
def another_threshold(answer):
    because = "the condition that lets the gradient through has the wrong bound"
    for node in _comparisons(answer):
        bound = number(node.comparators[0])
        if bound is not None and answer.is_mask(node) and not _steers(answer, node):
            for new in {bound + 1, bound - 1, -bound} - {bound}:
                wanted = ast.Constant(new) if new >= 0 else ast.UnaryOp(ast.USub(), ast.Constant(-new))
                yield change("WRONG_MASK", because, node, ast.Compare(node.left, node.ops, [wanted]))
            if bound == 0:
                yield change("WRONG_MASK", because, node, ast.Compare(node.left, [ast.NotEq()], node.comparators))


def _steers(answer, node):
    return isinstance(answer.parents.get(node), (ast.If, ast.IfExp)) and not answer.is_gradient(answer.parents[node])


@rule
def mask_read_off_the_output(answer):
    """A mask that was drawn, taken from which outputs are zero: an input of zero counts as blocked."""
    for node in answer.of(ast.Name):
        if isinstance(node.ctx, ast.Load) and "mask" in node.id and node.id in answer.arguments(node) and not answer.in_index(node):
            for other in _tensors(answer, node):
                if other in answer.arguments(node):
                    new = write("(X * M != 0)", X=ast.Name(other, ast.Load()), M=node)
                    yield change("WRONG_MASK", "the mask is read off the output: an input of zero counts as blocked", node, new)


@rule
def one_side_of_a_kink(answer):
    """np.where(x > 0, d, slope * d) with nothing, the negative or the same as on the other side; also d[x < 0] *= slope."""
    nothing, negative, alike = (
        ("MISSING_PATH", "on one side of the kink no gradient comes back"),
        ("SIGN_FLIP", "a sign is wrong on one side of the kink"),
        ("DROPPED_LOCAL", "the slope of one side of the kink is not multiplied in"),
    )
    for node in answer.of(ast.Call):
        if called(node) != "where" or len(node.args) != 3:
            continue
        for place in (1, 2):
            branch = node.args[place]
            if number(branch) == 0:
                continue
            yield change(*nothing, branch, write("A * 0", A=branch))
            yield change(*negative, branch, write("-(A)", A=branch))
            if not answer.is_gradient(branch) and number(branch) != 1 and not any(isinstance(n, ast.Call) and called(n) == "sign" for n in ast.walk(branch)):
                yield change(*alike, branch, ast.Constant(1.0))
    for node in answer.of(ast.AugAssign):
        if isinstance(node.op, ast.Mult) and isinstance(node.target, ast.Subscript) and answer.is_mask(node.target.slice):
            yield change(*nothing, node.value, ast.Constant(0.0))
            yield change(*negative, node.value, write("-(A)", A=node.value))
    for node in answer.of(ast.IfExp):
        for branch in (node.body, node.orelse):
            if number(branch) != 0 and (answer.is_gradient(node) or answer.is_mask(node.test)):
                yield change(*nothing, branch, write("A * 0", A=branch))
                yield change(*negative, branch, write("-(A)", A=branch))
    for whole, parts in answer.sums():  # (x > 0) + slope * (x <= 0)
        if all(any(isinstance(n, ast.Compare) for n in ast.walk(node)) for node, _ in parts):
            for node, _ in parts:
                yield change(*nothing, whole, total([part for part in parts if part[0] is not node]))


@rule
def mask_dropped(answer):
    """np.where(mask, d, 0) that is d, and d[mask] = 0 left out."""
    for node in answer.of(ast.Call):
        if called(node) == "where" and len(node.args) == 3:
            for kept, other in ((node.args[1], node.args[2]), (node.args[2], node.args[1])):
                if answer.is_gradient(kept) and not answer.is_gradient(other):
                    yield change("DROPPED_LOCAL", "the gradient is passed through where it is to be stopped, too", node, kept)
    for node in answer.of(ast.Assign):
        target = node.targets[0]
        if isinstance(target, ast.Subscript) and answer.is_gradient(target.value) and number(node.value) == 0:
            yield change("DROPPED_LOCAL", "the gradient is passed through where it is to be stopped, too", node, [ast.Pass()])


@rule
def all_that_are_largest(answer):
    """Max pooling by argmax: every element equal to the maximum gets the full gradient."""
    because = "where several elements are the largest, each gets the full gradient"
    for node in answer.of(ast.Call):
        if called(node) == "argmax":
            what = (
                node.func.value
                if isinstance(node.func, ast.Attribute) and not (isinstance(node.func.value, ast.Name) and node.func.value.id == "np")
                else next(iter(node.args), None)
            )
            place = _scatter(answer, node)
            if what is not None and place is not None:
                for statement, window in place:
                    value = statement.value
                    new = ast.AugAssign(
                        write("A", A=ast.Subscript(window.value, window.slice, ast.Store())), ast.Add(), write("(W == W.max()) * G", W=what, G=value)
                    )
                    new.target = ast.Subscript(window.value, window.slice, ast.Store())
                    yield change("WRONG_MASK", because, statement, [new])


@rule
def pooling_of_another_kind(answer):
    """The gradient of an average or of a minimum where that of a maximum is due."""
    for node in answer.of(ast.Call):
        if called(node) in ("argmax", "nanargmax") and isinstance(node.func, ast.Attribute):
            smallest = ast.Call(ast.Attribute(node.func.value, "argmin", ast.Load()), node.args, node.keywords)
            yield change("WRONG_MASK", "the gradient goes to the smallest element, not to the largest", node, smallest)
            what = node.args[0] if isinstance(node.func.value, ast.Name) and node.func.value.id == "np" and node.args else node.func.value
            for statement, window in _scatter(answer, node) or []:
                new = ast.AugAssign(window, ast.Add(), write("G / np.size(W) + 0 * W", G=statement.value, W=what))
                yield change("FORMULA", "this is the gradient of an average, not of a maximum", statement, [new])
                shared = ast.AugAssign(statement.target, ast.Add(), write("G / np.size(W)", G=statement.value, W=what))
                yield change("EXTRA_MEAN", "the gradient of a maximum is divided by the size of its window", statement, [shared])


def _scatter(answer, node):
    """[(the += that uses the place of the maximum, the window of the array it should go to)]: the += target with the slices of the window it was found in."""
    function = answer.outer(node)
    windows = [
        n
        for n in ast.walk(function)
        if isinstance(n, ast.Subscript)
        and isinstance(n.ctx, ast.Load)
        and any(isinstance(e, ast.Slice) and e.upper is not None for e in (n.slice.elts if isinstance(n.slice, ast.Tuple) else [n.slice]))
    ]
    found = []
    for statement in ast.walk(function):
        if isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Subscript):
            found += [(statement, ast.Subscript(statement.target.value, window.slice, ast.Store())) for window in windows]
    return found or None
