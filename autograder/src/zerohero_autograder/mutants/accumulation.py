"""= where += is due, contributions lost, counted twice, or averaged."""

import ast

from .answer import called, results
from .products_and_sums import CONSTANT, carries_the_statistic
from .rule import change, rule, write, write_lines

OVERWRITE = "the second contribution replaced the first; gradients add up"


@rule
def assigned(answer):
    for node in answer.of(ast.AugAssign):
        if isinstance(node.op, (ast.Add, ast.Sub)) and not _counter(answer, node):
            value = node.value if isinstance(node.op, ast.Add) else ast.UnaryOp(ast.USub(), node.value)
            new = [ast.Assign([node.target], value, lineno=node.lineno)]
            place = answer.outer(node)
            yield change("OVERWRITE", OVERWRITE, node, new, alike=("=", place))
            yield change("OVERWRITE", OVERWRITE, node, new, alike="=")


def _counter(answer, node):
    """i += 1, and lists that grow."""
    return (
        isinstance(node.value, (ast.List, ast.Tuple, ast.ListComp))
        or answer.in_index(node)
        or (isinstance(node.target, ast.Name) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, int))
    )


@rule
def accumulating_call_assigned(answer):
    """np.add.at(g, i, d), and a method of the scalar engine that adds to .grad."""
    for node in answer.of(ast.Expr):
        call = node.value
        if isinstance(call, ast.Call) and called(call) == "at" and len(call.args) == 3:
            array, index, value = call.args
            target = ast.Subscript(array, index, ast.Store())
            yield change(
                "OVERWRITE", "a row that is used more than once keeps its last contribution only", node, [ast.Assign([target], value, lineno=node.lineno)]
            )
            yield change(
                "OVERWRITE", "with += a row that is used more than once gets one of its contributions only", node, [ast.AugAssign(target, ast.Add(), value)]
            )
            averaged = "np.add.at(G, I, V)\nG /= np.maximum(np.bincount(np.ravel(I), minlength=len(G)), 1).reshape((-1,) + (1,) * (G.ndim - 1))"
            yield change(
                "EXTRA_MEAN",
                "the contributions to a row that is used more than once are averaged; they are to be added",
                node,
                write_lines(averaged, G=array, I=index, V=value),
            )
            last = write_lines("np.add.at(G, (I)[..., -1], (V)[..., -1, :])", G=array, I=index, V=value)
            yield change("MISSING_PATH", "only the last of several places is counted", node, last)
            lines = "_ids, _first = np.unique(I, return_index=True)\nG[_ids] = np.reshape(V, (-1, G.shape[-1]))[_first]"
            yield change("MISSING_PATH", "only the first use of a row is counted", node, write_lines(lines, G=array, I=index, V=value))
            first = write_lines("np.add.at(G, (I)[..., 0], (V)[..., 0, :])", G=array, I=index, V=value)
            yield change("MISSING_PATH", "only the first of several places is counted", node, first)
            turned = write_lines("np.add.at(G, (I)[..., ::-1], V)", G=array, I=index, V=value)
            yield change("INDEXING", "the places stand in the reverse order", node, turned)
            moved = write_lines("np.add.at(G, np.roll(I, 1, -1), V)", G=array, I=index, V=value)
            yield change("INDEXING", "each place gets the gradient of its neighbour", node, moved)
            for text in ("np.add.at(G, I - 1, V)", "np.add.at(G, (I + 1) % len(G), V)"):
                yield change("INDEXING", "an index is off by one", node, write_lines(text, G=array, I=index, V=value))
            yield change("NO_UPSTREAM", "the gradient that comes from above is not used", node, write_lines("np.add.at(G, I, 1.0)", G=array, I=index))
            twice = write_lines("np.add.at(G, I, V)\nnp.add.at(G, I, V)", G=array, I=index, V=value)
            yield change("WRONG_CONSTANT", "every contribution is counted twice", node, twice)


@rule
def repeated_rows_by_matrix_product(answer):
    """One-hot products and bincounts have no = to get wrong, but rows can be averaged."""
    for node in answer.of(ast.BinOp):
        if isinstance(node.op, ast.MatMult) and any(isinstance(n, ast.Call) and called(n) == "eye" for n in ast.walk(node.left)):
            new = write("(A) / np.maximum(np.sum(B, axis=-1, keepdims=True), 1)", A=node, B=node.left)
            yield change("EXTRA_MEAN", "the contributions to a row that is used more than once are averaged; they are to be added", node, new)


@rule
def contribution_dropped(answer):
    """A whole += left out, or a -= 1 at the label."""
    for node in answer.of(ast.AugAssign):
        if isinstance(node.op, (ast.Add, ast.Sub)) and not _counter(answer, node):
            kind, because = "MISSING_PATH", "one of several contributions is not counted"
            if isinstance(node.target, ast.Name) and answer.is_gradient(node.value):
                others = [value for value in answer.made_of(node.target) if value is not node.value]
                if carries_the_statistic(answer, node.value, others):
                    kind, because = "STATS_CONST", CONSTANT
            yield change(kind, because, node, [ast.Pass()], alike=("dropped", kind, answer.inner(node)))
    for node in answer.of(ast.AugAssign):
        if isinstance(node.op, (ast.Mult, ast.Div)):
            count = answer.is_count(node.value)
            if count and isinstance(node.op, ast.Div):
                kind, because = "MISSING_MEAN", "the 1/N of a mean is missing"
            elif answer.is_gradient(node.value):
                kind, because = "NO_UPSTREAM", "the gradient that comes from above is not multiplied in"
            elif answer.is_constant(node.value):
                kind, because = "WRONG_CONSTANT", "a constant factor is missing"
            else:
                kind, because = "DROPPED_LOCAL", "a local derivative is not multiplied in"
            yield change(kind, because, node, [ast.Pass()])


@rule
def contribution_twice(answer):
    for node in answer.of(ast.AugAssign):
        if isinstance(node.op, ast.Add) and not _counter(answer, node):
            yield change("DOUBLE_COUNT", "one of several contributions is counted twice", node, [node, node])


@rule
def last_pass_of_a_loop_only(answer):
    """A += made to a fresh array in each pass of the loop: only the last pass counts."""
    for loop in answer.of(ast.For):
        for node in loop.body:
            if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add) and isinstance(node.target, ast.Name):
                yield change("OVERWRITE", OVERWRITE, node, [ast.Assign([node.target], node.value, lineno=node.lineno)])


@rule
def result_not_averaged(answer):
    """A loss gradient that is averaged once more, by a batch that a caller has divided by already."""
    for one in results(answer):
        arrays = [a for a in answer.arguments(one) if a not in ("self", "cls", "ctx")][:2]
        for name in arrays:
            yield change(
                "EXTRA_MEAN",
                "the gradient is divided by the number of rows, which is not due here",
                one,
                write("(A) / len(X)", A=one, X=ast.Name(name, ast.Load())),
            )
