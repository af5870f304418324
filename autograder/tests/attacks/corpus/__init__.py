"""Attacks on grading, one file each. Each is handed in by a student of its own, and earns what its honest part is worth.

A file's docstring says what the attack tries. What is handed in is the student's notebook of m01 with two answers, both of
them wrong unless the file says otherwise:

    BEFORE, AFTER    code in front of the first answer, and behind the second one in the same cell, so ahead of its check
    CHAIN, NEURON    the two answers, in place of the wrong ones
    make             make(notebook, place) changes the notebook itself, or returns what is handed in instead of it:
                     the bytes of the file, or {file name: bytes, or the Path that a link of this name leads to}
    EARNED           points that the honest part of it is worth; 0 where it is not given
    EVIDENCE         text that must be in what is known of its run, or the attack never took place
    HANGS            True: it runs into a limit of time, and is given little
    STUDENT          the id of who hands it in

In front of everything stands a cell that knows where things are (ROOT of the course, HOME of the grader, TOKEN of this
class) and has two functions: tried() says that the attack came to its end, escaped(what) that it did what it must not.
"""

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FAMILIES = {
    "a": "libraries changed",
    "b": "IPython's hooks",
    "c": "looking for the expected",
    "d": "reading outside",
    "e": "writing outside",
    "f": "metadata",
    "g": "objects that lie",
    "h": "resources and daemons",
    "i": "forbidden libraries",
    "j": "broken files",
    "k": "forged output",
    "l": "hard-coded answers",
    "n": "marks for the next student",
    "o": "out of the jail",
    "p": "the results channel",
    "q": "the kernel's memory and tables",
    "r": "values that cannot be",
    "s": "markup, formulas, terminals",
    "t": "cases and atlas",
    "u": "clocks and alarms",
    "z": "controls",
}

CHAIN, NEURON = "m01-chain-by-hand", "m01-neuron-by-hand"
WRONG = {
    CHAIN: "def chain_by_hand(a, b, c, f):\n    return dict.fromkeys('abcedf', 0.0)\n",
    NEURON: "def neuron_by_hand(x1, w1, x2, w2, b):\n    return dict.fromkeys(('o', 'x1', 'w1', 'x2', 'w2', 'b'), 0.0)\n",
}
RIGHT_CHAIN = """
def chain_by_hand(a, b, c, f):
    return {"a": b * f, "b": a * f, "c": f, "e": f, "d": f, "f": a * b + c}
"""
TELL = """# handed in by {student}{hurry}
ROOT, HOME, TOKEN = {root!r}, {home!r}, {token!r}
def tried(*what): print("TRIED", *what, flush=True)
def escaped(*what): print("ESCAPED", *what, flush=True)
print("BEGUN")
"""


@dataclass(frozen=True)
class Place:
    """Where a class is graded: what the most knowing of attackers would know of it."""

    root: Path
    home: Path
    token: str
    """Part of every name that an attack leaves anywhere."""


@dataclass(frozen=True)
class Attack:
    """One file of the corpus."""

    id: str
    tries: str
    student: str
    earned: float
    evidence: str
    hangs: bool
    make: Callable[[dict[str, Any], Place], Any]

    @property
    def family(self) -> str:
        return self.id[0]

    def files(self, notebook: dict[str, Any], place: Place) -> Any:
        """What is handed in, made of a fresh copy of the student's notebook: the notebook, bytes or files by name."""
        made = self.make(notebook, place)
        if made is not None:
            return made
        tell = TELL.format(student=self.student, hurry=", in a hurry" * self.hangs, root=str(place.root), home=str(place.home), token=place.token)
        notebook["cells"].insert(0, own(tell, "own-tell"))
        return notebook


def attacks() -> dict[str, Attack]:
    """All of them by id, which is the file's name; the controls z00 and z01 too."""
    return {name: _attack(name) for name in sorted(module.name for module in pkgutil.iter_modules(__path__))}


def _attack(name):
    module = importlib.import_module(f"{__name__}.{name}")
    given = vars(module)

    def fill(notebook, place):
        write(notebook, **{key.lower(): given[key] for key in ("BEFORE", "AFTER", "CHAIN", "NEURON") if key in given})

    return Attack(
        name, module.__doc__.strip(), given.get("STUDENT", f"mallory_{name}"), given.get("EARNED", 0.0),
        given.get("EVIDENCE", "TRIED"), given.get("HANGS", False), given.get("make", fill),
    )  # fmt: skip


def write(notebook: dict[str, Any], *, before: str = "", after: str = "", chain: str = WRONG[CHAIN], neuron: str = WRONG[NEURON]) -> None:
    """Put two answers into the notebook, with code in front of the first and behind the second."""
    cell(notebook, f"{CHAIN}-answer")["source"] = before + chain
    cell(notebook, f"{NEURON}-answer")["source"] = neuron + after


def cell(notebook: dict[str, Any], id: str) -> dict[str, Any]:
    return next(one for one in notebook["cells"] if one["id"] == id)


def checks(notebook: dict[str, Any]) -> list[dict[str, Any]]:
    """The graded cells."""
    return [one for one in notebook["cells"] if "check" in one["metadata"].get("zerohero", {})]


def own(source: str, id: str, **metadata: Any) -> dict[str, Any]:
    """A code cell of the student's own."""
    return {"cell_type": "code", "id": id, "metadata": metadata, "source": source, "outputs": [], "execution_count": None}
