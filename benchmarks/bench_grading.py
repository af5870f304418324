"""What grading costs: `zerohero grade` against `nbgrader autograde` with its own defaults, on the same notebooks.

    python benchmarks/bench_grading.py [--submissions 40] [--many 1000] [MODULE ...]

Both courses hold the same submissions of each module, all with the reference answers, and both grade them in one command;
its CPU time with all of its children's, start-up included, is divided by their number. nbgrader runs each notebook in a
kernel with the grader's own rights and only the visible cases; zerohero runs it in the jail, once more when an exercise may
use torch, with the hidden cases too, and stops behind the last check. Then the same with two workers, by the clock.
--many N grades N submissions of the first module and prints, after each tenth, the time and the memory of the driver.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from reference import ROOT, print_machine

LOOK_S = 0.02
BARS = {"m01_derivatives": 0.35, "m02_micrograd": 0.15}
"""NumPy alone, and a module that imports torch."""
TICKS = os.sysconf("SC_CLK_TCK")
BIN = Path(sys.executable).parent


class Watched(threading.Thread):
    """CPU seconds of a process and all its descendants, looked up every LOOK_S in /proc.

    What the kernel adds up for a parent is not enough: it leaves out a jail, whose processes are killed and never
    waited for. Here the last LOOK_S of such a process is missed, and a process shorter than that; so a control group counts
    where there can be one.
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


class CpuGroup:
    """CPU seconds of all that is started within, exactly. Only with control groups version 1, as root."""

    def __init__(self):
        self._folder = Path("/sys/fs/cgroup/cpuacct") / f"bench-{os.getpid()}-{time.monotonic_ns()}"
        self._folder.mkdir()

    def join(self):
        (self._folder / "cgroup.procs").write_text("0")

    def total(self) -> float:
        used = int((self._folder / "cpuacct.usage").read_text()) / 1e9
        for _ in range(100):  # what was killed may still be leaving
            try:
                self._folder.rmdir()
                break
            except OSError:
                time.sleep(0.05)
        return used


def cpu_group() -> CpuGroup | None:
    try:
        return CpuGroup()
    except OSError:
        return None


def measured(command: list[str], folder: Path) -> tuple[float, float]:
    """(CPU seconds with all descendants, wall seconds) of a command that must succeed."""
    environment = {**os.environ, "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"}
    group = cpu_group()
    with tempfile.TemporaryFile("w+") as output:
        start = time.perf_counter()
        join = group.join if group else None
        child = subprocess.Popen(command, cwd=folder, env=environment, stdout=output, stderr=subprocess.STDOUT, preexec_fn=join)
        watched = Watched(child.pid) if group is None else None
        _, status, usage = os.wait4(child.pid, 0)
        wall = time.perf_counter() - start
        seen = group.total() if group else watched.total()
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            output.seek(0)
            sys.exit(f"{' '.join(command)} failed:\n{output.read()[-3000:]}")
    return max(usage.ru_utime + usage.ru_stime, seen), wall


def make_courses(folder: Path, modules: list[str], submissions: int) -> tuple[Path, Path]:
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
        for course in (ours, plain):
            hand_in(course, module, submissions)
    return ours, plain


def hand_in(course: Path, module: str, submissions: int):
    for number in range(submissions):
        shutil.copytree(course / "source" / module, course / "submitted" / f"student{number:04}" / module, dirs_exist_ok=True)


def scores(course: Path, module: str) -> list[tuple[float, float]]:
    """(score, maximum) of every submission in the course's gradebook."""
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{course}/gradebook.db") as gradebook:
        return [(s.score, s.max_score) for s in gradebook.assignment_submissions(module)]


def check_scores(name: str, course: Path, module: str, submissions: int):
    """A cheap grading that gives wrong scores is no result."""
    found = scores(course, module)
    wrong = [score for score in found if score[0] != score[1]]
    if wrong or len(found) != submissions:
        sys.exit(f"{name} did not give every submission of {module} all points: {wrong}")


def compare(ours: Path, plain: Path, module: str, submissions: int, unsafe: list[str]):
    """CPU of both graders, and the clock with one worker and with two."""
    grade = [str(BIN / "zerohero"), "grade", module, "--course", str(ours), *unsafe]
    cpu, one = measured([*grade, "--workers", "1"], ours)
    check_scores("zerohero grade", ours, module, submissions)
    _, two = measured([*grade, "--workers", "2", "--force"], ours)
    theirs, their_wall = measured([str(BIN / "nbgrader"), "autograde", module], plain)
    check_scores("nbgrader autograde", plain, module, submissions)
    bar = f"bar {BARS[module]:g}" if module in BARS else "no bar"
    print(f"{module}: {submissions} submissions, all points in both gradebooks")
    print(f"  zerohero grade       {cpu / submissions:6.2f} CPU s a submission   {one / submissions:6.2f} s wall with 1 worker, {two / submissions:.2f} with 2")
    print(f"  nbgrader autograde   {theirs / submissions:6.2f} CPU s a submission   {their_wall / submissions:6.2f} s wall")
    print(f"  ratio                {cpu / theirs:6.2f} of nbgrader's CPU seconds   ({bar})")
    print(f"  two workers          {one / two:6.2f} times as fast as one           (bar 1.8, start-up included)")


MANY = """
import resource, sys, time
from pathlib import Path
from zerohero_autograder.driver import grade_all
start = time.perf_counter()
def tell(outcome, done, total):
    if done % (total // 10) == 0:
        size = int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() / 2**20
        print(f"  {done:6} submissions   {time.perf_counter() - start:7.1f} s   driver {size:6.1f} MB", flush=True)
grade_all(Path(sys.argv[1]), sys.argv[2], unsafe=sys.argv[3] == "unsafe", workers=2, on_progress=tell)
"""


def many(course: Path, module: str, submissions: int, unsafe: list[str]):
    """Time and the driver's memory while many are graded."""
    hand_in(course, module, submissions)
    print(f"{module}: {submissions} submissions, two workers")
    subprocess.run([sys.executable, "-c", MANY, str(course), module, "unsafe" if unsafe else "jail"], check=True, cwd=course)
    check_scores("zerohero grade", course, module, submissions)


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    arguments.add_argument("modules", nargs="*", default=list(BARS))
    arguments.add_argument("--submissions", type=int, default=40)
    arguments.add_argument("--many", type=int, default=0)
    given = arguments.parse_args()
    print_machine()
    with tempfile.TemporaryDirectory() as scratch:
        ours, plain = make_courses(Path(scratch), given.modules, given.submissions)
        unsafe = []
        if shutil.which("bwrap") is None:
            unsafe = ["--unsafe"]
            print("no bubblewrap here: graded with --unsafe, without the jail")
        for module in given.modules:
            compare(ours, plain, module, given.submissions, unsafe)
        if given.many:
            many(ours, given.modules[0], given.many, unsafe)


if __name__ == "__main__":
    main()
