"""Pictures of the student's own objects: no script, no external resource, readable without a kernel."""

import sys as _sys

from ..lazy import LazyPackage as _LazyPackage

_PUBLIC = {  # public name -> module that defines it
    "activations": "zerohero.viz.histograms",
    "array": "zerohero.viz.arrays",
    "attention": "zerohero.viz.attention",
    "backward_walk": "zerohero.viz.backward_walk",
    "bigram": "zerohero.viz.bigram",
    "decision_boundary": "zerohero.viz.boundary",
    "embedding": "zerohero.viz.embedding",
    "error_map": "zerohero.viz.error_map",
    "gradient_flow": "zerohero.viz.gradient_flow",
    "gradients": "zerohero.viz.histograms",
    "LayerRecorder": "zerohero.viz.layer_recorder",
    "range_curve": "zerohero.viz.learning_rate",
    "saturation": "zerohero.viz.saturation",
    "to_dot": "zerohero.viz.graph",
    "to_svg": "zerohero.viz.graph",
    "tokens": "zerohero.viz.tokens",
    "update_to_data": "zerohero.viz.update_ratio",
    "UpdateRatios": "zerohero.viz.update_ratio",
    "v_curve": "zerohero.viz.step_size",
    "view": "zerohero.viz.choose",
}
__all__ = [*sorted(_PUBLIC)]  # noqa: PLE0604 - they are strings
_sys.modules[__name__].__class__ = _LazyPackage
