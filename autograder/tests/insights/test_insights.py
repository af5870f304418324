"""The numbers of a made class, worked by hand; the page and the table hold them, and no name and no code."""

import csv
import io
import json
import math
import re
from html.parser import HTMLParser

import pytest
import toy_course
from toy_course import NAME, answered, cell, hand_in
from typer.testing import CliRunner

from zerohero.report import Finding, Group, Report
from zerohero_autograder.cli import app
from zerohero_autograder.driver import grade_all
from zerohero_autograder.errors import CourseError
from zerohero_autograder.insights import collect, make_insights
from zerohero_autograder.insights.collect import discrimination
from zerohero_autograder.insights.page import page
from zerohero_autograder.insights.table import table
from zerohero_autograder.rebuild import placeholder
from zerohero_autograder.record import open_gradebook
from zerohero_autograder.run.notebook import graded_notebook
from zerohero_autograder.seen import Group as Unnamed

XSS = "<script>alert(1)</script><img src=x onerror=alert(1)>"
OVERWRITE = Finding("slope is wrong", "values", mistake="OVERWRITE", because="the first was replaced", next='look at the =; hint("m99-square") for more')


def report(status="passed", *findings, exercise="m99-square", failing=("values",)):
    groups = tuple(Group(name, status == "passed" or (status == "failed" and name not in failing)) for name in ("values", "large"))
    return Report(exercise, "The square of a number", status, groups, findings)


def graded(module, square, cls=None, *, submission="digest", source="", seconds=(), **record):
    """A graded notebook with this report on m99-square, and m99-class passed."""
    reports = {"m99-square": square, "m99-class": cls or report(exercise="m99-class")}
    scores = {id: points * reports[id].score for id, points in module.points.items()}
    notebook = graded_notebook(module, placeholder(module), {}, reports, scores, {}, (), (), (), {}, submission)
    notebook["metadata"]["zerohero"] |= record
    cell(notebook, "m99-square-answer")["source"] = source
    for name, value in zip(("m99-square-answer", "m99-square"), seconds, strict=False):
        cell(notebook, name)["metadata"]["zerohero"]["seconds"] = value
    return notebook


def square_of(insights):
    return insights.exercises[0]


@pytest.fixture
def class_(module):
    """Ten students with a report, one whose file could not be read."""
    failed = [report("failed", OVERWRITE)] * 3 + [report("failed", Finding("`x` is wrong", "values", "x = 3.0", "9.0", "6.0"))] * 2
    failed += [report("failed", Finding("the answer cell raised NameError, so there was nothing to check"), failing=("values", "large"))]
    notebooks = {f"zoe-{i}": graded(module, one) for i, one in enumerate([*failed, *[report()] * 3, report("not started")])}
    return {**notebooks, "cut": graded(module, report("failed", Finding("unread")), submission="")}


UNNAMED = Unnamed("m99-square", "4f0a1c", ("zoe-3", "zoe-4"), ("",), "`x` is wrong", {})


def test_what_became_of_each_student(module, class_):
    insights = collect(module, class_, [UNNAMED])
    one = square_of(insights)
    assert (insights.students, insights.unreadable) == (10, 1)
    assert (one.passed, one.failed, one.not_started, one.pass_rate) == (3, 6, 1, 0.3)
    assert one.share == pytest.approx((5 * 0.5 + 0 + 3) / 10)
    assert one.groups == (("values", 6), ("large", 1))
    assert [(c.students, c.kinds, c.group, c.said[0][0]) for c in one.causes] == [
        (3, ("OVERWRITE",), "", "the first was replaced"),
        (2, (), "4f0a1c", "`x` is wrong"),
        (1, (), "", "the answer cell raised NameError, so there was nothing to check"),
    ]
    assert insights.kinds == (("OVERWRITE", 3, 1),)
    assert insights.score.median == pytest.approx(2.5) and insights.score.largest == 3.5


def test_what_a_person_gave_counts_and_what_the_judge_said_stays(module, class_):
    one = square_of(collect(module, class_, by_hand={"zoe-0": {"m99-square": 2.0}, "cut": {"m99-square": 2.0}}))
    assert (one.by_hand, one.passed) == (1, 3) and one.share == pytest.approx((4 * 0.5 + 1 + 3) / 10)


def test_discrimination_is_the_point_biserial_correlation_with_the_rest():
    item, rest = [1, 1, 1, 0, 0, 1, 0, 1], [9.0, 7.0, 8.0, 4.0, 6.0, 5.0, 2.0, 9.0]
    right, wrong = ([r for i, r in zip(item, rest, strict=True) if i == bit] for bit in (1, 0))
    mean, p = sum(rest) / 8, 5 / 8
    deviation = math.sqrt(sum((r - mean) ** 2 for r in rest) / 8)
    assert discrimination(item, rest) == pytest.approx((sum(right) / 5 - sum(wrong) / 3) / deviation * math.sqrt(p * (1 - p)))


def test_discrimination_leaves_the_exercise_itself_out(module):
    right, wrong = report(), report("failed", OVERWRITE, failing=("values", "large"))
    pairs = [(right, right)] * 5 + [(wrong, wrong)] * 4 + [(right, wrong)]
    insights = collect(module, {f"s{i}": graded(module, a, b) for i, (a, b) in enumerate(pairs)})
    # phi of the table [[5, 1], [0, 4]]: (5*4 - 1*0) / sqrt(6 * 4 * 5 * 5)
    assert [one.discrimination for one in insights.exercises] == [pytest.approx(20 / math.sqrt(600))] * 2


def test_where_there_is_no_discrimination_it_says_why(module):
    def why(count, reports):
        return [one.undefined for one in collect(module, {f"s{i}": graded(module, reports[i % len(reports)]) for i in range(count)}).exercises]

    mixed = [report(), report("failed", OVERWRITE)]
    assert why(9, mixed) == ["fewer than 10 students"] * 2
    assert why(10, mixed) == ["all students have the same score in the other exercises", "all students have the same score"]
    few = page(collect(module, {"s": graded(module, report("failed", OVERWRITE))}))
    assert "Undefined for this class: fewer than 10 students" in few and "A class of 1:" in few and ">nan<" not in few


def test_times_attempts_and_flags_where_they_are_known(module):
    flags = [{"kind": "COMPLEX_STEP", "where": "the answer cell of m99-square", "evidence": "1j"}, {"kind": "COMPLEX_STEP", "where": "cell 3"}, "no flag"]
    notebooks = {
        "a": graded(module, report(), seconds=(0.5, 1.5), flags=flags, notes=["look"]),
        "b": graded(module, report(), seconds=(None, 4.0)),
        "c": graded(module, report()),
    }
    insights = collect(module, notebooks, attempts={"m99-square": {"a": 3, "b": 1, "gone": 9}})
    one, other = insights.exercises
    assert (one.seconds.known, one.seconds.median, one.seconds.largest) == (2, 3.0, 4.0)
    assert (one.attempts.known, one.attempts.median, one.attempts.largest) == (2, 2, 3)
    assert (one.flagged, other.flagged, insights.flags, insights.noted) == (1, 0, (("COMPLEX_STEP", 1),), 1)
    assert other.seconds is None and other.attempts is None
    assert "known for 2 of 3 students" in page(insights)
    assert page(collect(module, {"c": notebooks["c"]})).count("not known for this class") == 2
    rows = list(csv.DictReader(io.StringIO(table(insights))))
    assert (rows[0]["seconds_median"], rows[0]["attempts_most"], rows[1]["seconds_median"], rows[1]["attempts_median"]) == ("3.0", "3", "", "")


def test_a_damaged_notebook_costs_nobody_else_anything(module):
    broken = graded(module, report())
    cell(broken, "m99-square")["outputs"] = []
    insights = collect(module, {"a": graded(module, report()), "b": broken})
    assert (insights.students, insights.damaged) == (1, 1) and "1 graded notebook cannot be read back" in page(insights)


def test_the_page_begins_with_what_to_say(module, class_):
    text = page(collect(module, class_, [UNNAMED]))
    first = text[text.index("For the next lecture") : text.index("All exercises")]
    assert "<strong>3 of 10</strong>" in first and "The first was replaced. <em>To say: Look at the =.</em>" in first
    assert first.index("3 of 10") < first.index("2 of 10") and "1 of 10" not in first
    assert "zerohero atlas add m99-square 4f0a1c" in first and "hint(" not in text


def test_no_name_and_no_code_unless_asked(module, class_):
    code = "# Zoe Zed was here\ndef square(x):\n    'by Zoe Zed'\n    return 2 * x"
    class_["zoe-3"] = graded(module, report("failed", Finding("`x` is wrong", "values", "x = 3.0", "9.0", "ValueError: Zoe   in: return oops(x)")), source=code)
    for asked in (False, True):
        insights = collect(module, class_, [UNNAMED], with_samples=asked)
        for text in (page(insights), table(insights)):
            assert "zoe" not in text.lower() and "oops" not in text and "# " not in text
        assert ("return 2 * x" in page(insights)) == asked
        assert "text of the student&#x27;s, not shown" in page(insights)


def test_values_are_shown_of_kinds_of_input_that_students_know(module, class_):
    assert "<dt>expected</dt><dd><code>9.0</code>" in page(collect(module, class_, [UNNAMED]))
    hidden = report("failed", Finding("`x` is wrong", "negative", "x = -2.5", "6.25", "canary"))
    for student in UNNAMED.students:
        class_[student] = graded(module, hidden)
    text = page(collect(module, class_, [UNNAMED]))
    assert "6.25" not in text and "x = -2.5" not in text


class Tags(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.seen, self.open = [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.seen.append((tag, dict(attrs)))
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.seen.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_the_page_is_well_formed_brings_nothing_along_and_shows_text_as_text(module):
    finding = Finding(XSS, "values", XSS, XSS, "6.0")
    named = Finding(XSS, mistake=XSS, because=XSS, next=XSS)
    notebooks = {f"s{i}": graded(module, report("failed", one), source=f"{XSS!r}\nx = {XSS!r}") for i, one in enumerate([finding, finding, named, named])}
    notebooks["f"] = graded(module, report(), flags=[{"kind": XSS, "where": XSS}])
    for notebook in notebooks.values():
        cell(notebook, "m99-predict-square")["source"] = f'predict("m99-predict-square", guess={XSS!r})'
    text = page(collect(module, notebooks, [Unnamed("m99-square", "abc", ("s0", "s1"), ("",), XSS, {})], with_samples=True))
    tags = Tags(text)
    assert tags.open == [] and not {"script", "link", "img", "iframe"} & {tag for tag, _ in tags.seen}
    assert not any(name.startswith("on") for _, attributes in tags.seen for name in attributes) and "://" not in text
    assert "default-src 'none'" in text and text.count("&lt;script") > 6
    assert all("scope" in attributes for tag, attributes in tags.seen if tag == "th")
    assert all(attributes.get("aria-hidden") for tag, attributes in tags.seen if tag == "svg")
    ids = [attributes["id"] for _, attributes in tags.seen if "id" in attributes]
    assert len(ids) == len(set(ids)) and {href[1:] for href in re.findall(r'href="([^"]*)"', text)} <= set(ids)
    assert {attributes["aria-labelledby"] for _, attributes in tags.seen if "aria-labelledby" in attributes} <= set(ids)


def test_the_table_is_one_row_per_exercise_and_adds_up(module, class_):
    class_["zoe-0"] = graded(module, report("failed", Finding("x", mistake="=1+1", because="y")))
    rows = list(csv.DictReader(io.StringIO(table(collect(module, class_, [UNNAMED])))))
    assert [row["exercise"] for row in rows] == ["m99-square", "m99-class"]
    assert rows[0] == {
        "module": NAME, "exercise": "m99-square", "title": "The square of a number", "points": "2", "students": "10", "passed": "3", "failed": "6", "not_started": "1",
        "pass_rate": "0.3", "mean_share_of_points": "0.55", "changed_by_hand": "0", "mistakes": "OVERWRITE 2;' =1+1 1", "unnamed_groups": "1", "unnamed_students": "2",
        "other_failures": "1", "discrimination": "", "attempts_median": "", "attempts_most": "", "seconds_median": "", "seconds_most": "", "flagged": "0",
    }  # fmt: skip


def test_from_a_course_folder(course, sandbox, tmp_path):
    hand_in(course, "ada", answered())
    for student in ("bob", "eve"):
        hand_in(course, student, answered(square=f"# {student}\ndef square(x):\n    canary = x * 2.5\n    return canary"))
    hand_in(course, "cut", b"{")
    exchange = tmp_path / "exchange" / "toy" / "inbound"
    for time, square in (("1", "def square(x):\n    return x"), ("2", "def square(x):\n    return x\n"), ("3", "def square(x):\n    return 2 * x")):
        folder = exchange / f"bob+{NAME}+2030-01-0{time} 10:00:00 UTC"
        folder.mkdir(parents=True)
        (folder / f"{NAME}.ipynb").write_text(json.dumps(answered(square=square)))
    (exchange / f"eve+{NAME}+2030-01-01 10:00:00 UTC").mkdir()
    (exchange / f"eve+{NAME}+2030-01-01 10:00:00 UTC" / f"{NAME}.ipynb").write_text(json.dumps(toy_course.student()))
    with open(course / "nbgrader_config.py", "a") as config:
        config.write(f"c.Exchange.root = {str(tmp_path / 'exchange')!r}\n")
    grade_all(course, NAME, sandbox=sandbox)
    with open_gradebook(course) as gradebook:
        gradebook.find_grade("m99-square", NAME, NAME, "eve").manual_score = 2.0
        gradebook.db.commit()
    html, csv_file = make_insights(course, NAME, tmp_path / "page.html")
    with open(csv_file, newline="", encoding="utf-8") as text:
        row = next(csv.DictReader(text))
    assert (row["students"], row["passed"], row["failed"], row["unnamed_groups"], row["unnamed_students"]) == ("3", "1", "2", "1", "2")
    assert (row["changed_by_hand"], float(row["mean_share_of_points"])) == ("1", pytest.approx(2 / 3, abs=1e-4))
    assert (row["attempts_median"], row["attempts_most"]) == ("2", "2")  # bob's; the first two are the same answer, and eve's is the starter
    assert "and 1 more that could not be read" in html.read_text() and "canary" not in html.read_text()
    shown = CliRunner().invoke(app, ["insights", NAME, "--course", str(course), "--out", str(tmp_path / "with.html"), "--with-samples"])
    assert shown.exit_code == 0 and "one row per exercise" in shown.output, shown.output
    assert "canary" in (tmp_path / "with.html").read_text() and (tmp_path / "with.csv").read_bytes() == csv_file.read_bytes()


def test_when_there_is_nothing_to_show(course, tmp_path):
    with pytest.raises(CourseError, match=f"no submission of {NAME} is graded yet: run `zerohero grade {NAME}` first"):
        make_insights(course, NAME, tmp_path / "page.html")
    with pytest.raises(CourseError, match="did you mean 'm99_toy'"):
        make_insights(course, "m99_to", tmp_path / "page.html")
    with pytest.raises(CourseError, match=r"is where the CSV goes: name the page, for example .*page\.html"):
        make_insights(course, NAME, tmp_path / "page.csv")
    assert list(tmp_path.glob("page.*")) == []
