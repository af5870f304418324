"""The gradient checker over wrong and right backward passes: which it rejects, what it calls them, and what that costs.

python benchmarks/bench_corpus.py [--cases FILE.py] [--seeds 20] [--directions 1000] [--named 1]

FILE.py is a module with OPS, WRONG and RIGHT as tests/corpus has them; without it the corpus, the held-out cases and the
new operations are gone through. An operation without a reference in tests/corpus is named by generic hypotheses only.
"""

import argparse
import importlib.util
import sys
import time
from collections import Counter
from pathlib import Path
from types import ModuleType

import numpy as np
from reference import ROOT, print_machine, verdict

sys.path.insert(0, str(ROOT / "tests"))
import corpus
from corpus import checking, held_out, new_operations

ANSWERS = ("right", "one of", "unnamed", "wrong")
BAR_NAMED, BAR_WRONG, BAR_EVALUATIONS = 90, 2, 25


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--cases", type=Path, help="a module with OPS, WRONG and RIGHT")
    options.add_argument("--seeds", type=int, default=20, help="inputs drawn for each case set")
    options.add_argument("--directions", type=int, default=1000, help="draws of directions for each right answer; a tenth for held-out ones and new operations")
    options.add_argument("--named", type=int, default=1, help="inputs on which wrong answers are named")
    options = options.parse_args()
    print_machine()
    given = {options.cases.name: load(options.cases)} if options.cases else {"corpus": corpus, "held out": held_out, "new operations": new_operations}
    faults = 0
    for place, (title, cases) in enumerate(given.items()):
        print(f"\n{title}: {len(cases.OPS)} operations, {len(cases.WRONG)} wrong and {len(cases.RIGHT)} right answers")
        rejections, passed = reject(cases, options.seeds)
        faults += passed + accept(cases, options.seeds, options.directions if place == 0 else options.directions // 10)
        name(cases, options.named, rejections, options.seeds)
    if faults:
        sys.exit(f"{faults} answers were judged wrongly")


def load(file: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(file.stem, file)
    module = importlib.util.module_from_spec(spec)
    sys.modules[file.stem] = module
    spec.loader.exec_module(module)
    return module


def reject(cases, seeds):
    """({(operation, note): on how many seeds it was rejected}, how often one was not)."""
    rejections = Counter()
    for case in cases.WRONG:
        for seed in range(seeds):
            if checking.rejected(cases.OPS[case.op], case.fn, seed, all_modes=False):
                rejections[case.op, case.note] += 1
            else:
                print(f"  PASSED  {case.op}, seed {seed}: {case.note}")
    passed = len(cases.WRONG) * seeds - rejections.total()
    print(f"  wrong answers passed: {passed} of {len(cases.WRONG)} x {seeds} inputs")
    return rejections, passed


def accept(cases, seeds, directions):
    """How often a right answer was rejected, over inputs and over directions."""
    evaluations, failed, started = [], 0, time.process_time()
    for case in cases.RIGHT:
        op = cases.OPS[case.op]
        for seed in range(seeds):
            for case_set in checking.case_sets(op, seed):
                one = checking.check(case_set, case.fn, seed=seed)
                evaluations.append(one.evaluations)
                if one.finding:
                    failed += 1
                    print(f"  FAILED  {case.op} {case_set.mode}, input {seed}: {case.note}: {one.finding.what}")
    cost = 1000 * (time.process_time() - started) / len(evaluations)
    print(f"  right answers failed: {failed} of {len(cases.RIGHT)} x {seeds} inputs")
    turned_down = 0
    for case in cases.RIGHT:
        for case_set in checking.case_sets(cases.OPS[case.op], 0):
            output = case_set.observe(case.fn)
            for seed in range(directions):
                if checking.conclude(case_set, case.fn, output, seed=seed).finding:
                    turned_down += 1
                    print(f"  FAILED  {case.op} {case_set.mode}, directions {seed}: {case.note}")
    print(f"  right answers failed: {turned_down} of {len(cases.RIGHT)} x {directions} draws of directions")
    print(
        f"  forward evaluations of a case set: mean {np.mean(evaluations):.1f}, max {max(evaluations)}"
        f" {verdict(max(evaluations), BAR_EVALUATIONS, 'evaluations', at_least=False)}; {cost:.1f} CPU ms"
    )
    return failed + turned_down


def name(cases, seeds, rejections, of):
    """Print, for each kind, how its cases were named on ``seeds`` inputs."""
    table, hits, seconds = {}, Counter(), Counter()
    for seed in range(seeds):
        for op in cases.OPS.values():
            started = time.process_time()
            checking.entries(op, seed)
            seconds["bank"] += time.process_time() - started
        for case in cases.WRONG:
            started = time.process_time()
            named = checking.name(cases.OPS[case.op], case.fn, seed)
            seconds["names"] += time.process_time() - started
            answer = checking.verdict_on(case.label, named)
            row = table.setdefault(case.label, Counter())
            row[answer] += 1
            hits[named.by or "nothing", answer] += 1
            row["cases"] += seed == 0
            row["rejected"] += seed == 0 and rejections[case.op, case.note] == of
            if answer != "right":
                print(f"  {answer:<8} {case.op}, {case.label}: {', or '.join((named.mistake, *named.alternatives)) or '-'}   ({case.note})")
    columns = ("cases", "rejected", *ANSWERS)
    print(f"  named on {seeds} input{'s' * (seeds > 1)} of each case; rejected: on all {of} inputs; right: as its label, by the first name")
    print(f"  {'kind':<22}" + "".join(f"{column:>10}" for column in columns))
    for label in sorted(table):
        print(f"  {label:<22}" + "".join(f"{table[label][column]:>10}" for column in columns))
    total = sum(table.values(), Counter())
    print(f"  {'all':<22}" + "".join(f"{total[column]:>10}" for column in columns))
    named = sum(total[answer] for answer in ANSWERS) / 100
    right, wrongly = total["right"] / named, total["wrong"] / named
    print(
        f"  named right {right:.1f}% {verdict(right, BAR_NAMED, '%', at_least=True)}, wrongly {wrongly:.1f}% {verdict(wrongly, BAR_WRONG, '%', at_least=False)}"
    )
    by = {
        source: f"{hits[source, 'right']} right, {hits[source, 'one of']} one of, {hits[source, 'wrong']} wrong"
        for source in ("protocol", "hypothesis", "mutant")
    }
    print("  by " + "; by ".join(f"{source}: {figures}" for source, figures in by.items()))
    print(f"  CPU seconds: {seconds['bank']:.0f} to run the mutants, {seconds['names'] / max(1, len(cases.WRONG) * seeds):.2f} to name an answer")


if __name__ == "__main__":
    main()
