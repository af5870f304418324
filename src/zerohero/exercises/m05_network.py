"""m05: looking up letters, and the network on top. Truth: sums over one position of the window at a time; slopes are measured."""

from dataclasses import replace
from typing import Any

import numpy as np

from ..exercise import Case, Exercise, describe
from ..gradcheck import difference, protocol_findings
from ..gradcheck.arguments import numbers
from ..gradcheck.design import Array, Ids, signature
from ..plaindata import Other
from ..report import Finding
from .kinds import function_exercise, gradient_exercise

NAMES = ("C", "W1", "b1", "W2", "b2")
ROWS = 500
"""Windows that are worked out at a time, so that a wide network of a student's needs no more memory than a narrow one."""


# ---------------------------------------------------------------- the network


def logits_of(parameters: list[np.ndarray], X: np.ndarray) -> np.ndarray:
    """(N, V) logits of the network. parameters : C (V, D), W1 (T*D, H), b1 (H,), W2 (H, V), b2 (V,); X : (N, T) ints."""
    C, W1, b1, W2, b2 = parameters
    width = C.shape[1]
    inside = b1 + sum(np.take(C, X[:, t], axis=0) @ W1[t * width : (t + 1) * width] for t in range(X.shape[1]))
    return b2 + np.matmul(np.tanh(inside), W2)


def loss_of(parameters: list[np.ndarray], X: np.ndarray, Y: np.ndarray) -> float:
    """Mean of -ln p(Y) over all rows, a few at a time."""
    parts = [_losses(logits_of(parameters, X[at : at + ROWS]), Y[at : at + ROWS]) for at in range(0, len(X), ROWS)]
    return float(np.mean(np.concatenate(parts)))


def _losses(logits, Y):
    return np.logaddexp.reduce(logits, axis=1) - np.take_along_axis(logits, Y[:, None], axis=1)[:, 0]


def loss_and_gradients(parameters: list[np.ndarray], X: np.ndarray, Y: np.ndarray) -> tuple[float, list[np.ndarray]]:
    """What the lesson's ``gradients`` gives, for checks of what is trained with it. A row is looked up as a product with ones and zeros."""
    C, W1, b1, W2, b2 = parameters
    picked = np.eye(len(C), dtype=C.dtype)[np.ravel(X)]
    looked_up = np.reshape(np.matmul(picked, C), (len(X), -1))
    bent = np.tanh(np.add(np.matmul(looked_up, W1), b1))
    logits = np.add(np.matmul(bent, W2), b2)
    target = np.eye(len(b2), dtype=C.dtype)[Y]
    logits -= np.max(logits, axis=1, keepdims=True)
    sums = np.sum(np.exp(logits), axis=1, keepdims=True)
    loss = np.mean(np.log(sums[:, 0]) - np.sum(logits * target, axis=1))
    excess = (np.exp(logits) / sums - target) / len(X)  # what a letter is given beyond what it should have
    below = np.matmul(excess, np.transpose(W2)) * (1 - np.square(bent))
    spread = np.reshape(np.matmul(below, np.transpose(W1)), (X.size, -1))
    slopes = [np.matmul(np.transpose(a), b) for a, b in ((picked, spread), (looked_up, below), (bent, excess))]
    return float(loss), [slopes[0], slopes[1], np.sum(below, 0), slopes[2], np.sum(excess, 0)]


def start(rng: np.random.RandomState, vocab: int, context: int, width: int, hidden: int, spread: float = 1.0) -> list[np.ndarray]:
    """Parameters of a network that knows nothing yet, float64; with a larger ``spread`` its logits are far from equal."""
    inputs = context * width
    sizes = [((vocab, width), 1.0), ((inputs, hidden), inputs**-0.5), ((hidden,), 0.1), ((hidden, vocab), 0.05 * spread), ((vocab,), 0.05 * spread)]
    return [np.round(size * rng.standard_normal(shape), 4) for shape, size in sizes]


def read_parameters(value: Any, vocab: int, context: int, where: str = "") -> tuple[list[np.ndarray], list[Finding]]:
    """Parameters that came back, as float64 arrays of shapes that fit; or what is wrong with their form. Width and hidden size are free."""
    wanted = "five arrays: C (V, D), W1 (T*D, H), b1 (H,), W2 (H, V), b2 (V,)"
    if value is None:
        return [], [Finding("the parameters are missing: None came back", where=where, expected=wanted, next="is there a `return` on every path?")]
    if not isinstance(value, list) or len(value) != len(NAMES):
        came = f"{len(value)} values" if isinstance(value, list) else f"a {value.type_name if isinstance(value, Other) else type(value).__name__}"
        return [], [Finding("the result is not the list of the five parameters", where=where, expected=wanted, actual=came)]
    arrays = []
    for name, one in zip(NAMES, value, strict=True):
        array = _numbers(one)
        if array is None:
            return [], [Finding(f"`{name}` is no array of numbers", where=where, expected=wanted)]
        arrays.append(array)
    width, hidden = arrays[0].shape[-1] if arrays[0].ndim else 0, arrays[2].size
    shapes = {"C": (vocab, width), "W1": (context * width, hidden), "b1": (hidden,), "W2": (hidden, vocab), "b2": (vocab,)}
    for name, array in zip(NAMES, arrays, strict=True):
        if array.shape != shapes[name] or not array.size:
            return [], [Finding(f"`{name}` has the wrong shape", where=where, expected=f"shape {shapes[name]}", actual=f"shape {array.shape}")]
    for name, array in zip(NAMES, arrays, strict=True):
        if not np.abs(array).max() < 1e100:  # larger ones overflow in a product; nan is refused too
            return [], [Finding(f"`{name}` is not finite", where=where, expected="finite numbers", actual="inf or nan", next="is the learning rate too large?")]
    return arrays, []


def _numbers(one):
    if isinstance(one, list) and all(isinstance(row, (float, int)) or (isinstance(row, list) and all(isinstance(x, (float, int)) for x in row)) for row in one):
        try:
            one = np.array(one)
        except (ValueError, OverflowError):
            return None
    if not isinstance(one, np.ndarray) or one.dtype.kind not in "fiu":
        return None
    return one.astype(np.float64)


# ---------------------------------------------------------------- embedding


def lookup_case(group: str, rng: np.random.RandomState, vocab: int, width: int, rows: int, context: int) -> Case:
    return Case(group, {"C": numbers(rng, (vocab, width)), "X": rng.randint(vocab, size=(rows, context)).astype(np.int64)})


def _side_by_side(C, X):
    return np.concatenate([np.take(C, column, axis=0) for column in np.transpose(X)], axis=1)


LOOKUPS = {
    ("TRANSPOSED", "the numbers of a letter do not stay together: position and width are exchanged before the rows are laid out"): lambda C, X: np.stack(
        [np.take(C, column, axis=0) for column in np.transpose(X)], axis=2
    ).reshape(len(X), -1),
    ("WRONG_AXIS", "the letters of a window are added up; they are to stand side by side"): lambda C, X: sum(np.take(C, column, axis=0) for column in np.transpose(X)),
    ("WRONG_AXIS", "the positions are put below each other; they are to stand side by side"): lambda C, X: np.concatenate(
        [np.take(C, column, axis=0) for column in np.transpose(X)], axis=0
    ),
    ("INDEXING", "the letters of each window come out in the reverse order"): lambda C, X: _side_by_side(C, X[:, ::-1]),
}  # fmt: skip


def _name_lookup(cases, outputs):
    rows = [(case.inputs, output["value"]["value"]) for case, output in zip(cases, outputs, strict=True) if output["status"] == "ok"]
    for mistake, variant in LOOKUPS.items():
        if len(rows) == len(cases) and all(difference("", variant(**inputs), given, rtol=1e-6) is None for inputs, given in rows):
            return mistake
    return None


embed_forward = function_exercise(
    "m05-embed-forward",
    "Rows of a table, side by side",
    "embed_forward(C, X)",
    cases=lambda rng: [
        lookup_case("values", rng, 5, 2, 3, 3),
        lookup_case("values", rng, 27, 4, 7, 3),
        lookup_case("other windows", rng, 11, 3, 5, 2),
        lookup_case("other windows", rng, 7, 5, 2, 4),
        lookup_case("a window of one", rng, 7, 3, 5, 1),
        lookup_case("one row", rng, 11, 5, 1, 3),
        lookup_case("one row", rng, 7, 2, 1, 5),
    ],
    truth=lambda i: _side_by_side(i["C"], i["X"]),
    hints=(
        "C is a table with one row per letter. An array of ints in square brackets picks rows: C[2], C[[2, 5]], and an array of any shape.",
        "C[X] has the shape of X and one more axis: (N, T, D). You want each window in one row, its T letters one after the other: (N, T * D).",
        "reshape keeps the order in memory, and in C[X] the D numbers of a letter lie next to each other already. -1 lets NumPy work out the second size.",
    ),
    name=_name_lookup,
)  # fmt: skip

embed_backward = gradient_exercise(
    "m05-embed-backward",
    "Backward pass of a lookup",
    "embed_backward(dout, C, X)",
    forward=lambda C, X: np.reshape(np.take(C, X, axis=0), (len(X), -1)),
    inputs=signature(C=Array("V D"), X=Ids("N T", below="V")),
    hints=(
        "Nudge one row of C. Which places of the output move? Every place where that letter stands in X: and each of them hands a gradient back.",
        "Bring dout to the shape (N, T, D): now dout[n, t] belongs to row X[n, t] of C. A row that is used k times gets the sum of k gradients, an unused one 0.",
        "dC[X] += dout adds only once per row, however often the row is picked. np.add.at(dC, X, ...) adds every time; so does a loop over n and t.",
    ),
)  # fmt: skip


# ---------------------------------------------------------------- logits and loss


def forward_case(group: str, rng: np.random.RandomState, rows: int, vocab: int, context: int, width: int, hidden: int, spread: float = 20.0) -> Case:
    parameters = start(rng, vocab, context, width, hidden, spread)
    return Case(group, {"parameters": parameters, "X": rng.randint(vocab, size=(rows, context)), "Y": rng.randint(vocab, size=rows)})


def _forward_truth(inputs, variant=""):
    parameters, X, Y = inputs["parameters"], inputs["X"], inputs["Y"]
    logits = logits_of(parameters, X)
    if variant == "no tanh":
        C, W1, b1, W2, b2 = parameters
        logits = (np.matmul(_side_by_side(C, X), W1) + b1) @ W2 + b2
    elif variant == "no b1":
        logits = logits_of([*parameters[:2], np.zeros_like(parameters[2]), *parameters[3:]], X)
    elif variant == "no b2":
        logits = logits - parameters[4]
    losses = _losses(logits, Y)
    return [logits, float(np.sum(losses) if variant == "sum" else np.mean(losses))]


FORWARDS = {
    "no tanh": ("MISSING_PATH", "tanh is missing: two affine layers in a row are only one affine layer"),
    "no b1": ("MISSING_PATH", "the bias b1 is not added"),
    "no b2": ("MISSING_PATH", "the bias b2 is not added"),
    "sum": ("MISSING_MEAN", "the losses of the rows are added up, not averaged"),
}


def _judge_forward(case, seen):
    where = describe({key: case.inputs[key] for key in ("X", "Y")})
    found = protocol_findings(seen, where, list(case.inputs))
    value = seen["value"]
    if found:
        return found
    if not isinstance(value, list) or len(value) != 2:
        return [difference("result", [0.0, 0.0], value, where=where) or Finding("the result is not (logits, loss)", where=where)]
    for name, true, given in zip(("logits", "loss"), _forward_truth(case.inputs), value, strict=True):
        one = difference(name, true, given, where=where)
        if one:
            return [one]
    return []


def _name_forward(cases, outputs):
    rows = [(case, output["value"]["value"]) for case, output in zip(cases, outputs, strict=True) if output["status"] == "ok"]
    if len(rows) < len(cases):
        return None
    for variant, mistake in FORWARDS.items():
        if all(difference("", _forward_truth(case.inputs, variant), given, rtol=1e-6) is None for case, given in rows):
            return mistake
    wrong = [(case, given) for case, given in rows if difference("", _forward_truth(case.inputs), given)]
    if all(case.group == LARGE and not np.isfinite(given[1]) for case, given in wrong):
        return "UNSTABLE", "the loss is right for small logits and overflows for large ones"
    return None


LARGE = "large logits"

mlp_forward: Exercise = replace(
    function_exercise(
        "m05-mlp-forward",
        "From windows to logits to loss",
        "mlp_forward(parameters, X, Y)",
        cases=lambda rng: [
            forward_case("values", rng, 5, 7, 3, 2, 11),
            forward_case("values", rng, 3, 27, 3, 4, 5),
            forward_case("other windows", rng, 7, 5, 2, 3, 4),
            forward_case("one row", rng, 1, 7, 3, 2, 5),
            forward_case(LARGE, rng, 5, 7, 3, 2, 11, 20_000.0),
        ],
        hints=(
            "Four steps, each of which you have: look the letters up, an affine layer, tanh, another affine layer. What comes out are the logits.",
            "embed_forward(C, X) is (N, T*D); W1 and b1 make it (N, H); tanh keeps the shape; W2 and b2 make it (N, V). Then softmax_cross_entropy.",
            "C, W1, b1, W2, b2 = parameters, then a line per step. softmax_cross_entropy returns two things: the loss, a mean over the rows, and its gradient; keep the first.",
        ),
    ),
    judge=_judge_forward,
    name=_name_forward,
)  # fmt: skip


# ---------------------------------------------------------------- start values

TOLERANCE = 0.05
"""How far the loss at the start may be from ln V. The reference is off by at most 0.018 on 200 seeds and sizes of up to 300 hidden units."""


def _probe_init(function, inputs):
    sizes = [inputs[key] for key in ("vocab", "context", "width", "hidden")]
    return {
        "parameters": function(*sizes, np.random.RandomState(inputs["seed"])),
        "again": function(*sizes, np.random.RandomState(inputs["seed"])),
        "other": function(*sizes, np.random.RandomState(inputs["seed"] + 1)),
    }


def _judge_init(case, seen):
    i = case.inputs
    where = describe(i)
    parameters, found = read_parameters(seen["parameters"], i["vocab"], i["context"], where)
    if found:
        return found
    for name, array, size in zip(("C", "W1"), parameters, (i["width"], i["hidden"]), strict=False):
        if array.shape[1] != size:
            return [Finding(f"`{name}` has the wrong shape", where=where, expected=f"{size} columns", actual=f"{array.shape[1]} columns")]
    again, _ = read_parameters(seen["again"], i["vocab"], i["context"])
    other, _ = read_parameters(seen["other"], i["vocab"], i["context"])
    if case.group == "random":
        if not again or not all(np.array_equal(a, b) for a, b in zip(parameters, again, strict=True)):
            return [
                Finding("the same seed gives other parameters", where=where, mistake="STATE_LEAK", next="draw from rng only, the generator that is handed in")
            ]
        if not other or all(np.array_equal(a, b) for a, b in zip(parameters, other, strict=True)):
            return [Finding("another seed gives the same parameters", where=where, next="draw C and W1 at random, from rng")]
        for name, array, what in zip(("C", "W1"), parameters, ("rows of two letters", "columns of two hidden units"), strict=False):
            rows = array if name == "C" else array.T
            if len(np.unique(rows, axis=0)) < len(rows):
                equal = (
                    "two letters that start alike get the same number everywhere"
                    if name == "C"
                    else "units that start alike get the same gradient and stay alike for ever"
                )
                return [Finding(f"{what} of `{name}` are equal", where=where, mistake="WRONG_CONSTANT", because=equal, next="draw every number by itself")]
        return []
    X, Y = _any_windows(i)
    loss, wanted = loss_of(parameters, X, Y), float(np.log(i["vocab"]))
    if abs(loss - wanted) <= TOLERANCE:
        return []
    small = [*parameters[:3], 0.01 * parameters[3], 0.01 * parameters[4]]
    proven = abs(loss_of(small, X, Y) - wanted) <= TOLERANCE
    mistake = ("WRONG_CONSTANT", "the numbers of the last layer are too large: some letters start out far more likely than others") if proven else ("", "")
    return [
        Finding(
            "the loss at the start is not that of an even guess", where=where, expected=f"{wanted:.4f}, within {TOLERANCE}", actual=f"{loss:.4f}",
            mistake=mistake[0], because=mistake[1], next="look at the logits: at the start they should all be close to 0",
        )
    ]  # fmt: skip


def _any_windows(inputs):
    rng = np.random.RandomState(inputs["seed"] + 2)
    return rng.randint(inputs["vocab"], size=(400, inputs["context"])), rng.randint(inputs["vocab"], size=400)


def init_case(group: str, vocab: int, context: int, width: int, hidden: int, seed: int) -> Case:
    return Case(group, {"vocab": vocab, "context": context, "width": width, "hidden": hidden, "seed": seed})


init_loss = Exercise(
    "m05-init-loss",
    "A start that knows nothing",
    "init_mlp(vocab, context, width, hidden, rng)",
    lambda rng: [
        init_case("loss at the start", 27, 3, 10, 200, 1),
        init_case("loss at the start", 27, 3, 2, 100, 2),
        init_case("loss at the start", 65, 8, 16, 64, 3),
        init_case("random", 27, 3, 10, 200, 4),
        init_case("random", 5, 2, 3, 7, 5),
    ],
    _probe_init,
    _judge_init,
    (
        "Before it has seen a letter, the network should find all letters equally likely: then the loss is ln V. What must the logits be for that?",
        "Equal logits, so close to 0: the last layer starts small. C and W1 must be random, or all hidden units would be the same unit for ever.",
        "rng.standard_normal(shape) draws. Divide W1 by the square root of context * width, multiply W2 by 0.01, and let both biases start at zeros.",
    ),
)  # fmt: skip
