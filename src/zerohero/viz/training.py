"""A training run as it is watched: loss, learning rate and the size of the updates over the steps, in bounded memory.

However long a run is, a curve of it is kept in at most BINS bins of equally many steps: their mean, lowest and highest value.
The bins double in size when they are full, so a run of a million steps costs no more than one of a thousand.
"""

import math
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

from ..errors import ZeroheroError
from . import scene
from .chart import CHAR, Chart, Scale, number
from .one_number import one_number
from .palette import SERIES
from .scene import Frame, Mark, Steps, Table, View

BINS = 128
WAITING = 500  # logged steps that are kept until they become part of the curves
FRAMES = 20  # of the picture that stays
RATIOS = len(SERIES)  # update:data ratios that are drawn; of more, the table tells the rest
WIDE = 560.0
MARGINS = 96.0  # px left and right of the plots
LOSS_HEIGHT, SMALL_HEIGHT = 220.0, 110.0
SHORT = 12  # characters of a parameter's name in the legend
BETWEEN = 92.0  # px between the loss and the small charts, and between these
TRAIN, DEV, RATE = "train loss", "dev loss", "learning rate"
UPDATES = "log10 update:data"


class Bin:
    """Consecutive steps of one curve. What is not a finite number is counted apart."""

    __slots__ = ("count", "first", "high", "last", "lost", "low", "total")

    def __init__(self, step: int):
        self.first = self.last = step
        self.low, self.high, self.total, self.count, self.lost = math.inf, -math.inf, 0.0, 0, 0

    @property
    def step(self) -> float:
        """Where it is drawn: in the middle of its steps."""
        return (self.first + self.last) / 2

    @property
    def mean(self) -> float:
        """Of its finite values; nan without any."""
        if not self.count:
            return math.nan
        mean = self.total / self.count
        return mean if math.isfinite(mean) else self.low / 2 + self.high / 2  # the sum of huge numbers may overflow

    def take(self, later: "Bin") -> None:
        """Add the steps of the bin that follows."""
        self.last = later.last
        self.low, self.high = min(self.low, later.low), max(self.high, later.high)
        self.total, self.count, self.lost = self.total + later.total, self.count + later.count, self.lost + later.lost


class Curve:
    """One number over the steps."""

    def __init__(self) -> None:
        self.bins: list[Bin] = []
        self.size = 1
        """Steps in a bin."""
        self._until = 0
        """The first step behind the last bin."""
        self.now = math.nan
        """The last value, whatever it is."""
        self.lowest, self.lowest_at = math.inf, 0
        self.lost_at: int | None = None
        """The first step whose value was not a finite number."""
        self.lost_since: int | None = None
        """The first of the last steps, none of which has a finite value; None when the last one has."""
        self.lost_word = ""
        """"nan" or "inf", at that step."""

    def add(self, step: int, value: float) -> None:
        """The value at this step; steps never fall."""
        self.now = value
        if step >= self._until:
            self._open(step)
        last = self.bins[-1]
        last.last = step
        if not -math.inf < value < math.inf:  # nan, too
            last.lost += 1
            if self.lost_since is None:
                self.lost_since, self.lost_word = step, number(value)
            if self.lost_at is None:
                self.lost_at = step
            return
        self.lost_since = None
        last.count += 1
        last.total += value
        if value < last.low:
            last.low = value
            if value < self.lowest:
                self.lowest, self.lowest_at = value, step
        if value > last.high:
            last.high = value

    def extend(self, steps: Sequence[int], values: Sequence[float]) -> None:
        """As add() for each of them, but many at once where all are finite: what fills the same bin is summed in one go."""
        if not values:
            return
        if not math.isfinite(sum(values)):
            for step, value in zip(steps, values, strict=True):
                self.add(step, value)
            return
        begin = 0
        while begin < len(steps):
            if steps[begin] >= self._until:
                self._open(steps[begin])
            end = bisect_left(steps, self._until, begin + 1)
            part, last = values[begin:end], self.bins[-1]
            low = min(part)
            if low < self.lowest:
                self.lowest, self.lowest_at = low, steps[begin + part.index(low)]
            last.low, last.high = min(last.low, low), max(last.high, *part)
            last.last, last.total, last.count = steps[end - 1], last.total + sum(part), last.count + len(part)
            begin = end
        self.now, self.lost_since = values[-1], None

    def _open(self, step):
        """Begin the bin that holds this step, if none does."""
        if len(self.bins) == BINS:
            self._halve()
        if not self.bins or step // self.size != self.bins[-1].first // self.size:
            self.bins.append(Bin(step))
        self._until = (step // self.size + 1) * self.size

    def _halve(self):
        while len(self.bins) > BINS // 2:
            self.size *= 2
            kept: list[Bin] = []
            for one in self.bins:
                if kept and kept[-1].first // self.size == one.first // self.size:
                    kept[-1].take(one)
                else:
                    kept.append(one)
            self.bins = kept

    def points(self) -> tuple[list[float], list[float]]:
        """Steps and means, with nan where the curve ends or breaks."""
        xs, ys = [], []
        for one in self.bins:
            if one.count:
                xs.append(one.step)
                ys.append(one.mean)
            if one.lost:
                xs.append(float(one.last))
                ys.append(math.nan)
        return xs, ys

    def said_lost(self, name: str) -> str:
        """ "train loss is nan since step 412", or "was", when it is finite again; or nothing."""
        if self.lost_since is not None:
            return f"{name} is {self.lost_word} since step {self.lost_since}"
        return "" if self.lost_at is None else f"{name} was {self.lost_word} at step {self.lost_at}"


class Run:
    """What was logged of one training run. steps: how many there will be, or None."""

    def __init__(self, steps: int | None = None, title: str = "Training"):
        self.steps, self.title = steps, title
        self.done = 0
        """Steps made so far."""
        self.at = -1
        """The last step that was logged."""
        self.still: dict[str, int] = {}
        """Parameters whose update was 0, and the last step at which it was."""
        self.speed: float | None = None
        """Steps per second, of late."""
        self.ended = ""
        """How the run ended: "all steps made"; "" while it goes on."""
        self._curves: dict[str, Curve] = {}
        self._ratios: dict[str, Curve] = {}
        self._waiting: list[tuple[int, float | None, float | None, float | None, dict[str, float] | None]] = []
        self._lost: set[str] = set()

    def log(self, step: int, loss: Any, dev: Any, lr: Any, update_ratio: Mapping[str, Any] | None) -> bool:
        """Note the numbers of one step; True when a loss is the first that is not finite. Raises as TrainingMonitor.log().

        The training loop waits for this, between steps that have put everything else into the processor's caches: so it does as
        little as it can, and the curves are made of many steps at once.
        """
        if step < self.at:
            raise ZeroheroError(f"log() got step {step} after step {self.at}: steps only grow; make a new TrainingMonitor for each run")
        news = False
        if loss is not None:
            if type(loss) is not float:
                loss = one_number(loss, "loss")
            if not -math.inf < loss < math.inf:  # nan, too
                news = self._is_new(TRAIN)
        if dev is not None:
            dev = one_number(dev, "dev")
            if not -math.inf < dev < math.inf:
                news = self._is_new(DEV) or news
        if lr is not None and type(lr) is not float:
            lr = one_number(lr, "lr")
        if update_ratio is not None:
            if type(update_ratio) is not dict and not isinstance(update_ratio, Mapping):
                raise ZeroheroError(f'update_ratio needs a dict such as {{"W1": 0.001}}, not {type(update_ratio).__name__}')
            update_ratio = {name: float(one) if isinstance(one, float) else one_number(one, f"update_ratio of {name!r}") for name, one in update_ratio.items()}
        self._waiting.append((step, loss, dev, lr, update_ratio))
        if len(self._waiting) == WAITING:
            self._settle()
        self.at = step
        if step >= self.done:
            self.done = step + 1
        return news

    @property
    def curves(self) -> dict[str, Curve]:
        """Loss and rate, by name."""
        self._settle()
        return self._curves

    @property
    def ratios(self) -> dict[str, Curve]:
        """log10 of the update:data ratio of each parameter."""
        self._settle()
        return self._ratios

    def _is_new(self, name):
        new = name not in self._lost
        self._lost.add(name)
        return new

    def _settle(self):
        """Put what was logged into the curves."""
        if not self._waiting:
            return
        waiting, self._waiting = self._waiting, []
        steps, *numbers, ratios = zip(*waiting, strict=True)
        for name, values in zip((TRAIN, DEV, RATE), numbers, strict=True):
            self._extend(self._curves, name, steps, values)
        for name in dict.fromkeys(chain.from_iterable(filter(None, ratios))):
            sizes = [one.get(name) if one else None for one in ratios]
            if 0 in sizes:
                self.still[name] = max(step for step, size in zip(steps, sizes, strict=True) if size == 0)
            self._extend(self._ratios, name, steps, [None if size is None else _log10(abs(size)) for size in sizes])

    def _extend(self, curves, name, steps, values):
        """Continue the curve of this name, where there is a value."""
        if None in values:
            kept = [(step, value) for step, value in zip(steps, values, strict=True) if value is not None]
            if not kept:
                return
            steps, values = zip(*kept, strict=True)
        if name not in curves:
            curves[name] = Curve()
        curves[name].extend(steps, values)

    @property
    def left(self) -> float | None:
        """Seconds until all steps are made, at the speed of late; None where that is not known."""
        if self.steps is None or not self.speed:
            return None
        return max(0, self.steps - self.done) / self.speed

    def sentence(self) -> str:
        """How it stands, in words."""
        parts = []
        for name, curve in self.curves.items():
            parts.append(
                curve.said_lost(name) or f"{name} {number(curve.now)}" + (f" (lowest {number(curve.lowest)} at step {curve.lowest_at})" if name != RATE else "")
            )
        lost = [part for part, curve in zip(parts, self.curves.values(), strict=True) if curve.lost_at is not None]
        told = [*lost, *[part for part in parts if part not in lost]]
        unmoved = [name for name, step in self.still.items() if step == self.ratios[name].bins[-1].last]
        if unmoved:
            told.append(f"the update of {', '.join(scene.plain(name, 24) for name in unmoved[:3])}{' and others' if len(unmoved) > 3 else ''} is 0")
        made = f"{self.done:,} of {self.steps:,} steps" if self.steps is not None else f"{self.done:,} step{'' if self.done == 1 else 's'}"
        speed = f"{f'{self.speed:,.0f}' if self.speed >= 10 else number(self.speed, 2)} steps per second" if self.speed else ""
        left = f"about {duration(self.left)} left" if self.left is not None and not self.ended else ""
        head = f"{made}: {'; '.join(told)}" if told else f"{made}; nothing {'was logged' if self.ended else 'logged yet'}"
        return ". ".join(part[0].upper() + part[1:] for part in (head, ", ".join(filter(None, (speed, left))), self.ended) if part) + "."


def _log10(size):
    """Of a ratio >= 0; nan and infinity stay, and 0 is no finite exponent either."""
    return math.log10(size) if 0 < size < math.inf else -math.inf if size == 0 else size


def duration(seconds: float) -> str:
    """ "7 s", "3 min 20 s", "2 h 5 min"."""
    seconds = math.ceil(seconds)
    minutes, hours = seconds // 60, seconds // 3600
    return f"{seconds} s" if seconds < 60 else f"{minutes} min {seconds % 60} s" if hours == 0 else f"{hours} h {minutes % 60} min"


# ---- the picture -------------------------------------------------------------------------------------------------------


def training_view(run: Run, stop: str = "") -> View:
    """The run as a view. While it goes on: as it is now, with a button for ``stop``, its label. Once it has ended: FRAMES frames."""
    charts = _charts(run)
    marks: list[Mark] = []
    for plot, curves in charts:
        marks += _drawn(plot, curves)
    last = charts[-1][0] if charts else None
    width, height = max(MARGINS + WIDE, 64 + _wide(run.ratios)), last.size[1] if last else 40
    steps = (Steps("step", frames, len(frames) - 1),) if run.ended and (frames := _frames(run, charts)) else ()
    return View("training", run.title, run.sentence(), width, height, tuple(marks), steps, _table(run), (("stop", stop),) if stop else ())


def _charts(run):
    """[(plot, {name: (look, curve)})] of what was logged: the losses, and below them side by side the rate and the updates."""
    across = Scale(0, max(1, ((not run.ended and run.steps) or run.done) - 1, run.at))
    charts = []
    top, wide = 32.0, 64.0
    losses = {name: (look, run.curves[name]) for name, look in ((TRAIN, "series0"), (DEV, "series1")) if name in run.curves}
    if losses:
        scale, words = _upright(curve for _, curve in losses.values())
        charts.append((Chart("step", f"loss{words}", across, scale, WIDE, LOSS_HEIGHT, wide, top), losses))
        top += LOSS_HEIGHT + BETWEEN
    small = []
    if RATE in run.curves:
        scale, words = _upright([run.curves[RATE]])
        small.append((f"rate{words}", scale, {RATE: ("series0", run.curves[RATE])}))
    if run.ratios:
        shown = dict(list(run.ratios.items())[:RATIOS])
        scale = Scale.over([-3.0, *(n for curve in shown.values() for one in curve.bins if one.count for n in (one.low, one.high))])
        small.append((UPDATES, scale, {name: (look, curve) for look, (name, curve) in zip(SERIES, shown.items(), strict=False)}))
    half = (WIDE - BETWEEN) / 2
    beside = len(small) == 2 and _wide(run.ratios) <= half
    for n, (up, scale, curves) in enumerate(small):
        left = wide + half + BETWEEN if beside and n else wide
        charts.append((Chart("step", up, across, scale, half if beside else WIDE, SMALL_HEIGHT, left, top), curves))
        if not beside:
            top += SMALL_HEIGHT + BETWEEN
    return charts


def _wide(names):
    """px of a legend."""
    return sum(56 + CHAR * len(scene.plain(name, SHORT)) for name in list(names)[:RATIOS])


def _upright(curves):
    """(scale, what its label adds): by powers of ten when the numbers lie more than a factor of 100 apart, all above 0."""
    bins = [one for curve in curves for one in curve.bins if one.count]
    means = [one.mean for one in bins]
    if means and min(one.low for one in bins) > 0 and max(means) > 100 * min(means):
        return Scale.over([n for one in bins for n in (one.low, one.high)], log=True), " (log scale)"
    return Scale.over(n for one in bins for n in (one.low, one.high)), ""


def _drawn(plot, curves):
    marks = plot.axes()
    ratios = plot.up == UPDATES
    if ratios:
        left, right = plot.left, plot.left + plot.width
        y = plot.at(plot.x.low, -3)[1]
        marks += [scene.line([(left, y), (right, y)], "ink", 1), scene.text(right + 4, y + 4, "1e-3", size=11)]
    for look, curve in curves.values():
        if plot.height == LOSS_HEIGHT:
            marks += _band(plot, curve, look)
        marks += plot.lines(*curve.points(), look, 2.0)
        if curve.lost_at is not None and not ratios:
            marks += _lost(plot, curve)
    size = max(curve.size for _, curve in curves.values())
    words = [(look, scene.plain(name, SHORT) if ratios else name) for name, (look, _) in curves.items()]
    if plot.height == LOSS_HEIGHT and size > 1:
        words_at = plot.left + plot.width, plot.top + plot.height + 36
        marks.append(scene.text(*words_at, f"point: mean of {size:,} steps, band: their range", "end", size=11))
    return [*marks, *plot.legend(words)]


def _lost(plot, curve):
    """A line where the numbers end."""
    step = curve.lost_at if curve.lost_since is None else curve.lost_since
    px = plot.at(step, plot.y.low)[0]
    side, anchor = (-6, "end") if px > plot.left + plot.width / 2 else (6, "start")
    words = f"{curve.lost_word} {'at' if curve.lost_since is None else 'since'} step {step}"
    line = scene.line([(px, plot.top), (px, plot.top + plot.height)], "focus", 2)
    return [line, scene.text(px + side, plot.top + 14, words, anchor, bold=True)]


def _band(plot, curve, look):
    """From the lowest to the highest value of each bin."""
    if curve.size == 1:
        return []
    stretches, open_ = [], []
    for one in curve.bins:
        if one.count:
            open_.append(one)
        if one.lost or not one.count:
            stretches.append(open_)
            open_ = []
    marks = []
    for stretch in [*stretches, open_]:
        if len(stretch) > 1:
            above = [plot.at(one.step, one.high) for one in stretch]
            below = [plot.at(one.step, one.low) for one in reversed(stretch)]
            marks.append(scene.area([(x, plot.inside(y)) for x, y in above + below], look))
    return marks


def _frames(run, charts):
    """Stops along the run: a line through all charts, and what every curve says there."""
    curves = {**run.curves, **dict(list(run.ratios.items())[:RATIOS])}
    guide = next(iter(curves.values()), None)
    if guide is None:
        return ()
    picked = sorted({round(k * (len(guide.bins) - 1) / (FRAMES - 1)) for k in range(FRAMES)})
    return tuple(_frame(guide.bins[n], charts) for n in picked)


def _frame(at, charts):
    marks, said = [], []
    for plot, curves in charts:
        px = plot.at(at.step, plot.y.low)[0]
        marks.append(scene.line([(px, plot.top), (px, plot.top + plot.height)], "ink", 1))
        for name, (look, curve) in curves.items():
            one = next((one for one in reversed(curve.bins) if one.first <= at.last), None)
            if one is None:
                continue
            value = one.mean if one.count else curve.now if one is curve.bins[-1] else math.nan
            ratio = plot.up == UPDATES
            said.append(f"{f'update:data of {scene.plain(name, 24)}' if ratio else name} {number(_power(value) if ratio else value)}")
            px, py = plot.at(one.step, one.mean)
            if math.isfinite(py):
                marks.append(scene.dots([(px, plot.inside(py))], look, 5))  # without labels: the sentence says it, and there are many
    steps = f"step {at.first:,}" if at.first == at.last else f"steps {at.first:,} to {at.last:,}"
    return Frame(steps, f"{steps[0].upper()}{steps[1:]}: {', '.join(said)}.", tuple(marks))


def _table(run):
    rows = []
    for name, curve in run.curves.items():
        lost = curve.said_lost(name).removeprefix(name).strip()
        rows.append((name, number(curve.now), number(curve.lowest) if curve.lowest < math.inf else "none", lost or "no"))
    for name, curve in run.ratios.items():
        lost = f"was 0 at step {run.still[name]}" if name in run.still else curve.said_lost("").strip()
        rows.append(
            (f"update:data of {name}", number(_power(curve.now), 3), number(_power(curve.lowest), 3) if curve.lowest < math.inf else "none", lost or "no")
        )
    return Table("the run in numbers", ("what", "now", "lowest", "nan, infinite or 0"), tuple(rows)) if rows else None


def _power(exponent):
    return 10**exponent if exponent < 300 else exponent
