"""Known wrong answers become the atlas: fingerprints of what they give on the visible cases (see zerohero.atlas)."""

import importlib.util
import json
import sys
from pathlib import Path
from typing import Any

from zerohero.atlas import fingerprint
from zerohero.exercise import MODULES, find, run_probe
from zerohero.mistakes import MISTAKES

from ..errors import LessonError


def wrong_answers(course: Path, module: str, skipped: list[Path] | None = None) -> list[tuple[Path, Any]]:
    """(file, loaded Python module) for each file in the module's wrong/ folder; names that begin with _ are shared parts.

    Where torch is not installed, files that need it are appended to ``skipped``; without that list they raise ModuleNotFoundError.
    """
    found = []
    for file in sorted((course / module / "wrong").glob("*.py")):
        if file.name.startswith("_"):
            continue
        try:
            found.append((file, _load(file)))
        except ModuleNotFoundError as error:
            if error.name != "torch" or skipped is None:
                raise
            skipped.append(file)
    return found


def _load(file):
    name = f"zerohero_wrong_{file.parent.parent.name}_{file.stem}"
    spec = importlib.util.spec_from_file_location(name, file)
    loaded = importlib.util.module_from_spec(spec)
    sys.modules[name] = loaded  # dataclasses look their module up
    spec.loader.exec_module(loaded)
    for field in ("exercise", "mistake", "because", "answer"):
        if not hasattr(loaded, field):
            raise LessonError(f"{file}: a wrong answer needs `{field}`")
    if loaded.mistake not in MISTAKES:
        raise LessonError(f"{file}: no mistake {loaded.mistake!r}; there are {', '.join(MISTAKES)}")
    return loaded


def build_atlas(course: Path, modules: list[str] | None = None, skipped: list[Path] | None = None) -> dict[str, Any]:
    """{"schema": 1, "exercises": {id: [entry, ...]}} of all wrong answers in ``course``, in the form zerohero.atlas reads.

    Holds no source and no value: a hash, a norm and three projections per visible case. ``skipped``: see wrong_answers.
    """
    exercises: dict[str, list[dict[str, Any]]] = {}
    for module in modules or list(MODULES.values()):
        for _, wrong in wrong_answers(course, module, skipped):
            exercise = find(wrong.exercise)
            outputs = [run_probe(exercise, wrong.answer, case.inputs) for case in exercise.visible_cases()]
            entry = {
                "mistake": wrong.mistake,
                "because": wrong.because,
                "next": getattr(wrong, "next", ""),
                "cases": [_rounded(fingerprint(o)) for o in outputs],
            }
            exercises.setdefault(wrong.exercise, []).append(entry)
    return {"schema": 1, "exercises": exercises}


def _rounded(printed):
    # 12 digits are far finer than the tolerance of a match, and hide the last bits in which two machines differ
    return {"form": printed["form"], "norm": float(f"{printed['norm']:.12g}"), "projections": [float(f"{p:.12g}") for p in printed["projections"]]}


def write_atlas(atlas: dict[str, Any], file: Path) -> None:
    """Write it where zerohero.atlas looks for it."""
    file.write_text(json.dumps(atlas, indent=0, sort_keys=True) + "\n", encoding="utf-8")
