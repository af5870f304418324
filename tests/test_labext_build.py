"""scripts/labext.py where something is missing: Node, npm, the half of an install. The good way is what made the files that other tests read."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture
def labext(tmp_path, monkeypatch):
    """The script on a folder of its own, with a jlpm that does as told: `labext.fails` holds the commands that fail."""
    spec = importlib.util.spec_from_file_location("labext_script", ROOT / "scripts" / "labext.py")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    script.said, script.fails = [], set()

    def jlpm(env, *command, **options):
        script.said.append((command[0], env.get("YARN_ENABLE_NETWORK")))
        if command[0] == "build":
            (script.EXTENSION).mkdir(parents=True)
            (script.LABEXT / "dist" / "view.js").write_text("export default {}")
        return subprocess.CompletedProcess(command, int(command[0] in script.fails), stdout="Error: a\n    at b.js\nError: a\nYN0013: c\n")

    monkeypatch.setattr(script, "jlpm", jlpm)
    monkeypatch.setattr(script, "node_folder", lambda: "")
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "venv"))
    monkeypatch.delenv("CI", raising=False)
    for name in ("LABEXT", "EXTENSION", "WIDGETS"):
        monkeypatch.setattr(script, name, tmp_path / getattr(script, name).relative_to(ROOT))
    for folder in ("labext/node_modules", "labext/style", "src/zerohero/widgets"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "labext" / "yarn.lock").write_text("packages of today")
    (tmp_path / "labext" / "style" / "view.css").write_text(".zh-view {}")
    script.mark = tmp_path / "labext" / "node_modules" / ".zerohero"
    script.done = tmp_path / "labext" / "dist" / ".done"
    return script


@pytest.mark.parametrize(
    ("version", "fits"),
    [
        ("v18.20.4", False),
        ("v20.18.3", False),
        ("v20.19.0", True),
        ("v21.7.0", False),
        ("v22.11.0", False),
        ("v22.12.0", True),
        ("v24.19.0", True),
        ("", False),
    ],
)
def test_the_node_that_the_bundler_takes(labext, version, fits):
    assert labext.fits(version) is fits


def test_a_build_leaves_the_widget_its_style_and_a_link_for_jupyterlab(labext):
    labext.build()
    assert labext.done.exists() and {p.name for p in labext.WIDGETS.iterdir()} == {"view.js", "view.css"}
    link = Path(sys.prefix, "share", "jupyter", "labextensions", "zerohero")
    assert link.is_symlink() and link.resolve() == labext.EXTENSION.resolve()


def test_what_is_installed_is_not_installed_again_until_the_lock_changes(labext):
    labext.install({})
    labext.install({})
    assert [command for command, _ in labext.said].count("install") == 1
    (labext.LABEXT / "yarn.lock").write_text("packages of tomorrow")
    labext.install({})
    assert [command for command, _ in labext.said].count("install") == 2


def test_an_install_that_fails_leaves_no_mark_even_when_an_older_one_did(labext):
    labext.mark.write_text("packages of yesterday")
    labext.fails = {"install"}
    with pytest.raises(SystemExit) as failed:
        labext.install({})
    assert not labext.mark.exists()
    assert str(failed.value) == f"Error: a\njlpm install --immutable failed in {labext.LABEXT}"  # each line once, no stack of Yarn's


def test_without_npm_the_course_goes_on_and_the_next_make_tries_again(labext, capsys):
    labext.fails = {"npm", "install"}
    labext.build()
    assert "views are shown as still pictures" in capsys.readouterr().err
    assert not labext.done.exists() and ("install", "false") in labext.said  # from the cache, without minutes of tries


def test_in_ci_no_npm_is_an_error(labext, monkeypatch):
    monkeypatch.setenv("CI", "true")
    labext.fails = {"install"}
    with pytest.raises(SystemExit):
        labext.build()


def test_of_a_long_failure_the_first_and_the_last_lines_are_said(labext, monkeypatch):
    lines = [f"line {n}" for n in range(1000)]
    monkeypatch.setattr(labext, "jlpm", lambda *args, **options: subprocess.CompletedProcess(args, 1, stdout="\n".join(lines)))
    with pytest.raises(SystemExit) as failed:
        labext.run({}, "build")
    said = str(failed.value).split("\n")
    assert said[0] == "line 0" and said[-2] == "line 999" and len(said) < 40


def test_sources_that_cannot_be_bundled_are_an_error_and_leave_nothing_old(labext):
    labext.build()
    labext.fails = {"build"}
    with pytest.raises(SystemExit):
        labext.build()
    assert not labext.done.exists()
