"""CPU seconds per graded submission: `zerohero grade` against `nbgrader autograde` with its own defaults, same notebooks.

    python benchmarks/bench_grading.py [MODULE ...]

Both courses hold SUBMISSIONS submissions of each module, all with the reference answers, and both grade them in one
command; its CPU time with all of its children's, start-up included, is divided by their number. nbgrader runs each
notebook in a kernel with the grader's own rights and only the visible cases; zerohero runs it in the jail, once more
when an exercise may use torch, with the hidden cases too. So the ratio is the price of that, not of the same work.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from reference import ROOT, print_machine

SUBMISSIONS = 5
LOOK_S = 0.02
TICKS = os.sysconf("SC_CLK_TCK")
BIN = Path(sys.executable).parent


class Watched(threading.Thread):
    """CPU seconds of a process and all its descendants, looked up every LOOK_S in /proc.

    What the kernel adds up for a parent is not enough: it leaves out a jail, whose processes are killed and never
    waited for. Here the last LOOK_S of such a process is missed, and a process shorter than that.
    """

    def __init__(self, pid: int):
        super().__init__(daemon=True)
        self._seen: dict[int, float] = {pid: 0.0}
        self._alive = {pid}
        self._over = threading.Event()
        self.start()

    def run(self):
        while not self._over.wait(LOOK_S):
            self._look()

    def total(self) -> float:
        self._over.set()
        self.join()
        return sum(self._seen.values())

    def _look(self):
        todo = list(self._alive)
        while todo:
            pid = todo.pop()
            try:
                fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
                self._seen[pid] = max(self._seen.get(pid, 0.0), (int(fields[11]) + int(fields[12])) / TICKS)
                for task in os.listdir(f"/proc/{pid}/task"):
                    children = {int(child) for child in Path(f"/proc/{pid}/task/{task}/children").read_text().split()}
                    todo += children - self._alive
                    self._alive |= children
            except (OSError, ValueError):
                self._alive.discard(pid)  # gone; what was seen of it stays


def measured(command: list[str], folder: Path) -> tuple[float, float]:
    """(CPU seconds with all descendants, wall seconds) of a command that must succeed."""
    environment = {**os.environ, "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"}
    with tempfile.TemporaryFile("w+") as output:
        start = time.perf_counter()
        child = subprocess.Popen(command, cwd=folder, env=environment, stdout=output, stderr=subprocess.STDOUT)
        watched = Watched(child.pid)
        _, status, usage = os.wait4(child.pid, 0)
        wall = time.perf_counter() - start
        seen = watched.total()
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            output.seek(0)
            sys.exit(f"{' '.join(command)} failed:\n{output.read()[-3000:]}")
    return max(usage.ru_utime + usage.ru_stime, seen), wall


def make_courses(folder: Path, modules: list[str]) -> tuple[Path, Path]:
    """A course of ours and a plain nbgrader course, both with the same submissions."""
    lessons, ours, plain = folder / "lessons", folder / "ours", folder / "plain"
    for module in modules:
        shutil.copytree(ROOT / "course" / module, lessons / module)
    (lessons / "course.toml").write_text(f'title = "benchmark"\nmodules = {modules!r}\n')
    measured([str(BIN / "zerohero"), "course", "new", str(ours), "--course", str(lessons)], folder)
    shutil.copytree(ours / "source", plain / "source")
    (plain / "nbgrader_config.py").write_text("c = get_config()\nc.CourseDirectory.course_id = 'plain'\n")
    for module in modules:
        measured([str(BIN / "nbgrader"), "generate_assignment", module], plain)
        for number in range(SUBMISSIONS):
            for course in (ours, plain):
                shutil.copytree(ours / "source" / module, course / "submitted" / f"student{number}" / module)
    return ours, plain


def scores(course: Path, module: str) -> list[tuple[float, float]]:
    """(score, maximum) of every submission in the course's gradebook."""
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{course}/gradebook.db") as gradebook:
        return [(s.score, s.max_score) for s in gradebook.assignment_submissions(module)]


def main():
    modules = sys.argv[1:] or ["m01_derivatives", "m02_micrograd"]
    print_machine()
    with tempfile.TemporaryDirectory() as scratch:
        ours, plain = make_courses(Path(scratch), modules)
        unsafe = []
        if shutil.which("bwrap") is None:
            unsafe = ["--unsafe"]
            print("no bubblewrap here: graded with --unsafe, without the jail")
        for module in modules:
            cpu, wall = measured([str(BIN / "zerohero"), "grade", module, "--course", str(ours), *unsafe], ours)
            theirs, their_wall = measured([str(BIN / "nbgrader"), "autograde", module], plain)
            for name, course in (("zerohero grade", ours), ("nbgrader autograde", plain)):
                wrong = [score for score in scores(course, module) if score[0] != score[1]]
                if wrong or len(scores(course, module)) != SUBMISSIONS:
                    sys.exit(f"{name} did not give every submission of {module} all points: {wrong}")
            print(f"{module}: {SUBMISSIONS} submissions, all points in both gradebooks")
            print(f"  zerohero grade       {cpu / SUBMISSIONS:6.2f} CPU s a submission   {wall / SUBMISSIONS:6.2f} s wall")
            print(f"  nbgrader autograde   {theirs / SUBMISSIONS:6.2f} CPU s a submission   {their_wall / SUBMISSIONS:6.2f} s wall")
            print(f"  ratio                {cpu / theirs:6.2f} of nbgrader's CPU seconds   (no bar)")


if __name__ == "__main__":
    main()
