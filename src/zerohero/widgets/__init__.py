"""Live widgets: views whose kernel answers. ipywidgets by way of anywidget; nothing heavy is imported until a widget is made."""

import sys as _sys

from ..lazy import LazyPackage as _LazyPackage

_PUBLIC: dict[str, str] = {  # public name -> module that defines it
}
__all__ = [*sorted(_PUBLIC)]  # noqa: PLE0604 - they are strings
_sys.modules[__name__].__class__ = _LazyPackage
