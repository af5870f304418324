"""A mutation score for the tests of the gradient checker: of small changes to its source, how many does a test notice?

    make mutation                                                     150 mutants, the same ones every time
    .venv/bin/python benchmarks/mutation_score.py --sample 500 --seed 1
    .venv/bin/python benchmarks/mutation_score.py --all               every one of some 3,000: hours

mutmut (constraints.txt) makes the mutants of a copy in build/mutation, and runs on each, in a process of its own, the tests
that call the changed function, quickest first, until one fails. A mutant is killed when one fails or when they take more
than four times as long as they should; it survives when none does or when no test calls the function. mutmut changes
the bodies of functions only, so constants such as tolerances stay: bench_corpus.py and bench_gradcheck.py measure those.

A survivor that does what the original does is no gap in the tests. Such mutants are listed in equivalent_mutants.toml with
the reason, and printed apart; the score leaves them out.
"""

import argparse
import os
import random
import shutil
import subprocess
import sys
import time
import tomllib
from collections import Counter
from importlib.metadata import version
from pathlib import Path

REPO = Path(__file__).resolve().parent.parent
WORK = REPO / "build" / "mutation"
CHECKER = Path("src/zerohero/gradcheck")
FILES = ["verdict", "directional", "backward", "forward", "protocol", "hypotheses", "compare", "naming"]
TESTS = [
    "tests/test_gradcheck.py",
    "tests/test_gradcheck_mutants.py",
    "tests/test_gradcheck_oracle.py",
    "tests/test_corpus.py::test_every_wrong_answer_is_rejected",
    "tests/test_corpus.py::test_every_right_answer_is_accepted",
]
SETTINGS = f"""
[tool.pytest.ini_options]
addopts = "--strict-markers --import-mode=importlib -p no:cacheprovider"
filterwarnings = ["error::UserWarning:zerohero"]

[tool.mutmut]
source_paths = ["src/zerohero"]
only_mutate = {[str(CHECKER / f"{name}.py") for name in FILES]}
pytest_add_cli_args_test_selection = {TESTS}
timeout_constant = 5.0
timeout_multiplier = 4.0
use_git_change_detection = false
"""
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"}
KILLED, SURVIVED = ("killed", "timeout", "segfault"), ("survived", "no tests")


def copy_of_the_project() -> None:
    """What the tests need, in a folder that may be changed."""
    shutil.rmtree(WORK, ignore_errors=True)
    unwanted = shutil.ignore_patterns("__pycache__", "course", "browser", "viz")
    shutil.copytree(REPO / "src/zerohero", WORK / "src/zerohero", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(REPO / "tests", WORK / "tests", ignore=unwanted)
    (WORK / "pyproject.toml").write_text(SETTINGS)


def all_mutants() -> dict[str, list[str]]:
    """The names of all mutants, by file."""
    from mutmut.mutation.file_mutation import mutate_file_contents
    from mutmut.utils.format_utils import get_mutant_name

    paths = [CHECKER / f"{name}.py" for name in FILES]
    return {path.stem: [get_mutant_name(path, m) for m in mutate_file_contents(str(path), path.read_text()).mutant_names] for path in paths}


def drawn(mutants: dict[str, list[str]], count: int, seed: int) -> list[str]:
    """``count`` mutants, from each file its share."""
    total = sum(map(len, mutants.values()))
    rng = random.Random(seed)
    return [name for names in mutants.values() for name in sorted(rng.sample(names, round(count * len(names) / total)))]


def mutmut(*arguments: str, log: Path | None = None) -> str:
    command = [sys.executable, "-m", "mutmut", *arguments]
    ran = subprocess.run(command, cwd=WORK, env={**os.environ, **ONE_THREAD}, stdout=subprocess.PIPE if log is None else log.open("w"), text=True)
    if ran.returncode:
        sys.exit(f"mutmut stopped with {ran.returncode}; what it said is in {log or 'the lines above'}")
    return ran.stdout or ""


def outcomes() -> dict[str, str]:
    """{mutant: "killed", "survived", ...} of those that ran."""
    lines = (line.split(": ") for line in mutmut("results", "--all", "true").splitlines() if ": " in line)
    return {name.strip(): outcome.strip() for name, outcome in lines if outcome.strip() != "not checked"}


def change(name: str) -> tuple[str, str]:
    """The lines taken out and the lines put in."""
    lines = [line for line in mutmut("show", name).splitlines() if line[:1] in "+-" and line[:3] not in ("+++", "---")]
    return tuple("\n".join(line[1:].strip() for line in lines if line[0] == sign) for sign in "-+")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--sample", type=int, default=150, help="how many mutants (150)")
    options.add_argument("--all", action="store_true", help="all of them")
    options.add_argument("--seed", type=int, default=0, help="of the draw (0)")
    options.add_argument("--workers", type=int, default=1, help="processes at once (1)")
    options = options.parse_args()

    copy_of_the_project()
    os.chdir(WORK)
    mutants = all_mutants()
    chosen = [] if options.all else drawn(mutants, options.sample, options.seed)
    started = time.perf_counter()
    print(f"{len(chosen) or 'all'} of {sum(map(len, mutants.values()))} mutants; progress is in {WORK.relative_to(REPO)}/log", flush=True)
    mutmut("run", "--max-children", str(options.workers), *chosen, log=WORK / "log")
    report(mutants, outcomes())
    print(f"mutmut {version('mutmut')}, Python {sys.version.split()[0]}, NumPy {version('numpy')}; {(time.perf_counter() - started) / 60:.0f} minutes")


def report(mutants: dict[str, list[str]], outcome: dict[str, str]) -> None:
    changes = {name: change(name) for name in outcome if outcome[name] in SURVIVED}
    reasons = {
        (e["file"], e["out"].strip(), e["put"].strip()): e["reason"] for e in tomllib.loads((REPO / "benchmarks/equivalent_mutants.toml").read_text())["mutant"]
    }
    equivalent = {name: reasons[key] for name, (out, put) in changes.items() if (key := (name.split(".")[2], out, put)) in reasons}
    print(f"\n{'file':12} {'mutants':>8} {'killed':>7} {'timeouts':>9} {'survived':>9} {'equivalent':>11} {'score':>6}")
    rows = {file: [n for n in names if n in outcome] for file, names in mutants.items()}
    for file, names in [*rows.items(), ("together", list(outcome))]:
        count = Counter(outcome[n] for n in names)
        same, survived = sum(n in equivalent for n in names), sum(count[s] for s in SURVIVED)
        killed = sum(count[k] for k in KILLED)
        score = f"{killed / (len(names) - same):.0%}" if len(names) > same else "-"
        print(f"{file:12} {len(names):8} {killed:7} {count['timeout']:9} {survived - same:9} {same:11} {score:>6}")
    for title, wanted in (("survivors", set(changes) - set(equivalent)), ("equivalent", set(equivalent))):
        print(f"\n{title}: {len(wanted) or 'none'}")
        for name in sorted(wanted):
            out, put = changes[name]
            print(f"  {name.removeprefix('zerohero.gradcheck.')}, {outcome[name]}" + (f": {equivalent[name]}" if name in equivalent else ""))
            print(*(f"    {sign} {line}" for sign, lines in (("-", out), ("+", put)) for line in lines.splitlines()), sep="\n")
    odd = {n: o for n, o in outcome.items() if o not in (*KILLED, *SURVIVED)}
    if odd:
        sys.exit(f"\nneither killed nor survived, so the score is not to be trusted: {odd}")


if __name__ == "__main__":
    main()
