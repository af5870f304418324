"""No jail, no grading; and the message says what to do."""

import os
import stat

import pytest

from zerohero_autograder.sandbox import Bubblewrap, Limits, NoSandbox, Unsafe, Warm, bubblewrap, choose, visible, warm


@pytest.fixture
def fresh():
    for known in (bubblewrap.found, bubblewrap._tried, warm._tried):
        known.cache_clear()
    yield
    for known in (bubblewrap.found, bubblewrap._tried, warm._tried):
        known.cache_clear()


def test_without_bubblewrap_nothing_is_chosen(monkeypatch, fresh):
    monkeypatch.setattr(bubblewrap.shutil, "which", lambda *a, **k: None)
    with pytest.raises(NoSandbox) as caught:
        choose()
    for words in ("not installed", "apt-get install bubblewrap", "dnf install bubblewrap", "--unsafe"):
        assert words in str(caught.value)


def test_on_another_system_nothing_is_chosen(monkeypatch, fresh):
    monkeypatch.setattr(bubblewrap.sys, "platform", "darwin")
    with pytest.raises(NoSandbox):
        choose()


def _broken(tmp_path, script):
    program = tmp_path / "bwrap"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return str(program)


def test_a_bubblewrap_that_cannot_make_a_jail_is_not_chosen(monkeypatch, tmp_path, fresh):
    program = _broken(tmp_path, "echo 'bwrap: setting up uid map: Permission denied' >&2; exit 1")
    monkeypatch.setattr(bubblewrap.shutil, "which", lambda name, path=None: program if name == "bwrap" else "/usr/bin/setpriv")
    with pytest.raises(NoSandbox, match="setting up uid map: Permission denied"):
        choose()


@pytest.mark.parametrize("place", ["/usr/local/src/zerohero", "SITE/elsewhere"])
def test_a_grader_that_submissions_could_read_is_not_used(monkeypatch, fresh, place):
    import sysconfig

    folder = place.replace("SITE", sysconfig.get_path("purelib")) + "/zerohero_autograder/sandbox"
    monkeypatch.setattr(bubblewrap, "__file__", f"{folder}/bubblewrap.py")
    monkeypatch.setattr(bubblewrap.shutil, "which", lambda *a, **k: "/usr/bin/bwrap")
    visible.visible.cache_clear()
    with pytest.raises(NoSandbox, match="could read zerohero_autograder"):
        choose()
    visible.visible.cache_clear()


def test_a_sandbox_that_breaks_later_scores_nobody(tmp_path):
    """A Run would be read as a submission that did nothing."""
    with pytest.raises(NoSandbox, match="did not start"):
        Bubblewrap(_broken(tmp_path, "exit 1")).run(["1"], {})


def test_unsafe_must_be_asked_for_in_so_many_words():
    assert isinstance(choose(unsafe=True), Unsafe)


@pytest.mark.jail
def test_warm_jails_are_chosen(fresh, monkeypatch):
    assert isinstance(choose(), Warm)


@pytest.mark.jail
def test_where_none_can_be_forked_the_jail_is_a_cold_one(fresh, monkeypatch, caplog):
    monkeypatch.setattr(warm, "_zygotes", {})
    monkeypatch.setattr(warm, "python", lambda program, *a, without: ["/usr/bin/sh", "-c", "echo 'no such right' >&2; exit 1"])
    assert isinstance(choose(), Bubblewrap)
    assert "none can be forked here: no such right" in caplog.text
    monkeypatch.setattr(Bubblewrap, "run", None)
    assert isinstance(choose(), Bubblewrap)  # tried once


# ---------------------------------------------------------------- Unsafe: the same runner, the same words


SMALL = Limits(notebook_s=20, cell_s=1, grace_s=1, memory=2**30, output_bytes=1000)


def test_unsafe_runs_checks_and_forgets_its_folder(toy_cell):
    import tempfile

    before = set(os.listdir(tempfile.gettempdir()))
    run = Unsafe().run([toy_cell, "check('m99-square', lambda x: x * x)", "1/0"], {"m99-square": [{"x": 3.0}]}, limits=SMALL)
    assert run.ended == "finished" and [c.status for c in run.cells] == ["ok", "ok", "error"]
    assert run.outputs["m99-square"] == ('[{"status": "ok", "value": 9.0}]',)
    assert {n for n in os.listdir(tempfile.gettempdir()) if n.startswith("zerohero-")} <= before


def test_unsafe_does_not_hand_on_the_environment(monkeypatch):
    monkeypatch.setenv("LAB_CANARY", "tweet")
    assert "tweet" not in Unsafe().run(["import os; print(dict(os.environ))"], {}, limits=SMALL).cells[0].text


def test_unsafe_keeps_to_time_and_takes_torch_away():
    run = Unsafe().run(["while True: pass", "import torch; torch.ones", "import os; os._exit(1)", "1"], {}, limits=SMALL, without=frozenset({"torch"}))
    assert [c.status for c in run.cells] == ["timeout", "error", "error", "not run"]
    assert run.cells[1].error == "ImportError: torch may not be used for this exercise"
    assert run.reason == "cell 3 ended the Python process"
