"""What of the machine can be seen in a jail: a short list of folders, read-only, and nothing else."""

import functools
import importlib.util
import os
import sys
from pathlib import Path

from .contract import MIB

INSIDE = "/grading"
PRIVATE = "zerohero_autograder"


def binds(tree, same_place):
    """bubblewrap's words for a tree of (source, place, link target)."""
    command = []
    for source, place, target in tree:
        place = source if same_place and source else place
        for folder in reversed(Path(place).parents[:-1]):  # made by itself, bubblewrap would copy the 0700 of a /root or a home
            command += ["--perms", "0755", "--dir", str(folder)]
        command += ["--symlink", target, place] if target else ["--ro-bind", source, place]
    return command


@functools.cache
def visible():
    """All of the machine that can be seen inside, as (source, place, link target if it is a link). Folders before links."""
    tree = [("/usr", "/usr", "")]
    for name in ("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"):
        if os.path.islink(name):
            tree.append(("", name, os.readlink(name)))
        elif os.path.isdir(name):
            tree.append((name, name, ""))
    for name in ("/etc/ld.so.cache", "/etc/localtime", "/etc/alternatives"):
        if os.path.exists(name):
            tree.append((os.path.realpath(name), name, ""))
    for prefix in _prefixes():
        for name in ("bin", "lib", "lib64", "include", "pyvenv.cfg"):
            place = os.path.join(prefix, name)
            if os.path.islink(place):
                tree.append(("", place, os.readlink(place)))
            elif os.path.exists(place):
                tree.append((place, place, ""))
    tree.append((package(), f"{INSIDE}/lib/zerohero", ""))
    tree += [(str(Path(__file__).with_name(program)), f"{INSIDE}/{program}", "") for program in ("runner.py", "zygote.py")]
    return tuple(tree)


def _prefixes():
    """Where Python and the virtual environment are, less what /usr shows already."""
    real = os.path.dirname(os.path.dirname(os.path.realpath(sys.executable)))
    found = dict.fromkeys([sys.base_prefix, real, sys.prefix])
    return [p for p in found if not (p == "/usr" or p.startswith("/usr/"))]


def package():
    """The folder of the student package, wherever it is installed."""
    return os.path.realpath(importlib.util.find_spec("zerohero").submodule_search_locations[0])


def _libraries():
    """All folders of installed libraries that can be seen inside."""
    found = []
    for prefix in dict.fromkeys([*_prefixes(), "/usr", "/usr/local"]):
        for pattern in ("lib/python3*/site-packages", "lib/python3*/dist-packages", "lib64/python3*/site-packages"):
            found += [str(p) for p in Path(prefix).glob(pattern) if not os.path.islink(p.parent.parent)]
    return list(dict.fromkeys(found))


def covered(without):
    """What must not be seen although it lies in a visible folder: our own package, and the libraries taken away."""
    hidden = []
    for folder in _libraries():
        for name in os.listdir(folder):
            if PRIVATE in name.replace("-", "_") or name.partition(".")[0] in without:
                hidden.append(os.path.join(folder, name))
    return sorted(h for h in hidden if not os.path.islink(h))


def exposed(path):
    """Whether a path of this machine can be seen inside."""
    path = os.path.realpath(path)

    def below(folders):
        return any(path == f or path.startswith(f.rstrip("/") + "/") for f in map(os.path.realpath, folders))

    return below(source for source, _, _ in visible() if source) and not below(covered(frozenset()))


@functools.cache
def font_list():
    """matplotlib's list of fonts by file name, which otherwise is made anew in every jail. Nothing when it is not to be had."""
    try:
        import matplotlib

        folder = Path(matplotlib.get_cachedir())
        if not any(folder.glob("fontlist-v*.json")):
            import matplotlib.font_manager  # makes it
        return {file.name: file.read_bytes() for file in folder.glob("fontlist-v*.json") if file.stat().st_size < MIB}
    except (ImportError, OSError):
        return {}


STAND_IN = '''"""Stands where {name} would be: it may not be used for this exercise."""
import sys
import types
from importlib.machinery import ModuleSpec

_SAYS = "{name} may not be used for this exercise"


class Tensor:
    """matplotlib asks of everything it draws whether it is one of these. Nothing is."""

    def __new__(cls, *args, **kwargs):
        raise ImportError(_SAYS)


def __getattr__(attribute):
    if attribute.startswith("__"):
        raise AttributeError(attribute)  # asked by the import system itself
    raise ImportError(_SAYS)


class _Parts:
    """import {name}.part works as import {name} does, so that a cell of imports goes on."""

    def find_spec(self, name, path=None, target=None):
        return ModuleSpec(name, self, is_package=True) if name.startswith("{name}.") else None

    def create_module(self, spec):
        module = types.ModuleType(spec.name)
        module.__getattr__ = __getattr__
        return module

    def exec_module(self, module):
        pass


__path__ = []
sys.meta_path.insert(0, _Parts())
'''
