"""A toy exercise, registered for a test: the square of a number. Not in any lesson."""

import types

from zerohero.exercise import Case, Exercise, Question
from zerohero.exercises.kinds import function_exercise

square = function_exercise(
    "m99-square",
    "The square of a number",
    "square(x)",
    cases=lambda rng: [Case("values", {"x": v}) for v in (3.0, -2.0, *rng.uniform(1, 5, 3).tolist())] + [Case("large", {"x": 1e6})],
    hints=("a concept", "a rule", "nearly the answer"),
    truth=lambda inputs: inputs["x"] ** 2,
    result="square",
)


def _probe_class(cls, inputs):
    return cls().value


toy_class = Exercise("m99-class", "A class", "class Toy", lambda rng: [Case("value", {}, 1.0)], _probe_class, lambda case, output: [], ("a", "b", "c"))

content = types.ModuleType("zerohero.exercises.m99_toy")
content.EXERCISES = [square, toy_class]
content.QUESTIONS = [
    Question("m99-predict-square", "what is the square of 3?", 9.0, "3 times 3."),
    Question("m99-predict-word", "is it larger or smaller?", "larger", "It grows."),
]


def register(monkeypatch):
    import sys

    from zerohero import exercise

    monkeypatch.setitem(exercise.MODULES, "m99", "m99_toy")
    monkeypatch.setitem(sys.modules, "zerohero.exercises.m99_toy", content)
