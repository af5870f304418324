"""Sums and means over axes, divisors, shapes and transposes."""

import ast

from .answer import REDUCTIONS, Answer, called, number, results
from .rule import Change, change, product, rule, write

SOFTMAX = ("softmax", "sm", "log_softmax", "logsumexp")


def _reductions(answer: Answer):
    """(call, what is reduced, its axis or None, where the axis stands) of each np.sum(x, axis) and x.sum(axis)."""
    for node in answer.of(ast.Call):
        if called(node) not in REDUCTIONS or not isinstance(node.func, ast.Attribute):
            continue
        of_module = isinstance(node.func.value, ast.Name) and node.func.value.id in ("np", "numpy", "torch")
        if of_module and not node.args:
            continue
        place = 1 if of_module else 0
        axis, where = None, None
        if len(node.args) > place:
            axis, where = node.args[place], place
        for keyword in node.keywords:
            if keyword.arg in ("axis", "dim"):
                axis, where = keyword.value, keyword
        yield node, (node.args[0] if of_module else node.func.value), axis, where


def _with_axis(node, where, axis):
    """The call with another axis (an expression), or with none."""
    args, keywords = list(node.args), list(node.keywords)
    if isinstance(where, ast.keyword):
        keywords = [k for k in keywords if k is not where] + ([ast.keyword(where.arg, axis)] if axis is not None else [])
    elif axis is None:
        del args[where]
    else:
        args[where] = axis
    if axis is None:
        keywords = [k for k in keywords if k.arg != "keepdims"]
    return ast.Call(node.func, args, keywords)


def _axes(node):
    """The written axes of (0, 1, 2) or of 0."""
    values = [number(e) for e in node.elts] if isinstance(node, ast.Tuple) else [number(node)]
    return values if all(isinstance(v, int) for v in values) else None


@rule
def sum_for_mean(answer):
    for node in answer.of(ast.Call):
        if called(node) in ("sum", "mean") and isinstance(node.func, ast.Attribute) and answer.is_gradient(node):
            other = "mean" if called(node) == "sum" else "sum"
            kind, because = ("EXTRA_MEAN", "there is a mean where a sum is due") if other == "mean" else ("MISSING_MEAN", "there is a sum where a mean is due")
            yield change(kind, because, node, ast.Call(ast.Attribute(node.func.value, other, ast.Load()), node.args, node.keywords), alike=("mean", kind))


@rule
def partly_averaged(answer):
    """A sum over several axes that is a mean over one of them or over some."""
    for node, what, axis, _where in _reductions(answer):
        axes = _axes(axis) if axis is not None else None
        if called(node) == "sum" and answer.is_gradient(node) and axes and len(axes) > 1 and all(a >= 0 for a in axes):
            kept = any(k.arg == "keepdims" for k in node.keywords)
            for first in range(1 << len(axes)):
                mean = [a for i, a in enumerate(axes) if first >> i & 1]
                rest = [a for a in axes if a not in mean]
                if mean and rest:
                    left = [a - (0 if kept else sum(m < a for m in mean)) for a in rest]
                    new = write("(A).mean(M, keepdims=K).sum(S, keepdims=K)", A=what, M=_tuple(mean), S=_tuple(left), K=ast.Constant(kept))
                    yield change("EXTRA_MEAN", "there is a mean over some axes where a sum over all of them is due", node, new)


def _tuple(axes):
    return ast.Tuple([ast.Constant(a) if a >= 0 else ast.UnaryOp(ast.USub(), ast.Constant(-a)) for a in axes], ast.Load())


@rule
def another_axis(answer):
    for node, _what, axis, where in _reductions(answer):
        if axis is None:
            continue
        old = _axes(axis)
        forward = not answer.is_gradient(node)
        new = [(0,), (1,), (2,), (-1,), (-2,), (0, 1), (1, 2), (0, 2)]
        for one in new:
            if old is not None and (set(one) == set(old) or (not forward and called(node) == "sum" and set(one) < set(old))):
                continue
            if old is None and not forward and len(one) == 1 and one[0] == 0:
                continue  # fewer axes: the rule below
            if len(one) > 1 and (old is None or len(old) != len(one)):
                continue
            alike = ("axis", called(node) if forward else "", ast.dump(axis), one)
            replaced = _tuple(one) if len(one) > 1 else _tuple(one).elts[0]
            yield change("WRONG_AXIS", f"{_said(node)} runs over the wrong axis", node, _with_axis(node, where, replaced), alike=alike)
            yield change("WRONG_AXIS", "every reduction runs over the wrong axis", node, _with_axis(node, where, replaced), alike=("axes", ast.dump(axis), one))
        yield change(
            "WRONG_AXIS",
            f"{_said(node)} runs over all axes, where only some should vanish",
            node,
            _with_axis(node, where, None),
            alike=("axis", "", ast.dump(axis), None),
        )


def _said(node):
    return {"max": "a maximum", "amax": "a maximum", "mean": "a mean", "var": "a variance", "std": "a standard deviation"}.get(
        called(node), "a sum" if called(node) == "sum" else "a reduction"
    )


@rule
def another_axis_throughout(answer):
    """Every reduction over one axis, and every count of that axis, taken along another."""
    reductions = [(node, where, axis) for node, _what, axis, where in _reductions(answer) if axis is not None and number(axis) is not None]
    for old in dict.fromkeys(number(axis) for _, _, axis in reductions):
        counts = [n for n in answer.of(ast.Subscript) if isinstance(n.value, ast.Attribute) and n.value.attr == "shape" and number(n.slice) == old]
        for new in (0, 1, -1, -2):
            if new != old and counts:
                edits = [(node, _with_axis(node, where, _tuple([new]).elts[0])) for node, where, axis in reductions if number(axis) == old]
                edits += [(n, write("A[B]", A=n.value, B=_tuple([new]).elts[0])) for n in counts]
                yield Change("WRONG_AXIS", "every reduction runs over the wrong axis", tuple(edits))


@rule
def axis_given_where_all_are_due(answer):
    for node, _what, axis, _where in _reductions(answer):
        if axis is None and answer.is_gradient(node) and called(node) in ("sum", "mean"):
            for one in (0, -1):
                args = [*node.args, ast.Constant(one)] if one >= 0 else [*node.args, ast.UnaryOp(ast.USub(), ast.Constant(1))]
                yield change(
                    "MISSING_BROADCAST_SUM",
                    "the sum runs over one axis; every axis the operand was stretched along should vanish",
                    node,
                    ast.Call(node.func, args, node.keywords),
                )


@rule
def fewer_axes(answer):
    because = "the gradient of a stretched operand is summed over some of its axes only"
    for node, what, axis, where in _reductions(answer):
        if called(node) != "sum" or not answer.is_gradient(node):
            continue
        yield change("MISSING_BROADCAST_SUM", "the gradient of a stretched operand is not summed", node, what)
        axes = _axes(axis) if axis is not None else None
        if axes and len(axes) > 1:
            for mask in range(1, (1 << len(axes)) - 1):
                some = [a for i, a in enumerate(axes) if mask >> i & 1]
                yield change("MISSING_BROADCAST_SUM", because, node, _with_axis(node, where, _tuple(some) if len(some) > 1 else _tuple(some).elts[0]))
        elif axis is not None and axes is None:  # a computed tuple of axes
            yield change("MISSING_BROADCAST_SUM", because, node, _with_axis(node, where, ast.Constant(0)))


@rule
def unbroadcast_dropped(answer):
    """unbroadcast(g, x.shape), sum_to(...): a helper that sums over the stretched axes, not called."""
    for node in answer.of(ast.Call):
        name = called(node).lower()
        if ("broadcast" in name or "sum_to" in name or name in ("unb", "reduce_to")) and name != "broadcast_to" and node.args and answer.is_gradient(node):
            first = node.args[0]
            yield change("MISSING_BROADCAST_SUM", "the gradient of a stretched operand is not summed", node, first, alike="unbroadcast")
            some = write("A.sum(tuple(range(A.ndim - len(S)))) if A.ndim > len(S) else A", A=first, S=node.args[1]) if len(node.args) > 1 else None
            if some is not None:
                because = "axes in front are summed, axes of size 1 that were stretched are not"
                yield change("MISSING_BROADCAST_SUM", because, node, some, alike="unbroadcast some")
                yield change(
                    "EXTRA_MEAN", "there is a mean where a sum is due", node, write("B * np.size(B) / np.size(A)", A=first, B=node), alike="unbroadcast mean"
                )
                yield change("WRONG_AXIS", "everything is summed to one number, where only some axes should vanish", node, write("np.sum(A)", A=first))
                yield change("MISSING_BROADCAST_SUM", "the sum runs over the first axis only", node, write("A.sum(0)", A=first))


@rule
def softmax_over_another_axis(answer):
    for node in answer.of(ast.Call):
        if called(node) in SOFTMAX and node.args:
            because = "softmax runs over the wrong axis"
            if len(node.args) > 1 or node.keywords:
                continue
            for a, b in ((-1, -2), (-1, 0)):
                new = write("np.swapaxes(F(np.swapaxes(X, A, B)), A, B)", F=node.func, X=node.args[0], A=_tuple([a]).elts[0], B=_tuple([b]).elts[0])
                yield change("WRONG_AXIS", because, node, new, alike=("softmax", a, b))
            yield change(
                "WRONG_AXIS",
                "softmax runs over all axes at once",
                node,
                write("F(np.ravel(X)).reshape(np.shape(X))", F=node.func, X=node.args[0]),
                alike="softmax all",
            )


@rule
def axis_of_a_helper(answer):
    """normalise(x, -1), softmax(x, axis=-1): a helper's own axis."""
    for node in answer.of(ast.Call):
        if called(node) in REDUCTIONS or called(node) in ("swapaxes", "concatenate", "stack", "expand_dims", "repeat", "split", "cumsum", "flip", "transpose"):
            continue
        for keyword in node.keywords:
            if keyword.arg in ("axis", "dim"):
                for new in (0, 1, -1, -2):
                    if number(keyword.value) != new:
                        keywords = [ast.keyword(k.arg, _tuple([new]).elts[0]) if k is keyword else k for k in node.keywords]
                        yield change(
                            "WRONG_AXIS",
                            "it runs over the wrong axis",
                            node,
                            ast.Call(node.func, node.args, keywords),
                            alike=("helper axis", ast.dump(keyword.value), new),
                        )


@rule
def axis_not_restored(answer):
    """dout[..., None] where a reduced axis is put back: along the other axis, or not at all."""
    for node in answer.of(ast.Subscript):
        if isinstance(node.ctx, ast.Load) and answer.is_gradient(node.value) and _new_axis(node.slice):
            yield change("WRONG_AXIS", "the gradient is spread along the wrong axis", node, node.value, alike="not restored")
            yield change("WRONG_AXIS", "the gradient is spread along the wrong axis", node, write("A[None]", A=node.value), alike="restored in front")
    for node in answer.of(ast.Call):
        if called(node) == "expand_dims" and node.args and answer.is_gradient(node):
            yield change("WRONG_AXIS", "the gradient is spread along the wrong axis", node, node.args[0], alike="not restored")


def _new_axis(index):
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    return any((isinstance(p, ast.Constant) and p.value is None) or (isinstance(p, ast.Attribute) and p.attr == "newaxis") for p in parts)


# ---------------------------------------------------------------- divisors


@rule
def one_degree_of_freedom(answer):
    """N - 1 for N, N for N - 1, and a ddof."""
    statistics = any(
        (isinstance(n, ast.Call) and called(n) in ("var", "std", "sqrt"))
        or (isinstance(n, ast.BinOp) and isinstance(n.op, ast.Pow) and (number(n.right) or 0) < 0)
        for n in answer.nodes
    )
    statistics = statistics or any(
        isinstance(n, ast.Name) and n.id.lower() in ("std", "var", "inv_std", "ivar", "sigma", "xhat", "x_hat", "rstd") for n in answer.nodes
    )
    if not statistics:
        return
    because = "one place divides by N, another by N - 1"
    for node in answer.of(ast.BinOp):
        if isinstance(node.op, ast.Sub) and number(node.right) == 1 and answer.is_count(node.left) and not answer.in_index(node):
            yield change("DDOF", because, node, node.left, alike="n for n-1")
    for whole, parts in answer.products():
        for place, (node, divides) in enumerate(parts):
            if answer.is_count(node) and not answer.in_index(whole):
                for new in ("A - 1", "A + 1"):
                    if isinstance(node, ast.BinOp):
                        continue
                    changed = [*parts[:place], (write(new, A=node), divides), *parts[place + 1 :]]
                    yield change("DDOF", because, whole, product(changed), alike=(new, divides))
    for node, what, _axis, _where in _reductions(answer):
        if called(node) == "mean" and answer.is_gradient(node):
            yield change("DDOF", because, node, write("M * (np.size(A) // np.size(M)) / (np.size(A) // np.size(M) - 1)", M=node, A=what), alike="mean ddof")
        if called(node) in ("var", "std"):
            ddof = next((k for k in node.keywords if k.arg == "ddof"), None)
            keywords = [k for k in node.keywords if k is not ddof] + ([] if ddof else [ast.keyword("ddof", ast.Constant(1))])
            yield change("DDOF", because, node, ast.Call(node.func, node.args, keywords), alike="ddof")


@rule
def another_divisor(answer):
    because = "it is divided by the size of another axis"
    for node in answer.of(ast.Subscript):
        if isinstance(node.value, ast.Attribute) and node.value.attr == "shape" and isinstance(number(node.slice), int) and not answer.in_index(node):
            for new in (0, 1, -1, -2):
                if new != number(node.slice):
                    yield change("WRONG_CONSTANT", because, node, write("A[B]", A=node.value, B=_tuple([new]).elts[0]), alike=("shape", ast.dump(node), new))
    for node in answer.of(ast.Call):
        if called(node) == "len" and len(node.args) == 1 and not answer.in_index(node):
            for new in ("np.shape(A)[-1]", "np.size(A)"):
                yield change("WRONG_CONSTANT", because, node, write(new, A=node.args[0]), alike=("len", ast.dump(node), new))
    for node in answer.of(ast.Name):
        if isinstance(node.ctx, ast.Load) and answer.is_count(node) and not answer.in_index(node):
            for other in _counts(answer, node):
                yield change("WRONG_CONSTANT", because, node, ast.Name(other, ast.Load()), alike=("count", node.id, other))
    for node, what, _axis, _where in _reductions(answer):
        if called(node) == "mean" and answer.is_gradient(node):
            for text in ("len(A)", "np.shape(A)[-1]", "np.size(A)", "np.shape(A)[1]"):
                new = write("M * (np.size(A) // np.size(M)) / D", M=node, A=what, D=write(text, A=what))
                yield change("WRONG_CONSTANT", because, node, new, alike=("mean", text))


def _counts(answer, node):
    where = answer.outer(node)
    return sorted(name for (place, name) in answer._made if place is where and name != node.id and answer.is_count(_like(answer, node, name)))


def _like(answer, node, name):
    new = ast.Name(name, ast.Load())
    answer.parents[new] = answer.parents[node]
    return new


# ---------------------------------------------------------------- shapes


@rule
def keepdims(answer):
    for node, _what, axis, _where in _reductions(answer):
        if axis is None or not answer.is_gradient(node):
            continue
        rest = [k for k in node.keywords if k.arg != "keepdims"]
        keywords = rest if len(rest) < len(node.keywords) else [*rest, ast.keyword("keepdims", ast.Constant(True))]
        yield change(
            "SHAPE", "the values are right, but an axis of size 1 is too many or missing", node, ast.Call(node.func, node.args, keywords), alike="keepdims"
        )


@rule
def not_reshaped(answer):
    for node in answer.of(ast.Call):
        if called(node) in ("reshape", "view") and isinstance(node.func, ast.Attribute) and answer.is_gradient(node.func.value):
            yield change("SHAPE", "the gradient is not brought back to the shape of its array", node, node.func.value)


# ---------------------------------------------------------------- transposes


@rule
def transpose(answer):
    because = "an operand is transposed, or should be"
    for node in answer.of(ast.Attribute):
        if node.attr in ("T", "mT") and isinstance(node.ctx, ast.Load):
            yield change("TRANSPOSED", because, node, node.value)
    for node in answer.of(ast.Call):
        if called(node) in ("swapaxes", "transpose"):
            first = (
                node.args[0]
                if isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name) and node.func.value.id in ("np", "torch") and node.args
                else None
            )
            yield change("TRANSPOSED", because, node, first or getattr(node.func, "value", node))
        if called(node) in ("T", "t", "transposed", "swap") and len(node.args) == 1:
            yield change("TRANSPOSED", because, node, node.args[0])
        if called(node) in ("dot", "matmul", "outer") and len(node.args) == 2:
            yield change("TRANSPOSED", because, node, ast.Call(node.func, node.args[::-1], node.keywords))
    for node in answer.of(ast.BinOp):
        if isinstance(node.op, ast.MatMult):
            for side in (node.left, node.right):
                if not isinstance(side, ast.Attribute) or side.attr != "T":
                    yield change("TRANSPOSED", because, side, write("np.swapaxes(A, -1, -2)", A=side))
            yield change("TRANSPOSED", "the result of a product is transposed", node, write("np.swapaxes(A, -1, -2)", A=node))
            yield change("TRANSPOSED", "the two operands of a product stand in the wrong order", node, ast.BinOp(node.right, ast.MatMult(), node.left))


@rule
def result_transposed(answer):
    for one in results(answer):
        yield change("TRANSPOSED", "the gradient is transposed", one, write("np.swapaxes(A, -1, -2)", A=one))


PRODUCTS = ("einsum", "dot", "matmul", "tensordot", "outer", "convolve", "correlate", "multiply", "convolve2d", "correlate2d")


@rule
def kernel_flipped(answer):
    """A kernel turned round, or not turned back."""
    sliding = any(isinstance(n, ast.For) for n in answer.nodes) or any(
        isinstance(n, ast.Call) and called(n) in ("einsum", "pad", "convolve", "correlate") for n in answer.nodes
    )
    if not sliding:
        return
    because = "the kernel is flipped, or should be"
    for node in answer.of(ast.Subscript):
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if any(isinstance(p, ast.Slice) and number(p.step) == -1 for p in parts):
            yield change("TRANSPOSED", because, node, node.value)
    for node in answer.of(ast.Name):
        parent = answer.parents.get(node)
        used = isinstance(parent, (ast.BinOp, ast.Call)) or (isinstance(parent, ast.Subscript) and parent.value is node)
        if isinstance(node.ctx, ast.Load) and used and not answer.is_gradient(node) and not answer.is_constant(node) and not answer.in_index(node):
            if answer.is_mask(node) or (isinstance(parent, ast.Call) and (parent.func is node or called(parent) not in PRODUCTS)):
                continue
            for text in ("A[..., ::-1, ::-1]", "A[..., ::-1]", "A[..., ::-1, :]"):
                yield change("TRANSPOSED", because, node, write(text, A=node), alike=("flip", node.id, text))
