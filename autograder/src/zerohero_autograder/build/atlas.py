"""Known wrong answers become the atlas: fingerprints of what they give on the visible cases (see zerohero.atlas)."""

import importlib.util
import json
import sys
from pathlib import Path
from typing import Any

from zerohero.atlas import SCHEMA, fingerprint, parts_of, same
from zerohero.exercise import MODULES, find, run_probe
from zerohero.mistakes import MISTAKES

from ..errors import LessonError
from .lesson import source_notebook
from .mutated import mutated_entries, reference_prints

MANY = 20  # cases: two prints are compared as loosely as those of any exercise


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


def build_atlas(course: Path, modules: list[str] | None = None, skipped: list[Path] | None = None) -> dict[str, list[dict[str, Any]]]:
    """{exercise id: [entry, ...]} of all wrong answers in ``course`` and all mutants of its solutions, as zerohero.atlas.entries gives them.

    Holds no source and no value: a hash and three projections per part. What a teacher has named comes first, and no mutant
    gives the same answer another name. ``skipped``: see wrong_answers.
    """
    exercises = _given(course, modules or list(MODULES.values()), skipped)
    for module in modules or list(MODULES.values()):
        lesson = course / module / f"{module}.py"
        if lesson.is_file():
            notebook = source_notebook(lesson.read_text(encoding="utf-8"), module)
            for exercise, right in reference_prints(notebook, module).items():
                if exercise in exercises:
                    exercises[exercise] = _without_right_parts(exercises[exercise], right)
            for exercise, entries in mutated_entries(notebook, module).items():
                known = exercises.setdefault(exercise, [])
                known += [entry for entry in entries if not any(_same_answer(entry, other) for other in known if other.get("given"))]
    return {exercise: [{k: v for k, v in e.items() if k != "given"} for e in entries] for exercise, entries in exercises.items()}


def _without_right_parts(entries, right):
    """Of answers that a teacher has named, the parts that are wrong: the others are the solution's, and an answer with a second mistake has others."""
    kept = [{**e, "parts": {part: p for part, p in e["parts"].items() if part not in right or not same(p, right[part], MANY)}} for e in entries]
    return [entry for entry in kept if entry["parts"]]


def _same_answer(a, b):
    return a["parts"].keys() == b["parts"].keys() and all(same(a["parts"][p], b["parts"][p], MANY) for p in a["parts"])


def _given(course, modules, skipped):
    exercises: dict[str, list[dict[str, Any]]] = {}
    for module in modules:
        for _, wrong in wrong_answers(course, module, skipped):
            exercise = find(wrong.exercise)
            outputs = [run_probe(exercise, wrong.answer, case.inputs) for case in exercise.visible_cases()]
            prints = {part: fingerprint(values) for part, values in parts_of(outputs, exercise.parts).items()}
            entry = {"mistake": wrong.mistake, "because": wrong.because, "next": getattr(wrong, "next", ""), "parts": prints, "given": True}
            exercises.setdefault(wrong.exercise, []).append(entry)
    return exercises


def packed(exercises: dict[str, list[dict[str, Any]]]) -> dict[str, Any]:
    """The atlas as it is written: each sentence once. The inverse of zerohero.atlas.unpacked."""
    sentences: dict[str, int] = {}

    def number(sentence):
        return sentences.setdefault(sentence, len(sentences))

    rows = {
        exercise: [[e["mistake"], number(e["because"]), number(e["next"]), {part: [p["form"], *p["numbers"]] for part, p in e["parts"].items()}] for e in found]
        for exercise, found in exercises.items()
    }
    return {"schema": SCHEMA, "sentences": list(sentences), "exercises": rows}


def write_atlas(exercises: dict[str, list[dict[str, Any]]], file: Path) -> None:
    """Write it where zerohero.atlas looks for it: one entry a line."""
    atlas = packed(exercises)
    lines = ",\n".join(
        f"{json.dumps(exercise)}: [\n" + ",\n".join(json.dumps(row, separators=(",", ":")) for row in rows) + "\n]"
        for exercise, rows in atlas["exercises"].items()
    )
    head = f'"schema": {atlas["schema"]},\n"sentences": {json.dumps(atlas["sentences"], indent=0)}'
    file.write_text(f'{{\n{head},\n"exercises": {{\n{lines}\n}}\n}}\n', encoding="utf-8")
