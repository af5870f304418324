"""Words that point somewhere point to something that is there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = sorted(p for p in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "benchmarks").glob("*.md"), *(ROOT / "course").rglob("README.md")])
PLACEHOLDERS = ("mNN", "STUDENT", "MODULE", "DIR", "cs101", "<", "*", "DIR")


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_every_relative_link_leads_somewhere(page):
    links = re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text(encoding="utf-8"))
    assert not [link for link in links if "://" not in link and not (page.parent / link).exists()]


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_every_path_in_code_marks_exists(page):
    names = re.findall(r"`((?:src|course|autograder|docs|tests|benchmarks|scripts|labext)/[^`\s]*)`", page.read_text(encoding="utf-8"))
    missing = [n for n in names if not any(p in n for p in PLACEHOLDERS) and not (ROOT / n).exists()]
    assert not missing


def test_every_make_target_that_is_named_exists():
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.M))
    named = {t for page in PAGES for t in re.findall(r"`make ([a-z]+)", page.read_text(encoding="utf-8"))}
    assert named and not named - targets


def test_every_command_that_is_named_exists():
    from typer.main import get_command

    from zerohero.cli import app as ours
    from zerohero_autograder.cli import app as theirs

    commands = set(get_command(ours).commands) | set(get_command(theirs).commands)
    named = {c for page in PAGES for c in re.findall(r"(?:^    |`)zerohero ([a-z]+)", page.read_text(encoding="utf-8"), re.M)}
    assert {"grade", "export"} <= named and not named - commands


def test_modules_in_the_architecture_page_are_there():
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    student, instructor = text.split("## The instructor's package")
    for part, package in ((student, "src/zerohero"), (instructor, "autograder/src/zerohero_autograder")):
        for row in re.findall(r"^\| (`.*?) \|", part, re.M):
            for name in re.findall(r"`([a-z_]+)/?`", row):
                assert (ROOT / package / name).is_dir() or (ROOT / package / f"{name}.py").is_file(), name
