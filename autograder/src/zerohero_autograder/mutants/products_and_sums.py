"""Factors and terms: dropped, doubled, inverted, with another sign or exponent."""

import ast
import re
from itertools import combinations

from .answer import Answer, called, factors, number, results, terms
from .rule import Change, change, product, rule, total, write


def _without(parts, *gone):
    return [part for part in parts if part[0] not in gone]


def _dropped(answer: Answer, parts, node):
    """(kind, sentence) for the factor ``node`` left out of ``parts``."""
    divides = dict(parts)[node]
    rest = [other for other, _ in parts if other is not node]
    if answer.in_index(node):
        return "INDEXING", "a place is worked out without one of its factors"
    if answer.is_count(node) and divides and any(answer.is_gradient(other) for other in rest):
        return "MISSING_MEAN", "the 1/N of a mean is missing"
    if answer.is_gradient(node):
        if any(answer.is_gradient(other) for other in rest):
            return "MISSING_PATH", "a gradient is not handed on by one of its factors"
        return "NO_UPSTREAM", "the gradient that comes from above is not multiplied in"
    if answer.is_count(node) and not divides:
        return "WRONG_CONSTANT", "a factor that counts things is missing"
    if answer.is_constant(node):
        return "WRONG_CONSTANT", "a constant factor is missing"
    if isinstance(node, ast.Name) and _in_exponent(node, rest):
        return "WRONG_CONSTANT", "the exponent is missing as a factor"
    if _counts_mask(answer, node):
        return "WRONG_MASK", "where several elements are let through, each gets the full gradient"
    if not any(answer.is_gradient(other) or _is_slope(other) for other in (node, *rest)):
        return "FORMULA", "a factor of the local derivative is missing"
    if isinstance(node, ast.Call) and called(node) in ("sign", "copysign"):
        return "FORMULA", "one side of a kink has the slope of the other"
    if _inside_a_formula(answer, node):
        return "FORMULA", "a factor inside a sum is missing"
    if _pair_of(node, rest):
        return "FORMULA", "one of the two factors of the local derivative is missing"
    return "DROPPED_LOCAL", "a local derivative is not multiplied in"


SLOPE = re.compile(r"d[a-zA-Z]\w*|local\w*|slope\w*|deriv\w*")


def _is_slope(node):
    return isinstance(node, ast.Name) and SLOPE.fullmatch(node.id) is not None


def _inside_a_formula(answer, node):
    """Whether ``node`` is under a sum or mean that is no gradient of its own: a term of a formula, or a name for one."""
    inner, beside = node, []
    for one in answer.up(node):
        if isinstance(one, ast.Call) and called(one) in ("sum", "mean"):
            inner = one
        elif isinstance(one, ast.BinOp) and isinstance(one.op, (ast.Add, ast.Sub)):
            return inner is not node or any(isinstance(factor, ast.Call) and called(factor) in ("sum", "mean") for factor in beside)
        elif isinstance(one, ast.BinOp) and inner is node:
            beside = [factor for factor, _ in factors(one)]
        elif isinstance(one, ast.Assign):
            target = one.targets[0]
            return inner is not node and isinstance(target, ast.Name) and not SLOPE.fullmatch(target.id)
    return False


def _pair_of(node, rest):
    """Whether ``node`` and one of ``rest`` are the two factors of s * (1 - s)."""
    return any(_complement(node) == ast.dump(other) or _complement(other) == ast.dump(node) for other in rest)


def _complement(node):
    """The dump of s in 1 - s."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub) and number(node.left) == 1:
        return ast.dump(node.right)
    return None


def _in_exponent(node, rest):
    powers = [n for other in rest for n in ast.walk(other) if isinstance(n, ast.BinOp) and isinstance(n.op, ast.Pow)]
    return any(isinstance(n, ast.Name) and n.id == node.id for power in powers for n in ast.walk(power.right))


def _counts_mask(answer, node):
    return isinstance(node, ast.Call) and called(node) == "sum" and isinstance(node.func, ast.Attribute) and answer.is_mask(node.func.value)


@rule
def factor_dropped(answer):
    for whole, parts in answer.products():
        for node, _ in parts:
            kind, because = _dropped(answer, parts, node)
            yield change(kind, because, whole, product(_without(parts, node)), alike=("factor", kind, ast.dump(node)))


@rule
def all_local_factors_dropped(answer):
    for whole, parts in answer.products():
        local = [node for node, _ in parts if not answer.is_gradient(node) and not answer.is_constant(node)]
        if answer.in_index(whole):
            continue
        if not any(answer.is_gradient(node) for node, _ in parts):
            for two in combinations(local, 2):  # x * s * (1 - s) in a local derivative
                if len(local) > 2 and _pair_of(two[0], two[1:]):
                    yield change("DROPPED_LOCAL", "the slope of a step inside is not multiplied in", whole, product(_without(parts, *two)))
            continue
        if len(local) > 1:
            yield change("DROPPED_LOCAL", "the local derivative is not multiplied in", whole, product(_without(parts, *local)))
            for two in combinations(local, 2):
                if len(local) > 2 and _pair_of(two[0], two[1:]):
                    yield change("DROPPED_LOCAL", "a local derivative is not multiplied in", whole, product(_without(parts, *two)))
        every = [node for node, _ in parts if not answer.is_gradient(node)]
        if len(every) > len(local) > 0:
            yield change("DROPPED_LOCAL", "the local derivative is not multiplied in", whole, product(_without(parts, *every)))


@rule
def only_the_local_derivative(answer):
    """d(loss) without the upstream gradient: every use of one upstream gradient becomes ones."""
    because = "the gradient that comes from above is not multiplied in"
    for node in answer.of(ast.Name, ast.Attribute, ast.Subscript):
        if not isinstance(getattr(node, "ctx", None), ast.Load) or answer.in_index(node) or isinstance(answer.parents.get(node), ast.Attribute):
            continue
        parent = answer.parents.get(node)
        if (isinstance(parent, ast.Subscript) and parent.value is node) or isinstance(parent, ast.AugAssign):
            continue
        if isinstance(node, ast.Attribute) and answer.is_upstream(node):
            yield change("NO_UPSTREAM", because, node, ast.Constant(1.0), alike=("ones", answer.inner(node)))
        elif not isinstance(node, ast.Attribute) and answer.is_gradient(node) and not _is_function(answer, node):
            alike = ("ones", answer.outer(node)) if answer.is_upstream(node) else None
            yield change("NO_UPSTREAM", because, node, write("np.ones_like(A)", A=node), alike=alike)


def _is_function(answer, node):
    parent = answer.parents.get(node)
    return isinstance(parent, ast.Call) and parent.func is node


@rule
def operand_of_ones(answer):
    """dout summed where x.T @ dout is due: a matrix product without its other operand."""
    because = "the other operand of a product is not multiplied in"
    for node in answer.of(ast.BinOp):
        if isinstance(node.op, ast.MatMult) and answer.is_gradient(node):
            for side in (node.left, node.right):
                if not answer.is_gradient(side):
                    yield change("DROPPED_LOCAL", because, side, write("np.ones_like(A)", A=side))
    for node in answer.of(ast.Call):
        if called(node) in ("einsum", "outer", "dot", "matmul") and answer.is_gradient(node):
            for one in node.args:
                if not answer.is_gradient(one) and not isinstance(one, ast.Constant):
                    yield change("DROPPED_LOCAL", because, one, write("np.ones_like(A)", A=one))


@rule
def factor_twice(answer):
    for whole, parts in answer.products():
        for node, divides in parts:
            if not answer.in_index(whole) and answer.is_constant(node) and number(node) != 1:
                kind, because = (
                    ("EXTRA_MEAN", "there is one 1/N too many") if answer.is_count(node) and divides else ("WRONG_CONSTANT", "a constant factor is there twice")
                )
                yield change(kind, because, whole, product([*parts, (node, divides)]), alike=("twice", ast.dump(node)))


@rule
def power_of_a_divisor(answer):
    """A term divided once too often, or once too few, by what the others are divided by: the norm squared where its cube is due."""
    divisors = {}
    for node in answer.of(ast.BinOp):
        if isinstance(node.op, ast.Div):
            below = node.right.left if isinstance(node.right, ast.BinOp) and isinstance(node.right.op, ast.Pow) else node.right
            if isinstance(below, ast.Name) and not answer.is_constant(below) and not answer.is_gradient(below):
                divisors[answer.outer(node), below.id] = below
    for whole, parts in answer.sums():
        for (where, _), below in divisors.items():
            if where is answer.outer(whole) and answer.is_gradient(whole) and not answer.in_index(whole):
                for place, (node, plus) in enumerate(parts):
                    for text in ("A * B", "A / B"):
                        changed = [*parts[:place], (write(text, A=node, B=below), plus), *parts[place + 1 :]]
                        yield change("FORMULA", "a term is divided by the wrong power", whole, total(changed))


@rule
def factor_of_a_gradient_twice(answer):
    for whole, parts in answer.products():
        if any(answer.is_gradient(node) for node, _ in parts) and not answer.in_index(whole):
            for node, divides in parts:
                if isinstance(node, ast.Name) and not answer.is_gradient(node) and not answer.is_constant(node) and not answer.is_mask(node):
                    yield change("FORMULA", "a factor is there twice", whole, product([*parts, (node, divides)]))


@rule
def slopes_of_activations_dropped(answer):
    """No slope of any activation: the gates of a cell, each passed on as if it were linear."""
    edits = []
    for whole, parts in answer.products():
        slopes = [node for node, _ in parts if _complement(node) or _one_minus_square(node)]
        slopes += [node for node, _ in parts if ast.dump(node) in [_complement(slope) for slope in slopes]]
        if slopes and len(slopes) < len(parts) and any(answer.is_gradient(node) for node, _ in parts):
            edits.append((whole, product(_without(parts, *slopes))))
    if len(edits) > 1:
        yield Change("DROPPED_LOCAL", "the slopes of the activations are not multiplied in", tuple(edits))


def _one_minus_square(node):
    square = node.right if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub) and number(node.left) == 1 else None
    return isinstance(square, ast.BinOp) and isinstance(square.op, ast.Pow) and number(square.right) == 2


@rule
def square_of_a_difference(answer):
    """(1 - t) ** 2 where 1 - t ** 2 is due; s * s where s * (1 - s) is."""
    for node in answer.of(ast.BinOp):
        if _one_minus_square(node):
            yield change("FORMULA", "the square is taken of the whole difference", node, write("(1 - A) ** 2", A=node.right.left))
    for whole, parts in answer.products():
        for node, divides in parts:
            if _complement(node) in [ast.dump(other) for other, _ in parts]:
                yield change("FORMULA", "both factors of the slope are the same", whole, product([*_without(parts, node), (node.right, divides)]))


@rule
def factor_on_the_other_side(answer):
    """Multiplied where a division is due, and the reverse."""
    for whole, parts in answer.products():
        for place, (node, divides) in enumerate(parts):
            if len(parts) < 2 or answer.in_index(whole) or answer.is_gradient(node) or number(node) == 1:
                continue
            turned = [*parts[:place], (node, not divides), *parts[place + 1 :]]
            kind = "WRONG_CONSTANT" if answer.is_constant(node) else "FORMULA"
            yield change(kind, "a factor multiplies where it is to divide, or the reverse", whole, product(turned), alike=("turned", ast.dump(node)))


@rule
def precedence(answer):
    """a / b * c where a / (b * c) is due."""
    for node in answer.of(ast.BinOp):
        if isinstance(node.op, ast.Div) and isinstance(node.right, ast.BinOp) and isinstance(node.right.op, ast.Mult) and not answer.in_index(node):
            (first, _), *rest = factors(node.right)
            yield change(
                "FORMULA",
                "Python divides by the first factor only, and multiplies by the others",
                node,
                product([(node.left, False), (first, True), *((f, False) for f, _ in rest)]),
            )
        if isinstance(node.op, ast.Div) and isinstance(node.left, ast.BinOp) and isinstance(node.left.op, (ast.Add, ast.Sub)) and not answer.in_index(node):
            left = node.left
            yield change(
                "FORMULA",
                "only the last term is divided, because Python divides before it adds",
                node,
                ast.BinOp(left.left, left.op, ast.BinOp(left.right, ast.Div(), node.right)),
            )


@rule
def term_dropped(answer):
    for whole, parts in answer.sums():
        for node, _ in parts:
            kind, because = _lost(answer, whole, parts, node)
            if kind:
                yield change(kind, because, whole, total(_without(parts, node)), alike=("term", kind, ast.dump(node)))
            if kind == "OVERWRITE":
                yield change("MISSING_PATH", "one of several contributions is not counted", whole, total(_without(parts, node)))


def _lost(answer, whole, parts, node):
    if answer.in_index(whole):
        return "INDEXING", "a place is off by what was left out"
    rest = [other for other, _ in parts if other is not node]
    if is_maximum(answer, node):
        return "UNSTABLE", "right on small numbers, overflow on large ones: the maximum is not subtracted"
    if answer.is_gradient(node):
        target = _assigned(answer, whole)
        if target and isinstance(node, ast.Name) and node.id == target:
            return "OVERWRITE", "the second contribution replaced the first; gradients add up"
        if answer.is_upstream(node) and any(answer.is_gradient(other) for other in rest):
            return "OVERWRITE", "the gradient that came in was replaced where something is to be added to it"
        if carries_the_statistic(answer, node, rest):
            return "STATS_CONST", CONSTANT
        return "MISSING_PATH", "one of several contributions is not counted"
    if not answer.is_gradient(whole) and not _of_a_slope(answer, whole):
        return "FORMULA", "a term is missing in a value that the derivative is taken at"
    if divided(answer, node) > max(divided(answer, other) for other in rest) > 0:
        return "STATS_CONST", CONSTANT
    if answer.is_gradient(whole) or (not answer.is_constant(node) and not any(answer.is_constant(other) for other in rest)):
        return "MISSING_PATH", "one of several terms is not counted"
    return "FORMULA", "a term of the local derivative is missing"


CONSTANT = "what it is divided by (a mean, a norm, a variance) is treated as a constant"


def _of_a_slope(answer, whole):
    """Whether ``whole`` is part of a gradient's product, or of what is named as a derivative."""
    for one in answer.up(whole):
        if isinstance(one, ast.BinOp) and answer.is_gradient(one):
            return True
        if isinstance(one, ast.stmt):
            target = one.targets[0] if isinstance(one, ast.Assign) else None
            return isinstance(one, ast.Return) or (isinstance(target, ast.Name) and (_is_slope(target) or _multiplies_a_gradient(answer, target)))
    return False


def _multiplies_a_gradient(answer, target):
    """Whether an array of this name meets a gradient in a product: a Jacobian."""
    products = (
        n for n in answer.of(ast.BinOp) if isinstance(n.op, (ast.Mult, ast.MatMult)) and answer.is_gradient(n) and answer.outer(n) is answer.outer(target)
    )
    return any(isinstance(side, ast.Name) and side.id == target.id for node in products for side in (node.left, node.right))


def carries_the_statistic(answer: Answer, node: ast.AST, rest: list[ast.AST]) -> bool:
    """Whether of these gradients ``node`` alone has come through a statistic that is divided by: a norm, a root mean square, a variance; not softmax's total."""
    return answer.through_statistic(node) and not any(answer.through_statistic(other) for other in rest) and divided(answer, node) > 0


def divided(answer: Answer, node: ast.AST, seen: frozenset = frozenset()) -> int:
    """How often ``node``, with the names it is made of, holds a root or a norm; not those on the other side of an activation or of a layer."""
    if isinstance(node, ast.Call) and called(node) in ("exp", "tanh", "softmax", "sigmoid", "log"):
        return 0
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
        return 0
    if _is_root(answer, node):
        return 1
    if isinstance(node, ast.Name):
        return max((divided(answer, value, seen | {node.id}) for value in answer.made_of(node)), default=0) if node.id not in seen else 0
    count = sum(divided(answer, child, seen) for child in ast.iter_child_nodes(node))
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
        count *= max(int(abs(number(node.right) or 1)), 1)
    return count


def _is_root(answer, value):
    """sqrt, norm, std of something, or its power -1/2."""
    if answer.is_constant(value):
        return False
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Div) and number(value.left) == 1:
        value = value.right
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Pow):
        return number(value.right) in (0.5, -0.5)
    return isinstance(value, ast.Call) and called(value) in ("sqrt", "norm", "std")


def is_maximum(answer: Answer, node: ast.AST, seen: frozenset = frozenset()) -> bool:
    """x.max(-1), np.max(x) or a name for it: what is subtracted in front of exp."""
    if isinstance(node, ast.Call):
        return called(node) in ("max", "amax")
    if isinstance(node, ast.Subscript):
        return is_maximum(answer, node.value, seen)
    return isinstance(node, ast.Name) and node.id not in seen and any(is_maximum(answer, v, seen | {node.id}) for v in answer.made_of(node))


def _assigned(answer, whole):
    parent = answer.parents.get(whole)
    return parent.targets[0].id if isinstance(parent, ast.Assign) and isinstance(parent.targets[0], ast.Name) else ""


@rule
def statistics_constant(answer):
    """All terms that flow through a mean or a variance dropped."""
    for whole, parts in answer.sums():
        flowing = [node for node, _ in parts if answer.is_gradient(node) and answer.through_statistic(node)]
        if 1 < len(flowing) < len(parts):
            yield change("STATS_CONST", "the mean and the variance are treated as constants", whole, total(_without(parts, *flowing)))
        elif len(flowing) > 2:  # the direct term may itself be the sum of some
            yield change("STATS_CONST", "the mean and the variance are treated as constants", whole, total([parts[0]]))


@rule
def only_one_term(answer):
    """All terms but one dropped, where none of the rules above does it."""
    for whole, parts in answer.sums():
        if answer.in_index(whole) or not answer.is_gradient(whole):
            continue
        if len(parts) > 2:
            for kept in parts[1:]:
                yield change("OVERWRITE", "the last contribution replaced those before it; gradients add up", whole, total([kept]))
        if all(answer.is_gradient(node) for node, _ in parts) and _assigned(answer, whole):
            for gone in parts:
                yield change("OVERWRITE", "one contribution replaced another; gradients add up", whole, total(_without(parts, gone[0])))


@rule
def term_twice(answer):
    for whole, parts in answer.sums():
        for node, sign in parts:
            if answer.is_gradient(node) and not answer.in_index(whole):
                yield change("DOUBLE_COUNT", "one of several contributions is counted twice", whole, total([*parts, (node, sign)]))


@rule
def sign(answer):
    because = "a sign is wrong"
    for whole, parts in answer.sums():
        if answer.in_index(whole):
            continue
        for place, (node, plus) in enumerate(parts):
            turned = [*parts[:place], (node, -plus), *parts[place + 1 :]]
            yield change("SIGN_FLIP", because, whole, total(turned))
    for node in answer.of(ast.UnaryOp):
        if isinstance(node.op, ast.USub) and not answer.in_index(node) and not _is_axis(answer, node):
            yield change("SIGN_FLIP", because, node, node.operand)
    for node in answer.of(ast.AugAssign):
        if isinstance(node.op, (ast.Add, ast.Sub)) and not answer.is_count(node.target):
            other = ast.Sub() if isinstance(node.op, ast.Add) else ast.Add()
            yield change("SIGN_FLIP", because, node, [ast.AugAssign(node.target, other, node.value)], alike=("sign", type(node.op), answer.outer(node)))
    for whole, _ in answer.products():
        if answer.is_gradient(whole) and not answer.in_index(whole):
            yield change("SIGN_FLIP", because, whole, write("-(A)", A=whole))


def _is_axis(answer, node):
    """x.sum(-1), dim=-2, swapaxes(-1, -2), axes (-1, -2)"""
    parent = answer.parents.get(node)
    if isinstance(parent, ast.Tuple):
        parent = answer.parents.get(parent)
    if isinstance(parent, ast.keyword):
        return True
    return (
        isinstance(parent, ast.Call)
        and node in [*parent.args, *(e for a in parent.args if isinstance(a, ast.Tuple) for e in a.elts)]
        and number(node) is not None
    )


@rule
def sign_of_a_result(answer):
    for one in results(answer):
        yield change("SIGN_FLIP", "a sign is wrong: the gradient is the negative of the right one", one, write("-(A)", A=one))


@rule
def exponent(answer):
    for node in answer.of(ast.BinOp):
        if not isinstance(node.op, ast.Pow) or answer.in_index(node):
            continue
        old = node.right
        if isinstance(old, ast.BinOp) and isinstance(old.op, (ast.Sub, ast.Add)) and number(old.right) == 1:
            yield change("FORMULA", "the exponent does not come down by one", node, ast.BinOp(node.left, ast.Pow(), old.left))
        elif number(old) is not None and number(old) < 0:
            for new in {number(old) + 1, number(old) - 1, number(old) / 2, number(old) * 2, -number(old)} - {0}:
                yield change("FORMULA", "an exponent is wrong", node, ast.BinOp(node.left, ast.Pow(), ast.Constant(new)), alike=("exponent", number(old), new))
        elif number(old) is not None:
            yield change("FORMULA", "what is to be raised to a power is not", node, node.left, alike=("power", number(old)))
            yield change("FORMULA", "an exponent is one too high", node, ast.BinOp(node.left, ast.Pow(), ast.Constant(number(old) + 1)))
            if number(old) > 2:
                yield change("FORMULA", "an exponent is one too low", node, ast.BinOp(node.left, ast.Pow(), ast.Constant(number(old) - 1)))
        else:
            yield change("FORMULA", "an exponent is one too low", node, write("A ** (B - 1)", A=node.left, B=old))


@rule
def square_written_as_product(answer):
    """x * x: one of the two dropped, or doubled instead of squared."""
    for whole, parts in answer.products():
        seen = [ast.dump(node) for node, divides in parts if not divides]
        for place, (node, divides) in enumerate(parts):
            if not divides and ast.dump(node) in seen[:place] and not answer.is_constant(node) and not answer.in_index(whole):
                because = "what is to be squared is not"
                yield change("FORMULA", because, whole, product([*parts[:place], *parts[place + 1 :]]), alike=("square", ast.dump(node)))
                yield change("FORMULA", "what is to be squared is doubled", whole, product([*parts[:place], (ast.Constant(2.0), False), *parts[place + 1 :]]))


@rule
def constants(answer):
    for node in answer.of(ast.Constant):
        value = number(node)
        parent = answer.parents.get(node)
        if value is None or answer.in_index(node) or not isinstance(parent, ast.BinOp) or isinstance(parent.op, (ast.Pow, ast.MatMult, ast.Mod, ast.FloorDiv)):
            continue
        new = {value * 2, value / 2, value + 1, value - 1} if isinstance(parent.op, (ast.Mult, ast.Div)) else {value * 2, value + 1}
        if value % 1:
            new |= {value * 10, value / 10, 1 / value} | _digit_lost(value)
        for one in sorted(new - {value, 0}):
            because = "a constant is not the right one"
            yield change("WRONG_CONSTANT" if isinstance(parent.op, (ast.Mult, ast.Div)) else "FORMULA", because, node, ast.Constant(one))
    for node in answer.of(ast.AugAssign):
        if isinstance(node.op, ast.Sub) and number(node.value) and isinstance(node.target, ast.Subscript):
            yield change("WRONG_CONSTANT", "what is subtracted is not the right number", node.value, ast.Constant(2 * number(node.value)))


def _digit_lost(value):
    """0.04715 for 0.044715: numbers of four digits or more without one of them."""
    text = repr(value)
    digits = [i for i, digit in enumerate(text) if digit.isdigit() and text[:i].strip("0.")]
    return {float(text[:i] + text[i + 1 :]) for i in digits} if len(digits) > 2 and "e" not in text else set()


@rule
def exponent_of_a_square(answer):
    """2 * x ** (n - 1) for every n."""
    for whole, parts in answer.products():
        for node, divides in parts:
            if isinstance(node, ast.Name) and not divides and _in_exponent(node, [other for other, _ in parts if other is not node]):
                for new in (ast.Constant(2), write("A - 1", A=node)):
                    because = "the factor that comes down from the exponent is not the exponent"
                    yield change("WRONG_CONSTANT", because, whole, product([(new, False), *_without(parts, node)]))


@rule
def step_skipped(answer):
    """What arrives behind a step used as what arrives before it: dscores = dweights, with the softmax left out."""
    because = "one step is left out on the way back: the gradient behind it is used as the one before it"
    for whole, parts in answer.products():
        for node, _ in parts:
            through = [t for t, _ in terms(node) if isinstance(t, ast.Name) and answer.is_gradient(t)] if isinstance(node, ast.BinOp) else []
            if through and isinstance(answer.parents.get(whole), ast.Assign) and not answer.is_constant(whole):
                constant = [part for part in parts if answer.is_constant(part[0])]
                yield change("DROPPED_LOCAL", because, whole, through[0])
                if constant:
                    yield change("DROPPED_LOCAL", because, whole, product([(through[0], False), *constant]))


@rule
def result_is_the_upstream_gradient(answer):
    for one in results(answer):
        for name in sorted(answer.upstream(one)):
            yield change("DROPPED_LOCAL", "the gradient that comes from above is passed on as it came", one, write("1.0 * U", U=name))


@rule
def result_is_zero(answer):
    for one in results(answer):
        yield change("MISSING_PATH", "no gradient is handed back at all", one, write("np.zeros_like(A)", A=one))


@rule
def result_scaled(answer):
    for one in results(answer):
        for text, what in (("2.0 * (A)", "twice"), ("0.5 * (A)", "half of")):
            yield change("WRONG_CONSTANT", f"the gradient is {what} the right one", one, write(text, A=one))


@rule
def chance_of_the_other(answer):
    """p for 1 - p, and 1 - p for p."""
    for node in answer.of(ast.BinOp):
        if isinstance(node.op, ast.Sub) and number(node.left) == 1 and isinstance(node.right, ast.Name) and answer.is_constant(node.right):
            yield change("WRONG_CONSTANT", "the chance to drop stands where the chance to keep is due, or the reverse", node, node.right, alike="chance")
    for whole, parts in answer.products():
        for node, divides in parts:
            if isinstance(node, ast.Name) and answer.is_constant(node) and not answer.is_count(node) and not answer.made_of(node):
                new = [(n, d) if n is not node else (write("1 - A", A=node), divides) for n, d in parts]
                yield change("WRONG_CONSTANT", "the chance to drop stands where the chance to keep is due, or the reverse", whole, product(new), alike="chance")


@rule
def root(answer):
    """A square root left out, or what stands inside it put outside."""
    for node in answer.of(ast.Call):
        if called(node) != "sqrt" or len(node.args) != 1 or answer.in_index(node):
            continue
        inside = node.args[0]
        if answer.is_constant(inside):
            yield change("WRONG_CONSTANT", "a square root is missing in a constant factor", node, inside, alike="root")
            continue
        yield change("FORMULA", "a square root is missing", node, inside, alike="root")
        if isinstance(inside, ast.BinOp) and isinstance(inside.op, ast.Add):
            for small, big in ((inside.right, inside.left), (inside.left, inside.right)):
                if answer.is_constant(small):
                    yield change(
                        "FORMULA",
                        "the small constant stands outside the root",
                        node,
                        ast.BinOp(ast.Call(node.func, [big], []), ast.Add(), small),
                        alike="outside",
                    )
