"""What a student gets back says what is wrong, and holds no value, no print, no solution."""

import json
import os
from html.parser import HTMLParser

import pytest
import toy_course
from toy_course import HIDDEN, NAME, answered, hand_in

from zerohero.report import ErrorMap, Finding, Group, Report
from zerohero.show import bundle
from zerohero_autograder.driver import grade_all
from zerohero_autograder.errors import CourseError
from zerohero_autograder.feedback import make_feedback, page, redacted
from zerohero_autograder.record import open_gradebook
from zerohero_autograder.record.gradebook import comment_of

LEAKY = """
def square(x):
    print("canary printed", x)
    if x > 1000:
        raise ValueError(f"canary raised {x}")
    return x * x + 1
"""


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.seen, self.open = [], []

    def handle_starttag(self, tag, attrs):
        self.seen.append((tag, dict(attrs)))
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def feedback(course, student):
    return (course / "feedback" / student / NAME / f"{NAME}.html").read_text()


@pytest.fixture
def graded(course, sandbox):
    hand_in(course, "ada", answered(), "2030-01-01 10:00:00 UTC")
    hand_in(course, "bob", answered(square=LEAKY, cls="class Toy:\n    value = '<script>alert(1)</script>'"))
    hand_in(course, "cut", b'{"nbformat": 4')
    hand_in(course, "stub", toy_course.student())
    grade_all(course, NAME, sandbox=sandbox)
    return course


def test_scores_and_verdicts_are_shown(graded):
    assert len(make_feedback(graded, NAME)) == 4
    assert "<h1>m99_toy: 3.5 of 3.5 points</h1>" in feedback(graded, "ada")
    bob = feedback(graded, "bob")
    assert "<h1>m99_toy: 1.5 of 3.5 points</h1>" in bob and "m99-square: <code>square</code> is wrong" in bob and "fails: values" in bob
    assert "cut off while it was saved or sent" in feedback(graded, "cut")
    assert "not started" in feedback(graded, "stub")


def test_nothing_of_the_run_is_shown(graded):
    make_feedback(graded, NAME)
    shown = feedback(graded, "bob").replace("canary printed&quot;, x", "").replace("canary raised {x}", "")  # their own source
    for secret in ("canary", f"{HIDDEN:g}", f"{HIDDEN**2:g}", str(int(HIDDEN**2)), "the_secret_solution", "expected", "actual"):
        assert secret not in shown
    assert "canary" in json.dumps(json.loads((graded / "autograded" / "bob" / NAME / f"{NAME}.ipynb").read_text()))


def test_the_page_is_well_formed_and_brings_nothing_along(graded):
    make_feedback(graded, NAME)
    for student in ("ada", "bob", "cut", "stub"):
        text = feedback(graded, student)
        tags = Tags()
        tags.feed(text)
        assert tags.open == []
        assert not {"script", "link", "img", "iframe"} & {tag for tag, _ in tags.seen} and "http://" not in text.replace("http-equiv", "")
        assert len(text) < 20_000


def test_what_the_exchange_needs_is_beside_it(graded):
    make_feedback(graded, NAME, students=["ada"])
    assert sorted(p.name for p in (graded / "feedback" / "ada" / NAME).iterdir()) == [f"{NAME}.html", "submission_secret.txt", "timestamp.txt"]
    assert not (graded / "feedback" / "bob").exists()


def test_what_a_person_decided_is_shown(graded):
    with open_gradebook(graded) as gradebook:
        gradebook.find_grade("m99-square", NAME, NAME, "bob").manual_score = 1.0
        gradebook.find_comment("m99-square-answer", NAME, NAME, "bob").manual_comment = "Nearly <right>"
        gradebook.db.commit()
    make_feedback(graded, NAME)
    bob = feedback(graded, "bob")
    assert "<h1>m99_toy: 2.5 of 3.5 points</h1>" in bob and "From your instructor" in bob and "Nearly &lt;right&gt;" in bob
    assert "From your instructor" not in feedback(graded, "ada")


def test_redacting_takes_out_every_output_and_the_instructors_notes():
    notebook = {"cells": [{"cell_type": "code", "metadata": {}, "source": "", "outputs": [{"output_type": "stream", "text": "canary"}]}, {"cell_type": "markdown", "metadata": {}, "source": ""}], "metadata": {"zerohero": {"notes": ["canary"], "module": "m"}}}  # fmt: skip
    assert "canary" not in str(redacted(notebook)) and "canary" in str(notebook)
    assert "0 of 0 points" in page(redacted(notebook))


def test_a_map_is_not_shown_but_every_kind_that_fits_is():
    drawn = ErrorMap("dcanary", (2, 3), (1, 1), ((0.0, 0.7654, 0.0), (0.0, 0.0, 0.0)))
    finding = Finding("gradient of `w` is wrong", mistake="OVERWRITE", alternatives=("MISSING_PATH",), error_map=drawn)
    report = Report("m99-square", "Square", "failed", (Group("values", False),), (finding,))
    cell = {"cell_type": "code", "source": "", "metadata": {"zerohero": {"role": "check"}}, "outputs": [{"data": bundle(report)}]}
    notebook = {"cells": [cell], "metadata": {}}
    for shown in (json.dumps(redacted(notebook)), page(redacted(notebook))):
        assert "canary" not in shown and "0.7654" not in shown and "<pre" not in shown
        assert "OVERWRITE" in shown and "MISSING_PATH" in shown
    assert "OVERWRITE or MISSING_PATH</td>" in page(redacted(notebook))
    assert "canary" in json.dumps(notebook) and "canary" not in comment_of(report)


def test_before_anything_is_graded(course):
    hand_in(course, "ada", answered())
    with pytest.raises(CourseError, match=f"no submission of {NAME} is graded yet: run `zerohero grade {NAME}` first"):
        make_feedback(course, NAME)
    with pytest.raises(CourseError, match="did you mean 'm99_toy'"):
        make_feedback(course, "m99_to")


def test_one_damaged_notebook_does_not_cost_the_others_their_feedback(graded):
    broken = graded / "autograded" / "ada" / NAME / f"{NAME}.ipynb"
    broken.chmod(0o644)
    broken.write_text("{")
    with pytest.raises(CourseError, match="3 pages of feedback are written; none could be made for ada"):
        make_feedback(graded, NAME)
    assert "of 3.5 points" in feedback(graded, "bob")


def test_a_file_that_could_not_be_read_gets_the_reason_and_no_list_of_failures(graded):
    make_feedback(graded, NAME)
    text = feedback(graded, "cut")
    assert "<h1>m99_toy: 0 of 3.5 points</h1>" in text and "So nothing could be checked." in text
    assert "<article" not in text and "<table" not in text


def test_the_table_names_the_mistake(graded):
    make_feedback(graded, NAME)
    assert "&#10007; square is wrong (0 of 3 groups pass)" in feedback(graded, "bob")
    assert "&#10003; passed" in feedback(graded, "ada")


XSS = "<script>alert(1)</script></code></pre></article><img src=x onerror=alert(1)>"


def test_html_stays_text_wherever_it_comes_from(course, sandbox):
    notebook = answered(
        square=f"# {XSS}\nclass E(Exception): pass\nE.__name__ = {XSS!r}\ndef square(x): raise E({XSS!r})", cls=f"class Toy:\n    value = {XSS!r}"
    )
    notebook["cells"].append(
        toy_course.code(f"print({XSS!r})", id=XSS, tags=[XSS], nbgrader={"grade_id": XSS, "comment": XSS}, zerohero={"role": "check", "exercise": XSS})
    )
    notebook["metadata"] = {"zerohero": {"messages": [XSS], "scores": {"m99-square": 99}}}
    hand_in(course, XSS.replace("/", "_"), notebook)
    hand_in(course, "bob", answered())
    (course / "submitted" / "bob" / NAME / f"{NAME}.ipynb").rename(course / "submitted" / "bob" / NAME / f"{XSS.replace('/', '_')}.ipynb")  # named in a message
    grade_all(course, NAME, sandbox=sandbox)
    for file in make_feedback(course, NAME):
        tags = Tags()
        tags.feed(file.read_text())
        assert tags.open == [] and not {"script", "img"} & {tag for tag, _ in tags.seen}
        assert not any(name.startswith("on") for _, attributes in tags.seen for name in attributes)
    graded = json.loads(next((course / "autograded").glob(f"<*/{NAME}/{NAME}.ipynb")).read_text())
    shown = "".join(o["data"]["text/html"] for c in graded["cells"] for o in c.get("outputs", []) if "data" in o)
    assert "<img" not in shown and "<script" not in shown and "&lt;script" in shown
    assert {c["cell_type"] for c in graded["cells"]} == {"code", "markdown"} and XSS not in "".join(
        c["source"] for c in graded["cells"] if c["cell_type"] != "code"
    )


def test_control_characters_are_pictures_and_marks_of_direction_stay_in_their_block(course, sandbox):
    hand_in(course, "ada", answered(square=f"{toy_course.SQUARE}\n# \x00 \x1b[31m \x7f \u202e end"))
    grade_all(course, NAME, sandbox=sandbox)
    make_feedback(course, NAME)
    text = feedback(course, "ada")
    assert "# \u2400 \u241b[31m \u2421 \u202e end</code></pre>" in text
    assert [c for c in text if not c.isprintable() and c != "\n"] == ["\u202e"]  # a pre is a block: what stands outside keeps its direction


def test_large_cells_and_many_of_them_make_no_large_page(course, sandbox):
    notebook = answered(square=toy_course.SQUARE + "\n#" + "<" * 200_000)
    at = toy_course.place(notebook, "m99-square")
    notebook["cells"][at:at] = [toy_course.code("# &", f"x{n}", nbgrader={"grade_id": "m99-square-answer"}) for n in range(500)]
    hand_in(course, "ada", notebook)
    (outcome,) = grade_all(course, NAME, sandbox=sandbox)
    assert outcome.score == 3.5 and len(outcome.messages) == 1 and "and 495 more are further cells of m99-square" in outcome.messages[0]
    make_feedback(course, NAME)
    text = feedback(course, "ada")
    assert f"({len(toy_course.SQUARE) + 2 + 200_000 - 50_000:,} more characters of yours are not repeated here)" in text and len(text) < 300_000


@pytest.mark.parametrize("name", [b"\xff\xfe.ipynb", "\u202egpj<b>\n\x1b[31m.ipynb".encode()])
def test_the_name_of_another_file_is_spelled_out(course, sandbox, name):
    file = hand_in(course, "ada", answered())
    os.rename(file, os.path.join(os.fsencode(file.parent), name))
    (outcome,) = grade_all(course, NAME, sandbox=sandbox)
    assert not outcome.failed and outcome.messages[0].isprintable()
    make_feedback(course, NAME)
    assert outcome.messages[0].replace("<b>", "&lt;b&gt;") in feedback(course, "ada")
