"""The instructor's commands; they appear in the one `zerohero` command when this package is installed."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import typer

from .errors import CourseError

app = typer.Typer()
course_app = typer.Typer(no_args_is_help=True, help="Make a course to grade.")
app.add_typer(course_app, name="course")
COURSE = typer.Option(Path("course"), help="the folder of the text lessons (with course.toml)")
GRADED_COURSE = typer.Option(Path("."), "--course", help="the nbgrader course folder, made by `zerohero course new`")


@app.command()
def build(course: Path = COURSE, out: Path = typer.Option(Path("build"), help="where build/source and build/student go")) -> None:
    """Build the notebooks and the atlas of known mistakes from the text lessons."""
    from importlib import resources

    from .build import build_atlas, build_course
    from .build.atlas import write_atlas
    from .build.course import read_course

    notebooks = build_course(course, out)
    write_atlas(build_atlas(course, list(read_course(course).modules)), Path(str(resources.files("zerohero") / "atlas.json")))
    print(f"{len(notebooks)} notebooks in {out}/source and {out}/student")


@app.command()
def lab(
    args: list[str] = typer.Argument(None, help="passed on to jupyter lab"),
    student: Path = typer.Option(Path("build/student"), help="the built notebooks"),
    work: Path = typer.Option(Path("work"), help="your own copies; kept when the lessons change"),
) -> None:
    """Open the course in JupyterLab on its start page, on your own copies of the notebooks."""
    from .work import refresh

    if not student.is_dir():
        raise CourseError(f"{student} is missing: run `zerohero build` first")
    if shutil.which("jupyter-lab", path=os.path.dirname(sys.executable)) is None:
        raise CourseError("JupyterLab is not installed beside zerohero: pip install 'zerohero[lab]'")
    for name in refresh(student, work):
        print(f"kept as you left it: {work / name}")
    # root needs --allow-root; the server listens on this machine only and asks for a token
    as_root = ["--allow-root"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    command = [os.path.join(os.path.dirname(sys.executable), "jupyter-lab"), "--LabApp.news_url=None", *as_root, *(args or []), "start.ipynb"]
    raise typer.Exit(subprocess.run(command, cwd=work, check=False).returncode)


@course_app.command("new")
def course_new(
    folder: Path = typer.Argument(help="the course folder to make"),
    course: Path = COURSE,
    roster: Path = typer.Option(None, help="CSV with a header: id, and any of first_name, last_name, email"),
) -> None:
    """Make an nbgrader course whose autograde takes the safe path: notebooks released, roster imported."""
    from .course_new import new_course

    modules, students = new_course(course, folder, roster)
    print(f"{folder} is ready: {len(modules)} modules released, {students} students.")
    print(f"hand out   {folder}/release/MODULE/MODULE.ipynb")
    print(f"collect    {folder}/submitted/STUDENT/MODULE/MODULE.ipynb")
    print(f"grade      zerohero grade {modules[0]} --course {folder}")
