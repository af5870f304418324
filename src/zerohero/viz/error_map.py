"""A gradient beside the true one, and where it is wrong: student, truth and error as three fields of cells.

error_map(dW, W.grad, "dW")     # two arrays
view(report)                    # the map of a failed check, which holds errors only

The last axis runs across, all others down, as in the map of a report. Errors are relative to the largest true element, and each
power of ten has its own shade, so that 1e-6 and 1 are told apart.
"""

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from ..errors import WrongObject
from ..gradcheck.error_map import MOST, as_array, in_blocks, split_axis
from ..report import Finding, Report
from ..show.error_map import column_names, row_names, sentence
from . import scene, still
from .arrays import numbers_of
from .chart import CHAR, number
from .comparison import Comparison, dtype_note, shapes_apart
from .matrix import LABEL, levels, matrix, room
from .palette import LEVELS
from .scene import Frame, Mark, Steps, Table, View

WORST = 10  # elements that are stepped through
TABLE = 60  # elements in the table; of a larger array the worst
ACROSS, DOWN = 300.0, 420.0  # px of one field at most
NARROW = 96.0  # px that the heading of a field needs
GAP = 22.0
NUMBERS = 100  # cells of a field whose numbers are drawn, of at most WIDE columns
WIDE = 6
FEW = 1024  # cells of a field; above, what each says is kept short, so that the JSON of 3 x 64 x 64 cells stays below 180 kB
KEY = ("right", "1e-6", "1e-5", "1e-4", "0.001", "0.01", "0.1", "1", "10")
"""The least error of each level."""


def error_map(student: Any, truth: Any, name: str = "dW") -> None:
    """Show an array beside the true one and its error, and step through the worst elements.

    error_map(dW, W.grad, "dW")

    student, truth: float arrays, tensors or nested lists of one shape, of any number of axes. name: what the array is called.
    Raises WrongObject, which says both shapes, when they differ, and when either holds no numbers.
    """
    still.show(error_map_view(student, truth, name))


def error_map_view(student: Any, truth: Any, name: str = "dW") -> View:
    """As error_map(), as a View. Above 64 rows or columns a cell stands for a block, and shows the worst element of it."""
    got, true = numbers_of(student, "student"), numbers_of(truth, "truth")
    if problem := shapes_apart(name, got, true):
        raise WrongObject(problem)
    title = f"{name} beside the truth"
    kind = f"{name} is {got.dtype} of shape {got.shape}, the truth {true.dtype}."
    if not got.size:
        return View("error-map", title, f"{kind} There is nothing in it.", 320, 40, (scene.text(8, 24, "an empty array"),))
    compared = Comparison.of(name, got, true)
    fields = Fields(compared, (0.0, 0.0), (ACROSS, DOWN))
    width, bottom = fields.size
    keys, across, down = key(4, bottom + 16)
    summary = " ".join(filter(None, [f"{_told(compared)}.", kind, dtype_note(name, got), fields.note]))
    overview = Frame("all", f"{name} is {compared.verdict()}.", table=worst_table(compared))
    steps = Steps("worst", (overview, *_worst_frames(compared, fields)))
    return View("error-map", title, summary, max(width, across), down, marks=(*fields.marks, *keys), steps=(steps,), table=worst_table(compared))


def _told(compared):
    where, verdict = compared.where(), compared.verdict()
    if not where:
        return f"All of {compared.name} is {verdict}, relative to the largest true element"
    if " parts" in where:  # of a map in blocks; elements say more
        return f"{compared.name} is {verdict} elements{where.partition(' parts')[2]}"
    return as_sentence(where, compared.name) + ("" if " elements" in where else f": {verdict}")


def as_sentence(where, name):
    """With a capital, unless it begins with the name of the array."""
    return where if where.startswith(name) else where[0].upper() + where[1:]


def _worst_frames(compared, fields):
    for n, flat in enumerate(flat for flat in compared.order(WORST) if compared.wrong.flat[flat]):
        off = compared.off(flat)
        nth = ("Worst", "2nd worst", "3rd worst")[n] if n < 3 else f"{n + 1}th worst"
        said = f"{nth} at {compared.says(flat)}; {off if off == 'not finite' else f'error {off}'}."
        yield Frame(f"worst {n + 1}", said, (fields.pointing_at(flat),))


def worst_table(compared: Comparison) -> Table:
    """The elements that are furthest off, right ones among them: all of a small array, the worst of a larger one."""
    shown = compared.order(TABLE if compared.got.size <= TABLE else WORST)
    caption = "all elements, the worst first" if len(shown) == compared.got.size else f"the {len(shown)} elements that are furthest off"
    rows = tuple((compared.place(n), *compared.both(n), compared.off(n), "wrong" if compared.wrong.flat[n] else "right") for n in shown)
    return Table(caption, ("element", "yours", "truth", "relative error", "verdict"), rows)


# ---- three fields ------------------------------------------------------------------------------------------------------


class Fields:
    """Student, truth and error side by side, drawn at ``at``, each at most ``within`` px wide and high and of at most ``most`` cells."""

    def __init__(self, compared: Comparison, at: tuple[float, float], within: tuple[float, float], most: int = MOST * MOST):
        self._compared = compared
        self._drawn, self._chosen = _worst_of_blocks(compared, most)
        rows, columns = self._chosen.shape
        # many cells: what each says is kept short, and columns are called by name above the first field only
        self._brief = rows * columns > FEW or most < MOST * MOST
        self._shown = rows * columns <= NUMBERS and columns <= WIDE and within[0] >= ACROSS
        wide = 54.0 if self._shown else min(22.0, max(within[0] / columns, 4.5))
        self._cell = (wide, 22.0 if self._shown else min(22.0, max(within[1] / rows, 4.5)))
        self._rows, self._heads = row_names(self._drawn), column_names(self._drawn)
        beside = [words for _, words in self._groups()] or self._rows
        left, self._above = room(beside, self._heads, wide)
        self._at = (at[0] + left + 4, at[1] + 20 + self._above)
        self._pitch = max(columns * wide, NARROW) + GAP
        bottom = self._at[1] + rows * self._cell[1]
        self.size = (self._at[0] + 3 * self._pitch - GAP + 16, bottom)
        self.marks = self._fields()
        self.note = self._note()

    def _note(self):
        down, across = self._drawn.block
        block = f"A cell stands for {down} x {across} elements and shows the one that is furthest off." if down * across > 1 else ""
        return " ".join(filter(None, [f"Cells of full colour are {number(self._top)}." if self._top else "", block]))

    @property
    def _top(self):
        """Of the colours of the student's and the true numbers: the largest true one, so that a student's mistake does not make the truth pale."""
        for numbers in (self._compared.true, self._compared.got):
            top = float(np.max(np.abs(numbers.astype(np.float64)), initial=0.0, where=np.isfinite(numbers)))
            if top:
                return top
        return 0.0

    def _fields(self):
        compared, marks = self._compared, []
        digits = 3 if self._brief else 4
        for n, (heading, values) in enumerate((("yours", compared.got), ("truth", compared.true))):
            chosen = values.astype(np.float64).ravel()[self._chosen]
            words = [[number(value, digits) for value in row] for row in chosen.tolist()]
            drawn = matrix(chosen, self._unnamed, self._heads, at=self._corner(n), size=self._cell, scale="diverging", top=self._top, words=words, shown=self._shown, read=self._read(heading))  # fmt: skip
            marks += [self._heading(n, heading), *(drawn[:1] if self._brief and n else drawn)]
        errors = np.where(compared.wrong, compared.error, 0.0).ravel()[self._chosen]
        words = [[self._error(int(flat)) for flat in row] for row in self._chosen]
        drawn = error_cells(errors, self._unnamed, self._heads, words, self._corner(2), self._cell, self._shown, self._read("error"))
        marks += [self._heading(2, "error"), *(drawn[:1] if self._brief else drawn)]
        return [*marks, *self._beside()]

    @property
    def _unnamed(self):
        """Rows of the fields: what is called by name stands to the left of the first."""
        return [""] * len(self._rows)

    def _error(self, flat):
        if self._compared.wrong.flat[flat] or self._shown:
            return self._compared.off(flat)
        return "right" if self._brief else f"{self._compared.off(flat)} (right)"

    def _corner(self, n):
        return self._at[0] + n * self._pitch, self._at[1]

    def _heading(self, n, words):
        return scene.text(self._corner(n)[0], self._at[1] - self._above - 4, words, bold=True)

    def _read(self, heading):
        """Names of the rows, as they are read: with the field they belong to."""
        return [f"{heading} {name}".strip() for name in self._rows]

    def _groups(self):
        """[(first row, index)] of the matrices that lie below each other; [] of an array of one or two axes, and where a row of cells is more than a matrix."""
        lead = self._drawn.shape[:-1]
        axis, step = split_axis(self._drawn)
        if len(lead) < 2 or axis < len(lead) - 1:
            return []
        rows = math.ceil(lead[-1] / step)
        return [(n * rows, f"[{', '.join(map(str, outer))}]") for n, outer in enumerate(np.ndindex(*lead[:-1]))]

    def _beside(self):
        """The index of each matrix and a line above it; where there is only one, of each row."""
        (x, y), height, groups = self._at, self._cell[1], self._groups()
        right = x + 2 * self._pitch + len(self._heads) * self._cell[0]
        named = groups or [*enumerate(self._rows)]
        every = max(1, math.ceil(LABEL / (height * (named[1][0] if len(named) > 1 else 1))))
        marks = [scene.text(x - 6, y + (row + 0.5) * height + 4, words, "end", size=11) for n, (row, words) in enumerate(named) if words and n % every == 0]
        return marks + [scene.line([(x, y + row * height), (right, y + row * height)], "ink", 1.5) for row, _ in groups if row]

    def pointing_at(self, flat: int) -> Mark:
        """A box around the cells that hold element number ``flat``."""
        axis, step = split_axis(self._drawn)
        *lead, _ = shape = self._drawn.shape or (1,)
        place = [int(index) for index in np.unravel_index(flat, shape)]
        row = 0
        for along, length in enumerate(lead[: axis + 1]):
            each = step if along == axis else 1
            row = row * math.ceil(length / each) + place[along] // each
        column = place[-1] // self._drawn.block[1]
        (width, height), around = self._cell, 1.5
        boxes = []
        for n in range(3):
            x, y = self._corner(n)
            boxes.append((x + column * width - around, y + row * height - around, width + 2 * around, height + 2 * around))
        return scene.rects(boxes, "focus")


def _worst_of_blocks(compared, most):
    """(the map without its errors, int[rows, columns]: which element each cell shows)."""
    shape, size = compared.got.shape, compared.got.size
    across = shape[-1] if shape else 1
    columns = min(MOST, across, max(math.isqrt(most), most // (size // across)))
    rows = min(MOST, most // columns)
    errors, drawn = in_blocks(compared.error, compared.name, rows, columns)
    places, _ = in_blocks(np.arange(size).reshape(shape), compared.name, rows, columns)
    worst = np.argmax(np.where(np.isnan(errors), np.inf, errors), axis=-1)  # among equal ones the first, which is never a filler
    return drawn, np.take_along_axis(places, worst[..., None], -1)[..., 0]


# ---- errors as cells ---------------------------------------------------------------------------------------------------


def error_levels(errors: np.ndarray) -> np.ndarray:
    """errors: relative ones, 0 where it is right. The same as numbers of which ``matrix`` makes one level for each power of ten, from 1e-6 to 10.

    They are negative: the cell of a wrong element is crossed by a line, whatever its colour.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        power = np.floor(np.log10(errors) + 1e-9) + 7
    return np.where(np.isnan(errors), np.nan, np.where(errors == 0, 0.0, -np.clip(power, 1, LEVELS)))


def error_cells(errors: np.ndarray, rows: list[str], heads: list[str], words: list[list[str]], at: tuple[float, float], cell: tuple[float, float], shown: bool = False, read: list[str] | None = None) -> list[Mark]:  # fmt: skip
    """errors: as for error_levels()."""
    return matrix(error_levels(errors), rows, heads, at=at, size=cell, scale="diverging", top=LEVELS, words=words, shown=shown, read=read)


def key(x: float, y: float) -> tuple[list[Mark], float, float]:
    """(what the shades of errors mean: a row of cells; how far it reaches to the right and down)."""
    shades = [[-float(level) for level in range(LEVELS + 1)]]
    heads = [f"shade {n}" for n in range(LEVELS + 1)]
    left = x + len("relative error from") * CHAR + 2
    words = scene.text(x, y + 13, "relative error from", size=11)
    cells = scene.cells(left, y, (38, 18), levels(np.array(shades), "diverging", LEVELS), [KEY], rows=["key"], heads=heads, scale="diverging", shown=True)
    return [words, cells], left + 38 * len(KEY) + 16, y + 28


# ---- the map of a report -----------------------------------------------------------------------------------------------


def report_map(report: Report | Finding) -> None:
    """Show where the arrays are wrong that a failed check is about: the errors only, because a report holds no more.

    view(gradcheck(forward, backward, [x, w]))

    Raises WrongObject for a report without a map: one that passed, or whose findings are about no array.
    """
    still.show(report_view(report))


def report_view(report: Report | Finding) -> View:
    """As report_map(), as a View: one frame for each finding with a map."""
    findings: Iterable[Finding] = report.findings if isinstance(report, Report) else (report,)
    maps = [finding.error_map for finding in findings if finding.error_map is not None]
    title = report.headline if isinstance(report, Report) else report.what
    if not maps:
        passed = isinstance(report, Report) and report.passed
        raise WrongObject(f"there is no map to show: {'the check passed' if passed else 'no array is wrong element by element'}. {title}")
    drawn = [_report_frame(one) for one in maps]
    size = (max(width for _, (width, _) in drawn), max(height for _, (_, height) in drawn))
    frames = tuple(frame for frame, _ in drawn)
    return View("error-map", title.replace("`", ""), frames[0].says, *size, steps=(Steps("finding", frames),))


def _report_frame(drawn):
    errors = as_array(drawn)
    rows, heads = row_names(drawn), column_names(drawn)
    cell = (min(22.0, max(640 / len(heads), 8.0)), min(22.0, max(DOWN / len(rows), 6.5)))
    left, above = room(rows, heads, cell[0])
    words = [["not finite" if cell is None else "right" if cell == 0 else number(cell, 2) for cell in row] for row in drawn.cells]
    bottom = above + 4 + len(rows) * cell[1]
    keys, reach, end = key(left + 4, bottom + 16)
    marks = [*error_cells(errors, rows, heads, words, (left + 4, above + 4), cell), *keys]
    down, across = drawn.block
    block = f" A cell is the worst of {down} x {across} elements." if down * across > 1 else ""
    said = as_sentence(sentence(drawn).replace("`", ""), drawn.of)
    frame = Frame(drawn.of, f"{said}; shape {drawn.shape}.{block}", tuple(marks), _report_table(drawn, rows, heads, words))
    return frame, (max(left + 4 + len(heads) * cell[0] + 16, reach), end)


def _report_table(drawn, rows, heads, words):
    errors = as_array(drawn).ravel()
    order = np.argsort(-np.where(np.isnan(errors), np.inf, errors), kind="stable")
    wrong = [int(n) for n in order if errors[n] != 0][:TABLE]
    said = [word for row in words for word in row]
    caption = f"the worst {'cells' if drawn.block != (1, 1) else 'elements'}"
    return Table(caption, ("row", "column", "relative error"), tuple((rows[n // len(heads)] or drawn.of, heads[n % len(heads)], said[n]) for n in wrong))
