"""What ships. Every statement is made about the built wheel and sdist, not about the source tree."""

import json
import os
import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="session")
def artefacts(tmp_path_factory):
    """{"wheel": path, "sdist": path} built once, without isolation: the build backend is a test dependency."""
    out = tmp_path_factory.mktemp("dist")
    made = subprocess.run([sys.executable, "-m", "build", "--no-isolation", "--outdir", str(out), str(ROOT)], capture_output=True, text=True)
    assert made.returncode == 0, made.stdout + made.stderr
    return {"wheel": next(out.glob("*.whl")), "sdist": next(out.glob("*.tar.gz"))}


@pytest.fixture(scope="session")
def contents(artefacts):
    """{"wheel" | "sdist": {name: bytes}}"""
    with zipfile.ZipFile(artefacts["wheel"]) as archive:
        wheel = {name: archive.read(name) for name in archive.namelist()}
    with tarfile.open(artefacts["sdist"]) as archive:
        sdist = {m.name: archive.extractfile(m).read() for m in archive.getmembers() if m.isfile()}
    return {"wheel": wheel, "sdist": sdist}


def solution_lines():
    """Every line inside a solution region that is long enough to be one's own (short ones such as `return out` are everyone's)."""
    lines = set()
    for lesson in (ROOT / "course").glob("m*/m*.py"):
        inside = False
        for line in lesson.read_text(encoding="utf-8").split("\n"):
            if "### BEGIN SOLUTION" in line or "### END SOLUTION" in line:
                inside = "BEGIN" in line
            elif inside and len(line.strip()) >= 20 and not line.strip().startswith("#"):
                lines.add(line.strip())
    return lines


def hidden_lines():
    folder = ROOT / "autograder" / "src" / "zerohero_autograder" / "hidden"
    code = "\n".join(f.read_text(encoding="utf-8") for f in folder.glob("m*.py"))
    ours = "\n".join(f.read_text(encoding="utf-8") for f in (ROOT / "src").rglob("*.py"))
    return {line.strip() for line in code.split("\n") if len(line.strip()) >= 40 and line.strip() not in ours}


def texts(contents, kind):
    return {name: data.decode("utf-8", "replace") for name, data in contents[kind].items()}


@pytest.mark.parametrize("kind", ["wheel", "sdist"])
def test_no_solution_line_ships(contents, kind):
    lines = solution_lines()
    assert len(lines) > 50  # the test sees the lessons
    found = {(name, line) for name, text in texts(contents, kind).items() for line in lines if line in text}
    assert not found


@pytest.mark.parametrize("kind", ["wheel", "sdist"])
def test_no_hidden_case_ships(contents, kind):
    lines = hidden_lines()
    assert len(lines) > 20
    assert not {(name, line) for name, text in texts(contents, kind).items() for line in lines if line in text}


@pytest.mark.parametrize("kind", ["wheel", "sdist"])
def test_only_the_student_package_ships(contents, kind):
    names = set(contents[kind])
    allowed = (
        ("zerohero/", "zerohero-")
        if kind == "wheel"
        else tuple(
            f"{next(iter(names)).split('/')[0]}/{p}"
            for p in (
                "src/zerohero/",
                "pyproject.toml",
                "PKG-INFO",
                "README.md",
                "LICENSE",
                "hatch_build.py",
                ".gitignore",
                "labext/dist/labextension/",
                "labext/install.json",
            )
        )
    )
    assert not [n for n in names if not n.startswith(allowed)]
    assert not [n for n in names for part in ("autograder", "hidden", "wrong", "course") if part in n.lower()]
    imports = [n for n, t in texts(contents, kind).items() if n.endswith(".py") and "zerohero_autograder" in t]
    assert not imports


@pytest.mark.parametrize("kind", ["wheel", "sdist"])
def test_the_atlas_and_the_schema_ship(contents, kind):
    assert [n for n in contents[kind] if n.endswith("zerohero/atlas.json")]
    assert [n for n in contents[kind] if n.endswith("schema/report-1.json")]


@pytest.mark.parametrize("kind", ["wheel", "sdist"])
def test_the_front_end_ships_built_and_small(contents, kind):
    """So that pip install needs no Node. The limits are those that a notebook and a page can bear."""
    bundle = next(data for name, data in contents[kind].items() if name.endswith("zerohero/widgets/view.js"))
    assert b"render" in bundle and len(bundle) <= 100_000
    assert [name for name in contents[kind] if name.endswith("zerohero/widgets/view.css")]
    folder = "share/jupyter/labextensions/zerohero/" if kind == "wheel" else "labext/dist/labextension/"
    extension = {name.split(folder)[1]: data for name, data in contents[kind].items() if folder in name}
    about = json.loads(extension["package.json"])
    assert about["name"] == "zerohero" and about["jupyterlab"]["_build"]["load"] in extension
    assert sum(map(len, extension.values())) <= 150_000
    assert kind == "sdist" or json.loads(extension["install.json"])["packageName"] == "zerohero"


@pytest.mark.parametrize("kind", ["wheel", "sdist"])
def test_nothing_of_the_front_end_is_fetched_from_elsewhere(contents, kind):
    built = {name: data.decode() for name, data in contents[kind].items() if name.endswith((".js", ".css")) and ("labext" in name or "widgets" in name)}
    assert len(built) > 3
    addresses = {address for text in built.values() for address in re.findall(r"https?://[^\s\"'`)]+", text)}
    assert addresses == {"http://www.w3.org/2000/svg"}  # a name, not an address
    assert not [name for name, text in built.items() if re.search(r"unpkg|jsdelivr|cdnjs|innerHTML\s*=|\beval\(", text)]


def test_an_installed_wheel_puts_the_extension_where_jupyterlab_looks(artefacts, tmp_path):
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "-q", "--no-deps", "--no-index", "--no-compile", "--ignore-installed"]
    made = subprocess.run([*pip, "--prefix", str(tmp_path), str(artefacts["wheel"])], capture_output=True, text=True)
    assert made.returncode == 0, made.stderr
    share = tmp_path / "share" / "jupyter"
    version = json.loads((ROOT / "labext" / "package.json").read_text(encoding="utf-8"))["version"]
    listed = subprocess.run(
        [sys.executable, "-m", "jupyterlab.labextensions", "list"],
        capture_output=True,
        text=True,
        env={**os.environ, "JUPYTER_PATH": str(share), "NO_COLOR": "1"},
    )
    ours = (listed.stdout + listed.stderr).split(f"{share}/labextensions")[1].strip().split("\n")[0]
    assert re.sub(r"\x1b\[\d+m", "", ours).split()[:4] == ["zerohero", f"v{version}", "enabled", "OK"], ours


def test_the_versions_of_the_package_and_of_its_extension_are_one():
    import zerohero

    assert json.loads((ROOT / "labext" / "package.json").read_text(encoding="utf-8"))["version"] == zerohero.__version__


@pytest.mark.parametrize("kind", ["wheel", "sdist"])
def test_the_data_ship_with_their_provenance(contents, kind):
    ours = {p.name: p.read_bytes() for p in (ROOT / "src" / "zerohero" / "data").iterdir() if p.suffix in (".gz", ".md")}
    shipped = {n.rsplit("/", 1)[1]: data for n, data in contents[kind].items() if "zerohero/data/" in n and not n.endswith(".py")}
    assert shipped == ours and {"names.txt.gz", "shakespeare.txt.gz", "digits.npy.gz", "PROVENANCE.md"} == set(ours)


def test_these_tests_can_fail(contents):
    lesson = (ROOT / "course" / "m01_derivatives" / "m01_derivatives.py").read_text(encoding="utf-8")
    assert [line for line in solution_lines() if line in lesson]


@pytest.mark.parametrize("missing", ["src/zerohero/atlas.json", "src/zerohero/widgets/view.js", "labext/dist/labextension"])
def test_a_wheel_without_what_is_built_is_refused(tmp_path, missing):
    import shutil

    for name in ("src/zerohero", "labext/dist/labextension", "labext/install.json", "hatch_build.py", "pyproject.toml", "README.md", "LICENSE"):
        target = tmp_path / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, target)
    gone = tmp_path / missing
    shutil.rmtree(gone) if gone.is_dir() else gone.unlink()
    made = subprocess.run([sys.executable, "-m", "build", "--no-isolation", "--wheel", str(tmp_path)], capture_output=True, text=True)
    said = made.stdout + made.stderr
    assert made.returncode != 0 and "run `make build` first" in said and missing in said


BLOCK = """
import sys
class Absent:
    blocked = {"zerohero_autograder", "nbgrader", "jupytext", "nbformat", "nbclient", "nbconvert", "IPython", "torch", "matplotlib"}
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in self.blocked:
            raise ModuleNotFoundError(f"{name} is not installed here", name=name)
sys.meta_path.insert(0, Absent())
"""


def test_the_wheel_works_where_the_instructor_side_is_not_installed(artefacts, tmp_path):
    """The wheel alone on the path, everything of the instructor's (and every optional library) absent."""
    with zipfile.ZipFile(artefacts["wheel"]) as archive:
        archive.extractall(tmp_path)
    code = BLOCK + (
        f"sys.path.insert(0, {str(tmp_path)!r})\n"
        "import zerohero\n"
        f"assert zerohero.__file__.startswith({str(tmp_path)!r}), zerohero.__file__\n"
        "from zerohero import Report, check, hint, predict\n"
        "from zerohero.gradcheck import gradcheck\n"
        "import zerohero.progress, zerohero.doctor\n"
        "from zerohero import data\n"
        "assert len(data.names()) == 29910 and data.shakespeare() and data.digits() and data.moons()\n"
        "from zerohero.exercise import MODULES, load\n"
        "assert sum(len(load(m)[0]) for m in MODULES.values()) >= 28\n"
        "from zerohero.errors import CheckFailed\n"
        "try:\n    check('m01-forward-difference', lambda f, x, h: 0.0)\nexcept CheckFailed as e:\n    print(e)\n"
    )
    made = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, env={**os.environ, "PYTHONPATH": ""})
    assert made.returncode == 0, made.stderr
    assert "m01-forward-difference:" in made.stdout


def test_the_student_tests_pass_without_the_instructor_side(tmp_path):
    """The student package's own tests, run with the instructor's packages made unimportable."""
    (tmp_path / "absent.py").write_text(BLOCK.replace(', "IPython", "torch", "matplotlib"', ""), encoding="utf-8")
    tests = ["test_report.py", "test_check.py", "test_plaindata.py", "test_atlas.py", "test_progress.py"]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "absent", "-p", "no:cacheprovider", *[str(ROOT / "tests" / t) for t in tests]]
    made = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(tmp_path)})
    assert made.returncode == 0, made.stdout[-3000:] + made.stderr[-2000:]


def test_importing_zerohero_imports_nothing_heavy():
    code = "import sys, zerohero; heavy = {'numpy', 'torch', 'IPython', 'matplotlib', 'rich', 'typer'} & set(sys.modules); assert not heavy, heavy"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_every_public_name_resolves():
    code = (
        "import pkgutil, zerohero\n"
        "for module in pkgutil.iter_modules(zerohero.__path__): __import__(f'zerohero.{module.name}')\n"
        "assert not [n for n in zerohero.__all__ if type(getattr(zerohero, n)).__name__ == 'module']"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
