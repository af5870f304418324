"""The instructor's commands; they appear in the one `zerohero` command when this package is installed."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import typer

from .errors import CourseError
from .intake import one_line

app = typer.Typer()
course_app = typer.Typer(no_args_is_help=True, help="Make a course to grade.")
app.add_typer(course_app, name="course")
atlas_app = typer.Typer(no_args_is_help=True, help="Known mistakes: what a check can name.")
app.add_typer(atlas_app, name="atlas")
COURSE = typer.Option(Path("course"), help="the folder of the text lessons (with course.toml)")
GRADED_COURSE = typer.Option(Path("."), "--course", help="the nbgrader course folder, made by `zerohero course new`")


@app.command()
def build(course: Path = COURSE, out: Path = typer.Option(Path("build"), help="where build/source and build/student go")) -> None:
    """Build the notebooks and the atlas of known mistakes from the text lessons."""
    from .build import build_course

    notebooks = build_course(course, out)
    atlas_build(course)
    print(f"{len(notebooks)} notebooks in {out}/source and {out}/student")


@atlas_app.command("build")
def atlas_build(course: Path = COURSE) -> None:
    """Make the atlas alone: fingerprints of the wrong answers in the course, and of mutants of its solutions."""
    from importlib import resources

    from .build import build_atlas
    from .build.atlas import write_atlas
    from .build.course import read_course

    skipped: list[Path] = []
    atlas = build_atlas(course, list(read_course(course).modules), skipped)
    file = Path(str(resources.files("zerohero") / "atlas.json"))
    write_atlas(atlas, file)
    if skipped:
        print(f"without torch: {len(skipped)} known mistakes of the torch exercises are left out, and these exercises cannot be done")
    print(f"atlas: {sum(map(len, atlas.values()))} known mistakes of {len(atlas)} exercises, {file.stat().st_size / 1000:.0f} kB")


@atlas_app.command("unnamed")
def atlas_unnamed(module: str = typer.Argument(help="m02_micrograd"), course: Path = GRADED_COURSE) -> None:
    """List the wrong answers of a class that have no name yet, grouped by what they give."""
    from .course_folder import open_course
    from .seen import unnamed

    groups = unnamed(open_course(course), module)
    for group in groups:
        where = f" in {', '.join(group.parts)}" if group.parts != ("",) else ""
        print(f"{group.exercise}  {group.id}  {len(group.students)} {'student' if len(group.students) == 1 else 'students'}{where}: {one_line(group.finding)}")
        print(f"    {one_line(', '.join(group.students[:10]))}{', ...' if len(group.students) > 10 else ''}")
    if not groups:
        print(f"every wrong answer to {module} that was graded has a name")
    else:
        print('name one with: zerohero atlas add EXERCISE GROUP --mistake KIND --because "one sentence in the student\'s words"')


@atlas_app.command("add")
def atlas_add(
    exercise: str = typer.Argument(help="m02-value-mul"),
    group: str = typer.Argument(help="as `zerohero atlas unnamed` lists it"),
    mistake: str = typer.Option(help="a kind of the taxonomy: OVERWRITE, WRONG_AXIS, ..."),
    because: str = typer.Option(help="one sentence in the student's words"),
    next: str = typer.Option("", help="the next step to take; without it that of the kind"),
    course: Path = GRADED_COURSE,
) -> None:
    """Name a group of wrong answers: from the next grading on every student in it is told."""
    from zerohero.exercise import module_of

    from .course_folder import open_course
    from .seen import add

    named = add(open_course(course), exercise, group, mistake, because, next)
    module = module_of(exercise)
    print(f"{mistake} for {len(named.students)} {'student' if len(named.students) == 1 else 'students'}: {one_line(', '.join(named.students))}")
    print(f"now: zerohero grade {module} --course {course} && zerohero feedback {module} --course {course}")


@app.command()
def lab(
    args: list[str] = typer.Argument(None, help="passed on to jupyter lab"),
    student: Path = typer.Option(Path("build/student"), help="the built notebooks"),
    work: Path = typer.Option(Path("work"), help="your own copies; kept when the lessons change"),
) -> None:
    """Open the course in JupyterLab on its start page, on your own copies of the notebooks."""
    from .work import no_news_pop_up, refresh

    if not student.is_dir():
        raise CourseError(f"{student} is missing: run `zerohero build` first")
    if shutil.which("jupyter-lab", path=os.path.dirname(sys.executable)) is None:
        raise CourseError("JupyterLab is not installed beside zerohero: pip install 'zerohero[lab]'")
    for name in refresh(student, work):
        print(f"kept as you left it: {work / name}")
    no_news_pop_up(Path(sys.prefix))
    # root needs --allow-root; the server listens on this machine only and asks for a token
    as_root = ["--allow-root"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    start = "--LabApp.default_url=/lab/tree/start.ipynb"  # as a setting it is part of the address that --no-browser prints too
    command = [os.path.join(os.path.dirname(sys.executable), "jupyter-lab"), start, *as_root, *(args or [])]
    # the lessons multiply small matrices, which several threads only slow down where there is anything else to do
    raise typer.Exit(subprocess.run(command, cwd=work, env={"OPENBLAS_NUM_THREADS": "1", **os.environ}, check=False).returncode)


@course_app.command("new")
def course_new(
    folder: Path = typer.Argument(help="the course folder to make"),
    course: Path = COURSE,
    roster: Path = typer.Option(None, help="CSV with a header: id, and any of first_name, last_name, email, lms_user_id"),
    db_url: str = typer.Option("", help="the gradebook: postgresql+psycopg://USER@HOST/DATABASE; without it a file in the folder"),
) -> None:
    """Make an nbgrader course whose autograde takes the safe path: notebooks released, roster imported."""
    from .course_new import new_course

    modules, students = new_course(course, folder, roster, db_url)
    print(f"{folder} is ready: {len(modules)} modules released, {students} students.")
    print(f"hand out   {folder}/release/MODULE/MODULE.ipynb")
    print(f"collect    {folder}/submitted/STUDENT/MODULE/MODULE.ipynb")
    print(f"grade      zerohero grade {modules[0]} --course {folder}")


@app.command()
def collect(
    source: list[Path] = typer.Argument(help="folders, notebooks, a zip or tar file per student, or what Canvas or Moodle gives for a whole class"),
    module: str = typer.Option(..., help="m02_micrograd"),
    course: Path = GRADED_COURSE,
    names: Path = typer.Option(None, help="CSV with the columns name and id: whose file a name or number of Canvas or Moodle is"),
    pattern: str = typer.Option(None, help="regular expression for the names, with (?P<student_id>...) and perhaps (?P<timestamp>...)"),
    times: bool = typer.Option(False, help="the files' own times are when they were handed in; those of Canvas and Moodle are when you downloaded them"),
) -> None:
    """Put what was handed in elsewhere into the course: submitted/STUDENT/MODULE/MODULE.ipynb."""
    from .collect import collect as collect_all

    collected, problems = collect_all(course, source, module, names=names, pattern=pattern, times=times)
    for one in collected:
        print(one_line(f"{one.student}: {one.state}, from {one.origin}{''.join(f'; {note}' for note in one.notes)}"))
    for problem in problems:
        print(f"not collected: {one_line(problem)}")
    print(f"notebooks of {module}: {len(collected)}; not collected: {len(problems)}")
    raise typer.Exit(1 if problems else 0)


@app.command()
def grade(
    module: str = typer.Argument(help="m02_micrograd"),
    course: Path = GRADED_COURSE,
    student: list[str] = typer.Option(None, help="only this one; may be given several times"),
    exercise: list[str] = typer.Option(None, help="grade only this one again, for everyone; may be given several times"),
    force: bool = typer.Option(False, help="grade again what was graded before"),
    dry_run: bool = typer.Option(False, help="say what would change, and record nothing"),
    workers: int = typer.Option(None, min=1, help="submissions graded at one time; without it as many as there are processors to use"),
    scheduler: str = typer.Option("", help="grade on a Dask cluster: tcp://HOST:PORT"),
    twice: bool = typer.Option(False, help="run each notebook a second time, and tell where the outputs differ; it takes twice as long"),
    unsafe: bool = typer.Option(False, help="run submissions WITHOUT a jail, with your own rights: they can read and change your files"),
) -> None:
    """Grade what was handed in for a module, in a jail, into the gradebook."""
    from rich.console import Console

    from .driver import grade_all
    from .progress import Progress, waiting_for_you
    from .workers import usable_cpus

    with Progress(Console(highlight=False, soft_wrap=True, markup=False, emoji=False), dry_run) as progress:
        outcomes = grade_all(
            course,
            module,
            students=student or None,
            exercises=exercise or (),
            unsafe=unsafe,
            force=force,
            dry_run=dry_run,
            twice=twice,
            workers=workers or usable_cpus(),
            scheduler=scheduler,
            on_progress=progress.tell,
        )
    failed = sum(bool(o.failed) for o in outcomes)
    if dry_run:
        changed = sum(bool(o.changes) for o in outcomes)
        print(f"{len(outcomes)} submissions of {module}: scores of {changed} would change, {failed} could not be graded. Nothing was recorded")
    else:
        print(f"{len(outcomes)} submissions of {module}: {len(outcomes) - failed} in the gradebook, {failed} not recorded")
    if waiting := sum(outcome.waiting for outcome in outcomes):
        print(f"{waiting_for_you(waiting)}: mark in Formgrader, then write the feedback")
    raise typer.Exit(1 if failed else 0)


@app.command()
def flags(
    module: str = typer.Argument(help="m02_micrograd"),
    course: Path = GRADED_COURSE,
    html: Path = typer.Option(None, help="also write a page with the code side by side into this file"),
) -> None:
    """List what a person should look at in a class: flags of single submissions, and work that is nearly the same."""
    from .class_flags import class_flags, page
    from .course_folder import open_course
    from .record.files import write_whole

    found = class_flags(open_course(course), module)
    for student, of_one in found.flags.items():
        print(one_line(student))
        for flag in of_one:
            print(f"    {one_line(flag.text)}")
    print(f"{len(found.flags)} of {found.graded} submissions of {module} have a flag; {len(found.groups)} groups of nearly the same work")
    if html:
        write_whole(html, page(found).encode("utf-8"), 0o600)
        print(f"side by side in {html}; it holds students' work")


@app.command()
def feedback(
    module: str = typer.Argument(help="m02_micrograd"), course: Path = GRADED_COURSE, student: list[str] = typer.Option(None, help="only this one")
) -> None:
    """Write the feedback pages: verdicts and named mistakes, no hidden value, nothing the graded process said."""
    from .feedback import make_feedback

    pages = make_feedback(course, module, students=student or None)
    print(f"{len(pages)} pages in {course / 'feedback'}")


@app.command()
def insights(
    module: str = typer.Argument(help="m02_micrograd"),
    course: Path = GRADED_COURSE,
    out: Path = typer.Option(None, help="the HTML page to write; the CSV gets its name (insights-MODULE.html without this)"),
    with_samples: bool = typer.Option(False, help="show one student's code, without a name, for each wrong answer that has no name yet"),
) -> None:
    """Write what went wrong in a class, and where, as one page and a CSV: no names, and no code unless asked."""
    from .insights import make_insights

    page, table = make_insights(course, module, out or Path(f"insights-{module}.html"), with_samples=with_samples)
    print(f"{page}: the page, to read or print")
    print(f"{table}: the numbers, one row per exercise")


@app.command()
def export(
    file: Path = typer.Argument(Path("grades.csv"), help="the CSV file to write"),
    course: Path = GRADED_COURSE,
    format: str = typer.Option("plain", help="plain (one row per module and student), canvas or moodle (one row per student)"),
) -> None:
    """Write all grades as CSV: nbgrader's table, or one that Canvas or Moodle imports."""
    from .record import export_csv

    done = export_csv(course, file, format)
    print(f"{done.rows} rows in {file}")
    for note in done.notes:
        print(f"    {one_line(note)}")
