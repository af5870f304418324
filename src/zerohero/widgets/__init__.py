"""Live widgets: views whose kernel answers. ipywidgets by way of anywidget; nothing heavy is imported until a widget is made."""

import sys as _sys
from importlib import import_module as _import_module

# public name -> module that defines it. No public name is that of a submodule: importing the submodule would replace it.
_PUBLIC = {
    "TrainingMonitor": "training_monitor",
    "slope_explorer": "slope",
}
__all__ = sorted(_PUBLIC)  # noqa: PLE0605 - they are strings


def __getattr__(name):
    if name not in _PUBLIC:
        raise AttributeError(f"zerohero.widgets has no name {name!r}; it has: {', '.join(__all__)}")
    value = getattr(_import_module(f".{_PUBLIC[name]}", __name__), name)
    globals()[name] = value  # the next access is direct
    return value


def __dir__():
    return __all__


def running_kernel():
    """The IPython shell of the kernel that runs this code, or None: in a terminal, a script, a grader's process."""
    if "IPython" not in _sys.modules:
        return None
    from IPython import get_ipython

    shell = get_ipython()
    return shell if getattr(shell, "kernel", None) is not None else None


def can_be_live() -> bool:
    """Whether a widget made here can be shown: a kernel runs this code, anywidget is installed, and view.js is built."""
    if running_kernel() is None:
        return False
    try:
        from .live import missing
    except ImportError:
        return False
    return not missing()
