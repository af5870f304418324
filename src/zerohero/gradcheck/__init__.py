"""Numerical truth: is this gradient right?

    from zerohero.gradcheck import gradcheck
    report = gradcheck(forward, backward, [x, w])

Layers, each usable alone: ``directional`` measures a slope, ``protocol`` watches a call, ``compare`` sets a value
beside the true one, ``door`` puts them together. Nothing here knows about exercises or notebooks.
"""

from .compare import difference
from .directional import directional_derivative, numerical_gradient
from .door import gradcheck
from .protocol import observe, protocol_findings

__all__ = ["difference", "directional_derivative", "gradcheck", "numerical_gradient", "observe", "protocol_findings"]
