"""Numerical truth: is this gradient right?

    from zerohero.gradcheck import gradcheck
    report = gradcheck(forward, backward, [x, w])

Layers, each usable alone, bottom up: ``protocol`` watches a call, ``forward`` is the forward pass as the checker uses it,
``directional`` measures slopes on it, ``backward`` runs a backward pass, ``verdict`` decides, ``hypotheses`` names the
mistake, ``door`` puts them together. ``compare`` and ``naming`` do the same for plain numbers. Nothing here knows about
exercises or notebooks.
"""

from .backward import gradient_parts, observe_backward
from .compare import difference
from .directional import directional_derivative, numerical_gradient
from .door import gradcheck
from .hypotheses import Trial, name_gradients
from .protocol import observe, protocol_findings
from .verdict import judge_backward

__all__ = [
    "Trial",
    "difference",
    "directional_derivative",
    "gradcheck",
    "gradient_parts",
    "judge_backward",
    "name_gradients",
    "numerical_gradient",
    "observe",
    "observe_backward",
    "protocol_findings",
]
