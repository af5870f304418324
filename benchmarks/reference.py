"""The reference answers, taken from the lessons themselves, and how the benchmarks measure and print."""

import contextlib
import io
import os
import sys
import time
import types
from collections.abc import Callable
from pathlib import Path
from statistics import median

os.environ.setdefault("MPLBACKEND", "Agg")  # a lesson's plots are drawn nowhere

ROOT = Path(__file__).resolve().parents[1]


def lesson_file(module: str) -> Path:
    return ROOT / "course" / module / f"{module}.py"


def run_lesson(file: Path, *, on_check: Callable[[str, object], None] = lambda exercise, obj: None, until: str = "") -> dict:
    """Execute the lesson's code cells in order and return what they defined.

    on_check : is called in place of check() and hint() is never reached; predict cells are left out
    until    : stop after the cell that defines this name
    Raises what a cell raises: a lesson runs clean with its solutions.
    """
    import jupytext

    lesson = types.ModuleType(file.stem)
    sys.modules[file.stem] = lesson  # dataclasses look their module up
    names = vars(lesson)
    for number, cell in enumerate(jupytext.read(file, fmt="py:percent").cells):
        if cell.cell_type != "code" or "predict" in cell.metadata:
            continue
        if "check" in cell.metadata:
            names["check"] = on_check
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(cell.source, f"{file.name} cell {number}", "exec"), names)
        if until and isinstance(names.get(until), type):
            break
    return names


def cpu_ms(function: Callable[[], object]) -> tuple[float, object]:
    """CPU time of this process in ms, and the result, which thus outlives the measured time."""
    start = time.process_time()
    result = function()
    return 1000 * (time.process_time() - start), result


def percentile(values: list[float], share: float) -> float:
    """The smallest value that ``share`` of them do not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, max(0, -int(-share * len(ordered) // 1) - 1))]


def verdict(value: float, bar: float, unit: str, *, at_least: bool) -> str:
    """The bar and whether it is met, for printing beside a figure."""
    met = value >= bar if at_least else value <= bar
    return f"(bar: at {'least' if at_least else 'most'} {bar:g} {unit}: {'met' if met else 'MISSED'})"


def print_machine() -> None:
    """What a reader needs to judge the figures."""
    load = " ".join(f"{value:.2f}" for value in os.getloadavg())
    print(f"Python {sys.version.split()[0]}, {os.cpu_count()} CPUs, load average {load} at the start")


__all__ = ["ROOT", "cpu_ms", "lesson_file", "median", "percentile", "print_machine", "run_lesson", "verdict"]
