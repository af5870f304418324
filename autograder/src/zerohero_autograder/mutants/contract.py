"""What the numbers do not show: changed inputs, buffers of too few digits, state that is kept."""

import ast

from .answer import FUNCTIONS, called, results
from .rule import change, rule, write, write_lines


@rule
def argument_changed(answer):
    """x = x * y as x *= y, and a buffer that is the upstream gradient itself."""
    because = "one of the inputs was changed"
    for node in answer.of(ast.Call):
        if called(node) in ("copy", "array") and (node.args or isinstance(node.func, ast.Attribute)):
            inside = node.args[0] if node.args else node.func.value
            if isinstance(inside, ast.Name) and inside.id in answer.arguments(node):
                yield change("MUTATES", because, node, inside)
    for function in answer.of(*FUNCTIONS):
        if answer.outer(function) is not function or isinstance(function, ast.Lambda):
            continue
        arguments = [a for a in answer.arguments(function.body[0]) if a not in ("self", "cls", "ctx")]
        last = function.body[-1]
        if isinstance(last, ast.Return) and last.value is not None:
            for name in arguments[:1]:
                yield change(
                    "MUTATES",
                    because,
                    last,
                    [
                        ast.Assign([ast.Name("_given", ast.Store())], last.value, lineno=last.lineno),
                        *write_lines("D *= 0.5", D=name),
                        *write_lines("return _given"),
                    ],
                )


@rule
def too_few_digits(answer):
    because = "the result is kept in a buffer of whole numbers, so digits are lost"
    for node in answer.of(ast.Call):
        if called(node) in ("zeros_like", "empty_like", "zeros", "empty") and not any(k.arg == "dtype" for k in node.keywords):
            for kind in ("int", "np.float16"):
                said = because if kind == "int" else "the result is kept with too few digits"
                yield change("DTYPE", said, node, ast.Call(node.func, node.args, [*node.keywords, ast.keyword("dtype", write(kind))]), alike=("dtype", kind))
    for one in results(answer):
        yield change("DTYPE", "the result is cut to whole numbers", one, write("np.asarray(A).astype(int)", A=one))


@rule
def digits_of_the_terms_lost(answer):
    """Integer contributions added into an integer buffer."""
    for node in answer.of(ast.AugAssign):
        if isinstance(node.op, ast.Add) and isinstance(node.target, (ast.Name, ast.Subscript)) and answer.is_gradient(node.value):
            yield change(
                "DTYPE",
                "each contribution is cut to a whole number",
                node,
                [ast.AugAssign(node.target, ast.Add(), write("np.asarray(A).astype(int)", A=node.value))],
            )
    for node in answer.of(ast.BinOp):
        if (
            isinstance(node.op, ast.MatMult)
            and isinstance(node.left, ast.Attribute)
            and node.left.attr == "T"
            and answer.is_gradient(node.right)
            and not answer.is_gradient(node.left)
        ):
            new = write("sum(np.outer(a, b).astype(int) for a, b in zip(X, D))", X=node.left.value, D=node.right)
            yield change("DTYPE", "each contribution is cut to a whole number", node, new)
