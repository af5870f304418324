"""What a student reads for each kind of mistake, line by line."""

import json
from dataclasses import replace
from pathlib import Path
from textwrap import dedent

import pytest

from zerohero.mistakes import MISTAKES, with_texts
from zerohero.report import Finding, Group, Report
from zerohero.show import html, text


def report(finding):
    return Report("gradcheck", "gradient check", "failed", (Group("values", False),), (with_texts(finding),))


MESSAGES = [
    (
        Finding(
            "`db` has the wrong shape",
            where="x + b, x of shape (5, 3), b of shape (3,)",
            expected="shape (3,)",
            actual="shape (5, 3)",
            mistake="MISSING_BROADCAST_SUM",
        ),
        """
        gradcheck: `db` has the wrong shape
          where     x + b, x of shape (5, 3), b of shape (3,)
          expected  shape (3,)
          actual    shape (5, 3)
          mistake   MISSING_BROADCAST_SUM: an input was stretched (broadcast) to fit the other, and its gradient was not summed back to its own shape
          next      sum over each axis the input was stretched along
        """,
    ),
    (
        Finding(
            "the gradient of `x` is wrong",
            where="dx[0, 1], 15 of 15 wrong; softmax(x), x of shape (5, 3)",
            expected="-0.12",
            actual="0.05",
            mistake="WRONG_AXIS",
        ),
        """
        gradcheck: the gradient of `x` is wrong
          where     dx[0, 1], 15 of 15 wrong; softmax(x), x of shape (5, 3)
          expected  -0.12
          actual    0.05
          mistake   WRONG_AXIS: a sum, mean or maximum runs over the wrong axis
          next      write the shape beside each line and mark the axis that should vanish
        """,
    ),
    (
        Finding("the gradient of `w` is wrong", where="dw[0, 1], 6 of 9 wrong; x @ w, all of shape (3, 3)", expected="2", actual="5", mistake="TRANSPOSED"),
        """
        gradcheck: the gradient of `w` is wrong
          where     dw[0, 1], 6 of 9 wrong; x @ w, all of shape (3, 3)
          expected  2
          actual    5
          mistake   TRANSPOSED: an array is used or returned with its rows and columns exchanged
          next      write the shapes beside each product and see which numbers must meet
        """,
    ),
    (
        Finding("the gradient of `b` is wrong", where="a - b, a = 5.0, b = 3.0, dout = 1.0", expected="-1", actual="1", mistake="SIGN_FLIP"),
        """
        gradcheck: the gradient of `b` is wrong
          where     a - b, a = 5.0, b = 3.0, dout = 1.0
          expected  -1
          actual    1
          mistake   SIGN_FLIP: a sign is wrong: a minus is missing, or is one too many
          next      work the derivative out again and watch each minus
        """,
    ),
    (
        Finding("the gradient of `x` is wrong", where="mean(x), x of 4 numbers, dout = 1.0", expected="0.25", actual="1", mistake="MISSING_MEAN"),
        """
        gradcheck: the gradient of `x` is wrong
          where     mean(x), x of 4 numbers, dout = 1.0
          expected  0.25
          actual    1
          mistake   MISSING_MEAN: the forward pass takes a mean over N values, and the 1/N is missing
          next      find the N in the forward pass and follow it into the gradient
        """,
    ),
    (
        Finding(
            "the gradient of `b` is wrong", where="x + b, x of shape (4, 1), b of shape (1,), dout of ones", expected="4", actual="1", mistake="EXTRA_MEAN"
        ),
        """
        gradcheck: the gradient of `b` is wrong
          where     x + b, x of shape (4, 1), b of shape (1,), dout of ones
          expected  4
          actual    1
          mistake   EXTRA_MEAN: there is a mean, or a 1/N, where a sum is due
          next      look for a division that the forward pass does not have
        """,
    ),
    (
        Finding("the gradient of `x` is wrong", where="x ** 2, x = 3.0, dout = 1.0", expected="6", actual="3", mistake="WRONG_CONSTANT"),
        """
        gradcheck: the gradient of `x` is wrong
          where     x ** 2, x = 3.0, dout = 1.0
          expected  6
          actual    3
          mistake   WRONG_CONSTANT: a constant factor is wrong or missing
          next      follow each constant of the forward pass through your derivative
        """,
    ),
    (
        Finding("gradient of `a` is wrong", where="a.grad after (a * a).backward(), a = 3.0", expected="6", actual="3", mistake="OVERWRITE"),
        """
        gradcheck: gradient of `a` is wrong
          where     a.grad after (a * a).backward(), a = 3.0
          expected  6
          actual    3
          mistake   OVERWRITE: a value is used more than once, and one of its gradients replaced another; gradients add up
          next      look at the `=` where the gradient is stored, and at what was there before
        """,
    ),
    (
        Finding("the gradient of `x` is wrong", where="sigmoid(x), x = 0.0, dout = 1.0", expected="0.25", actual="0", mistake="PRE_POST"),
        """
        gradcheck: the gradient of `x` is wrong
          where     sigmoid(x), x = 0.0, dout = 1.0
          expected  0.25
          actual    0
          mistake   PRE_POST: the slope of a step is taken at what comes out of it where what goes in is due, or the reverse
          next      write beside each slope which of the two it is a function of
        """,
    ),
    (
        Finding("the gradient of `x` is wrong", where="x ** 2, x = 3.0, dout = 2.0", expected="12", actual="6", mistake="NO_UPSTREAM"),
        """
        gradcheck: the gradient of `x` is wrong
          where     x ** 2, x = 3.0, dout = 2.0
          expected  12
          actual    6
          mistake   NO_UPSTREAM: your answer stays the same when the upstream gradient changes
          next      double the upstream gradient and find the line that should notice
        """,
    ),
    (
        Finding("the gradient of `x` is wrong", where="tanh(x), x = 1.0, dout = 2.0", expected="0.8399486832", actual="2", mistake="DROPPED_LOCAL"),
        """
        gradcheck: the gradient of `x` is wrong
          where     tanh(x), x = 1.0, dout = 2.0
          expected  0.8399486832
          actual    2
          mistake   DROPPED_LOCAL: the upstream gradient is passed through a step without the slope of that step
          next      name the slope of each step, and find it in your code
        """,
    ),
    (
        Finding(
            "the gradient of `x` is wrong", where="x * tanh(x), x = 1.0, dout = 1.0", expected="1.181568498", actual="0.7615941560", mistake="MISSING_PATH"
        ),
        """
        gradcheck: the gradient of `x` is wrong
          where     x * tanh(x), x = 1.0, dout = 1.0
          expected  1.181568498
          actual    0.7615941560
          mistake   MISSING_PATH: an input reaches the output along several paths, and one of them is not counted
          next      list every place the input is used and add what comes back from each
        """,
    ),
    (
        Finding("gradient of `a` is wrong", where="a.grad after (a + 1).tanh().backward(), a = -1.0", expected="1", actual="2", mistake="DOUBLE_COUNT"),
        """
        gradcheck: gradient of `a` is wrong
          where     a.grad after (a + 1).tanh().backward(), a = -1.0
          expected  1
          actual    2
          mistake   DOUBLE_COUNT: one path from the input to the output is counted twice
          next      list every place the input is used and count what comes back from each once
        """,
    ),
    (
        Finding("the gradient of `x` is wrong", where="x - mean(x), x of 2 numbers, dout = [1.0, 0.0]", expected="0.5", actual="1", mistake="STATS_CONST"),
        """
        gradcheck: the gradient of `x` is wrong
          where     x - mean(x), x of 2 numbers, dout = [1.0, 0.0]
          expected  0.5
          actual    1
          mistake   STATS_CONST: the mean or the variance is treated as a constant, but it is made of the inputs
          next      change one input by a little and see which outputs move
        """,
    ),
    (
        Finding(
            "the gradient of `x` is wrong", where="sum of (x - mean(x)) ** 2 / (N - 1), x = [1.0, 3.0], dout = 1.0", expected="2", actual="1", mistake="DDOF"
        ),
        """
        gradcheck: the gradient of `x` is wrong
          where     sum of (x - mean(x)) ** 2 / (N - 1), x = [1.0, 3.0], dout = 1.0
          expected  2
          actual    1
          mistake   DDOF: one place divides by N, another by N - 1
          next      use the same divisor in the forward and the backward pass
        """,
    ),
    (
        Finding("the gradient of `x` is wrong", where="softmax(x), x = [0.0, 0.0], dout = [1.0, 1.0]", expected="0", actual="0.25", mistake="DIAG_JACOBIAN"),
        """
        gradcheck: the gradient of `x` is wrong
          where     softmax(x), x = [0.0, 0.0], dout = [1.0, 1.0]
          expected  0
          actual    0.25
          mistake   DIAG_JACOBIAN: softmax is treated as if each probability depended on its own logit only
          next      change one logit by a little and see which probabilities move
        """,
    ),
    (
        Finding("the gradient of `x` is not finite", where="sigmoid(x), x = -1000.0", expected="0", actual="nan", mistake="UNSTABLE"),
        """
        gradcheck: the gradient of `x` is not finite
          where     sigmoid(x), x = -1000.0
          expected  0
          actual    nan
          mistake   UNSTABLE: right on small numbers, but large ones end in inf or nan
          next      run it on 1000 and on -1000 and find the first line that gives inf or nan
        """,
    ),
    (
        Finding("`x` was changed by the call", where="relu(x), x = [-1.0, 2.0]", mistake="MUTATES"),
        """
        gradcheck: `x` was changed by the call
          where     relu(x), x = [-1.0, 2.0]
          mistake   MUTATES: your code writes into one of its arguments
          next      look for `+=` or `[...] =` on an argument, and work on a copy
        """,
    ),
    (
        Finding("a second call with the same input gives another answer", where="x ** 2, x = 3.0, dout = 1.0", expected="6", actual="12", mistake="STATE_LEAK"),
        """
        gradcheck: a second call with the same input gives another answer
          where     x ** 2, x = 3.0, dout = 1.0
          expected  6
          actual    12
          mistake   STATE_LEAK: a second call with the same input gives another answer
          next      look for what is kept from one call to the next, or drawn at random
        """,
    ),
    (
        Finding("the gradient of `x` is wrong", where="dx[0], 2 of 4 wrong; x[1:], x of 4 numbers, dout of ones", expected="0", actual="1", mistake="INDEXING"),
        """
        gradcheck: the gradient of `x` is wrong
          where     dx[0], 2 of 4 wrong; x[1:], x of 4 numbers, dout of ones
          expected  0
          actual    1
          mistake   INDEXING: an index is off: a number is taken from the wrong place, or put there
          next      follow the first and the last element by hand
        """,
    ),
    (
        Finding("the gradient of `x` is wrong", where="relu(x), x = -1.0, dout = 3.0", expected="0", actual="3", mistake="WRONG_MASK"),
        """
        gradcheck: the gradient of `x` is wrong
          where     relu(x), x = -1.0, dout = 3.0
          expected  0
          actual    3
          mistake   WRONG_MASK: the condition that lets the gradient through is not the right one
          next      say in words when the slope is 0, then compare your condition
        """,
    ),
    (
        Finding("the gradient of `a` is wrong", where="a * b, a = 2.0, b = 5.0, dout = 1.0", expected="5", actual="2", mistake="SWAPPED"),
        """
        gradcheck: the gradient of `a` is wrong
          where     a * b, a = 2.0, b = 5.0, dout = 1.0
          expected  5
          actual    2
          mistake   SWAPPED: two results are in each other's place
          next      compare the order of what you return with the docstring
        """,
    ),
    (
        Finding("the gradient of `x` is wrong", where="x ** 3, x = 2.0, dout = 1.0", expected="12", actual="6", mistake="FORMULA"),
        """
        gradcheck: the gradient of `x` is wrong
          where     x ** 3, x = 2.0, dout = 1.0
          expected  12
          actual    6
          mistake   FORMULA: a formula of the derivative is not right
          next      work the derivative out again for one number, by hand
        """,
    ),
    (
        Finding(
            "`db` has the right values in the wrong shape",
            where="x + b, x of shape (5, 3), b of shape (3,)",
            expected="shape (3,)",
            actual="shape (1, 3)",
            mistake="SHAPE",
        ),
        """
        gradcheck: `db` has the right values in the wrong shape
          where     x + b, x of shape (5, 3), b of shape (3,)
          expected  shape (3,)
          actual    shape (1, 3)
          mistake   SHAPE: the values are right, the shape is not
          next      print the shape of what you return beside the shape that is asked for
        """,
    ),
    (
        Finding("`dx` is not of a float dtype", where="tanh(x), x of 3 numbers", expected="float64", actual="int64", mistake="DTYPE"),
        """
        gradcheck: `dx` is not of a float dtype
          where     tanh(x), x of 3 numbers
          expected  float64
          actual    int64
          mistake   DTYPE: digits are lost, because a result is kept in a type that cannot hold them
          next      print the dtype of each array you make: float64 is what you want
        """,
    ),
    (
        Finding("your code raised RecursionError", where="a chain of 10,000 additions", mistake="RECURSION"),
        """
        gradcheck: your code raised RecursionError
          where     a chain of 10,000 additions
          mistake   RECURSION: the walk over the graph calls itself once per node, and Python stops that at about 1,000
          next      keep the nodes still to visit in a list of your own, and loop until it is empty
        """,
    ),
]


@pytest.mark.parametrize("finding, block", MESSAGES, ids=[finding.mistake for finding, _ in MESSAGES])
def test_the_message_line_by_line(finding, block):
    assert text(report(finding)).split("\n") == dedent(block).strip().split("\n")


def test_every_kind_has_exactly_one_message_above():
    assert sorted(finding.mistake for finding, _ in MESSAGES) == sorted(MISTAKES)


@pytest.mark.parametrize("kind", MISTAKES)
def test_a_message_is_one_short_sentence_and_one_short_step(kind):
    """No formula of a derivative, no code to copy, no word a beginner has not met."""
    because, step = MISTAKES[kind]
    for words in (because, step):
        assert 20 <= len(words) <= 110 and words[0].islower() and words[-1] not in ".?!"
        assert not any(word in words.lower() for word in ("jacobian", "vjp", "cotangent", "operand", "np.", ".sum(", ".t ", "**", "keepdims"))


def test_a_finding_keeps_its_own_words():
    own = Finding("`a` is wrong", mistake="SIGN_FLIP", because="the minus of a - b is lost", next="look at b")
    assert with_texts(own) == own
    assert with_texts(replace(own, because="")).because == MISTAKES["SIGN_FLIP"][0]


def test_no_mistake_no_words():
    bare = Finding("`a` is wrong")
    assert with_texts(bare) == bare


TWO = Finding(
    "gradient of `a` is wrong", group="values", where="a.grad, a = 3.0", expected="6", actual="3", mistake="OVERWRITE", alternatives=("MISSING_PATH",)
)


def test_one_of_two_line_by_line():
    assert text(report(TWO)).split("\n") == [
        "gradcheck: gradient of `a` is wrong",
        "  where     a.grad, a = 3.0",
        "  expected  6",
        "  actual    3",
        "  mistake   one of these; each fits what was seen",
        "            OVERWRITE: a value is used more than once, and one of its gradients replaced another; gradients add up",
        "            MISSING_PATH: an input reaches the output along several paths, and one of them is not counted",
        "  next      look at the `=` where the gradient is stored, and at what was there before; "
        "if that is right, list every place the input is used and add what comes back from each",
    ]


def test_one_of_two_in_html_and_in_the_line_of_a_further_finding():
    shown = html(report(TWO))
    assert "one of these; each fits what was seen<br>OVERWRITE: a value" in shown and "<br>MISSING_PATH: an input" in shown
    first = Finding("gradient of `b` is wrong", group="diamonds")
    both = replace(report(TWO), findings=(first, with_texts(TWO)))
    assert text(both).split("\n")[-1] == "  also      values: gradient of `a` is wrong; expected 6, actual 3; one of OVERWRITE, MISSING_PATH"


def test_a_kind_from_elsewhere_is_shown_by_its_name():
    shown = text(report(replace(TWO, alternatives=("NEW_KIND",))))
    assert "            NEW_KIND\n" in shown


def test_the_lab_extension_has_the_same_sentences():
    file = Path(__file__).parents[1] / "labext" / "src" / "report" / "mistakes.json"
    assert json.loads(file.read_text(encoding="utf-8")) == {kind: sentence for kind, (sentence, _) in MISTAKES.items()}
