"""Packages of many views: a name costs what it needs and no more, and a function may be called as its module is."""

import subprocess
import sys

import pytest

import zerohero.viz
import zerohero.widgets

PACKAGE = """import sys as _sys
from zerohero.lazy import LazyPackage
_PUBLIC = {"bigram": "lazy_package.bigram", "walk": "lazy_package.bigram"}
__all__ = sorted(_PUBLIC)
_sys.modules[__name__].__class__ = LazyPackage
"""
MODULE = "def bigram(): return 'the function'\ndef walk(): return 'another'\n"


@pytest.mark.parametrize(
    "before",
    ["", "import lazy_package.bigram", "from lazy_package.bigram import walk", "from lazy_package import walk", "from lazy_package import other"],
    ids=lambda before: before or "first",
)
def test_a_public_name_is_the_function_whatever_was_imported_before(tmp_path, monkeypatch, before):
    folder = tmp_path / "lazy_package"
    folder.mkdir()
    (folder / "__init__.py").write_text(PACKAGE)
    (folder / "bigram.py").write_text(MODULE)
    (folder / "other.py").write_text("from .bigram import walk")
    monkeypatch.syspath_prepend(tmp_path)
    for name in [name for name in sys.modules if name.startswith("lazy_package")]:
        monkeypatch.delitem(sys.modules, name)
    exec(before, {})
    for _ in range(2):
        import lazy_package

        assert lazy_package.bigram() == "the function"
        from lazy_package import bigram
        from lazy_package.bigram import walk

        assert (bigram(), walk()) == ("the function", "another")


@pytest.mark.parametrize("package", [zerohero.viz, zerohero.widgets])
def test_every_public_name_is_there(package):
    for name, module in package._PUBLIC.items():
        value = getattr(package, name)
        assert callable(value) and value.__module__ == module
    assert dir(package) == package.__all__ == sorted(package._PUBLIC)


def test_an_unknown_name_is_answered_with_those_there_are():
    with pytest.raises(AttributeError, match=r"zerohero\.viz has no name 'grahp'; it has: .*view"):
        zerohero.viz.grahp


def test_the_packages_cost_nothing_until_a_name_is_used():
    code = "import sys, zerohero.viz, zerohero.widgets; print([m for m in ('numpy', 'torch', 'anywidget', 'zerohero.viz.scene') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"
