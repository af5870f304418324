"""Which learning rate? Train with a rate that grows from step to step, and look where the loss falls and where it turns.

After L. N. Smith, "Cyclical Learning Rates for Training Neural Networks" (2017), section 3.3, with rates that grow by a factor
in place of a difference: which power of ten is right is the question.

Does: run the steps, stop once the loss has left for good, and say between which rates the smoothed curve is low.
Does not: restore what was trained. Hand in a step on a copy of the model.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

FALLEN = 0.8
"""Share of the whole fall of the loss at which a rate counts as worth trying."""


@dataclass(frozen=True)
class RangeTest:
    """The curve of a range test, and what is read off it. The arrays are float64, one entry per step that was run."""

    rates: np.ndarray
    losses: np.ndarray
    """Loss of each step, before its move."""
    smoothed: np.ndarray
    """Mean of the losses around each step; the same as ``losses`` for a window of 1."""
    ended: str
    """Why no further step was run: "all rates tried", "the loss left for good" or "the loss is not a finite number"."""

    @property
    def turns(self) -> float:
        """The rate at which the smoothed loss is lowest. From here on it rises: the steps are too long."""
        return float(self.rates[int(np.argmin(self.smoothed))])

    @property
    def region(self) -> tuple[float, float]:
        """(low, high): rates worth trying, from the first to the last at which the smoothed loss has made FALLEN of its whole fall.

        The floor of a noisy valley is flat, so that its lowest point moves by a factor of three from one run to the next; its
        walls do not. (rates[0], rates[0]) when the loss grows from the start.
        """
        start, lowest = float(self.smoothed[0]), float(self.smoothed.min())
        inside = np.flatnonzero(self.smoothed <= start - FALLEN * (start - lowest))
        return float(self.rates[inside[0]]), float(self.rates[inside[-1]])

    def __str__(self) -> str:
        low, high = self.region
        return (
            f"{len(self.rates)} steps from rate {self.rates[0]:.2g} to {self.rates[-1]:.2g}: {self.ended}. "
            f"The loss is lowest at {self.turns:.2g}; try rates from {low:.2g} to {high:.2g}"
        )


def lr_range_test(
    step: Callable[[float], float], low: float = 1e-4, high: float = 10.0, steps: int = 200, *, window: int | None = None, stop: float = 4.0
) -> RangeTest:
    """Make one step of training at each of ``steps`` rates, which grow from ``low`` to ``high`` by the same factor each time.

    step   : step(rate) makes one step and returns the loss before its move, a number. What it trains is spoiled afterwards
    window : the smoothed loss at a step is the mean of so many losses around it, an odd number (fewer near the ends);
             None for about a tenth of the steps
    stop   : no further step once the loss is more than this many times the lowest loss so far, or is not finite; a loss that is not
             finite is left out of the curve. For losses that are 0 or more

    Raises ValueError when the rates do not grow, there are fewer than 2 steps, the window is even, or the first loss is not finite.
    """
    if not 0 < low < high < math.inf:
        raise ValueError(f"rates must grow from a number above 0: low is {low}, high is {high}")
    if steps < 2:
        raise ValueError(f"a range needs two steps at least, not {steps}")
    window = steps // 10 | 1 if window is None else window
    if window < 1 or window % 2 == 0:
        raise ValueError(f"window must be odd and at least 1, not {window}: it reaches as far back as forward")
    rates = low * (high / low) ** (np.arange(steps) / (steps - 1))
    losses: list[float] = []
    ended = "all rates tried"
    for rate in rates.tolist():
        loss = float(step(rate))
        if not math.isfinite(loss):
            ended = "the loss is not a finite number"
            break
        losses.append(loss)
        if loss > stop * min(losses):
            ended = "the loss left for good"
            break
    if not losses:
        raise ValueError("the loss of the first step is not a finite number: something is wrong before any rate is chosen")
    return RangeTest(rates[: len(losses)], np.array(losses), _smoothed(losses, window // 2), ended)


def _smoothed(losses, reach):
    """Mean over the steps up to ``reach`` away on both sides: centred, so that the curve is not shifted to larger rates."""
    return np.array([np.mean(losses[max(0, k - reach) : k + reach + 1]) for k in range(len(losses))])
