"""Nearly the same work in a class: a disguised copy is found with its evidence, honest work is not."""

import json
from pathlib import Path

import made_class
import pytest
import toy_course
from toy_course import NAME, answered
from typer.testing import CliRunner

from zerohero_autograder.alike import MOST_CHARACTERS, OWN, Work, near_identical
from zerohero_autograder.build import source_notebook, student_notebook
from zerohero_autograder.class_flags import ClassFlags, class_flags, page
from zerohero_autograder.cli import app
from zerohero_autograder.course_folder import open_course
from zerohero_autograder.errors import CourseError
from zerohero_autograder.flags import Flag
from zerohero_autograder.graded_module import GradedModule
from zerohero_autograder.intake.notebook import parse
from zerohero_autograder.judge import no_points
from zerohero_autograder.rebuild import rebuild
from zerohero_autograder.record.files import notebook_bytes, write_whole
from zerohero_autograder.run.notebook import graded_notebook

LESSON = Path(__file__).parents[2] / "course" / "m03_layers" / "m03_layers.py"


@pytest.fixture(scope="module")
def lesson():
    """(what everybody is given, the solutions) of m03."""
    source = source_notebook(LESSON.read_text(encoding="utf-8"), "m03_layers")
    given = [cell["source"] for cell in student_notebook(source)["cells"] if cell["cell_type"] == "code"]
    return given, [cell["source"] for cell in source["cells"] if "exercise" in cell["metadata"].get("zerohero", {})]


def work(answers, mistakes=()):
    return Work({OWN if exercise == "own" else exercise: text for exercise, text in answers.items()}, dict(mistakes))


@pytest.fixture(scope="module")
def honest():
    return {f"s{seed:02}": made_class.independent(seed) for seed in range(30)}


def groups(lesson, honest, **more):
    return near_identical({student: work(answers) for student, answers in {**honest, **more}.items()}, *lesson)


def test_thirty_right_answers_found_independently_are_no_copies(lesson, honest):
    assert groups(lesson, honest) == []
    assert groups(lesson, {f"t{seed}": made_class.independent(seed) for seed in range(100, 130)}) == []


def test_a_class_that_wrote_what_the_lesson_solves_is_no_class_of_copies(lesson):
    _, solutions = lesson
    assert groups(lesson, {f"s{n}": {f"m03-{place}": text for place, text in enumerate(solutions)} for n in range(10)}) == []


@pytest.mark.parametrize("who", ["s03", "s17"])
def test_a_copy_in_disguise_is_found_with_its_evidence(lesson, honest, who):
    copy = made_class.copied(honest[who], seed=1)
    assert copy["m03-rnn-explosion"] != honest[who]["m03-rnn-explosion"] and "# my own idea" in str(copy)
    (group,) = groups(lesson, honest, zoe=copy)
    assert group.students == group.pair == (who, "zoe") and group.share > 0.8 and len(group.places) >= 4
    place = next(place for place in group.places if place.exercise == "m03-rnn-explosion")
    assert (place.left, place.right) == (honest[who]["m03-rnn-explosion"], copy["m03-rnn-explosion"]) and place.others < 10
    assert "m03-rnn-explosion" in group.evidence


def test_four_who_share_are_one_group(lesson, honest):
    found = groups(lesson, honest, **{f"z{n}": made_class.copied(honest["s05"], seed=n) for n in range(3)})
    assert [group.students for group in found] == [("s05", "z0", "z1", "z2")]


def test_shared_comments_odd_names_and_mistakes_are_told(lesson, honest):
    comments = [f"# {words} before the batch gets its turn" for words in ("the owls fly", "count the moons", "ask my aunt", "mind the gap", "tea is ready")]
    odd = "def extra():\n    wombat_total = 3\n    return wombat_total\n" + "\n".join(comments)
    same = {"m03-dead-relu": "gradient of `b` is wrong"}
    works = {student: work(answers) for student, answers in honest.items()}
    for student in ("s01", "s02"):
        works[student] = work({**honest[student], "own": odd}, same)
    (group,) = near_identical(works, *lesson)
    assert group.pair == ("s01", "s02")
    assert any("wombat_total" in sentence for sentence in group.also) and any("ask my aunt before the batch" in sentence for sentence in group.also)
    assert "both: m03-dead-relu: gradient of `b` is wrong (2 of 30 students)" in group.also


def test_few_students_and_short_answers_say_nothing(lesson):
    assert groups(lesson, {}) == [] == groups(lesson, {"ada": {"m03-dead-relu": "x = 1"}})
    short = {f"s{n}": {"m03-dead-relu": "def dead_units(X, W, b):\n    return ~((X @ W + b) > 0).any(0)"} for n in range(2)}
    assert groups(lesson, short) == []


HOSTILE = [
    '"' * 300_000,
    '"\\' * 150_000,
    "'''" + "\\" * 300_000,
    "a " * 200_000,
    "#" * 300_000,
    "(" * 300_000,
    "9" * 300_000,
    "\ud800\x00 = 1\n" * 9000,
    "\n" * 300_000,
]


def test_hostile_text_raises_nothing_and_hides_no_copy(lesson, honest):
    more = {f"h{n}": {"m03-dead-relu": text, "own": text} for n, text in enumerate(HOSTILE)}
    found = groups(lesson, honest, zoe=made_class.copied(honest["s03"], 1), **more)
    assert ("s03", "zoe") in [group.students for group in found] and not [
        g for g in found if g.students != ("s03", "zoe") and not g.students[0].startswith("h")
    ]
    assert MOST_CHARACTERS < 300_000


# ---------------------------------------------------------------- from a course folder


@pytest.fixture
def graded(course):
    """grade(student, notebook, flags) puts a graded notebook where grading puts it; nothing is run."""
    from zerohero.exercise import load
    from zerohero.report import Finding

    module = GradedModule.of(toy_course.source(), NAME, toy_course.SECRET)
    exercises, _ = load(NAME)

    def put(student, notebook, flags=()):
        reports = {id: no_points(exercises[id], module.cases[id], Finding("not run")) for id in module.points}
        made = graded_notebook(
            module, rebuild(module, parse(json.dumps(notebook).encode())), {}, reports, dict.fromkeys(reports, 0.0), {}, [], [], flags, {}, "d"
        )
        write_whole(course / "autograded" / student / NAME / f"{NAME}.ipynb", notebook_bytes(made))

    return put


EVIL = "<script>alert('canary')</script>"


def test_the_flags_of_a_class_are_listed_and_written_as_a_page(course, graded, tmp_path):
    for n in range(12):
        graded(f"s{n:02}", answered(square=f"def square(x):\n    return {' + '.join(['x * x'] + ['0'] * n)}"))
    long = "\n".join(f"    row{n} = [x[{n}] for x in y if x > {n}]" for n in range(30)) + f"\n    # {EVIL}"
    graded("eve", answered(square=f"def square(x):\n{long}\n    return x * x"), [Flag("COMPLEX_STEP", "m99-square", EVIL)])
    graded("zoe", answered(square=f"def square(q):\n{long.replace('row', 'line')}\n    return q * q"))
    found = class_flags(open_course(course), NAME)
    assert found.graded == 14 and set(found.flags) == {"eve", "zoe"} and [group.students for group in found.groups] == [("eve", "zoe")]
    assert [flag.kind for flag in found.flags["eve"]] == ["COMPLEX_STEP", "NEAR_IDENTICAL"] and found.flags["zoe"][0].where == "with eve"

    html = tmp_path / "flags.html"
    result = CliRunner().invoke(app, ["flags", NAME, "--course", str(course), "--html", str(html)])
    assert result.exit_code == 0 and "2 of 14 submissions of m99_toy have a flag; 1 groups of nearly the same work" in result.output
    assert "with eve: the work is nearly the same as another student's" in result.output
    text = html.read_text(encoding="utf-8")
    assert "<script" not in text and "&lt;script&gt;" in text and "http-equiv" in text and "row7 = " in text and "line7 = " in text
    assert html.stat().st_mode & 0o077 == 0  # students' work


def test_a_class_without_flags_and_one_that_is_not_graded(course, graded):
    with pytest.raises(CourseError, match="no submission of m99_toy is graded yet"):
        class_flags(open_course(course), NAME)
    graded("ada", answered())
    assert class_flags(open_course(course), NAME) == ClassFlags(NAME, 1, {}, ())
    assert "There is no flag." in page(ClassFlags(NAME, 1, {}, ()))
