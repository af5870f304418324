"""Text lessons -> `build/source` (with solutions) and `build/student` (all that a student ever gets), and the atlas.

    course/m02_micrograd/m02_micrograd.py  --lesson-->  source notebook  --stub-->  student notebook
    course/m02_micrograd/wrong/*.py        --atlas-->   fingerprints of known mistakes

The result is the same byte for byte on every machine: cell ids come from exercise ids or from the content, nothing
from the clock, from versions or from paths.
"""

from .atlas import build_atlas
from .course import build_course
from .lesson import source_notebook
from .stub import student_notebook

__all__ = ["build_atlas", "build_course", "source_notebook", "student_notebook"]
