"""What a classifier of points in the plane says everywhere: its score as cells, the line where it decides, and the points.

decision_boundary(model, X, y)

The classifier is any function: of an array (N, 2), or of one point [x0, x1], as a model of the student's own scalar engine is.
"""

import math
import sys
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np

from ..errors import WrongObject
from . import scene, still
from .arrays import numbers_of
from .chart import CHAR, Chart, Scale, number
from .contour import zero_lines
from .matrix import levels
from .palette import LEVELS, SERIES
from .scene import Frame, Mark, Steps, Table, View, plain

SIDE = 400.0  # px of the plot
GRID = 40  # cells on each side
COARSE = 12  # cells on each side, when predict is slow
SECONDS = 3.0  # that a grid may take
MOVING = 20  # cells on each side of a grid that is one of several frames
PALE = LEVELS // 2  # the strongest colour of a cell: points can be told from it
POINTS = 400  # drawn
LISTED = 12  # points on the wrong side that are named
NAME = 16
TRIED = 5  # points with which it is found out what predict takes
REGION = {2: (-3, 3), 3: (-3, 0, 3), 4: (-4, -1, 1, 4), 5: (-4, -2, 0, 2, 4)}
"""Levels of the cells of each class, when there are several; its name stands in its region."""


def decision_boundary(predict: Callable[[Any], Any], X: Any, y: Any, *, classes: Sequence[Any] | None = None, threshold: float = 0.0, grid: int | None = None) -> None:  # fmt: skip
    """Show how ``predict`` divides the plane, with the points X of the classes y, those on the wrong side marked.

    decision_boundary(model, X, y)

    predict   : of an array (N, 2), or of one point [x0, x1]. It returns one score for a point: above ``threshold`` is the second class;
                or a list of scores, one for each class: the largest one wins. A score is a float, an array, a tensor, or a Value with .data.
    X         : (N, 2) floats;  y : N labels: -1 and 1, 0 and 1, 0 to 4, or strings. At most 5 classes.
    classes   : the labels in the order of the scores; by default sorted
    threshold : 0.5 where predict returns probabilities
    grid      : cells on each side; 40 by default, and fewer when predict is so slow that they take more than 3 seconds
    Raises WrongObject, which says what predict, X or y lacks.
    """
    still.show(boundary_view(predict, X, y, classes=classes, threshold=threshold, grid=grid))


def boundary_view(predict: Callable[[Any], Any], X: Any, y: Any, *, classes: Sequence[Any] | None = None, threshold: float = 0.0, grid: int | None = None) -> View:  # fmt: skip
    """As decision_boundary(), as a View."""
    plane = Plane(X, y, classes, threshold)
    if not len(plane.X):
        return View("boundary", plane.title, "There are no points to show.", 320, 40, (scene.text(8, 24, "no points"),))
    seen, note = plane.look(predict, GRID if grid is None else grid, may_be_coarser=grid is None)
    cut = f" {POINTS} of {len(plane.X):,} points are drawn." if len(plane.X) > POINTS else ""
    summary = f"{plane.sentence(seen)}.{note}{cut}"
    return View("boundary", plane.title, summary, *plane.size, marks=(*plane.still(), *plane.marks(seen)), table=plane.table(seen))


def boundary_steps(plane: "Plane", seen: Sequence[tuple[str, "Seen"]], note: str = "") -> View:
    """One frame for each (step, what was seen at it): what stays of a training."""
    if not seen:
        return View("boundary", plane.title, f"Nothing was seen of this training.{note}", 320, 40, (scene.text(8, 24, "no steps"),))
    frames = tuple(Frame(f"step {step}", f"Step {step}: {plane.sentence(one)}.", tuple(plane.marks(one, brief=True)), plane.table(one)) for step, one in seen)
    last_step, last = seen[-1]
    summary = f"{len(frames)} step{'s' * (len(frames) != 1)} of a training. At step {last_step}: {plane.sentence(last)}.{note}"
    return View("boundary", plane.title, summary, *plane.size, marks=tuple(plane.still()), steps=(Steps("step", frames, len(frames) - 1),))


@dataclass(frozen=True)
class Seen:
    """What a classifier said at one time."""

    cells: np.ndarray
    """float[side, side, K]: scores at the middle of each cell, the first row at the top; K is 1 for two classes by sign"""
    points: np.ndarray
    """float[N, K]: scores of the points"""


class Plane:
    """The points, their classes, and the picture they lie in. Raises WrongObject for X, y and classes that do not fit."""

    title = "Decision boundary"

    def __init__(self, X: Any, y: Any, classes: Sequence[Any] | None = None, threshold: float = 0.0):
        self.X = _points(X)
        self.labels = _labels(y, len(self.X))
        self.threshold = float(threshold)
        self.classes = _classes(self.labels, classes)
        order = {name: n for n, name in enumerate(self.classes)}
        self.y = np.array([order[label] for label in self.labels], dtype=int)
        finite = self.X[np.isfinite(self.X).all(axis=1)]
        x, up = (Scale.over(finite[:, axis].tolist(), room=0.1) for axis in (0, 1))
        self.chart = Chart("x0", "x1", x, up, SIDE, SIDE)
        words = max((len(self._legend(n)) for n in range(len(self.classes))), default=0)
        self.size = self.chart.size[0] + 40 + words * CHAR, self.chart.size[1]
        self.drawn = np.flatnonzero(np.isfinite(self.X).all(axis=1))
        if len(self.drawn) > POINTS:
            self.drawn = self.drawn[np.linspace(0, len(self.drawn) - 1, POINTS).round().astype(int)]
        self._score: Callable[[np.ndarray], np.ndarray] | None = None
        self._side: int | None = None
        self._note = ""

    # ---- asking the classifier --------------------------------------------------------------------------------------------

    def look(self, predict: Callable[[Any], Any], side: int, may_be_coarser: bool = True, seconds: float = SECONDS) -> tuple[Seen, str]:
        """(what predict says, a sentence when the grid is coarser than ``side``). How coarse is found out at the first look."""
        with _no_graphs():
            return self._look(predict, side, may_be_coarser, seconds)

    def _look(self, predict, side, may_be_coarser, seconds):
        if self._score is None:
            self._score = _way_of(predict, self.X)
        points = self._insist(self._score(self.X))
        if self._side is None:
            self._side = side
            if may_be_coarser and side > COARSE:
                began = perf_counter()
                self._score(self._middles(COARSE))  # a tenth of a whole grid
                took = (perf_counter() - began) / COARSE**2
                if took * side**2 > seconds:
                    self._side = max(COARSE, int(math.sqrt(seconds / took)))
                    self._note = (
                        f" The grid has {self._side} x {self._side} cells instead of {side} x {side}, because predict takes {_duration(took)} for a point."
                    )
        cells = self._insist(self._score(self._middles(self._side)))
        return Seen(cells.reshape(self._side, self._side, -1), points), self._note

    def _middles(self, side):
        """(x, y) of the middle of each cell, row by row from the top: float[side * side, 2]"""
        return np.stack([column.ravel() for column in np.meshgrid(*self._axes(side))], axis=1)

    def _axes(self, side):
        """x of each column, and y of each row from the top."""
        at = (np.arange(side) + 0.5) / side
        across, up = self.chart.x, self.chart.y
        return across.low + at * (across.high - across.low), up.high - at * (up.high - up.low)

    def _insist(self, scores):
        count = scores.shape[1]
        if count == 1 and len(self.classes) > 2:
            raise WrongObject(f"`predict` gives one score for a point, which tells two classes apart, and `y` has {len(self.classes)} ({', '.join(map(str, self.classes))}): it must return one score for each class")  # fmt: skip
        if count > 1 and count != len(self.classes):
            whole = [label for label in self.classes if isinstance(label, int) and 0 <= label < count]
            if len(whole) == len(self.classes) and count <= len(SERIES):  # classes that no point of y belongs to
                self.y = np.array([self.classes[n] for n in self.y], dtype=int)
                self.classes = list(range(count))
            else:
                raise WrongObject(f"`predict` gives {count} scores for a point, and there are {len(self.classes)} classes ({', '.join(map(str, self.classes))}): say which score belongs to which, classes=[...]")  # fmt: skip
        return scores

    # ---- what it comes to -------------------------------------------------------------------------------------------------

    def decided(self, scores: np.ndarray) -> np.ndarray:
        """int[...]: number of the class that scores[..., K] speak for; -1 where one is NaN."""
        best = np.where(np.isnan(scores), -np.inf, scores).argmax(axis=-1)
        return np.where(np.isnan(scores).any(axis=-1), -1, best if scores.shape[-1] > 1 else scores[..., 0] > self.threshold)

    def name(self, n: int) -> str:
        return "none" if n < 0 else plain(self.classes[n], NAME) if n < len(self.classes) else "another class"

    def sentence(self, seen: Seen) -> str:
        chosen = self.decided(seen.points)
        wrong = np.flatnonzero(chosen != self.y)
        count = len(self.y)
        right = count - len(wrong)
        parts = [f"Accuracy {right / count:.1%} ({right:,} of {count:,} points)".replace(".0%", "%")]
        if len(wrong):
            listed = ", ".join(map(str, wrong[:LISTED])) + ", ..." * (len(wrong) > LISTED)
            parts.append(f"wrong: point{'s' * (len(wrong) != 1)} {listed}")
        lost = int((chosen < 0).sum())
        if lost:
            parts.append(f"{lost:,} point{'s have' if lost != 1 else ' has'} a score that is NaN")
        blank = int((self.decided(seen.cells) < 0).sum())
        if blank:
            parts.append(f"{blank:,} of {seen.cells.shape[0] ** 2:,} cells have a score that is NaN")
        if hidden := int((~np.isfinite(self.X).all(axis=1)).sum()):
            parts.append(f"not drawn: {hidden:,} point{'s' * (hidden != 1)} with a NaN or an infinity")
        everything = np.concatenate([seen.cells.ravel(), seen.points.ravel()])
        if self.threshold == 0 and seen.points.shape[1] == 1 and len(self.y) and np.all((everything >= 0) & (everything <= 1)):
            parts.append("all scores lie between 0 and 1: if they are probabilities, say threshold=0.5")
        return "; ".join(parts)

    def table(self, seen: Seen) -> Table:
        chosen = self.decided(seen.points)
        rows = []
        for n, label in enumerate(self.classes):
            mine = self.y == n
            wrong = np.flatnonzero(mine & (chosen != n))
            listed = ", ".join(map(str, wrong[:LISTED])) + ", ..." * (len(wrong) > LISTED)
            rows.append((str(label), f"{int(mine.sum()):,}", f"{int(mine.sum()) - len(wrong):,}", f"{len(wrong):,}", listed or "none"))
        return Table("classes", ("class", "points", "right", "wrong", "numbers of the wrong ones"), tuple(rows))

    # ---- the picture ------------------------------------------------------------------------------------------------------

    def still(self) -> list[Mark]:
        """Axes and legend."""
        marks = self.chart.axes()
        x, y = self.chart.left + SIDE + 24, self.chart.top + 12
        for n in range(len(self.classes)):
            marks += [scene.dots([(x, y)], self._look_of(n), 5), scene.text(x + 14, y + 4, self._legend(n))]
            y += 24
        marks += [scene.rects([(x - 7, y - 7, 14, 14)], "ink"), scene.text(x + 14, y + 4, "wrong side")]
        marks += [scene.line([(x - 8, y + 24), (x + 8, y + 24)], "ink", 2.5), scene.text(x + 14, y + 28, "boundary")]
        return marks

    def _look_of(self, n):
        """Of two classes the second one is blue, as its cells are."""
        return SERIES[1 - n] if len(self.classes) == 2 else SERIES[n]

    def _legend(self, n):
        where = "" if len(self.classes) > 2 else " (plain cells)" if n == 1 else " (hatched cells)"
        return f"class {self.name(n)}{where}"

    def marks(self, seen: Seen, brief: bool = False) -> list[Mark]:
        """Cells, boundary and points. brief: without what is said of each, for one of many frames."""
        side = seen.cells.shape[0]
        cell = SIDE / side
        chosen = self.decided(seen.cells)
        xs, ys = self._axes(side)
        rows, heads = [f"x1 = {number(y, 2)}" for y in ys], [f"x0 = {number(x, 2)}" for x in xs]
        names = [self.name(n) for n in range(-1, max(2, len(self.classes)))]
        if brief:
            words = [[names[n + 1] if n >= 0 else "nan" for n in row] for row in chosen.tolist()]
        elif seen.cells.shape[2] == 1:
            words = [[number(value, 2) for value in row] for row in seen.cells[..., 0].tolist()]
        else:
            words = [[names[n + 1] if n >= 0 else "nan" for n in row] for row in chosen.tolist()]
        at = self.chart.left, self.chart.top
        fine = 0 if brief else 1  # digits of a px
        marks = [scene.cells(*at, (cell, cell), self._levels(seen.cells, chosen), words, rows=rows, heads=heads, scale="diverging")]
        for margin in self._margins(seen.cells):
            for places in zero_lines(margin):
                line = [(round(at[0] + (column + 0.5) * cell, fine), round(at[1] + (row + 0.5) * cell, fine)) for column, row in places]
                marks.append(scene.line(line, "ink", 2.5))
        names_of_regions = self._names_of_regions(chosen, at, cell) if seen.cells.shape[2] > 1 else []
        return [*marks, *self._points(seen, brief), *names_of_regions]

    def _levels(self, cells, chosen):
        if cells.shape[2] == 1:
            values = cells[..., 0] - self.threshold
            known = np.abs(values[np.isfinite(values)])
            top = float(np.quantile(known, 0.9)) if known.size else 0.0  # a few huge scores do not make all others pale
            return levels(np.clip(values, -top, top) if top else np.sign(values), "diverging", 2 * (top or 1.0))  # at most PALE
        of_class = REGION[max(2, len(self.classes))]
        return [[of_class[n] if n >= 0 else None for n in row] for row in chosen.tolist()]

    def _margins(self, cells):
        """Of each class but the first, by how much it is ahead of the best other one: 0 on its border."""
        if cells.shape[2] == 1:
            return [cells[..., 0] - self.threshold]
        with np.errstate(invalid="ignore"):  # inf - inf: such a cell has no line
            return [cells[..., k] - np.delete(cells, k, axis=-1).max(axis=-1) for k in range(1, cells.shape[2])]

    def _names_of_regions(self, chosen, at, cell):
        marks = []
        for n in range(len(self.classes)):
            places = np.argwhere(chosen == n)
            if len(places):
                row, column = places[np.argmin(((places - places.mean(axis=0)) ** 2).sum(axis=1))]  # the cell of the class nearest to their middle
                marks.append(scene.text(at[0] + (column + 0.5) * cell, at[1] + (row + 0.5) * cell + 5, self.name(n), "middle", size=15, bold=True))
        return marks

    def _points(self, seen, brief):
        chosen = self.decided(seen.points)
        marks = []
        for n in range(len(self.classes)):
            mine = [i for i in self.drawn.tolist() if self.y[i] == n]
            if mine:
                said = [] if brief else [self._point(i, seen, chosen) for i in mine]
                marks.append(scene.dots([self._place(i, brief) for i in mine], self._look_of(n), 4, said))
        wrong = [i for i in self.drawn.tolist() if chosen[i] != self.y[i]]
        if wrong:
            places = [self._place(i, brief) for i in wrong]
            marks.append(scene.rects([(x - 7, y - 7, 14, 14) for x, y in places], "ink", [] if brief else [self._point(i, seen, chosen) for i in wrong]))
        return marks

    def _place(self, i, brief):
        x, y = self.chart.at(*self.X[i])
        return (round(x), round(y)) if brief else (x, y)

    def _point(self, i, seen, chosen):
        x0, x1 = self.X[i]
        score = f", score {number(seen.points[i, 0], 3)}" if seen.points.shape[1] == 1 else ""
        verdict = "right" if chosen[i] == self.y[i] else f"predicted {self.name(int(chosen[i]))}"
        return f"point {i} ({number(x0, 3)}, {number(x1, 3)}): class {self.name(int(self.y[i]))}, {verdict}{score}"


def _duration(seconds):
    return f"{number(seconds, 2)} s" if seconds >= 1 else f"{number(1000 * seconds, 2)} ms"


# ---- points and labels ----------------------------------------------------------------------------------------------------


def _points(X):
    found = numbers_of(X, "X")
    if not found.size:
        return np.zeros((0, 2))
    if found.ndim != 2 or found.shape[1] != 2:
        columns = f", {found.shape[1]} numbers for each point" if found.ndim == 2 else ""
        raise WrongObject(f"`X` has shape {found.shape}{columns}; it must be (N, 2): two numbers for each point, as many as a plane has")
    return found.astype(float)


def _labels(y, count):
    """Whole numbers as int, other numbers as float, anything else as text."""
    if hasattr(y, "detach"):
        y = numbers_of(y, "y")
    found = np.asarray(y).ravel().tolist() if isinstance(y, np.ndarray) else list(y)
    found = [one[0] if isinstance(one, (list, tuple)) and len(one) == 1 else one for one in found]
    if len(found) != count:
        raise WrongObject(f"`y` has {len(found)} labels for {count} points in `X`: it needs one for each")
    return [_label(one) for one in found]


def _label(one):
    if isinstance(one, np.generic):
        one = one.item()
    if isinstance(one, (bool, str)):
        return int(one) if isinstance(one, bool) else one
    if hasattr(one, "data") and not isinstance(one, (int, float)):
        one = one.data
    if not isinstance(one, (int, float)):
        raise WrongObject(f"`y` holds an object of type {type(one).__name__}; a label is a number or a string")
    if not math.isfinite(one):
        raise WrongObject(f"`y` holds {one}; a label is a number or a string")
    return int(one) if float(one).is_integer() else float(one)


def _classes(labels, told):
    seen = set(labels)
    if told is not None:
        told = [_label(one) for one in told]
        if missing := sorted(map(str, seen - set(told))):
            raise WrongObject(f"`y` has labels that `classes` does not name: {', '.join(missing[:5])}")
    else:
        told = sorted(seen, key=lambda label: (isinstance(label, str), label))
        if len(told) == 1 and not isinstance(told[0], str):
            # the other side has no points: it is where the score has the other sign
            told = [-1 if told[0] == 1 else 0, told[0]] if told[0] > 0 else [told[0], 1]
    if len(told) > len(SERIES):
        raise WrongObject(f"`y` has {len(told)} classes; at most {len(SERIES)} can be told apart by their shape")
    return told


# ---- the student's function ------------------------------------------------------------------------------------------------


def _way_of(predict: Callable[[Any], Any], X: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
    """float[N, 2] -> float[N, K], by whichever way of asking predict it takes.

    It is asked for TRIED points at once and one by one. Where both are answered and agree, all points are asked at once from then on; where
    they do not, one by one: a model of scalars may well take an array for a point.
    """
    if not callable(predict):
        raise WrongObject(
            f"`predict` is an object of type {type(predict).__name__}, which cannot be called; it must be a function of points, such as your model"
        )
    few = np.resize(X, (TRIED, 2))
    few = np.where(np.isfinite(few), few, 0.0)
    answers, troubles = {}, []
    for way in (_at_once, _as_tensor, _one_by_one):
        if "at once" in answers and way is _as_tensor:
            continue
        try:
            answers["one by one" if way is _one_by_one else "at once"] = way, way(predict, few)
        except Exception as trouble:  # anything may come out of a student's function that is asked in a way it does not know
            troubles.append(f"{ASKED[way]}: {trouble if isinstance(trouble, _NoScores) else f'{type(trouble).__name__}: {trouble}'}")
    if not answers:
        raise WrongObject("`predict` gives no scores. Asked with " + "; with ".join(troubles))
    way, _ = answers.get("at once", answers.get("one by one"))
    if len(answers) == 2:
        together, single = answers["at once"][1], answers["one by one"][1]
        if together.shape != single.shape or not np.allclose(together, single, rtol=1e-3, atol=1e-5, equal_nan=True):
            way = _one_by_one
    return lambda points: way(predict, points)


def _no_graphs():
    """Where torch is in use: no graph is built for a picture, and a LayerRecorder does not take it for a step."""
    torch = sys.modules.get("torch")
    return torch.no_grad() if torch is not None else nullcontext()


class _NoScores(Exception):
    """What came back is no score."""


def _at_once(predict, points):
    return _scores(predict(points.copy()), len(points))


def _as_tensor(predict, points):
    torch = sys.modules.get("torch")
    if torch is None:
        raise _NoScores("torch is not imported")
    return _scores(predict(torch.tensor(points, dtype=torch.get_default_dtype())), len(points))


def _one_by_one(predict, points):
    answers = [_flat(predict(point)) for point in points.tolist()]
    if len({len(answer) for answer in answers}) > 1:
        raise _NoScores("it returned a different number of scores for different points")
    return np.array(answers).reshape(len(points), -1)


ASKED = {_at_once: "an array of shape (N, 2)", _as_tensor: "a torch tensor of shape (N, 2)", _one_by_one: "one point [x0, x1]"}


def _scores(answer, count):
    """An answer for ``count`` points at once: (N,), (N, 1) or (N, K) numbers, or a list of N single answers."""
    if isinstance(answer, (list, tuple)):
        rows = [_flat(one) for one in answer]
        if len(rows) != count or len({len(row) for row in rows}) > 1:
            raise _NoScores(f"it returned {len(rows)} items for {count} points")
        return np.array(rows).reshape(count, -1)
    found = _array(answer)
    if found.ndim not in (1, 2) or found.shape[0] != count or not found.size:
        raise _NoScores(f"it returned an array of shape {found.shape} for {count} points")
    return found.reshape(count, -1)


def _flat(answer):
    """The scores of one point as floats: a number, a Value, an array, or a list of them."""
    if isinstance(answer, (list, tuple)):
        if not answer:
            raise _NoScores("it returned an empty list")
        return [number for one in answer for number in _flat(one)]
    found = _array(answer)
    if found.size == 0 or found.ndim > 2 or (found.ndim == 2 and found.shape[0] != 1):
        raise _NoScores(f"it returned an array of shape {found.shape} for one point")
    return found.ravel().tolist()


def _array(answer):
    if not hasattr(answer, "detach") and not isinstance(answer, (np.ndarray, np.generic)) and hasattr(answer, "data"):
        answer = answer.data  # a Value of a scalar engine
    try:
        return numbers_of(answer, "predict").astype(float)
    except WrongObject:
        raise _NoScores(f"it returned an object of type {type(answer).__name__}, which is no number") from None
