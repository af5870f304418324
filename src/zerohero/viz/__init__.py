"""Pictures of the student's own objects: no script, no external resource, readable without a kernel."""

from .graph import to_dot, to_svg, view

__all__ = ["to_dot", "to_svg", "view"]
