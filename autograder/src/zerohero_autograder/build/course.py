"""Build the whole course into a folder."""

import json
import shutil
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from zerohero.exercise import MODULES

from ..errors import CourseError
from .lesson import source_notebook
from .stub import student_notebook

START = "start"  # the page JupyterLab opens on; a lesson without exercises


@dataclass(frozen=True)
class Course:
    """What course.toml says."""

    folder: Path
    title: str
    modules: tuple[str, ...]


def read_course(folder: Path) -> Course:
    """Raises CourseError when ``folder`` holds no course.toml or names a module that zerohero does not have."""
    file = folder / "course.toml"
    if not file.is_file():
        raise CourseError(f"{folder} is not a course: it has no course.toml. Name the folder of the lessons, e.g. `zerohero build --course path/to/course`")
    try:
        data = tomllib.loads(file.read_text(encoding="utf-8"))
        course = Course(folder, data["title"], tuple(data["modules"]))
    except (tomllib.TOMLDecodeError, KeyError, TypeError) as error:
        raise CourseError(f'{file}: needs title = "..." and modules = [...]: {error!r}') from None
    if unknown := [m for m in course.modules if m not in MODULES.values()]:
        raise CourseError(f"{file}: no module {unknown[0]!r}; zerohero has {', '.join(MODULES.values())}")
    return course


def build_course(course_folder: Path, out: Path) -> list[Path]:
    """Write ``out/source`` and ``out/student``, replacing both. Returns the student notebooks.

    Raises LessonError for a mistake in a lesson before anything is replaced.
    """
    course = read_course(course_folder)
    notebooks = {f"{m}/{m}.ipynb": source_notebook(_text(course.folder / m / f"{m}.py"), m) for m in course.modules}
    start = course.folder / START / f"{START}.py"
    if start.exists():
        notebooks[f"{START}.ipynb"] = source_notebook(_text(start), START, graded=False)
    for side in ("source", "student"):
        shutil.rmtree(out / side, ignore_errors=True)
    for name, source in notebooks.items():
        write_notebook(source, out / "source" / name)
        write_notebook(student_notebook(source), out / "student" / name)
    for module in course.modules:
        assets = course.folder / module / "assets"
        if assets.is_dir():
            for side in ("source", "student"):
                shutil.copytree(assets, out / side / module / "assets")
    return [out / "student" / name for name in notebooks]


def _text(file):
    try:
        return file.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise CourseError(f"{file} is missing: course.toml names the module, so it needs a lesson") from None


def write_notebook(notebook: dict[str, Any], file: Path) -> None:
    """As JupyterLab writes one: one space of indentation, sorted keys, a newline at the end."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(notebook, indent=1, ensure_ascii=False, sort_keys=True) + "\n", encoding="utf-8")
