"""Family h: using up the machine."""

import resource
import time
from dataclasses import replace

import pytest

from zerohero.plaindata import decode

pytestmark = pytest.mark.jail
MIB = 2**20
CASES = {"m99-square": [{"x": 3.0}]}
CHECK = "check('m99-square', lambda x: x * x)"


def test_infinite_loop_costs_its_cell_only(jail, small):
    run = jail("while True: pass", "print('on')", limits=replace(small, cell_s=1))
    assert (run.cells[0].status, run.cells[1].text, run.ended) == ("timeout", "on\n", "finished")


def test_infinite_loop_in_a_checked_function_is_a_timeout(jail, toy_cell, small):
    run = jail(toy_cell, "def f(x):\n    while True: pass\ncheck('m99-square', f)", CHECK, cases=CASES, limits=replace(small, cell_s=1))
    assert run.cells[1].status == "timeout"
    assert decode(run.outputs["m99-square"][0])[0]["value"] == 9.0


def test_loop_that_swallows_the_interruption(jail, toy_cell, small):
    loop = "import time\nwhile True:\n    try: time.sleep(1)\n    except BaseException: pass"
    run = jail(toy_cell, CHECK, loop, CHECK, cases=CASES, limits=replace(small, cell_s=1, grace_s=0.5))
    assert (run.ended, run.reason) == ("timeout", "cell 3 ran longer than 1 s and could not be interrupted")
    assert [c.status for c in run.cells] == ["ok", "ok", "timeout", "not run"]
    assert len(run.outputs["m99-square"]) == 1


def test_notebook_longer_than_its_limit(jail, small):
    run = jail(*["import time; time.sleep(0.6)"] * 4, limits=replace(small, notebook_s=1.5))
    assert (run.ended, run.reason) == ("timeout", "the notebook ran longer than 1.5 s")
    assert run.cells[0].status == "ok" and run.cells[3].status == "not run"


def test_processor_time(jail, small):
    run = jail("while True: pass", limits=replace(small, cpu_s=1))
    assert (run.ended, run.reason) == ("died", "cell 1 used more than 1 s of processor time")


def test_six_gigabytes(jail):
    run = jail("import numpy as np\nx = np.ones(6 * 2**27)", "print('on')")
    assert "MemoryError" in run.cells[0].error and run.cells[1].text == "on\n"


def test_memory_spread_over_processes(jail, small):
    bomb = "import os, time\nfor _ in range(6):\n    if os.fork() == 0:\n        x = b'x' * (100 * 2**20); time.sleep(10); os._exit(0)\ntime.sleep(10)"
    run = jail(bomb, limits=replace(small, memory=400 * MIB))
    assert (run.ended, run.reason) == ("died", "cell 1 used more than 400 MB of memory in all its processes")


def test_shared_memory_that_no_limit_counts(jail):
    """SysV segments and memfds are no address space of any process until they are mapped."""
    run = jail(
        "import ctypes; libc = ctypes.CDLL(None, use_errno=True)\nprint(libc.shmget(0, 2**30, 0o1600), ctypes.get_errno())", "import os; os.memfd_create('x')"
    )
    assert run.cells[0].text == "-1 1\n"
    assert run.cells[1].error.startswith("PermissionError")


FORKS = """
import os, time
n = 0
try:
    while n < 500:
        if os.fork() == 0: time.sleep(20); os._exit(0)
        n += 1
except OSError as e: print(n, e.errno)
"""


def test_fork_bomb(jail, small):
    """Also as root, which RLIMIT_NPROC does not bind: the jail's processes are not root's."""
    count, number = jail(FORKS, limits=replace(small, processes=32)).cells[0].text.split()
    assert 20 <= int(count) < 32 and number == "11"


THREADS = """
import threading, time
n = 0
try:
    while n < 500:
        threading.Thread(target=time.sleep, args=(20,), daemon=True).start()
        n += 1
except RuntimeError as e: print(n, e)
def size(name): return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith(name)) // 1024
print(size("VmPeak"))
"""


def test_thread_bomb(jail, small):
    """The limit on threads comes first: they do not use up the address space, however many cores the machine has."""
    run = jail(THREADS, "print('on')", limits=replace(small, processes=32))
    line, peak = run.cells[0].text.splitlines()
    count, _, why = line.partition(" ")
    assert 20 <= int(count) < 32 and why == "can't start new thread"
    assert int(peak) < small.memory // MIB - 200
    assert run.cells[1].text == "on\n"


FILL = """
import os
for folder in ("/home/student", "/tmp", "/dev/shm"):
    n = 0
    try:
        for i in range(40):
            with open(f"{folder}/f{i}", "wb") as f:
                for _ in range(4): f.write(bytes(2**20)); f.flush(); n += 1
    except OSError as e: print(n, e.errno)
"""


def test_full_disk(jail):
    for line in jail(FILL).cells[0].text.splitlines():
        written, number = line.split()
        assert 25 <= int(written) <= 30 and number == "28"


def test_one_large_file(jail):
    assert "Errno 27" in jail("with open('big', 'wb') as f:\n    for _ in range(100): f.write(bytes(2**20))").cells[0].error


def test_no_other_folder_can_be_filled(jail):
    code = """
import os
for top, folders, files in os.walk("/"):
    if top.startswith(("/proc", "/usr", "/home/student", "/tmp", "/dev/shm", "/dev/pts")): folders.clear(); continue
    if os.access(top, os.W_OK): print(top)
"""
    assert jail(code).cells[0].text == ""


def test_two_hundred_megabytes_printed(jail, small):
    before = resource.getrusage(resource.RUSAGE_SELF)
    start = time.process_time()
    run = jail("s = 'x' * 999\nfor _ in range(200_000): print(s)", "print('on')")
    assert run.ended == "finished" and run.cells[1].text == "on\n"
    assert len(run.cells[0].text) < small.output_bytes + 100
    assert "199,980,000 more bytes were printed and are not kept" in run.cells[0].text
    assert time.process_time() - start < 3
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before.ru_maxrss < 50_000  # kB


def test_too_many_results(jail, toy_cell, small):
    run = jail(
        toy_cell,
        CHECK,
        "for _ in range(50): check('m99-square', lambda x: 'x' * 10_000 + str(list(range(10))))",
        CHECK,
        cases=CASES,
        limits=replace(small, channel_bytes=100_000),
    )
    assert run.ended == "too much output" and run.reason.startswith("cell 3 gave more than")
    assert run.outputs["m99-square"]


def test_exit_keeps_what_came_before(jail, toy_cell):
    run = jail(toy_cell, CHECK, "print('last words')\nimport os\nos._exit(0)", CHECK, cases=CASES)
    assert (run.ended, run.reason) == ("died", "cell 3 ended the Python process")
    assert len(run.outputs["m99-square"]) == 1
    assert run.cells[2].text == "last words\n" and run.cells[3].status == "not run"


def test_exit_in_a_checked_function(jail, toy_cell):
    run = jail(toy_cell, "import os; check('m99-square', lambda x: os._exit(0))", cases=CASES)
    assert run.ended == "died" and run.outputs == {}


def test_segmentation_fault(jail):
    run = jail("print('before')", "import ctypes; ctypes.string_at(0)")
    assert (run.ended, run.reason) == ("died", "cell 2 crashed Python (segmentation fault)")
    assert run.cells[0].text == "before\n"


def test_recursion_and_abort(jail):
    assert jail("def f(): f()\nf()", "print('on')").cells[1].text == "on\n"
    assert jail("import os; os.abort()").reason == "cell 1 crashed Python (aborted)"


def test_exec_replaces_the_runner(jail):
    assert jail("import os; os.execvp('true', ['true'])", "1").ended == "died"


def test_fork_does_not_run_the_notebook_twice(jail, toy_cell):
    run = jail(toy_cell, "import os; pid = os.fork()", "print('once')\n" + CHECK, cases=CASES)
    assert run.ended == "finished"
    assert run.cells[2].text == "once\n" and len(run.outputs["m99-square"]) == 1


def test_killing_the_parent(jail):
    run = jail("import os, signal\nfor s in (signal.SIGKILL, signal.SIGTERM, signal.SIGSTOP):\n    os.kill(os.getppid(), s); os.kill(1, s)", "print('on')")
    assert run.ended == "finished" and run.cells[1].text == "on\n"


def test_killing_everything(jail):
    run = jail("import os, signal; os.kill(-1, signal.SIGKILL)", "print('on')")
    assert run.ended == "finished"


def test_killing_itself(jail):
    assert jail("import os, signal; os.kill(os.getpid(), signal.SIGKILL)").ended == "died"


def test_stopping_itself_is_a_timeout(jail, small):
    run = jail("import os, signal; os.kill(os.getpid(), signal.SIGSTOP)", limits=replace(small, cell_s=0.5, grace_s=0.5))
    assert run.ended == "timeout"


def test_question_to_nobody(jail):
    run = jail("input('answer? ')", "import sys; print(repr(sys.stdin.read()))")
    assert run.cells[0].status == "error" and run.cells[1].text == "''\n"


def test_limits_cannot_be_raised(jail):
    code = "import resource as r\nfor n in (r.RLIMIT_AS, r.RLIMIT_NPROC, r.RLIMIT_FSIZE, r.RLIMIT_CPU, r.RLIMIT_NOFILE):\n    try: r.setrlimit(n, (r.RLIM_INFINITY,) * 2); print(n)\n    except ValueError: pass"
    assert jail(code).cells[0].text == ""


def test_files_without_content_are_limited(jail, small):
    """An empty file takes no space of the folder's size, but about 1 KiB of the kernel's memory."""
    run = jail("import os\nprint(os.statvfs('.').f_files)", limits=small)
    assert int(run.cells[0].text) * 1024 <= 4 * small.disk
