"""A backward pass written by hand, tensor by tensor: the student's gradient, the true one, and where they differ.

backward_walk([("dlogits", dlogits, logits.grad, "probs - onehot"), ...])
backward_walk({"dlogits": dlogits, ...}, {"logits": logits, ...})       # tensors: their .grad is the truth

It shows, and says right or wrong by the measure of the gradient checker (``comparison``); it does not check: the truth is the caller's.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..errors import WrongObject
from . import scene, still
from .arrays import numbers_of
from .chart import CHAR
from .comparison import Comparison, dtype_note, shapes_apart
from .error_map import Fields, as_sentence, key
from .matrix import matrix
from .palette import LEVELS
from .scene import Frame, Mark, Steps, Table, View, plain

MOST = 64  # tensors
CELLS = 2000  # of each of the three fields, all frames together: above, the JSON of the view is larger than 150 kB
SHARE = {"right": 1, "wrong": 4, "not yet": 0, "no truth": 0}  # of them, for a tensor: where something is wrong there is more to see
LINE = 20.0  # px of a tensor in the list
VERDICT = 150.0  # px of its verdict
GLYPHS = {"right": "\N{CHECK MARK}", "wrong": "\N{BALLOT X}", "not yet": "\N{HORIZONTAL ELLIPSIS}", "no truth": "?"}
LEVEL = {"right": 3, "wrong": -4, "not yet": 0, "no truth": 0}


def backward_walk(steps: Any, truth: Mapping[str, Any] | None = None) -> None:
    """Show the gradients of a backward pass one after another, each beside the true one.

    backward_walk({"dlogits": dlogits, "dh": dh}, {"logits": logits, "h": h})

    steps : in backward order, a list of (name, gradient, true gradient) or (name, gradient, true gradient, formula), or a dict
            {name: gradient}; a gradient that is not written yet is None, and so is a truth that is not known
    truth : with a dict of gradients, the true ones under the same names, or under these without their d. A tensor that requires
            grad stands for its .grad: of one that is no parameter, after x.retain_grad() and loss.backward()
    Raises WrongObject, which names the tensor, for what is no array of numbers, and for a tensor without a grad.
    """
    still.show(backward_walk_view(steps, truth))


def backward_walk_view(steps: Any, truth: Mapping[str, Any] | None = None) -> View:
    """As backward_walk(), as a View: the sequence "tensor" has a frame for each, all are in the list on the left."""
    tensors = [*_read(steps, truth)]
    if not tensors:
        raise WrongObject("`steps` holds no tensor: it needs (name, gradient, true gradient) for each")
    if len(tensors) > MOST:
        raise WrongObject(f"`steps` holds {len(tensors)} tensors; at most {MOST} can be shown at once")
    names, width = _list(tensors)
    shares = sum(SHARE[tensor.state] for tensor in tensors)
    frames, sizes = [], [(width + 360.0, 40.0 + LINE * len(tensors))]
    for n, tensor in enumerate(tensors):
        marks, size = tensor.drawn((width + 24, 4.0), max(16, CELLS * SHARE[tensor.state] // max(1, shares)))
        frames.append(Frame(tensor.name, tensor.says(), (_here(n, width), *marks)))
        sizes.append(size)
    first = next((n for n, tensor in enumerate(tensors) if tensor.state == "wrong"), 0)
    keys, across, down = key(width + 24, max(height for _, height in sizes) + 16)
    size = (max(across, *(reach for reach, _ in sizes)), down)
    table = Table(
        "all tensors", ("tensor", "shape", "verdict", "largest error", "formula"), tuple((t.name, t.shape, t.verdict, t.largest, t.formula) for t in tensors)
    )
    return View("backward-walk", "The backward pass", _summary(tensors), *size, (*names, *keys), (Steps("tensor", tuple(frames), first),), table)


def _summary(tensors):
    states = [tensor.state for tensor in tensors]
    counted = [f"{states.count(state)} {state}" for state in GLYPHS if state in states]
    wrong = next((tensor for tensor in tensors if tensor.state == "wrong"), None)
    first = f" The first that is wrong, from the loss backwards, is {wrong.name}: what comes after it may be wrong for that reason only." if wrong else ""
    return f"{len(tensors)} tensor{'s' * (len(tensors) != 1)}: {', '.join(counted)}.{first}"


@dataclass(frozen=True)
class _Tensor:
    name: str
    formula: str
    got: np.ndarray | None
    true: np.ndarray | None

    @cached_property
    def _apart(self) -> str:
        return shapes_apart(self.name, self.got, self.true) if self.got is not None and self.true is not None else ""

    @cached_property
    def compared(self) -> Comparison | None:
        """None where there is nothing to hold against each other."""
        return Comparison.of(self.name, self.got, self.true) if self.got is not None and self.true is not None and not self._apart else None

    @property
    def state(self) -> str:
        if self.got is None:
            return "not yet"
        if self.true is None:
            return "no truth"
        compared = self.compared
        return "wrong" if compared is None or compared.wrong.any() else "right"

    @property
    def shape(self) -> str:
        known = self.got if self.got is not None else self.true
        return str(known.shape) if known is not None else ""

    @property
    def verdict(self) -> str:
        if self._apart and self.true is not None:
            return f"wrong shape, {self.true.shape} is right"
        return self.compared.verdict() if self.compared else self.state

    @property
    def short(self) -> str:
        """The verdict in the 22 characters that a cell has for it."""
        if self._apart:
            return "wrong shape"
        return self.verdict.replace("right to the last digit", "right, exactly")

    @property
    def largest(self) -> str:
        """The largest relative error, in words."""
        compared = self.compared
        return compared.off(compared.order(1)[0]) if compared is not None and compared.got.size else ""

    def says(self) -> str:
        if self._apart:
            return self._apart
        compared = self.compared
        said = f"{self.name} {self.shape}: {self.verdict}".replace(" :", ":")
        if compared is None or self.got is None:
            return f"{said}."
        worst = f"; worst at {compared.says(compared.order(1)[0])}" if compared.wrong.any() else ""
        where = compared.where()
        where = f" {as_sentence(where, self.name)}." if where and " elements" not in where and " parts" not in where else ""
        return " ".join(filter(None, [f"{said}{worst}.{where}", dtype_note(self.name, self.got)]))

    def drawn(self, at: tuple[float, float], most: int) -> tuple[list[Mark], tuple[float, float]]:
        """(the fields and the formula, how far they reach in px)."""
        (x, y), compared = at, self.compared
        title = [scene.text(x, y + 12, f"{self.name} {self.shape}", bold=True)]
        if self.formula:
            title.append(scene.text(x, y + 32, self.formula))
        reach = (x + max(len(self.formula), len(self.name) + len(self.shape)) * CHAR + 16, y + 40)
        if compared is None or not compared.got.size:
            return [*title, scene.text(x, y + 64, _why_alone(self))], (max(reach[0], x + 330), y + 80)
        fields = Fields(compared, (x, y + 44), (180.0, 260.0), most)
        return [*title, *fields.marks], (max(reach[0], fields.size[0]), fields.size[1])


def _why_alone(tensor):
    if tensor.state == "not yet":
        return "not written yet"
    if tensor.state == "no truth":
        return "there is no true gradient to hold it against"
    return f"your shape {tensor.shape}, the true one {tensor.true.shape}" if tensor._apart else "there is nothing in it"


def _list(tensors):
    """(the verdict of each tensor in a cell by which it is chosen, with its name; how far they reach in px)."""
    names = [tensor.name for tensor in tensors]
    left = max(map(len, names)) * CHAR + 12
    levels = np.array([[LEVEL[tensor.state]] for tensor in tensors])
    words = [[f"{GLYPHS[tensor.state]} {tensor.short}"] for tensor in tensors]
    drawn = matrix(levels, names, ["verdict"], at=(left, 24), size=(VERDICT, LINE), scale="diverging", top=LEVELS, words=words, shown=True, selects="tensor")
    return drawn, left + VERDICT


def _here(n, width):
    return scene.rects([(0, 24 + n * LINE, width + 2, LINE)], "focus")


# ---- what was handed in --------------------------------------------------------------------------------------------------


def _read(steps, truth) -> Iterable[_Tensor]:
    if isinstance(steps, Mapping):
        if truth is not None and not isinstance(truth, Mapping):
            raise WrongObject(f"`truth` is of type {type(truth).__name__}; with a dict of gradients it must be a dict of the true ones")
        given = [(name, gradient, _look_up(truth or {}, name)) for name, gradient in steps.items()]
        if truth and all(true is None for _, _, true in given):
            raise WrongObject(f"`truth` has none of the names of `steps`: it has {_some(truth)}, steps has {_some(steps)}")
    elif isinstance(steps, Iterable) and not isinstance(steps, (str, bytes)):
        if truth is not None:
            raise WrongObject("`truth` goes with a dict of gradients; in a list each step has its own, (name, gradient, true gradient)")
        given = [*steps]
    else:
        raise WrongObject(f"`steps` is of type {type(steps).__name__}; it must be a list of (name, gradient, true gradient), or a dict of gradients")
    for step in given:
        if not isinstance(step, (tuple, list)) or not 2 <= len(step) <= 4 or not isinstance(step[0], str):
            raise WrongObject("each of `steps` must be (name, gradient, true gradient), and may have a formula as fourth")
        name, gradient, true, formula = (*step, *[None] * (4 - len(step)))
        got = None if gradient is None else numbers_of(gradient, name)
        yield _Tensor(plain(name, 24), str(formula or ""), got, _true(name, true))


def _some(names):
    return ", ".join([plain(name, 24) for name in names][:6])


def _look_up(truth, name):
    """Under its name, or under that without its d: dlogits is the gradient of logits."""
    return truth.get(name, truth.get(name[1:]) if name.startswith("d") else None)


def _true(name, true):
    if true is None:
        return None
    if getattr(true, "requires_grad", False):
        if not (true.is_leaf or getattr(true, "retains_grad", False)):
            raise WrongObject(f"the tensor for `{name}` keeps no grad: call .retain_grad() on it before loss.backward()")
        if true.grad is None:
            raise WrongObject(f"the tensor for `{name}` has no grad yet: call loss.backward() first")
        true = true.grad
    return numbers_of(true, f"truth of {name}")
