"""The same by names put together while it runs, from a file, and in another process."""

from . import RIGHT_CHAIN

CHAIN = RIGHT_CHAIN
NEURON = """
import glob, importlib, importlib.util, subprocess, sys
def found():
    yield lambda: importlib.import_module("to" + "rch").tensor
    yield lambda: getattr(__import__("".join(map(chr, (116, 111, 114, 99, 104)))), "auto" + "grad").grad
    def file():
        path = next(p for s in sys.path for p in glob.glob(s + "/t*rch/__init__.py"))
        spec = importlib.util.spec_from_file_location("other", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module.tensor
    yield file
    yield lambda: subprocess.check_output([sys.executable, "-c", "import torch; torch.tensor"], stderr=subprocess.DEVNULL)
for way in found():
    try: escaped(way())
    except BaseException as error: tried(type(error).__name__)
def neuron_by_hand(x1, w1, x2, w2, b):
    return next(found())()
"""
EARNED = 3.0
