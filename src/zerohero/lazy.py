"""A package whose public names are imported when they are first used.

    # in the package's __init__.py
    _PUBLIC = {"bigram": "zerohero.viz.bigram"}  # public name -> module that defines it
    __all__ = sorted(_PUBLIC)
    _sys.modules[__name__].__class__ = LazyPackage

A public name may be that of its module. Python binds a submodule in its package whenever it is imported, which would put the
module in the place of the function; a LazyPackage does not take it. The module is then reached by
``from zerohero.viz.bigram import ...`` only.
"""

from importlib import import_module
from types import ModuleType
from typing import Any


class LazyPackage(ModuleType):
    _PUBLIC: dict[str, str]

    def __getattr__(self, name: str) -> Any:
        if name not in self._PUBLIC:
            raise AttributeError(f"{self.__name__} has no name {name!r}; it has: {', '.join(self._PUBLIC)}")
        value = getattr(import_module(self._PUBLIC[name]), name)
        setattr(self, name, value)  # the next access is direct
        return value

    def __setattr__(self, name: str, value: Any) -> None:
        if not (name in self._PUBLIC and isinstance(value, ModuleType)):
            super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        return sorted(self._PUBLIC)
