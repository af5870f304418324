"""predict(id, guess): commit to an answer before running the cell that reveals it."""

import math
from textwrap import fill

from .errors import ZeroheroError
from .exercise import Question, find_question
from .plaindata import describe

WIDTH = 88  # characters; a notebook would break longer lines in the middle of a word


def predict(question_id: str, guess=None) -> None:
    """Compare ``guess`` (a number, a string or a tuple) with what is true, and say why.

    Without a guess the question is put and the answer stays hidden. Raises UnknownExercise for an id that is none.
    """
    question = find_question(question_id)
    if guess is None:
        print(fill(f"{question.id}: {question.asks}", WIDTH) + "\nReplace None by your guess, then run the cell again.")
        return
    if not _is_of_its_kind(guess, question):
        wanted = "a number" if _is_number(question.answer) else f"a {type(question.answer).__name__}"
        raise ZeroheroError(f"{question.id} asks for {wanted}, your guess is {describe(guess)}")
    verdict = "as you said" if is_right(guess, question) else f"not {describe(guess)}"
    print(fill(f"{question.id}: {describe(question.answer)} ({verdict}). {question.why}", WIDTH))


def is_right(guess: object, question: Question) -> bool:
    """Whether ``guess`` is the answer, a number within the question's tolerance."""
    if not _is_of_its_kind(guess, question):
        return False
    return math.isclose(guess, question.answer, rel_tol=question.tolerance, abs_tol=question.tolerance) if _is_number(guess) else guess == question.answer


def _is_of_its_kind(guess, question):
    return type(guess) is type(question.answer) or (_is_number(guess) and _is_number(question.answer))


def _is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)
