"""Indices off by one, slices shifted, strides and padding forgotten, loop variables mixed up."""

import ast
from itertools import combinations

from .answer import called, number
from .rule import Change, change, rule, write

OFF = "an index is off by one"


def _parts(index):
    return list(index.elts) if isinstance(index, ast.Tuple) else [index]


def _subscripts(answer):
    for node in answer.of(ast.Subscript):
        if not (isinstance(node.value, ast.Attribute) and node.value.attr == "shape") and not isinstance(node.value, ast.Constant):
            yield node


def _replaced(node, place, new):
    parts = _parts(node.slice)
    parts[place] = new
    index = ast.Tuple(parts, ast.Load()) if isinstance(node.slice, ast.Tuple) else new
    return ast.Subscript(node.value, index, node.ctx)


@rule
def index_off_by_one(answer):
    for node in _subscripts(answer):
        for place, part in enumerate(_parts(node.slice)):
            if isinstance(part, ast.Slice) or (isinstance(part, ast.Constant) and not isinstance(part.value, int)):
                continue
            if isinstance(part, ast.Call) and called(part) == "arange":
                continue
            for text in ("(A) - 1", "(A) + 1"):
                new = ast.Constant(part.value + (1 if "+" in text else -1)) if isinstance(part, ast.Constant) else write(text, A=part)
                if isinstance(new, ast.Constant) and new.value < 0:
                    new = ast.UnaryOp(ast.USub(), ast.Constant(-new.value))
                yield change("INDEXING", OFF, node, _replaced(node, place, new), alike=("off", ast.dump(part), text))
    for node in answer.of(ast.Call):
        if called(node) in ("one_hot", "onehot") or (called(node) == "eye"):
            continue
    for node in answer.of(ast.Subscript):  # np.eye(k)[y]
        if isinstance(node.value, ast.Call) and called(node.value) == "eye" and not isinstance(node.slice, (ast.Tuple, ast.Slice)):
            yield change("INDEXING", OFF, node, ast.Subscript(node.value, write("(A) - 1", A=node.slice), ast.Load()))


@rule
def index_plus_or_minus_dropped(answer):
    """t - 1 that is t or t + 1."""
    for node in answer.of(ast.BinOp):
        if isinstance(node.op, (ast.Add, ast.Sub)) and isinstance(number(node.right), int) and answer.in_index(node):
            other = ast.Add() if isinstance(node.op, ast.Sub) else ast.Sub()
            yield change("INDEXING", "an index is that of the neighbour", node, node.left)
            yield change("INDEXING", "an index is that of the other neighbour", node, ast.BinOp(node.left, other, node.right))


@rule
def slice_shifted(answer):
    because = "a slice begins or ends at the wrong place"
    for node in _subscripts(answer):
        parts = _parts(node.slice)
        for place, part in enumerate(parts):
            if not isinstance(part, ast.Slice) or (part.lower is None and part.upper is None):
                continue
            lower, upper = part.lower, part.upper
            for text in ("(A) + 1", "(A) - 1"):
                moved = ast.Slice(write(text, A=lower) if lower else None, write(text, A=upper) if upper else None, part.step)
                yield change("INDEXING", because, node, _replaced(node, place, moved), alike=("slice", ast.dump(part), text))
                if lower:
                    yield change("INDEXING", because, node, _replaced(node, place, ast.Slice(write(text, A=lower), upper, part.step)))
                if upper:
                    yield change("INDEXING", because, node, _replaced(node, place, ast.Slice(lower, write(text, A=upper), part.step)))
        shifted = [p for p in parts if isinstance(p, ast.Slice) and p.lower is not None and p.upper is not None and isinstance(p.upper, ast.BinOp)]
        if shifted:  # p : p + H
            at_start, symmetric = [], []
            for part in parts:
                if part in shifted:
                    length = part.upper.right if ast.dump(part.upper.left) == ast.dump(part.lower) else part.upper
                    at_start.append(ast.Slice(None, length, None))
                    symmetric.append(ast.Slice(part.lower, ast.UnaryOp(ast.USub(), part.lower), None))
                else:
                    at_start.append(part)
                    symmetric.append(part)
            for new, said in (
                (at_start, "the padding is cut off at the end only"),
                (symmetric, "the padding is cut off with a negative index, which cuts off everything when there is none"),
            ):
                index = ast.Tuple(new, ast.Load()) if isinstance(node.slice, ast.Tuple) else new[0]
                yield change("INDEXING", said, node, ast.Subscript(node.value, index, node.ctx))


@rule
def only_one_of_an_axis(answer):
    """A loop variable or a channel slice fixed at its first or last value."""
    for node in _subscripts(answer):
        loops = _loop_names(answer, node)
        for place, part in enumerate(_parts(node.slice)):
            if isinstance(part, ast.Name) and part.id in loops:
                for new in (ast.Constant(0), ast.UnaryOp(ast.USub(), ast.Constant(1))):
                    yield change(
                        "INDEXING", "the same place is used in every pass of a loop", node, _replaced(node, place, new), alike=("fixed", part.id, ast.dump(new))
                    )


def _loop_names(answer, node):
    names = []
    for one in answer.up(node):
        if isinstance(one, (ast.For, ast.comprehension)):
            names += [n.id for n in ast.walk(one.target) if isinstance(n, ast.Name)]
        if isinstance(one, (ast.ListComp, ast.GeneratorExp, ast.DictComp, ast.SetComp)):
            names += [n.id for g in one.generators for n in ast.walk(g.target) if isinstance(n, ast.Name)]
    return list(dict.fromkeys(names))


@rule
def loop_variables_swapped(answer):
    """i and j in each other's place: in one subscript, in one statement, and in the whole loop."""
    because = "two loop variables are in each other's place"
    for node in _subscripts(answer):
        loops = [n for n in _loop_names(answer, node) if any(isinstance(x, ast.Name) and x.id == n for x in ast.walk(node.slice))]
        for a, b in combinations(loops, 2):
            edits = tuple((n, ast.Name(b if n.id == a else a, ast.Load())) for n in ast.walk(node.slice) if isinstance(n, ast.Name) and n.id in (a, b))
            yield Change("INDEXING", because, edits, alike=("loops", a, b))


@rule
def channel_of_all(answer):
    """What comes back for one channel given to all of them."""
    for node in answer.of(ast.Call):
        if called(node) == "einsum" and answer.is_gradient(node):
            new = write("np.repeat((A)[:, :1], np.shape(A)[1], 1)", A=node)
            yield change("INDEXING", "every channel gets what is due to the first", node, new)
    for node in answer.of(ast.BinOp):
        if isinstance(node.op, ast.MatMult) and answer.is_gradient(node) and any(isinstance(n, ast.For) for n in answer.up(node)):
            new = write("np.repeat((A)[:, :1], np.shape(A)[1], 1)", A=node)
            yield change("INDEXING", "every column gets what is due to the first", node, new)


@rule
def sizes_mixed_up(answer):
    """Height for width, and any other of the function's counts, where a place is worked out."""
    for node in answer.of(ast.Name):
        if not isinstance(node.ctx, ast.Load) or not (answer.in_index(node) or _decodes(answer, node)):
            continue
        others = _counts(answer, node)
        if node.id in others:
            for other in others:
                if other != node.id:
                    yield change(
                        "INDEXING",
                        "the size of another axis is used to work out a place",
                        node,
                        ast.Name(other, ast.Load()),
                        alike=("size", node.id, other, _decodes(answer, node)),
                    )


def _counts(answer, node):
    """Counts, and arguments that are used as one: in range(), in a product inside an index, in divmod."""
    function = answer.outer(node)
    names = {n.id for n in ast.walk(function) if isinstance(n, ast.Name) and answer.is_count(n)}
    for inner in ast.walk(function):
        if isinstance(inner, ast.Name) and inner.id in answer.arguments(node) and isinstance(inner.ctx, ast.Load):
            parent = answer.parents.get(inner)
            arithmetic = isinstance(parent, ast.BinOp) and isinstance(parent.op, (ast.Add, ast.Mult, ast.FloorDiv, ast.Mod)) and answer.in_index(inner)
            if arithmetic or _decodes(answer, inner):
                names.add(inner.id)
    return sorted(names)


def _decodes(answer, node):
    return any(isinstance(one, ast.Call) and called(one) in ("divmod", "unravel_index") for one in answer.up(node)) or (
        isinstance(answer.parents.get(node), ast.BinOp) and isinstance(answer.parents[node].op, (ast.FloorDiv, ast.Mod))
    )


@rule
def loop_too_short(answer):
    because = "a loop begins or ends one too early or too late"
    for node in answer.of(ast.Call):
        if called(node) == "range" and isinstance(answer.parents.get(node), (ast.For, ast.comprehension, ast.Call)):
            *before, stop = node.args[:2] if len(node.args) > 1 else node.args[:1]
            step = node.args[2:]
            start = before[0] if before else ast.Constant(0)
            for new in (
                [start, write("(A) - 1", A=stop), *step],
                [write("(A) + 1", A=start), stop, *step],
                [start, write("(A) + 1", A=stop), *step],
                [write("(A) - 1", A=start), stop, *step],
            ):
                yield change("INDEXING", because, node, ast.Call(node.func, new, []))


@rule
def loop_not_reversed(answer):
    """reversed(...) lost, or [::-1]: time steps from first to last where the gradient comes from the last."""
    for node in answer.of(ast.Call):
        if called(node) == "reversed" and len(node.args) == 1:
            yield change("MISSING_PATH", "the walk goes forward where it is to go backward, so gradients arrive too late to be handed on", node, node.args[0])
    for node in answer.of(ast.For):
        if isinstance(node.iter, ast.Subscript) and isinstance(node.iter.slice, ast.Slice) and number(node.iter.slice.step) == -1:
            yield change(
                "MISSING_PATH", "the walk goes forward where it is to go backward, so gradients arrive too late to be handed on", node.iter, node.iter.value
            )


@rule
def one_of_several_rows(answer):
    """y where x is due, in p[arange, y] -= 1: the label column for all rows, or all of the label's column."""
    for node in answer.of(ast.Subscript):
        parts = _parts(node.slice)
        if len(parts) == 2 and isinstance(parts[0], ast.Call) and called(parts[0]) == "arange":
            yield change(
                "INDEXING",
                "the whole column of the label is changed, in every row",
                node,
                ast.Subscript(node.value, ast.Tuple([ast.Slice(), parts[1]], ast.Load()), node.ctx),
            )
            yield change(
                "INDEXING", "row and column are in each other's place", node, ast.Subscript(node.value, ast.Tuple([parts[1], parts[0]], ast.Load()), node.ctx)
            )
