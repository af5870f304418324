"""zerohero: write a neural network from scratch, one checked step at a time.

    from zerohero import check, hint, predict
    from zerohero.gradcheck import gradcheck
    check("m01-forward-difference", forward_difference)

Nothing heavy is imported until a name is used: ``import zerohero`` costs no more than the standard library.
"""

from importlib import import_module as _import_module

__version__ = "0.1.0"

# public name -> module that defines it. No public name is that of a submodule: importing the submodule would replace it.
_PUBLIC = {
    "check": "zerohero.checking",
    "hint": "zerohero.checking",
    "predict": "zerohero.predicting",
    "view": "zerohero.viz",
    "Case": "zerohero.exercise",
    "Exercise": "zerohero.exercise",
    "Report": "zerohero.report",
    "Finding": "zerohero.report",
    "Group": "zerohero.report",
    "CheckFailed": "zerohero.errors",
    "NotStarted": "zerohero.errors",
    "ZeroheroError": "zerohero.errors",
}
__all__ = ["__version__", *sorted(_PUBLIC)]  # noqa: PLE0604 - they are strings


def __getattr__(name):
    if name not in _PUBLIC:
        raise AttributeError(f"zerohero has no name {name!r}; it has: {', '.join(sorted(_PUBLIC))}")
    value = getattr(_import_module(_PUBLIC[name]), name)
    globals()[name] = value  # the next access is direct
    return value


def __dir__():
    return __all__
