"""Pictures of the student's own objects: no script, no external resource, readable without a kernel."""

import sys as _sys

from ..lazy import LazyPackage as _LazyPackage

_PUBLIC = {  # public name -> module that defines it
    "array": "zerohero.viz.arrays",
    "attention": "zerohero.viz.attention",
    "backward_walk": "zerohero.viz.backward_walk",
    "bigram": "zerohero.viz.bigram",
    "embedding": "zerohero.viz.embedding",
    "error_map": "zerohero.viz.error_map",
    "to_dot": "zerohero.viz.graph",
    "to_svg": "zerohero.viz.graph",
    "tokens": "zerohero.viz.tokens",
    "view": "zerohero.viz.choose",
}
__all__ = [*sorted(_PUBLIC)]  # noqa: PLE0604 - they are strings
_sys.modules[__name__].__class__ = _LazyPackage
