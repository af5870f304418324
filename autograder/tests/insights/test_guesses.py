"""A guess is read as a literal and never run; the gain is that of students who answered on both ends."""

import pytest

from zerohero.exercise import Question
from zerohero_autograder.graded_module import GradedModule, SourceCell
from zerohero_autograder.insights.guesses import COMMON, NO_GUESS, UNREAD, Gain, guess_in, guesses_of

Q = "m99-predict-square"


@pytest.mark.parametrize(
    ("source", "guess"),
    [
        (f'predict("{Q}", guess=9)', 9),
        (f'predict("{Q}", -0.5)', -0.5),
        (f"from zerohero import predict\npredict('{Q}', guess=('+', '-'))  # sure", ("+", "-")),
        (f'predict("{Q}", guess=3)\npredict("{Q}", guess=9)', 9),
        (f'predict("{Q}", guess=None)', NO_GUESS),
        (f'predict("{Q}")', NO_GUESS),
        ('predict("another", guess=9)', NO_GUESS),
        (f'print("{Q}", 9)', NO_GUESS),
        ("", NO_GUESS),
        (f'predict("{Q}", guess=3**2)', UNREAD),
        (f'predict("{Q}", guess=__import__("os").abort())', UNREAD),
        (f'predict("{Q}", guess=open("canary", "w"))', UNREAD),
        (f'%time predict("{Q}", guess=9)', UNREAD),
        (f'predict("{Q}", guess={"(" * 900}{")" * 900})', UNREAD),
        (f'predict("{Q}", guess={"-" * 1900}1)', UNREAD),
        (f'predict("{Q}", guess={"9" * 5000})', UNREAD),
        ("\x00", UNREAD),
        (f'predict("{Q}", guess="\\d")', "\\d"),
    ],
)
def test_a_guess_is_read_and_not_run(source, guess, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert guess_in(source, Q) == guess and list(tmp_path.iterdir()) == []


QUESTIONS = {
    id: Question(id, f"{id}?", answer, "so") for id, answer in (("before-1", 4.0), ("before-2", 2.0), ("middle", "up"), ("after-1", 12.0), ("after-2", 3.0))
}
LESSON = [("given", "g"), ("predict", "before-1"), ("text", "t"), ("predict", "before-2"), ("given", "h"), ("predict", "middle"), ("answer", "a"), ("check", "c"), ("predict", "after-1"), ("predict", "after-2")]  # fmt: skip


@pytest.fixture
def lesson():
    return GradedModule("m99_toy", tuple(SourceCell(role, name, "") for role, name in LESSON), {}, {})


def notebook(**guesses):
    cells = [(id, f'predict("{id}", guess={guesses.get(id.replace("-", "_"))})') for id in QUESTIONS]
    return {"cells": [{"id": id, "source": source, "metadata": {"zerohero": {"role": "predict"}}} for id, source in cells]}


def test_the_gain_is_over_students_who_answered_on_both_ends(lesson):
    notebooks = [
        notebook(before_1=5, before_2=2, after_1=12, after_2=3),  # 1/2, then 1
        notebook(before_1=3, after_1=12, after_2=1, middle="'up'"),  # 0, then 1/2
        notebook(before_1=4, before_2=2, middle="'up'"),  # nothing at the end
        notebook(after_1=12),
        notebook(before_1="2*2", after_1=12),  # no literal
    ]
    found, gain = guesses_of(lesson, QUESTIONS, notebooks)
    assert gain == Gain(2, 0.25, 0.75)
    assert [(one.id, one.place, one.answered, one.right, one.unread) for one in found] == [
        ("before-1", "before", 3, 1, 1),
        ("before-2", "before", 2, 2, 0),
        ("middle", "", 2, 2, 0),
        ("after-1", "after", 4, 4, 0),
        ("after-2", "after", 2, 1, 0),
    ]
    assert guesses_of(lesson, QUESTIONS, notebooks[2:])[1] is None


def test_a_wrong_guess_is_shown_when_several_made_it(lesson):
    often = [notebook(before_1=5, middle="'Zoe was here'")] * COMMON + [notebook(before_1=7)] * (COMMON - 1) + [notebook(before_1=10**400, middle="7")]
    found, _ = guesses_of(lesson, QUESTIONS, often)
    assert found[0].wrong == (("5", COMMON),) and found[0].answered == 2 * COMMON and found[0].right == 0
    assert found[2].answered == COMMON + 1  # a number where a word is asked for is wrong


@pytest.mark.parametrize("module", ["m01_derivatives", "m02_micrograd", "m03_layers", "m04_bigram", "m05_mlp"])
def test_every_lesson_asks_three_questions_at_each_end(module):
    from pathlib import Path

    from zerohero.exercise import load
    from zerohero_autograder.build import source_notebook
    from zerohero_autograder.graded_module import GradedModule

    text = (Path(__file__).parents[3] / "course" / module / f"{module}.py").read_text(encoding="utf-8")
    found, _ = guesses_of(GradedModule.of(source_notebook(text, module), module, "s" * 16), load(module)[1], [])
    assert [sum(one.place == place for one in found) for place in ("before", "after")] == [3, 3]
