"""The contract: JSON schema 1, its examples, and what each rendering shows."""

import json
from dataclasses import replace
from importlib import resources
from pathlib import Path
from textwrap import indent

import jsonschema
import pytest

from zerohero.report import MIME, ErrorMap, Finding, Group, Report
from zerohero.show import bundle, html, text

SCHEMA = json.loads((resources.files("zerohero") / "schema" / "report-1.json").read_text())
EXAMPLES = sorted((Path(__file__).parent / "examples").glob("report-*.json"))

OVERWRITE = Report(
    "m02-accumulate",
    "Gradients add up",
    "failed",
    (Group("used twice", False), Group("diamonds", True)),
    (
        Finding(
            "gradient of `a` is wrong",
            group="used twice",
            where="a.grad after (a*a).backward(), a = 3.0",
            expected="6.0",
            actual="3.0",
            mistake="OVERWRITE",
            because="the second use of `a` replaced the first; gradients add up",
            next="look at the `=` in _backward",
        ),
    ),
)


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda f: f.stem)
def test_every_example_satisfies_the_schema_and_reads_back_equal(file):
    data = json.loads(file.read_text())
    jsonschema.validate(data, SCHEMA)
    assert Report.from_json(data).to_json() == data


def test_a_report_kept_before_there_were_maps_still_reads():
    old = OVERWRITE.to_json()
    for finding in old["findings"]:
        del finding["alternatives"], finding["error_map"]
    jsonschema.validate(old, SCHEMA)
    assert Report.from_json(old) == OVERWRITE


def test_a_map_and_alternatives_come_back_from_json_equal():
    drawn = ErrorMap("dw", (2, 3), (1, 1), ((0.0, 0.5, None), (0.0, 0.0, 2e-3)))
    report = replace(OVERWRITE, findings=(replace(OVERWRITE.findings[0], alternatives=("MISSING_PATH",), error_map=drawn),))
    sent = json.loads(json.dumps(report.to_json(), allow_nan=False))
    jsonschema.validate(sent, SCHEMA)
    assert Report.from_json(sent) == report


def test_there_is_an_example_of_every_status():
    assert {json.loads(f.read_text())["status"] for f in EXAMPLES} == {"passed", "failed", "not started"}


@pytest.mark.parametrize("change", [{"status": "great"}, {"schema": 2}, {"exercise": ""}, {"extra": 1}, {"findings": [{"what": "x"}]}])
def test_the_schema_refuses_what_is_no_report(change):
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**OVERWRITE.to_json(), **change}, SCHEMA)


def test_another_schema_version_is_refused_by_name():
    with pytest.raises(ValueError, match="schema 7"):
        Report.from_json({**OVERWRITE.to_json(), "schema": 7})


def test_the_score_is_the_share_of_groups_passed():
    assert OVERWRITE.score == 0.5
    assert Report("m01-x", "", "failed").score == 0.0


def test_text_line_by_line():
    assert text(OVERWRITE).split("\n") == [
        "m02-accumulate: gradient of `a` is wrong (1 of 2 groups pass)",
        "  groups    used twice FAILS, diamonds ok",
        "  where     a.grad after (a*a).backward(), a = 3.0",
        "  expected  6.0",
        "  actual    3.0",
        "  mistake   OVERWRITE: the second use of `a` replaced the first; gradients add up",
        "  next      look at the `=` in _backward",
    ]


def test_no_mistake_line_without_a_proven_cause():
    report = Report("m01-x", "", "failed", (Group("values", False),), (Finding("`slope` is wrong", expected="1", actual="2"),))
    assert "mistake" not in text(report) and "mistake" not in html(report)


def test_a_further_finding_is_one_line_and_only_when_it_says_more():
    same = Finding("gradient of `a` is wrong", group="diamonds", expected="1", actual="2")
    deep = Finding("your code raised RecursionError", group="deep graph", mistake="RECURSION", because="the walk calls itself")
    report = Report(OVERWRITE.exercise, "", "failed", OVERWRITE.groups, (*OVERWRITE.findings, same, deep))
    assert [line for line in text(report).split("\n") if "also" in line] == [
        "  also      deep graph: your code raised RecursionError; RECURSION: the walk calls itself"
    ]
    assert html(report).count("<p>also:") == 1


def test_html_escapes_what_a_student_wrote():
    report = Report("m01-x", "", "failed", (Group("values", False),), (Finding("wrong", actual="<script>alert(1)</script>"),))
    assert "<script>" not in html(report) and "&lt;script&gt;" in html(report)


def test_the_bundle_holds_three_forms_and_its_json_validates():
    made = bundle(OVERWRITE)
    assert set(made) == {MIME, "text/html", "text/plain"}
    jsonschema.validate(json.loads(json.dumps(made[MIME], allow_nan=False)), SCHEMA)


def test_without_values_drops_every_value_and_keeps_the_name():
    bare = OVERWRITE.without_values()
    assert bare.findings[0].mistake == "OVERWRITE" and bare.groups == OVERWRITE.groups
    assert "6.0" not in text(bare) and "3.0" not in text(bare)


def test_the_report_in_the_documentation_is_what_is_shown():
    example = json.loads((Path(__file__).parent / "examples" / "report-failed-map.json").read_text())
    page = (Path(__file__).parents[1] / "docs" / "reports.md").read_text(encoding="utf-8")
    assert indent(text(Report.from_json(example)), "    ") in page


def test_a_report_shows_itself_in_a_notebook_and_when_it_is_printed():
    report = Report("gradcheck", "gradient check", "failed", (Group("values", False),), (Finding("the gradient of `x` is wrong"),))
    assert str(report) == text(report) and report._repr_mimebundle_() == bundle(report)
