"""Results, operands and gates in each other's place."""

import ast
from itertools import combinations, pairwise, permutations

from .answer import called
from .rule import Change, change, rule, write

JOINING = ("hstack", "vstack", "concatenate", "stack", "cat", "column_stack", "dstack")
BECAUSE = "two results are in each other's place"


@rule
def returned_in_another_order(answer):
    for node in answer.of(ast.Return):
        if isinstance(node.value, (ast.Tuple, ast.List)) and len(node.value.elts) > 1:
            elements = node.value.elts
            orders = permutations(range(len(elements))) if len(elements) <= 4 else _swaps(len(elements))
            for order in orders:
                if list(order) != sorted(order):
                    yield change("SWAPPED", BECAUSE, node.value, type(node.value)([elements[i] for i in order], ast.Load()))
        elif isinstance(node.value, ast.Dict) and len(node.value.values) > 1:
            values = node.value.values
            for order in _swaps(len(values)):
                yield change("SWAPPED", BECAUSE, node.value, ast.Dict(node.value.keys, [values[i] for i in order]))


def _swaps(size):
    for a, b in combinations(range(size), 2):
        order = list(range(size))
        order[a], order[b] = b, a
        yield tuple(order)


@rule
def parts_put_together_in_another_order(answer):
    for node in answer.of(ast.Call):
        if called(node) in JOINING and node.args and isinstance(node.args[0], (ast.List, ast.Tuple)):
            parts = node.args[0].elts
            for order in _swaps(len(parts)):
                yield change("SWAPPED", "two parts of a joined array are in each other's place", node.args[0], ast.List([parts[i] for i in order], ast.Load()))


@rule
def part_left_out(answer):
    """One of the parts that are put together stays zero: one gate, one half."""
    because = "one part of a joined array gets no gradient"
    for node in answer.of(ast.Call):
        if called(node) in JOINING and node.args and isinstance(node.args[0], (ast.List, ast.Tuple)):
            for part in node.args[0].elts:
                if answer.is_gradient(part):
                    yield change("MISSING_PATH", because, part, write("np.zeros_like(A)", A=part))
    for node in answer.of(ast.Assign):
        target = node.targets[0]
        if isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name) and answer.is_gradient(node.value) and _slices(target):
            yield change("MISSING_PATH", because, node, [ast.Pass()])


def _slices(target):
    return any(isinstance(part, ast.Slice) for part in (target.slice.elts if isinstance(target.slice, ast.Tuple) else [target.slice]))


@rule
def right_sides_swapped(answer):
    """da, db = x, y with the right sides in each other's place; also in two lines."""
    for node in answer.of(ast.Assign):
        if isinstance(node.targets[0], ast.Tuple) and isinstance(node.value, ast.Tuple) and answer.is_gradient(node.value):
            parts = node.value.elts
            for order in _swaps(len(parts)):
                yield change("SWAPPED", BECAUSE, node.value, ast.Tuple([parts[i] for i in order], ast.Load()))
        if isinstance(node.targets[0], ast.Tuple) and isinstance(node.value, ast.Call) and not answer.is_gradient(node.value):
            parts = node.targets[0].elts
            for order in _swaps(len(parts)):
                yield change(
                    "SWAPPED", "two results of a call are taken in the wrong order", node.targets[0], ast.Tuple([parts[i] for i in order], ast.Store())
                )
    for body in (n.body for n in answer.nodes if isinstance(getattr(n, "body", None), list)):
        for a, b in pairwise(body):
            if isinstance(a, ast.Assign) and isinstance(b, ast.Assign) and answer.is_gradient(a.value) and answer.is_gradient(b.value):
                yield Change("SWAPPED", BECAUSE, ((a.value, b.value), (b.value, a.value)))
            if isinstance(a, ast.AugAssign) and isinstance(b, ast.AugAssign) and answer.is_gradient(a.value) and answer.is_gradient(b.value):
                yield Change("SWAPPED", BECAUSE, ((a.value, b.value), (b.value, a.value)))


@rule
def stored_slices_swapped(answer):
    """da[:, :H] and da[:, H:2*H]: two blocks of one array written to each other's place."""
    writes = [n for n in answer.of(ast.Assign) if isinstance(n.targets[0], ast.Subscript) and isinstance(n.targets[0].value, ast.Name)]
    for a, b in combinations(writes, 2):
        if a.targets[0].value.id == b.targets[0].value.id and answer.inner(a) is answer.inner(b):
            yield Change("SWAPPED", "two parts of a joined array are in each other's place", ((a.value, b.value), (b.value, a.value)))
