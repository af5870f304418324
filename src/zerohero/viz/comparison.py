"""A student's array held against the true one: which elements are wrong, by how much, and in words.

Right is what the gradient checker takes for right when it draws a map: an error of at most 1e-6 of the largest true element
(``zerohero.gradcheck.error_map``).
"""

from dataclasses import dataclass

import numpy as np

from ..gradcheck.error_map import LARGEST, error_map, relative_errors
from ..report import ErrorMap
from ..show.error_map import sentence
from .chart import number


@dataclass(frozen=True)
class Comparison:
    """Two arrays of one shape, element by element."""

    name: str
    """What the student calls the array."""
    got: np.ndarray
    true: np.ndarray
    error: np.ndarray
    """float64: |got - true| / max |true|, NaN where one of the two is not finite."""
    wrong: np.ndarray
    """bool"""

    @classmethod
    def of(cls, name: str, got: np.ndarray, true: np.ndarray) -> "Comparison":
        """got, true: arrays of numbers of one shape."""
        return cls(name, got, true, *relative_errors(true.astype(np.float64), got.astype(np.float64)))

    @property
    def map(self) -> ErrorMap | None:
        """As in a report; None where nothing is wrong."""
        return error_map(self.name, self.true, self.got)

    def order(self, most: int) -> list[int]:
        """Flat numbers of the ``most`` elements that are furthest off, the worst first; what is not finite before all others."""
        worst = np.where(np.isnan(self.error), np.inf, self.error).ravel()
        # equal ones in the order in which they stand
        return [int(n) for n in np.argsort(-worst, kind="stable")[:most]]

    def place(self, flat: int) -> str:
        """dW[3, 2]"""
        if not self.got.shape:
            return self.name
        return f"{self.name}[{', '.join(str(int(i)) for i in np.unravel_index(flat, self.got.shape))}]"

    def both(self, flat: int) -> tuple[str, str]:
        """(the student's number, the true one), with as many digits as tell them apart."""
        return told_apart(self.got.flat[flat], self.true.flat[flat])

    def off(self, flat: int) -> str:
        """The error of one element, as it is said."""
        error = float(self.error.flat[flat])
        if np.isnan(error):
            return "not finite"
        return "the truth is 0 throughout" if error >= LARGEST else number(error, 2)

    def says(self, flat: int) -> str:
        """dW[3, 2]: yours 0.1, truth 0.2"""
        yours, truth = self.both(flat)
        return f"{self.place(flat)}: yours {yours}, truth {truth}"

    def verdict(self) -> str:
        """right to 3e-09, wrong in 3 of 864: a relative error, and a number of elements."""
        wrong = int(self.wrong.sum())
        if wrong:
            return f"wrong in {wrong:,} of {self.wrong.size:,}"
        largest = float(np.max(self.error, initial=0.0))
        return f"right to {number(largest, 1)}" if largest else "right to the last digit"

    def where(self) -> str:
        """A sentence that says where it is wrong, in NumPy's notation; "" where it is not."""
        drawn = self.map
        return sentence(drawn).replace("`", "") if drawn else ""


def told_apart(one: float, other: float) -> tuple[str, str]:
    for digits in range(4, 18):
        said = number(one, digits), number(other, digits)
        if said[0] != said[1]:
            break
    else:
        said = number(one), number(other)
    return said


def shapes_apart(name: str, got: np.ndarray, true: np.ndarray) -> str:
    """What is to be said of two shapes that differ: both, and what NumPy would make of them without a word; "" where they are equal."""
    if got.shape == true.shape:
        return ""
    said = f"{name} has shape {got.shape}, the truth {true.shape}: a gradient has the shape of what it is the gradient of."
    for other, what in ((got.T, "its transpose is right"), (got, "the numbers are right, in the wrong shape")):
        if got.size and got.size == true.size and (other.shape == true.shape or other is got):
            same = Comparison.of(name, other.reshape(true.shape), true)
            if not same.wrong.any():
                said = f"{said[:-1]}; {what}."
                break
    try:
        stretched = np.broadcast_shapes(got.shape, true.shape)
    except ValueError:
        return f"{said} NumPy cannot subtract the one from the other."
    if stretched == true.shape:
        compared = f"stretches {name} to {stretched}, one number of it beside several of the truth"
    elif stretched == got.shape:
        compared = f"stretches the truth to {stretched}, one number of it beside several of {name}"
    else:
        compared = f"stretches both to {stretched}, each number beside others than its own"
    return f"{said} Subtracting them would not fail: NumPy {compared}."


def dtype_note(name: str, got: np.ndarray) -> str:
    """What there is to say of the dtype of a gradient, as the gradient checker does; "" for float32 and float64."""
    if got.dtype.kind != "f":
        return f"{name} is {got.dtype}, not of a float dtype."
    return f"{name} is {got.dtype}, which keeps three digits." if got.dtype.itemsize < 4 else ""
