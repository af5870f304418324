"""Every attack of autograder/tests/attacks/corpus, graded in the jail as one class: what it gained, and what else it did.

python benchmarks/bench_attacks.py [FAMILY ...]      a b h: these families only

The counting is that of the tests. Ends with 1 when an attack did harm, or never took place. Also printed: how many attempts
have a test of their own, and how many of the honest but odd notebooks of the intake's tests got full marks.
"""

import ast
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path

import pytest
from reference import ROOT, print_machine
from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(ROOT / "autograder" / "tests"))
from attacks.corpus import FAMILIES, attacks
from attacks.graded_class import ROLES, GradedClass

from zerohero_autograder.sandbox import NoSandbox, choose

TESTS = ROOT / "autograder" / "tests"
ODD = TESTS / "intake" / "test_odd_notebooks.py"
COLUMNS = ("attacks", "unearned points", "others changed", "run aborted", "read or written outside", "survivors", "live markup", "did not take place")


def main() -> int:
    print_machine()
    wanted = sys.argv[1:]
    chosen = {name: attack for name, attack in attacks().items() if not wanted or attack.family in wanted}
    try:
        sandbox = choose()
    except NoSandbox as problem:
        print(f"left out, nothing is attacked without a jail: {str(problem).splitlines()[0]}")
        return 0
    started = time.perf_counter()
    with tempfile.TemporaryDirectory() as scratch:
        graded = GradedClass(Path(scratch), sandbox, chosen)
        graded.grade()
    rows, harm = defaultdict(lambda: [0.0] * len(COLUMNS)), []
    for student, result in graded.results.items():
        kinds = (result.others, result.aborted, result.outside, result.survivors, result.live, result.attack.evidence not in result.known)
        counts = (1, result.unearned, *map(bool, kinds))
        rows[result.attack.family] = [a + b for a, b in zip(rows[result.attack.family], counts, strict=True)]
        short = result.score < result.attack.earned
        harm += [f"{student}: {what}" for what in result.harm] + [f"{student}: the attack did not take place"] * kinds[-1]
        harm += [f"{student}: {result.score:g} points where {result.attack.earned:g} are earned"] * short
    show(rows)
    print(f"{len(graded.results)} graded in {time.perf_counter() - started:.0f} s, {len(ROLES)} of them honest or untouched")
    print(f"attempts with a test of their own, in autograder/tests/attacks and autograder/tests/sandbox: {single_tests()}")
    print(f"honest but odd: {odd_but_honest()}")
    print("\n".join(harm) or "no harm done")
    return 1 if harm else 0


def show(rows) -> None:
    table = Table("family", *COLUMNS)
    for column in table.columns[1:]:
        column.justify = "right"
    for family in sorted(rows):
        table.add_row(f"{family}: {FAMILIES[family]}", *(f"{value:g}" for value in rows[family]))
    table.add_section()
    table.add_row("all", *(f"{sum(values):g}" for values in zip(*rows.values(), strict=True)))
    Console(width=None if sys.stdout.isatty() else 150).print(table)


def single_tests() -> int:
    """Test functions of the other files, each of one attempt."""
    files = [*(TESTS / "attacks").glob("test_*.py"), *(TESTS / "sandbox").glob("test_*.py")]
    trees = [ast.parse(file.read_text(encoding="utf-8")) for file in files if file.name != "test_corpus.py"]
    return sum(isinstance(node, ast.FunctionDef) and node.name.startswith("test_") for tree in trees for node in tree.body)


class Outcomes:
    """A pytest plugin: how the tests of full marks ended."""

    def __init__(self):
        self.passed: list[bool] = []

    def pytest_runtest_logreport(self, report):
        if "earns_what_the_plain_one_earns" in report.nodeid and (report.when == "call" or report.failed):
            self.passed.append(report.passed)


def odd_but_honest() -> str:
    """What the tests of intake say of right notebooks as other programs and busy students leave them."""
    if not ODD.exists():
        return "not part of this checkout"
    outcomes = Outcomes()
    pytest.main(["-p", "no:terminal", "-p", "no:cacheprovider", str(ODD)], plugins=[outcomes])
    return f"{sum(outcomes.passed)} of {len(outcomes.passed)} full marks"


if __name__ == "__main__":
    sys.exit(main())
