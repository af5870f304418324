"""view(obj): the view that fits what it was handed.

To add a kind of object, add a line to KINDS; the first line that fits is taken. Nothing of an object is called to find out.
"""

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from ..errors import WrongObject
from ..report import Finding, Report


def view(obj: Any) -> None:
    """Show ``obj``: a value of a scalar engine as its graph, an array as a matrix, and so on; KINDS has them all.

    view(loss)

    Raises WrongObject, which says what view() takes and what ``obj`` lacks, for anything else.
    """
    for _, fits, module, name in KINDS:
        if fits(obj):
            getattr(import_module(module), name)(obj)
            return
    missing = ", ".join(f"`{name}`" for name in ("data", "grad", "_prev") if not _has(obj, name))
    raise WrongObject(
        f"view() was handed an object of type {type(obj).__name__}, which has no {missing}; a value of a scalar engine has `data`, `grad` and `_prev`. "
        f"view() takes {', '.join(what for what, *_ in KINDS[:-1])}, or {KINDS[-1][0]}"
    )


def _has(obj, *names):
    try:
        return all(hasattr(obj, name) for name in names)
    except Exception:  # a student's class may raise anything when it is asked
        return False


def _is_value(obj):
    """Or meant to be one: a class, or an object with only some of its attributes, is told by the graph what it lacks."""
    return isinstance(obj, type) or _has(obj, "_prev")


def _is_array(obj):
    """A single number is none: view(loss.data) is told what a value has."""
    if isinstance(obj, (list, tuple)):
        return bool(obj) and all(isinstance(one, (bool, int, float)) or _is_array(one) for one in obj)
    return _has(obj, "shape", "dtype") and len(obj.shape) > 0


def _is_layers(obj):
    """A dict of names and arrays, or a list of them over training."""
    if isinstance(obj, (list, tuple)):
        return bool(obj) and all(isinstance(one, Mapping) and _is_layers(one) for one in obj)
    return isinstance(obj, Mapping) and bool(obj) and all(isinstance(name, str) and _is_array(value) for name, value in obj.items())


def _is_report(obj):
    return isinstance(obj, (Report, Finding))


KINDS = (  # what it takes, whether an object is one, and the function that shows it
    ("a value of a scalar engine", _is_value, "zerohero.viz.graph", "view"),
    ("a report of a check, whose map it shows", _is_report, "zerohero.viz.error_map", "report_map"),
    ("an array, a tensor, or lists of numbers", _is_array, "zerohero.viz.arrays", "array"),
    ("a dict of names and arrays, or a list of such dicts over training", _is_layers, "zerohero.viz.histograms", "activations"),
    ("a LayerRecorder", lambda obj: _has(obj, "activations", "gradients"), "zerohero.viz.histograms", "activations"),
    ("what lr_range_test() returns", lambda obj: _has(obj, "rates", "losses", "smoothed"), "zerohero.viz.learning_rate", "range_curve"),
)
