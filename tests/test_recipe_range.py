"""The range test, on a loss whose largest stable rate is known by hand.

Gradient descent on L(w) = c/2 w^2 makes w -> (1 - rate c) w, so a step at a rate below 2/c makes the loss smaller, and a step at a
larger one makes it larger, whatever w is.
"""

import math

import numpy as np
import pytest

from zerohero.recipe import RangeTest, lr_range_test


def descent(curvatures, start=1.0):
    """A step of gradient descent on the sum of c/2 w^2."""
    c = np.array(curvatures, dtype=float)
    w = np.full(len(c), start)

    def step(rate):
        loss = float(np.sum(c * w * w) / 2)
        w[:] -= rate * c * w
        return loss

    return step


@pytest.mark.parametrize("curvature", [0.05, 1.0, 40.0])
def test_the_loss_of_a_quadratic_turns_at_two_over_its_curvature(curvature):
    """The loss before a step is lowest at the first rate above 2/c: that of the last step that made it smaller was below; no rate is 2/c itself."""
    found = lr_range_test(descent([curvature]), 0.02 / curvature, 200 / curvature, steps=100, window=1)
    factor = found.rates[1] / found.rates[0]
    assert 2 / curvature < found.turns < factor * 2 / curvature
    assert found.ended == "the loss left for good"


def test_the_region_lies_below_the_turn_of_a_quadratic_and_holds_the_best_rate():
    """rate 1/c goes to the bottom in one step; the region of a noiseless curve is open to the left of 2/c."""
    low, high = lr_range_test(descent([1.0]), 1e-3, 100, steps=201, window=1).region
    assert 0.01 < low < 1 < high and high > 2


def test_rates_grow_by_the_same_factor_and_losses_are_those_of_the_step():
    seen = []

    def step(rate):
        seen.append(rate)
        return 5.0 - len(seen)

    found = lr_range_test(step, 1e-3, 10.0, steps=5, window=1)
    assert seen == pytest.approx([1e-3, 1e-2, 1e-1, 1.0, 10.0]) and found.rates == pytest.approx(seen)
    assert found.losses.tolist() == [4, 3, 2, 1, 0] and found.ended == "all rates tried"


def test_smoothing_is_centred():
    """A straight line stays where it is; an average over the past only would lie above it."""
    losses = iter(np.linspace(9, 1, 21))
    found = lr_range_test(lambda rate: next(losses), steps=21, window=5)
    assert found.smoothed[2:-2] == pytest.approx(found.losses[2:-2])
    assert found.smoothed[0] == pytest.approx(np.mean(found.losses[:3]))


def test_noise_moves_the_lowest_point_but_hardly_the_walls():
    """A valley between 0.03 and 3 on a log scale, with noise a tenth as high as its walls."""
    rng, regions = np.random.RandomState(0), []
    for _ in range(20):
        found = lr_range_test(lambda rate: 2 + min(1, abs(math.log10(rate / 0.3)) ** 4) + 0.1 * rng.randn(), 1e-3, 100, steps=200)
        regions.append(found.region)
    low, high = np.array(regions).T
    assert low.min() > 0.03 and low.max() < 0.15 and high.min() > 0.6 and high.max() < 3


def test_it_stops_when_the_loss_has_left_for_good():
    losses = iter([3.0, 2.0, 7.9, 8.1, 1.0])
    found = lr_range_test(lambda rate: next(losses), steps=5, window=1)
    assert found.losses.tolist() == [3.0, 2.0, 7.9, 8.1] and found.ended == "the loss left for good"


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_a_loss_that_is_no_number_ends_the_curve(bad):
    losses = iter([3.0, 2.0, bad, 1.0])
    found = lr_range_test(lambda rate: next(losses), steps=4, window=1)
    assert found.losses.tolist() == [3.0, 2.0] and found.ended == "the loss is not a finite number"
    with pytest.raises(ValueError, match="first step is not a finite number"):
        lr_range_test(lambda rate: bad)


def test_a_loss_that_only_grows_has_no_region():
    found = lr_range_test(lambda rate: 1.0 + rate, 0.01, 1.0, steps=10)
    assert found.turns == found.rates[0] and found.region == (found.rates[0], found.rates[0])


@pytest.mark.parametrize("given, said", [
    ({"low": 0.0}, "rates must grow"),
    ({"low": 1.0, "high": 0.1}, "rates must grow"),
    ({"high": math.inf}, "rates must grow"),
    ({"steps": 1}, "two steps"),
    ({"window": 4}, "odd"),
    ({"window": 0}, "odd"),
])  # fmt: skip
def test_what_makes_no_range_is_refused(given, said):
    with pytest.raises(ValueError, match=said):
        lr_range_test(descent([1.0]), **given)


def test_it_says_in_one_line_what_it_found():
    text = str(RangeTest(np.array([0.1, 1.0, 10.0]), np.array([3.0, 1.0, 9.0]), np.array([3.0, 1.0, 9.0]), "the loss left for good"))
    assert text == "3 steps from rate 0.1 to 10: the loss left for good. The loss is lowest at 1; try rates from 1 to 1"
