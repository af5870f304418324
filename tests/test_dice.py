"""Dice against the output its author published for PCG32 (pcg32-demo, seed 42, stream 54), and against counts."""

import math

import numpy as np
import pytest

from zerohero.dice import Dice

# pcg32-demo of https://github.com/imneme/pcg-c-basic, round 1 and the numbers of round 5
NUMBERS = [0xA15C02B7, 0x7B47F409, 0xBA1D3330, 0x83D2F293, 0xBFA4784B, 0xCBED606E]
COINS = "HHTTTHTHHHTHTTTHHHHHTTTHHHTHTHTHTTHTTTHHHHHHTTTTHHTTTTTHTTTTTTTHT"
ROLLS = "3 4 1 1 2 2 3 2 4 3 2 4 3 3 5 2 3 1 3 1 5 1 4 1 5 6 4 6 6 2 6 3 3"
CARDS = (
    "Qd Ks 6d 3s 3d 4c 3h Td Kc 5c Jh Kd Jd As 4s 4h Ad Th Ac Jc 7s Qs "
    "2s 7h Kh 2d 6c Ah 4d Qh 9h 6s 5s 2c 9c Ts 8d 9s 3c 8c Js 5d 2h 6h "
    "7d 8s 9d 5h 8h Qc 7c Tc"
)
ROUND_FIVE = [0xFCEF7CD6, 0x1B488B5A, 0xD0DAF7EA, 0x1D9A70F7, 0x241A37CF, 0x9A3857B7]


def test_the_published_numbers_coins_rolls_and_cards():
    dice = Dice(42, stream=54)
    assert [dice.bits() for _ in range(6)] == NUMBERS
    assert "".join("TH"[dice.below(2)] for _ in range(65)) == COINS
    assert " ".join(str(dice.below(6) + 1) for _ in range(33)) == ROLLS
    deck = [number + suit for number in "A23456789TJQK" for suit in "hcds"]
    assert " ".join(dice.shuffled(deck)) == CARDS
    for _ in range(3 * (6 + 65 + 33 + 51)):  # rounds 2 to 4
        dice.bits()
    assert [dice.bits() for _ in range(6)] == ROUND_FIVE


def test_54_is_the_stream_when_none_is_named():
    assert Dice(42).bits() == NUMBERS[0]
    assert Dice(42, stream=55).bits() != NUMBERS[0]


def test_uniform_is_the_next_number_over_two_to_the_32():
    dice = Dice(42)
    assert [dice.uniform() for _ in range(6)] == [n / 4294967296 for n in NUMBERS]


@pytest.mark.parametrize("seed", [0, -1, 2**64, 2**64 + 5, 10**30])
def test_any_int_is_a_seed_modulo_two_to_the_64(seed):
    assert [Dice(seed).bits() for _ in range(2)] == [Dice(seed % 2**64).bits() for _ in range(2)]
    assert 0 <= Dice(seed).uniform() < 1


def test_below_is_even_and_draws_again_where_the_numbers_do_not_divide():
    dice = Dice(7)
    counts = np.bincount([dice.below(7) for _ in range(7000)], minlength=7)
    assert counts.size == 7 and (abs(counts - 1000) < 5 * math.sqrt(1000)).all()
    n = 3 * 2**30  # a quarter of the 32-bit numbers is left over: a plain `% n` would give the lower third twice as often
    low = sum(dice.below(n) < 2**30 for _ in range(3000))
    assert abs(low - 1000) < 5 * math.sqrt(1000 * 2 / 3)


@pytest.mark.parametrize("n", [0, -3, 2**32 + 1])
def test_below_refuses_what_it_cannot_do(n):
    with pytest.raises(ValueError, match="below"):
        Dice(1).below(n)


def test_choice_climbs_the_ladder_of_sums():
    # the first three uniforms of seed 42 are 0.6303, 0.4816 and 0.7270
    dice = Dice(42)
    assert [dice.choice([0.5, 0.1301, 0.3699]), dice.choice([0.0, 0.4817, 0.5183]), dice.choice([0.7, 0.0, 0.3, 0.0])] == [2, 1, 2]


def test_choice_follows_the_probabilities():
    dice, p = Dice(3), np.array([0.1, 0.0, 0.6, 0.3])
    counts = np.bincount([dice.choice(p) for _ in range(10000)], minlength=4)
    assert counts[1] == 0
    assert (abs(counts - 10000 * p) <= 5 * np.sqrt(10000 * p * (1 - p))).all()


def test_choice_never_falls_off_a_ladder_that_ends_below_one(monkeypatch):
    monkeypatch.setattr(Dice, "uniform", lambda self: 1 - 2**-32)
    assert Dice(1).choice([0.4, 0.6 - 1e-7, 0.0]) == 1


@pytest.mark.parametrize(
    ("probabilities", "said"),
    [([0.5, 0.6], "sum to 1.1"), ([], "sum to 0"), ([-0.1, 1.1], "is -0.1"), ([math.nan, 1.0], "is nan"), ([3, 1], "sum to 4")],
)
def test_choice_refuses_what_are_no_probabilities(probabilities, said):
    with pytest.raises(ValueError, match=said):
        Dice(1).choice(probabilities)


def test_shuffled_leaves_its_argument_and_gives_every_order_as_often():
    items, dice, seen = ["a", "b", "c"], Dice(9), {}
    for _ in range(6000):
        order = "".join(dice.shuffled(items))
        seen[order] = seen.get(order, 0) + 1
    assert items == ["a", "b", "c"]
    assert len(seen) == 6 and all(abs(n - 1000) < 5 * math.sqrt(1000 * 5 / 6) for n in seen.values())
    assert dice.shuffled([]) == [] and dice.shuffled(("x",)) == ["x"]


def test_the_same_seed_gives_the_same_and_another_seed_another():
    def draw(seed):
        return [Dice(seed).uniform(), *Dice(seed).shuffled(range(20))]

    assert draw(1) == draw(1) != draw(2)
