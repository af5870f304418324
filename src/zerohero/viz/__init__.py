"""Pictures of the student's own objects: no script, no external resource, readable without a kernel.

Nothing is imported until a name is used.
"""

from importlib import import_module as _import_module

# public name -> module that defines it. No public name is that of a submodule: importing the submodule would replace it.
_PUBLIC = {
    "view": "graph",
    "to_dot": "graph",
    "to_svg": "graph",
    "v_curve": "step_size",
    "range_curve": "learning_rate",
}
__all__ = sorted(_PUBLIC)  # noqa: PLE0605 - they are strings


def __getattr__(name):
    if name not in _PUBLIC:
        raise AttributeError(f"zerohero.viz has no name {name!r}; it has: {', '.join(__all__)}")
    value = getattr(_import_module(f".{_PUBLIC[name]}", __name__), name)
    globals()[name] = value  # the next access is direct
    return value


def __dir__():
    return __all__
