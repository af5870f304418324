"""A backward pass: run it (in the student's process), then judge what came out (anywhere else)."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..report import Finding


def observe_backward(backward: Callable[..., Any], dout: Any, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Call ``backward(dout, *arguments)`` a few times on fresh copies; return what was seen as plain data."""
    raise NotImplementedError


def judge_backward(
    forward: Callable[..., Any], dout: Any, arguments: Mapping[str, Any], seen: Mapping[str, Any], *, differentiable: Sequence[str] | None = None, seed: int = 0
) -> list[Finding]:
    """What is wrong with the gradients in ``seen``; nothing when they are right."""
    raise NotImplementedError


def gradient_parts(arguments: Mapping[str, Any], seen: Mapping[str, Any], *, differentiable: Sequence[str] | None = None) -> dict[str, Any]:
    """{"dx": float64 array, ...}: what the atlas takes fingerprints of, whether a list, a tuple or one array came back."""
    raise NotImplementedError
