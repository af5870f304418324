"""Answers in words: from the lesson's text to a person's mark, which stays."""

import html
import json
import shutil
from html.parser import HTMLParser

import nbformat
import pytest
import toy_course
from nbgrader.apps import AutogradeApp, GenerateFeedbackApp
from toy_course import LESSON, NAME, WITH_WORDS, answered, cell, hand_in

from zerohero_autograder.build import source_notebook
from zerohero_autograder.driver import grade_all
from zerohero_autograder.errors import CourseError, LessonError
from zerohero_autograder.feedback import make_feedback
from zerohero_autograder.intake import parse
from zerohero_autograder.rebuild import code_of, rebuild
from zerohero_autograder.record import export_csv, open_gradebook, register_course

WHY, THEN = "m99-why", "m99-and-then"


@pytest.fixture
def module(monkeypatch):
    toy_course.register(monkeypatch)
    return toy_course.graded_module(WITH_WORDS)


# ---------------------------------------------------------------- the lesson


def test_the_cell_is_one_that_nbgrader_has_marked_by_hand(module):
    made = cell(toy_course.source(WITH_WORDS), WHY)
    assert made["cell_type"] == "markdown" and made["metadata"]["nbgrader"] == {
        "grade_id": WHY, "grade": True, "solution": True, "locked": False, "task": False, "schema_version": 3, "cell_type": "markdown", "points": 2.0,
    }  # fmt: skip


def test_students_get_no_model_answer(module):
    student = toy_course.student(WITH_WORDS)
    assert cell(student, WHY)["source"] == "YOUR ANSWER HERE" and cell(student, THEN)["source"] == "My answer:\nYOUR ANSWER HERE"
    assert "the_secret_model_answer" not in json.dumps(student) and "the_secret_model_answer" not in str(module)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('written="m99-why" points=2', 'written="m99-why"', "'m99-why' needs points=N"),
        ('written="m99-why" points=2', 'written="m99-why" points="2"', "'m99-why' needs points=N"),
        ('[markdown] written="m99-why"', 'written="m99-why"', r"'m99-why' is a code cell: begin it with `# %% \[markdown\] written="),
        ('written="m99-and-then"', 'written="m99-why"', "'m99-why' is used twice"),
        ('written="m99-why"', 'written="m99-square"', "'m99-square' is used twice"),
        ('written="m99-why"', 'written="m98-why"', "'m98-why' must look like m99-why-it-adds-up"),
        ('written="m99-why"', 'written="m99-Why_2"', "must look like"),
        ('written="m99-why"', "written=2", "must look like"),
        ('written="m99-why" points=2', 'written="m99-why" check="m99-square" points=2', "the header of another kind"),
        ('written="m99-why" points=2', "", "holds a solution but is no written answer"),
        ("# the_secret_model_answer: minus times minus is plus.\n# ### END SOLUTION", "# x", "without its end"),
    ],
)
def test_each_mistake_of_an_author_has_its_message(module, old, new, says):
    text = WITH_WORDS.replace(old, new)
    assert text != WITH_WORDS
    with pytest.raises(LessonError, match=says):
        source_notebook(text, NAME)


def test_a_page_without_exercises_asks_for_nothing_in_words():
    with pytest.raises(LessonError, match="this page is not graded"):
        source_notebook('# %% [markdown] written="sta-why" points=1\n# ### BEGIN SOLUTION\n# ### END SOLUTION\n', "start", graded=False)


def test_a_source_notebook_with_a_model_answer_in_a_plain_text_cell_is_refused(module):
    source = toy_course.source(WITH_WORDS)
    cell(source, WHY)["metadata"] = {}
    with pytest.raises(CourseError, match="m99-why holds a solution but is no exercise"):
        toy_course.GradedModule.of(source, NAME, toy_course.SECRET)


# ---------------------------------------------------------------- what is taken


def taken(module, notebook):
    result = rebuild(module, parse(json.dumps(notebook).encode()))
    return {c.name: c.source for c in result.cells if c.role == "written"}, result


def test_the_text_is_taken_and_nothing_else(module):
    notebook = answered(why="because **so**")
    cell(notebook, WHY)["metadata"]["nbgrader"]["points"] = 1000
    cell(notebook, WHY)["attachments"] = {"a.png": {"image/png": "canary"}}
    notebook["cells"].append({"cell_type": "markdown", "id": "own", "metadata": {}, "source": "canary"})
    texts, result = taken(module, notebook)
    assert texts == {WHY: "because **so**", THEN: "My answer:\nYOUR ANSWER HERE"} and "canary" not in str(result)
    assert result.messages == () and "because **so**" not in code_of(result.cells)


@pytest.mark.parametrize("kind", ["code", "raw", "markdown"])
def test_whatever_kind_the_cell_has_become_it_is_read_and_never_run(module, kind):
    notebook = answered(why="because = 1")
    cell(notebook, WHY).update(cell_type=kind, id="new")  # known by nbgrader's name
    texts, result = taken(module, notebook)
    assert texts[WHY] == "because = 1" and "because = 1" not in code_of(result.cells)


def test_both_halves_of_a_split_answer_are_read(module):
    notebook = answered(why="first")
    notebook["cells"].append(dict(cell(notebook, WHY), id="half", source="second"))
    texts, result = taken(module, notebook)
    assert texts[WHY] == "first\n\nsecond"
    assert result.messages == (f"cell {len(notebook['cells'])} is a second cell of {WHY}; both are read, in your order",)


def test_a_deleted_answer_is_said_to_be_missing(module):
    notebook = answered(why="because")
    notebook["cells"].remove(cell(notebook, WHY))
    texts, result = taken(module, notebook)
    assert texts[WHY] == "" and result.messages == (f"the cell of the written answer {WHY} is missing or empty; text of yours in other cells is not read",)


# ---------------------------------------------------------------- the gradebook


def rows(course, student="ada"):
    """{id: (auto score, manual score, whether it waits for a person)} of the written answers."""
    with open_gradebook(course) as gradebook:
        grades = gradebook.find_submission_notebook(NAME, NAME, student).grades
        return {g.name: (g.auto_score, g.manual_score, g.needs_manual_grade) for g in grades if g.cell_type == "markdown"}


def mark(course, score, comment=None, student="ada", id=WHY):
    """As Formgrader does when a person types a score."""
    with open_gradebook(course) as gradebook:
        grade = gradebook.find_grade(id, NAME, NAME, student)
        grade.manual_score, grade.needs_manual_grade = score, False
        gradebook.find_comment(id, NAME, NAME, student).manual_comment = comment
        gradebook.db.commit()


def page(course, student="ada"):
    make_feedback(course, NAME)
    return (course / "feedback" / student / NAME / f"{NAME}.html").read_text()


def test_an_answer_waits_for_a_person_and_an_untouched_one_has_no_points(written_course, sandbox):
    hand_in(written_course, "ada", answered(why="because"))
    hand_in(written_course, "bob", toy_course.student(WITH_WORDS))
    hand_in(written_course, "cut", b'{"nbformat": 4')
    spaces = answered(why="because")
    cell(spaces, WHY)["source"] = "\nYOUR ANSWER HERE  \n\n"
    hand_in(written_course, "dot", spaces)
    outcomes = grade_all(written_course, NAME, sandbox=sandbox)
    assert [(o.student, o.score, o.max_score, o.waiting) for o in outcomes] == [("ada", 3.5, 6, 1), ("bob", 0, 6, 0), ("cut", 0, 6, 0), ("dot", 3.5, 6, 0)]
    assert rows(written_course) == {WHY: (None, None, True), THEN: (0, None, False)}
    for student in ("bob", "cut", "dot"):
        assert rows(written_course, student) == {WHY: (0, None, False), THEN: (0, None, False)}
    with open_gradebook(written_course) as gradebook:
        assert gradebook.find_assignment(NAME).max_written_score == 2.5
        assert gradebook.find_comment(WHY, NAME, NAME, "bob").auto_comment == "No response."


def test_a_persons_mark_stays_and_is_looked_at_again_only_when_the_text_changed(written_course, sandbox):
    def grade(why, **how):
        hand_in(written_course, "ada", answered(why=why))
        (outcome,) = grade_all(written_course, NAME, sandbox=sandbox, **how)
        return outcome.score, outcome.waiting, outcome.skipped

    assert grade("because") == (3.5, 1, False)
    mark(written_course, 1.5)
    assert grade("because") == (5, 0, True)
    assert grade("because", force=True) == (5, 0, False)
    assert grade("because\n\n", force=True) == (5, 0, False)
    assert grade("because not") == (5, 1, False) and rows(written_course)[WHY] == (None, 1.5, True)
    assert grade("because not", force=True) == (5, 1, False)  # still nobody has looked
    mark(written_course, 0.5)
    assert grade("because not", force=True) == (4, 0, False)
    assert grade("YOUR ANSWER HERE") == (4, 1, False)


def test_a_question_added_later_and_points_that_changed(course, sandbox):
    hand_in(course, "ada", answered())
    grade_all(course, NAME, sandbox=sandbox)
    file = course / "source" / NAME / f"{NAME}.ipynb"
    file.write_text(json.dumps(toy_course.source(WITH_WORDS)))
    (outcome,) = grade_all(course, NAME, sandbox=sandbox)
    assert (outcome.score, outcome.max_score, outcome.skipped) == (3.5, 6, False) and "written answer m99-why, m99-and-then is missing" in outcome.messages[0]
    file.write_text(json.dumps(toy_course.source(WITH_WORDS.replace('written="m99-why" points=2', 'written="m99-why" points=4'))))
    (outcome,) = grade_all(course, NAME, sandbox=sandbox)
    assert (outcome.max_score, outcome.skipped) == (8, False)
    with open_gradebook(course) as gradebook:
        assert gradebook.find_grade_cell(WHY, NAME, NAME).max_score == 4
    file.write_text(json.dumps(toy_course.source(LESSON)))
    with pytest.raises(CourseError, match="no longer has: m99-and-then, m99-why"):
        grade_all(course, NAME, sandbox=sandbox)


def test_a_gradebook_begun_anew_is_filled_again(written_course, sandbox):
    hand_in(written_course, "ada", answered(why="because"))
    grade_all(written_course, NAME, sandbox=sandbox)
    (written_course / "gradebook.db").unlink()
    (outcome,) = grade_all(written_course, NAME, sandbox=sandbox)
    assert not outcome.skipped and not outcome.failed and rows(written_course)[WHY] == (None, None, True)


def test_the_table_has_the_persons_marks(written_course, sandbox):
    hand_in(written_course, "ada", answered(why="because"))
    grade_all(written_course, NAME, sandbox=sandbox)
    mark(written_course, 1.5)
    export_csv(written_course, written_course / "grades.csv")
    assert (written_course / "grades.csv").read_text().splitlines()[1].endswith(",5.0,0.0,5.0,6.0")


def test_the_command_says_how_many_wait(written_course, sandbox, monkeypatch):
    from typer.testing import CliRunner

    from zerohero_autograder import driver
    from zerohero_autograder.cli import app

    monkeypatch.setattr(driver, "choose", lambda unsafe: sandbox)
    both = answered(why="because")
    cell(both, THEN)["source"] = "and so on"
    hand_in(written_course, "ada", both)
    hand_in(written_course, "bob", toy_course.student(WITH_WORDS))
    said = CliRunner().invoke(app, ["grade", NAME, "--course", str(written_course), "--workers", "1"]).output.splitlines()
    assert said[:2] == ["[1/2] ada: 3.5 of 6 (graded; 2 written answers wait for you)", "[2/2] bob: 0 of 6 (graded)"]
    assert said[-1] == "2 written answers wait for you: mark in Formgrader, then write the feedback"
    mark(written_course, 1)
    said = CliRunner().invoke(app, ["grade", NAME, "--course", str(written_course), "--workers", "1"]).output.splitlines()
    assert said[0] == "[1/2] ada: 4.5 of 6 (unchanged; 1 written answer waits for you)"


# ---------------------------------------------------------------- what a person and the student see

NASTY = [
    "<script>alert(1)</script><img src=x onerror=alert(1)>",
    "</pre><script>alert(1)</script>",
    "</PRE\n><svg onload=alert(1)>\n\n<pre>",
    "[click](javascript:alert(1)) ![x](http://elsewhere/x.png) <http://elsewhere>",
    "```\n</pre>\n```\n\n~~~\n<b>\n",
    "$$\\href{javascript:alert(1)}{x}$$ \\(a<b\\) \\begin{align}<b>\\end{align} $a<b$",
    "&lt;script&gt; &amp; &#60;b&#62;",
    "{{ config }} {% raw %}",
    "\u202eevil\u202c \x00 \x1b[31m \x0b\x0c \u2028<i>\u2029",
    "    indented\n\n\n* list\n\n# heading\n\n| a | b |\n|---|---|\n",
]


class Seen(HTMLParser):
    """The tags of a piece of HTML, and the text in its pre."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.text = [], ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)

    def handle_data(self, data):
        self.text += data


@pytest.mark.parametrize("answer", NASTY, ids=range(len(NASTY)))
def test_formgrader_shows_the_answer_as_it_was_typed(answer):
    """Its template hands text cells to markdown2html, which lets HTML and scripts through."""
    from nbconvert.filters import markdown2html

    from zerohero_autograder.run.notebook import _as_plain_text

    shown = Seen(markdown2html(_as_plain_text(answer)))
    assert shown.tags == ["pre"] and shown.text.strip("\n") == answer.strip("\n")


def test_feedback_shows_answer_mark_and_comment_as_text(written_course, sandbox):
    nasty = "\n\n".join(text for text in NASTY if "\x00" not in text)
    hand_in(written_course, "ada", answered(why=nasty))
    grade_all(written_course, NAME, sandbox=sandbox)
    open_ = page(written_course)
    assert "<h1>m99_toy: 3.5 of 6 points so far</h1>\n<p>2 of the points are still open: written answers are marked by a person.</p>" in open_
    assert "Written answer: m99-why (0 of 2)</h2><p><strong>not marked yet</strong></p>" in open_ and "From your instructor" not in open_
    assert "Written answer: m99-and-then (0 of 0.5)</h2><p><strong>no answer</strong></p></article>" in open_
    assert f'<pre class="prose">{html.escape(nasty.strip())}</pre>' in open_
    mark(written_course, 1.5, "Good <b>idea</b>.\nWhat of 0?")
    marked = page(written_course)
    assert "<h1>m99_toy: 5 of 6 points</h1>" in marked and "still open" not in marked
    assert "(1.5 of 2)</h2><p><strong>marked</strong></p>" in marked and '<p class="prose">Good &lt;b&gt;idea&lt;/b&gt;.\nWhat of 0?</p>' in marked
    assert not {"script", "img", "svg", "a href"} & set(Seen(marked).tags) and "the_secret" not in marked
    hand_in(written_course, "ada", answered(why="another"))
    grade_all(written_course, NAME, sandbox=sandbox)
    assert "<strong>to be marked again</strong>" in page(written_course) and "so far</h1>" in page(written_course)


def test_nbgraders_own_commands_give_the_same(written_course, nbgrader, sandbox):
    def graded(student):
        return nbformat.read(written_course / "autograded" / student / NAME / f"{NAME}.ipynb", as_version=4)

    hand_in(written_course, "ada", answered(why="because"))
    hand_in(written_course, "bob", toy_course.student(WITH_WORDS))
    assert nbgrader(AutogradeApp)[0] == 0
    theirs = [(rows(written_course, s), graded(s)) for s in ("ada", "bob")]
    shutil.rmtree(written_course / "autograded")
    with open_gradebook(written_course) as gradebook:
        for student in ("ada", "bob"):
            gradebook.remove_submission(NAME, student)
    grade_all(written_course, NAME, sandbox=sandbox)
    assert [(rows(written_course, s), graded(s)) for s in ("ada", "bob")] == theirs
    mark(written_course, 1.5, "well")
    assert nbgrader(AutogradeApp, "--force")[0] == 0
    assert rows(written_course)[WHY] == (None, 1.5, False)
    ours = page(written_course)
    assert nbgrader(GenerateFeedbackApp, "--force")[0] == 0
    assert (written_course / "feedback" / "ada" / NAME / f"{NAME}.html").read_text() == ours and "(1.5 of 2)" in ours
    hand_in(written_course, "ada", answered(why="another"))
    assert nbgrader(AutogradeApp, "--force")[0] == 0
    assert rows(written_course)[WHY] == (None, 1.5, True)


def test_nbgrader_releases_no_model_answer_and_knows_the_cell(written_course, nbgrader):
    from nbgrader.apps import GenerateAssignmentApp

    code, log = nbgrader(GenerateAssignmentApp)
    assert code == 0, log
    released = json.loads((written_course / "release" / NAME / f"{NAME}.ipynb").read_text())
    assert "".join(cell(released, WHY)["source"]) == "YOUR ANSWER HERE" and "the_secret" not in json.dumps(released)
    with open_gradebook(written_course) as gradebook:
        assert gradebook.find_grade_cell(WHY, NAME, NAME).cell_type == "markdown" and gradebook.find_solution_cell(WHY, NAME, NAME)
    assert register_course(written_course) == [NAME]
