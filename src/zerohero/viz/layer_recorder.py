"""What goes through the layers of a torch model while it runs, seen by hooks.

    with LayerRecorder(model) as recorder:
        ...                     # forward and backward passes
    activations(recorder)
    gradients(recorder)

Does: keep histograms and a few figures of each pass, and take every hook away at the end, after an exception too.
Does not: keep a tensor or a graph alive, nor change what the model computes.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ..errors import WrongObject, ZeroheroError
from .layer_values import LayerValues, kind_of, measure

MOST = 64
"""Passes that are kept at most. When there are as many, every other one is dropped, and from then on fewer are recorded."""

Record = tuple[str, dict[str, LayerValues]]


class LayerRecorder:
    """Records, between ``with`` and the end of its block, what chosen modules put out and the gradients that come back to it.

    model   : a torch.nn.Module, or a list of modules that are called one after the other
    layers  : names as in model.named_modules(), or modules; by default every tanh, sigmoid and ReLU, and without any of these every
              module that has no submodules
    every   : record each ``every``-th forward pass
    no_grad : record passes under torch.no_grad(), too; by default they are left out, as an evaluation between two steps

    A layer is called by its name and its class: "3 Tanh". A pass begins when the model is called (the first module of a list). A module that is called again within a pass is recorded as
    "name (2)". What a module puts out must be a tensor, or a tuple whose first item is one.
    Raises WrongObject for what is no module, and for names that the model does not have.
    """

    def __init__(self, model: Any, layers: Iterable[Any] | None = None, every: int = 1, no_grad: bool = False):
        if isinstance(every, bool) or not isinstance(every, int) or every < 1:
            raise ValueError(f"every must be a whole number above 0, not {every!r}")
        self._first, self._layers = _chosen(model, layers)
        self._every, self._no_grad = every, no_grad
        self._handles: list[Any] = []
        self._of_outputs: list[Any] = []
        self._passes = 0
        self._left_out = 0
        self._now: tuple[dict[str, LayerValues], dict[str, LayerValues]] | None = None
        self._kept: list[tuple[str, dict[str, LayerValues], dict[str, LayerValues]]] = []

    @property
    def activations(self) -> list[Record]:
        """[(label, {layer: values})] of the passes that were recorded."""
        return [(label, outputs) for label, outputs, _ in self._kept if outputs]

    @property
    def gradients(self) -> list[Record]:
        """[(label, {layer: gradient of what it put out})] of the passes that were followed by a backward pass."""
        return [(label, {name: back[name] for name in outputs if name in back}) for label, outputs, back in self._kept if back]

    def nothing(self, what: str) -> str:
        """Why there is nothing to show."""
        if not self._passes and not self._left_out:
            return f"the recorder saw no forward pass: call the model inside its `with` block, then show the {what}"
        if not self._kept:
            return f"all {self._left_out} forward passes were under torch.no_grad(): LayerRecorder(model, no_grad=True) records those, too"
        return f"the recorder saw no {what}: call loss.backward() inside its `with` block"

    def __enter__(self) -> "LayerRecorder":
        if self._handles:
            raise ZeroheroError("this recorder is at work already")
        self._handles.append(self._first.register_forward_pre_hook(self._begin))
        for name, module in self._layers.items():
            kind = type(module).__name__
            called = name if kind.lower() in name.lower() else f"{name} {kind}"  # "3" of a Sequential says little
            self._handles.append(module.register_forward_hook(self._output_of(called, module)))
        return self

    def __exit__(self, *_: object) -> None:
        for handle in self._handles + self._of_outputs:
            handle.remove()
        self._handles, self._of_outputs, self._now = [], [], None

    def _begin(self, _module, _inputs):
        import torch

        # those of graphs that are gone; the others may still get their gradient, when one backward pass follows several forward passes
        self._of_outputs = [handle for handle in self._of_outputs if handle.hooks_dict_ref() is not None]
        self._now = None
        if not self._no_grad and not torch.is_grad_enabled():
            self._left_out += 1
            return
        number, self._passes = self._passes, self._passes + 1
        if number % self._every:
            return
        if len(self._kept) == MOST:
            self._kept = self._kept[::2]
            self._every *= 2
            if number % self._every:
                return
        self._now = {}, {}
        self._kept.append((str(number), *self._now))

    def _output_of(self, name: str, module: Any) -> Callable[..., None]:
        kind = kind_of(type(module).__name__) or kind_of(name)

        def output(_module, _inputs, made):
            made = made[0] if isinstance(made, tuple) and made else made
            if self._now is None or not hasattr(made, "detach"):
                return
            outputs, back = self._now
            times = 1 + sum(other == name or other.startswith(f"{name} (") for other in outputs)
            called = name if times == 1 else f"{name} ({times})"
            outputs[called] = measure(made, kind, called)
            if made.requires_grad:

                def gradient(grad):
                    back[called] = measure(grad, "", called)

                self._of_outputs.append(made.register_hook(gradient))

        return output


def _chosen(model, layers):
    """(the module whose call begins a pass, {name: module to record})"""
    if _is_module(model):
        first, known = model, {name: module for name, module in model.named_modules() if name} or {type(model).__name__: model}
    elif isinstance(model, (list, tuple)) and model and all(map(_is_module, model)):
        first, known = model[0], {str(n): module for n, module in enumerate(model)}
    else:
        raise WrongObject(
            f"`model` is an object of type {type(model).__name__}; LayerRecorder needs a torch.nn.Module or a list of them. "
            "For layers of your own, hand their arrays to activations(): {'tanh 1': h1, 'tanh 2': h2}"
        )
    leaves = {name: module for name, module in known.items() if not any(True for _ in module.children())}
    if layers is None:
        bends = {name: module for name, module in leaves.items() if kind_of(type(module).__name__)}
        return first, bends or leaves
    chosen = {}
    for layer in [layers] if isinstance(layers, str) or _is_module(layers) else layers:
        name = layer if isinstance(layer, str) else next((name for name, module in known.items() if module is layer), None)
        if name not in known:
            what = f"{layer!r}" if isinstance(layer, str) else f"an object of type {type(layer).__name__}"
            raise WrongObject(f"`layers` holds {what}, which is no part of the model; it has {', '.join(list(known)[:20])}")
        chosen[name] = known[name]
    return first, chosen


def _is_module(obj: Any) -> bool:
    return all(hasattr(obj, name) for name in ("register_forward_hook", "named_modules")) and not isinstance(obj, (type, Mapping))
