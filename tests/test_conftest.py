"""Tests that need bubblewrap, chromium or pooch: skipped without, failed with CI=true."""

import importlib.util
from pathlib import Path

import pytest


@pytest.fixture
def rules():
    spec = importlib.util.spec_from_file_location("root_conftest", Path(__file__).parents[1] / "conftest.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Item:
    def __init__(self, *markers):
        self.markers = markers

    def get_closest_marker(self, name):
        return name in self.markers


@pytest.mark.parametrize("marker", ["jail", "browser", "pooch"])
def test_what_is_missing_skips_here_and_fails_in_ci(rules, monkeypatch, marker):
    monkeypatch.setattr(rules, "missing", lambda marker: f"no {marker} here")
    monkeypatch.delenv("CI", raising=False)
    with pytest.raises(pytest.skip.Exception, match=f"no {marker} here"):
        rules.pytest_runtest_setup(Item(marker))
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception, match=f"no {marker} here; with CI=true"):
        rules.pytest_runtest_setup(Item(marker))


def test_other_tests_ask_for_nothing(rules, monkeypatch):
    monkeypatch.setattr(rules, "missing", lambda marker: pytest.fail("asked"))
    rules.pytest_runtest_setup(Item("slow"))


def test_a_machine_without_chromium_is_told_so(rules, monkeypatch):
    monkeypatch.setattr(rules.shutil, "which", lambda name: None)
    assert rules.missing("browser") == "chromium is not installed"


def test_a_machine_without_pooch_is_told_so(rules, monkeypatch):
    monkeypatch.setattr(rules.importlib.util, "find_spec", lambda name: None)
    assert rules.missing("pooch") == "pooch is not installed"


def test_a_machine_without_bubblewrap_is_told_so_in_one_line(rules, monkeypatch):
    sandbox = pytest.importorskip("zerohero_autograder.sandbox")

    def none():
        raise sandbox.NoSandbox("bubblewrap is not installed\ninstall it: ...")

    monkeypatch.setattr(sandbox, "choose", none)
    assert rules.missing("jail") == "bubblewrap is not installed"
