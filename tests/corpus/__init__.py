"""Backward passes of twenty operations, wrong and right but unusual, each wrong one with its kind of mistake."""

from . import (  # noqa: F401  importing a file registers its cases
    affine_broadcast,
    attention,
    convolution,
    elementwise,
    embedding,
    language_model,
    normalisation,
    recurrent,
    scalar_engine,
    softmax,
)
from .corpus import MODES, OPS, RIGHT, WRONG, Case, Op, make_dout

__all__ = ["MODES", "OPS", "RIGHT", "WRONG", "Case", "Op", "make_dout"]
