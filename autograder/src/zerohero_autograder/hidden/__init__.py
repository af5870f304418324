"""Hidden cases: drawn from the course's secret seed, so unknown before grading and the same for every student.

One file per module with ``CASES = {exercise id: function(rng) -> list of Case}``. Groups carry the names of the visible
groups (a group passes when its visible and its hidden cases do), and may add new ones.
"""

import hashlib
from dataclasses import replace
from importlib import import_module

import numpy as np

from zerohero.exercise import Case


def hidden_cases(module: str, exercise_id: str, secret_seed: str) -> list[Case]:
    """The hidden cases of one exercise. The seed of its generator is a hash of the course's secret and the id."""
    draw = import_module(f"{__name__}.{module}").CASES[exercise_id]
    seed = int.from_bytes(hashlib.sha256(f"{secret_seed}|{exercise_id}".encode()).digest()[:4], "big")
    return [replace(case, hidden=True) for case in draw(np.random.RandomState(seed))]
