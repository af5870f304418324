"""The data sets that ship with the package, made by scripts/make_data.py."""

import gzip
import io
from functools import cache
from pathlib import Path

import numpy as np


@cache
def _content(file: str) -> bytes:
    return gzip.decompress((Path(__file__).parent / file).read_bytes())


@cache
def shakespeare() -> str:
    """Eight plays of Shakespeare in one text of 987,370 characters, 63 different ones, all ASCII.

    Each speech is the speaker's name and a colon, the lines, and an empty line. In this order: Hamlet, King Lear, Macbeth,
    Othello, Romeo and Juliet, Julius Caesar, A Midsummer Night's Dream, The Tempest.
    """
    return _content("shakespeare.txt.gz").decode("ascii")


def names() -> list[str]:
    """First names given to at least five children in the United States in 2017: 29,910 different ones, sorted.

    Lowercase letters a to z only, 2 to 15 of them.
    """
    return _content("names.txt.gz").decode("ascii").split("\n")


def digits() -> tuple[np.ndarray, np.ndarray]:
    """Handwritten digits: images float64 (1797, 64), labels int64 (1797,).

    Row i of images is an image of 8 x 8 pixels, row by row, from 0.0 (paper) to 16.0 (ink); labels[i] is its digit, 0 to 9.
    """
    table = np.load(io.BytesIO(_content("digits.npy.gz")), allow_pickle=False)
    return table[:, :64].astype(np.float64), table[:, 64].astype(np.int64)
