"""From text to notebooks: what a lesson's author gets wrong is said by name."""

import sys
from pathlib import Path

import pytest

from zerohero import exercise
from zerohero_autograder.build import build_course, source_notebook, student_notebook
from zerohero_autograder.build.course import read_course
from zerohero_autograder.build.stub import stub_source
from zerohero_autograder.errors import CourseError, LessonError

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))
import toy

LESSON = '''# %% [markdown]
# # A toy lesson

# %%
from zerohero import check

# %% predict="m99-predict-square"
predict("m99-predict-square", guess=None)

# %% exercise="m99-square"
def square(x):
    """The square of x."""
    ### BEGIN SOLUTION
    return x * x
    ### END SOLUTION

# %% check="m99-square" points=2
check("m99-square", square)

# %% exercise="m99-class"
class Toy:
    def __init__(self):
        ### BEGIN SOLUTION
        self.value = 1.0
        ### END SOLUTION

# %% check="m99-class" points=1.5
check("m99-class", Toy)
'''


@pytest.fixture(autouse=True)
def registered(monkeypatch):
    toy.register(monkeypatch)


def test_metadata_is_what_nbgrader_and_lab_expect():
    cells = {c["id"]: c for c in source_notebook(LESSON, "m99_toy")["cells"]}
    answer, check = cells["m99-square-answer"]["metadata"], cells["m99-square"]["metadata"]
    assert answer["nbgrader"] == {
        "grade_id": "m99-square-answer",
        "grade": False,
        "solution": True,
        "locked": False,
        "task": False,
        "schema_version": 3,
        "cell_type": "code",
    }
    assert check["nbgrader"] == {
        "grade_id": "m99-square",
        "grade": True,
        "solution": False,
        "locked": True,
        "task": False,
        "schema_version": 3,
        "cell_type": "code",
        "points": 2.0,
    }
    assert check["editable"] is False and check["deletable"] is False
    assert answer["zerohero"]["exercise"] == "m99-square" and check["zerohero"] == {"check": "m99-square"}
    assert cells["m99-predict-square"]["metadata"]["zerohero"] == {"predict": "m99-predict-square"}


def test_the_stub_names_its_exercise_and_is_valid_python():
    student = student_notebook(source_notebook(LESSON, "m99_toy"))
    source = {c["id"]: c["source"] for c in student["cells"]}
    assert (
        source["m99-square-answer"]
        == 'def square(x):\n    """The square of x."""\n    # YOUR CODE HERE\n    raise NotImplementedError("m99-square is not written yet")'
    )
    compile(source["m99-class-answer"], "cell", "exec")


def test_a_class_has_one_stub_per_region():
    from zerohero_autograder.build.stub import stub_source

    region = "        ### BEGIN SOLUTION\n        {}\n        ### END SOLUTION\n"
    source = "class Pair:\n    def one(self):\n" + region.format("return 1") + "\n    def two(self):\n" + region.format("return 2")
    stub = stub_source(source, "m99-pair")
    assert stub.count('raise NotImplementedError("m99-pair is not written yet")') == 2 and "return" not in stub
    compile(stub, "cell", "exec")


def test_the_starter_hash_is_that_of_the_stub():
    import hashlib

    notebook = source_notebook(LESSON, "m99_toy")
    answer = next(c for c in student_notebook(notebook)["cells"] if c["id"] == "m99-square-answer")
    assert answer["metadata"]["zerohero"]["starter"] == hashlib.sha256(answer["source"].encode()).hexdigest()[:16]


@pytest.mark.parametrize(
    "old, new, says",
    [
        ('exercise="m99-square"', 'exercise="m99-sqare"', "'m99-sqare' is not in zerohero.exercises.m99_toy"),
        ('check="m99-square" points=2', 'check="m99-square"', "needs points=N"),
        ("points=2", "points=-1", "needs points=N"),
        ("points=2", "points=2 colour=3", "unknown header colour"),
        ('### END SOLUTION\n\n# %% check="m99-square"', '\n\n# %% check="m99-square"', "without its end"),
        ("    ### BEGIN SOLUTION\n    return x * x\n    ### END SOLUTION", "    return x * x", "needs at least one"),
        ('# %% check="m99-class" points=1.5\ncheck("m99-class", Toy)\n', "", "'m99-class' has no cell"),
        ("# %%\nfrom zerohero import check", "# %%\n### BEGIN SOLUTION\n### END SOLUTION", "is no exercise"),
        ('predict="m99-predict-square"', 'predict="m99-predict-sqare"', "'m99-predict-sqare' is not in"),
        (
            '# %% check="m99-square" points=2\ncheck("m99-square", square)',
            '# %% check="m99-class" points=2\npass\n\n# %% check="m99-square" points=1\npass',
            "used twice",
        ),
    ],
)
def test_each_mistake_of_an_author_has_its_message(old, new, says):
    text = LESSON.replace(old, new)
    assert text != LESSON
    with pytest.raises(LessonError, match=says.replace("(", r"\(")):
        source_notebook(text, "m99_toy")


def test_an_exercise_and_its_check_stand_together():
    swapped = LESSON.replace(
        '# %% check="m99-square" points=2\ncheck("m99-square", square)',
        '# %%\nprint("between")\n\n# %% check="m99-square" points=2\ncheck("m99-square", square)',
    )
    with pytest.raises(LessonError, match="must be the next code cell"):
        source_notebook(swapped, "m99_toy")


@pytest.mark.parametrize(
    "source",
    ["", "### BEGIN SOLUTION", "### END SOLUTION", "### BEGIN SOLUTION\n### BEGIN SOLUTION\n### END SOLUTION"],
)
def test_a_region_that_is_none(source):
    with pytest.raises(LessonError, match="m99-x"):
        stub_source(source, "m99-x")


def course(folder, lesson=LESSON, toml='title = "t"\nmodules = ["m99_toy"]\n'):
    (folder / "m99_toy" / "assets").mkdir(parents=True)
    (folder / "course.toml").write_text(toml)
    (folder / "m99_toy" / "m99_toy.py").write_text(lesson)
    (folder / "m99_toy" / "assets" / "picture.svg").write_text("<svg/>")
    return folder


def test_a_course_is_built_and_old_files_go(tmp_path):
    out = tmp_path / "build"
    (out / "student").mkdir(parents=True)
    (out / "student" / "old.ipynb").write_text("{}")
    build_course(course(tmp_path / "course"), out)
    assert sorted(p.relative_to(out).as_posix() for p in out.rglob("*") if p.is_file()) == [
        f"{side}/m99_toy/{name}" for side in ("source", "student") for name in ("assets/picture.svg", "m99_toy.ipynb")
    ]
    assert "return x * x" in (out / "source/m99_toy/m99_toy.ipynb").read_text()
    assert "return x * x" not in (out / "student/m99_toy/m99_toy.ipynb").read_text()


def test_a_lesson_with_a_mistake_leaves_the_old_build(tmp_path):
    out = tmp_path / "build"
    folder = course(tmp_path / "course")
    build_course(folder, out)
    before = (out / "student/m99_toy/m99_toy.ipynb").read_bytes()
    (folder / "m99_toy/m99_toy.py").write_text(LESSON.replace("points=2", "points=0"))
    with pytest.raises(LessonError):
        build_course(folder, out)
    assert (out / "student/m99_toy/m99_toy.ipynb").read_bytes() == before


@pytest.mark.parametrize(
    "toml, says",
    [("title = 3 3", "needs title"), ('title = "t"', "needs title"), ('title = "t"\nmodules = ["m77_none"]', "no module 'm77_none'")],
)
def test_a_course_toml_that_is_none(tmp_path, toml, says):
    with pytest.raises(CourseError, match=says):
        read_course(course(tmp_path / "c", toml=toml))


def test_a_folder_that_is_no_course(tmp_path):
    with pytest.raises(CourseError, match=r"has no course\.toml"):
        read_course(tmp_path)


def test_a_module_without_its_lesson(tmp_path):
    folder = course(tmp_path / "c")
    (folder / "m99_toy" / "m99_toy.py").unlink()
    with pytest.raises(CourseError, match="is missing"):
        build_course(folder, tmp_path / "out")


def test_the_registry_names_every_module_of_the_course():
    text = (Path(__file__).parents[2] / "course" / "course.toml").read_text()
    assert all(m in text for m in exercise.MODULES.values() if m != "m99_toy")


def test_without_torch_the_rest_of_the_atlas_is_built(tmp_path, monkeypatch):
    from zerohero_autograder.build import build_atlas

    wrong = course(tmp_path / "c") / "m99_toy" / "wrong"
    wrong.mkdir()
    (wrong / "square__doubles.py").write_text('exercise, mistake, because = "m99-square", "FORMULA", "doubled"\n\ndef answer(x):\n    return 2 * x\n')
    (wrong / "square__torch.py").write_text('import torch\nexercise, mistake, because, answer = "m99-square", "FORMULA", "x", abs\n')
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ModuleNotFoundError):
        build_atlas(tmp_path / "c", ["m99_toy"])
    skipped = []
    assert [e["because"] for e in build_atlas(tmp_path / "c", ["m99_toy"], skipped)["m99-square"]] == ["doubled"]
    assert [f.name for f in skipped] == ["square__torch.py"]
