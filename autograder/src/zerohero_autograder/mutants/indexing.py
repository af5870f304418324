"""Indices off by one, slices shifted, strides and padding forgotten, loop variables mixed up."""

import ast
from itertools import combinations

from .answer import called, number, results
from .rule import Change, change, rule, write, write_lines

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
                if place + 1 < len(_parts(node.slice)) and isinstance(_parts(node.slice)[-1], ast.Name):  # p[arange(n), y]
                    for text in ("(Y + 1) % np.shape(A)[-1]", "(Y - 1) % np.shape(A)[-1]"):
                        new = write(text, Y=_parts(node.slice)[-1], A=node.value)
                        yield change("INDEXING", "the neighbour of the class is changed, not the class", node, _replaced(node, -1, new))
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
        for part in parts:
            if isinstance(part, ast.Slice):
                for bound in (part.lower, part.upper):
                    for text in ("(A) + 1", "(A) - 1") if bound is not None and number(bound) != 0 else ():
                        yield change("INDEXING", because, bound, write(text, A=bound), alike=("cut", ast.dump(bound), text))
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
            yield change("INDEXING", "the padding is left on", node, node.value)
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
def loop_variables_swapped_where_places_are_worked_out(answer):
    """top, left = j * stride, i * stride"""
    because = "two loop variables are in each other's place"
    for a, b in combinations(placed := list(_places(answer)), 2):
        for x, y in ((a, b), (b, a)):
            if answer.inner(x[0]) is answer.inner(y[0]):
                yield Change("INDEXING", because, ((x[1], y[1]), (y[1], x[1])))
    for node, variable, _ in placed:
        for other in _loop_names(answer, node):
            if other != variable.id:
                yield change("INDEXING", because, variable, ast.Name(other, ast.Load()))


def _places(answer):
    """(product, loop variable, factor) of each i * stride."""
    for node in answer.of(ast.BinOp):
        if isinstance(node.op, ast.Mult) and not answer.is_gradient(node):
            for variable, factor in ((node.left, node.right), (node.right, node.left)):
                if isinstance(variable, ast.Name) and variable.id in _loop_names(answer, node) and isinstance(factor, ast.Name):
                    yield node, variable, factor
                    break


@rule
def windows_side_by_side(answer):
    """i * height where i * stride is due: windows placed by their size."""
    edits = {}
    for part in answer.of(ast.Slice):
        if isinstance(part.lower, (ast.Name, ast.BinOp)) and isinstance(part.upper, ast.BinOp) and isinstance(part.upper.op, ast.Add):
            length = part.upper.right
            starts = [part.lower, *(answer.made_of(part.lower) if isinstance(part.lower, ast.Name) else [])]
            for node, variable, factor in _places(answer):
                if any(ast.dump(node) == ast.dump(start) for start in starts) and ast.dump(factor) != ast.dump(length):
                    edits[node] = (factor, length, variable)
    for function in dict.fromkeys(answer.outer(node) for node in edits):
        placed = {ast.dump(node): length for node, (_, length, _) in edits.items()}
        all_of_them = [(factor, placed[ast.dump(node)]) for node, _, factor in _places(answer) if ast.dump(node) in placed and answer.outer(node) is function]
        because = "the windows are placed by their size, not by the stride"
        yield Change("INDEXING", because, tuple(all_of_them))
        for read in answer.of(ast.Assign):  # those that then lie outside, or partly so, left out
            if (
                answer.outer(read) is function
                and isinstance(read.targets[0], ast.Name)
                and isinstance(read.value, ast.Subscript)
                and _window_of_one(read.value)
            ):
                lengths = [p.upper.right for p in _parts(read.value.slice) if isinstance(p, ast.Slice) and isinstance(p.upper, ast.BinOp)]
                for text in ("W.size == 0", "W.shape[-2:] != S"):
                    outside = write_lines(f"if {text}:\n    continue", W=read.targets[0].id, S=ast.Tuple(lengths, ast.Load()))
                    yield Change("INDEXING", because, (*all_of_them, (read, [read, *outside])))


@rule
def window_turned(answer):
    """Rows and columns of a window in each other's place: what is read, what is written, or the kernel's own place."""
    because = "rows and columns of the window are in each other's place"
    for node in _subscripts(answer):
        parts = _parts(node.slice)
        slices = [i for i, part in enumerate(parts) if isinstance(part, ast.Slice) and part.lower is not None and part.upper is not None]
        places = [i for i, part in enumerate(parts) if isinstance(part, ast.BinOp) and isinstance(part.op, ast.Add)]
        for a, b in (*combinations(slices, 2), *combinations(places, 2)):
            turned = list(parts)
            turned[a], turned[b] = parts[b], parts[a]
            yield change("INDEXING", because, node, ast.Subscript(node.value, ast.Tuple(turned, ast.Load()), node.ctx))
        for a, b in combinations(places, 2):  # start + offset: the offsets alone
            turned = list(parts)
            turned[a] = ast.BinOp(parts[a].left, ast.Add(), parts[b].right)
            turned[b] = ast.BinOp(parts[b].left, ast.Add(), parts[a].right)
            yield change("INDEXING", because, node, ast.Subscript(node.value, ast.Tuple(turned, ast.Load()), node.ctx), alike="offsets")


@rule
def place_of_the_maximum(answer):
    """Where the largest element stands: decoded with the wrong width, counted from the other end, looked for in all channels."""
    decoded, other_end = "the place of the maximum is worked out with the size of the wrong axis", "the place of the maximum is counted from the other end"
    for node in answer.of(ast.Call):
        if called(node) == "divmod" and len(node.args) == 2:
            what, width = node.args
            for name in _counts(answer, node):
                if ast.dump(ast.Name(name, ast.Load())) != ast.dump(width):
                    for text in ("((A) // (B), (A) % (W))", "((A) // (W), (A) % (B))"):
                        yield change("INDEXING", decoded, node, write(text, A=what, B=width, W=ast.Name(name, ast.Load())))
            yield change("INDEXING", "row and column of the maximum are in each other's place", node, write("divmod(A, B)[::-1]", A=what, B=width))
        if called(node) == "unravel_index" and len(node.args) == 2:
            what, shape = node.args
            for text in ("divmod(A, (S)[0])", "((A) // (S)[-1], (A) % (S)[0])", "((A) // (S)[0], (A) % (S)[-1])"):
                yield change("INDEXING", decoded, node, write(text, A=what, S=shape))
            yield change("INDEXING", "row and column of the maximum are in each other's place", node, write("np.unravel_index(A, S)[::-1]", A=what, S=shape))
        if called(node) == "argmax" and isinstance(node.func, ast.Attribute):
            plain = isinstance(node.func.value, ast.Name) and node.func.value.id == "np"
            what = node.args[0] if plain and node.args else node.func.value
            for text in ("W.size - 1 - np.argmax(W)", "np.argmax(W[..., ::-1])", "np.argmax(W[..., ::-1, :])"):
                yield change("INDEXING", other_end, node, write(text, W=what))


@rule
def maximum_over_one_axis_more(answer):
    """row, column of the largest element of all channels, where each channel has its own."""
    for statement in answer.of(ast.Assign):
        call, target = statement.value, statement.targets[0]
        if not (isinstance(call, ast.Call) and called(call) == "unravel_index" and isinstance(target, ast.Tuple)):
            continue
        function = answer.outer(statement)
        window = next((n for n in ast.walk(function) if isinstance(n, ast.Subscript) and _window_of_one(n)), None)
        if window is None:
            continue
        first = next(i for i, part in enumerate(_parts(window.slice)) if isinstance(part, ast.Slice))
        channel = _parts(window.slice)[first - 1]
        edits = [(window, _replaced(window, first - 1, ast.Slice())), (target, ast.Tuple([ast.Name("_found", ast.Store()), *target.elts], ast.Store()))]
        for store in ast.walk(function):
            places = _parts(store.target.slice) if isinstance(store, ast.AugAssign) and isinstance(store.target, ast.Subscript) else []
            if len(places) >= first and ast.dump(places[first - 1]) == ast.dump(channel):
                edits.append((store.target, _replaced(store.target, first - 1, ast.Name("_found", ast.Load()))))
        yield Change("WRONG_AXIS", "the maximum is taken over all channels, where each has its own", tuple(edits))


def _window_of_one(node):
    """x[n, c, a:b, c:d]: places in front, then slices."""
    parts = _parts(node.slice)
    first = next((i for i, part in enumerate(parts) if isinstance(part, ast.Slice)), 0)
    return isinstance(node.ctx, ast.Load) and first > 0 and isinstance(parts[first - 1], ast.Name) and len(parts) - first > 1


@rule
def split_at_another_place(answer):
    for node in answer.of(ast.Call):
        if called(node) in ("split", "array_split", "hsplit") and len(node.args) > 1 and isinstance(node.args[1], (ast.List, ast.Tuple)):
            for cut in node.args[1].elts:
                for text in ("(A) + 1", "(A) - 1"):
                    yield change("INDEXING", "a joined array is cut at the wrong place", cut, write(text, A=cut), alike=("split", text))
    for node in _subscripts(answer):
        parts = _parts(node.slice)
        for place, part in enumerate(parts):
            if isinstance(part, ast.Slice) and isinstance(node.ctx, ast.Load) and (part.lower or part.upper) and answer.is_gradient(node.value):
                for step in ("1", "-1"):
                    new = write(f"np.roll(A, {step}, {place - len(parts)})", A=node.value)
                    because = "a joined array is cut at the wrong place"
                    yield change("INDEXING", because, node.value, new, alike=("roll", ast.dump(node.value), step, place))


@rule
def running_sum_from_the_other_end(answer):
    """np.cumsum(d[::-1])[::-1] without turning; with turning one way only; along another axis."""
    if not any(called(n) in ("cumsum", "cumprod", "accumulate") for n in answer.of(ast.Call)):
        return
    because = "the running sum starts at the wrong end"
    for node in answer.of(ast.Subscript):
        if isinstance(node.ctx, ast.Load) and any(isinstance(p, ast.Slice) and number(p.step) == -1 for p in _parts(node.slice)):
            yield change("INDEXING", because, node, node.value, alike=("turned", answer.outer(node)))
    for node in answer.of(ast.Call):
        if called(node) in ("flip", "fliplr", "flipud") and node.args:
            yield change("INDEXING", because, node, node.args[0], alike=("turned", answer.outer(node)))
    for one in results(answer):
        if isinstance(answer.outer(one), ast.FunctionDef):
            up = [n for n in answer.of(ast.Name) if isinstance(n.ctx, ast.Load) and answer.is_upstream(n) and not answer.in_index(n)]
            turned = [n for n in up if answer.outer(n) is answer.outer(one) and not _inside(answer, n, one)]
            inside = [n for n in up if _inside(answer, n, one)]
            for a, b in (("0", "-1"), ("-1", "-2")):
                text = f"np.swapaxes(A, {a}, {b})"
                if inside:
                    names = {inside[0].id: write(text, A=ast.Name(inside[0].id, ast.Load()))}
                    new = write(text, A=write(ast.unparse(one), **names))
                    yield change("WRONG_AXIS", "the running sum goes along the wrong axis", one, new)
                else:
                    edits = [(n, write(text, A=ast.Name(n.id, ast.Load()))) for n in turned] + [(one, write(text, A=one))]
                    yield Change("WRONG_AXIS", "the running sum goes along the wrong axis", tuple(edits))


def _inside(answer, node, around):
    return node is around or any(one is around for one in answer.up(node))


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
