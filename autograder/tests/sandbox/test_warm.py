"""Jails forked from one process: nothing goes from one to the next, and one that is lost costs nobody anything."""

import os
import subprocess
import threading
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest

from zerohero_autograder.sandbox import Limits, choose, warm

pytestmark = pytest.mark.jail

WRITABLE = """
import os
found = []
for folder, folders, _ in os.walk("/"):
    if folder in ("/proc", "/usr", "/sys"): folders[:] = []; continue
    if os.access(folder, os.W_OK): found.append(folder)
"""

SEEN = (
    WRITABLE
    + """
import hashlib, json, random, stat, subprocess, sys, numpy
def listed(folder):
    return sorted([n, oct(os.lstat(os.path.join(folder, n)).st_mode)] for n in os.listdir(folder))
seen = {
    "folders": {folder: listed(folder) for folder in found},
    "processes": sorted(int(n) for n in os.listdir("/proc") if n.isdigit()),
    "descriptors": sorted(os.listdir("/proc/self/fd")),
    "mounts": open("/proc/mounts").read(),
    "status": [l for l in open("/proc/self/status") if l.startswith(("Uid", "Gid", "Groups", "Cap", "NoNew", "Seccomp", "Sig", "Threads", "TracerPid"))],
    "limits": open("/proc/self/limits").read(),
    "environment": dict(os.environ),
    "modules": sorted(sys.modules),
    "path": sys.path,
    "ipc": [open("/proc/sysvipc/" + n).read() for n in ("shm", "sem", "msg")],
    "sockets": [line.split()[7:] for line in open("/proc/net/unix")],
    "keys": open("/proc/keys").read() if os.path.exists("/proc/keys") else "",
    "nice": [os.nice(0), sorted(os.sched_getaffinity(0)), os.umask(0o22), os.getpgid(0), os.getsid(0), os.getcwd(), open("/proc/self/oom_score_adj").read()],
    "names": sorted(globals()),
    "patched": [numpy.tanh(1.0), numpy.allclose([0], [1]), numpy.get_printoptions()["precision"], len(builtins_of())],
}
print("SEEN" + json.dumps(seen, sort_keys=True))
"""
).replace("import hashlib", "def builtins_of():\n    import builtins\n    return sorted(dir(builtins))\nimport hashlib")

MARKS = (
    WRITABLE
    + """
import builtins, ctypes, random, signal, socket, subprocess, sys, numpy
for folder in found + [os.path.join(f, d) for f in ("/home/student", "/tmp") for d in os.listdir(f)] + ["/dev/shm", "/dev/pts"]:
    try: open(os.path.join(folder, "mark"), "w").write("a mark")
    except OSError: pass
os.environ["MARK"] = "a mark"; builtins.mark = "a mark"; numpy.tanh = numpy.allclose = lambda *a, **k: 0.5; numpy.set_printoptions(precision=1)
sys.modules["mark"] = sys; sys.path.append("/tmp/mark"); random.seed(1); numpy.random.seed(1)
named = socket.socket(socket.AF_UNIX); named.bind("\\0mark"); named.listen()
first, second = os.openpty()
os.nice(5); os.umask(0)
for path in ("/proc/self/oom_score_adj", "/proc/self/coredump_filter", "/proc/sys/kernel/shmmax", "/proc/sys/net/ipv4/ip_forward", "/proc/sys/user/max_user_namespaces"):
    try: open(path, "w").write("7")
    except OSError: pass
subprocess.Popen("trap '' TERM HUP INT; (setsid sleep 91.25 &) ; sleep 91.25", shell=True, start_new_session=True)
try: os.kill(1, signal.SIGKILL)
except OSError: pass
try: os.kill(-1, signal.SIGSTOP)
except OSError: pass
print("marked", len(found))
"""
)


def seen(run):
    (line,) = [line for line in run.cells[-1].text.splitlines() if line.startswith("SEEN")]
    return line


def test_a_run_after_an_attacker_sees_what_a_clean_one_sees(jail):
    clean = seen(jail(SEEN))
    marked = jail(MARKS)
    assert marked.cells[0].text.startswith("marked"), marked
    assert '"a mark"' not in clean and seen(jail(SEEN)) == clean
    assert not [p for p in Path("/proc").glob("[0-9]*/cmdline") if b"91.25" in _content(p)]


def _content(file):
    try:
        return file.read_bytes()
    except OSError:
        return b""


def test_two_at_a_time_do_not_see_each_other(jail):
    """The first stays while the second looks: for its processes, its sockets, its pseudo-terminals, its files."""
    stay = (
        "import os, socket, time\nopen('/tmp/here', 'w'); open('/dev/shm/here', 'w'); s = socket.socket(socket.AF_UNIX); s.bind('\\0here'); os.openpty()\n"
        "print(len(os.listdir('/dev/pts')), flush=True); time.sleep(2)"
    )
    look = "import os, time\ntime.sleep(1)\nprint([n for n in os.listdir('/tmp') if n == 'here'], os.listdir('/dev/shm'), os.listdir('/dev/pts'), sorted(n for n in os.listdir('/proc') if n.isdigit()), open('/proc/net/unix').read().count('here'))"
    jail("")
    with ThreadPoolExecutor(2) as pool:
        staying, looking = pool.map(jail, [stay, look])
    assert staying.cells[0].text == "2\n"
    assert looking.cells[0].text == "[] [] ['ptmx'] ['1', '2'] 0\n"


def test_generators_start_anew_in_each(jail):
    cell = "import random, numpy\nprint(random.random(), numpy.random.rand())"
    (a, b), (c, d) = (jail(cell).cells[0].text.split() for _ in range(2))
    assert a != c and b != d


def _zygote():
    owner, zygote = warm._zygotes[choose().program, frozenset({"torch"})]
    assert owner == os.getpid()
    return zygote


def test_a_zygote_that_is_gone_is_replaced(jail):
    jail("")
    _zygote()._jail.end()
    assert jail("print('on')").cells[0].text == "on\n"


def test_a_run_whose_zygote_goes_away_is_run_again(jail):
    """No submission can do this; the machine can, when memory is short. It must not cost the student whose run it was anything."""
    jail("")
    before = _zygote()
    timer = threading.Timer(0.7, before._jail.end)
    timer.start()
    run = jail("import time; time.sleep(1.5); print('on')")
    timer.join()
    assert (run.ended, run.cells[0].text) == ("finished", "on\n") and _zygote() is not before


def test_where_no_zygote_answers_the_run_gets_a_cold_jail(jail, monkeypatch, caplog):
    jail("")
    monkeypatch.setattr(warm._Zygote, "fork", _no_answer)
    run = jail("import os; print(os.path.exists('/grading/given/plan.json'))")
    assert run.cells[0].text == "True\n" and caplog.text.count("a warm jail was not to be had: silence") == 2


def _no_answer(*args):
    raise warm.NoZygote("silence")


def _run_here(cell):
    return os.getpid(), os.getpid() in {owner for owner, _ in warm._zygotes.values()}, choose().run([cell], {}, without=frozenset({"torch"})).cells[0].text


def test_forked_workers_share_the_zygote_of_their_parent(jail):
    jail("")
    with ProcessPoolExecutor(2, mp_context=get_context("fork")) as pool:
        results = list(pool.map(_run_here, ["import time; time.sleep(0.5); print(7 * 6)"] * 4))
    assert [text for _, _, text in results] == ["42\n"] * 4 and not any(own for _, own, _ in results)
    assert jail("print('on')").cells[0].text == "on\n"  # the end of a worker ends nothing of its parent's


def test_what_is_prepared_before_a_fork_is_not_started_again_in_it(jail):
    choose().prepare([frozenset()])
    with ProcessPoolExecutor(1, mp_context=get_context("fork")) as pool:
        assert pool.submit(_owners).result() == {os.getpid()}


def _owners():
    choose().run(["1"], {})
    return {owner for (_, without), (owner, _) in warm._zygotes.items() if not without}


def test_pages_shared_with_the_zygote_are_not_counted_for_each_process(jail):
    """Twenty forks of a process with torch: 3 GB when each is taken by itself."""
    cell = "import os, time, torch\nif all(os.fork() for _ in range(20)): time.sleep(1.5)\nelse: time.sleep(20)"
    run = jail(cell, "print('on')", without=(), limits=Limits(notebook_s=60, cell_s=30, memory=2 * 2**30, processes=64))
    assert run.ended == "finished" and run.cells[1].text == "on\n"


def test_a_process_that_stops_itself_is_killed_when_time_is_up(jail, small):
    from dataclasses import replace

    run = jail("import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)", "print('on')", limits=replace(small, cell_s=0.5, grace_s=0.5))
    assert run.ended == "timeout" and run.cells[1].status == "not run"


def test_how_it_ended_is_told_as_in_a_cold_jail(jail, small):
    from dataclasses import replace

    ends = {
        "import os; os._exit(3)": "ended the Python process",
        "import ctypes; ctypes.string_at(0)": "crashed Python (segmentation fault)",
        "import os; os.abort()": "crashed Python (aborted)",
        "import os, signal; os.kill(os.getpid(), signal.SIGKILL)": "got the Python process killed",
        "while True: pass": "used more than 1 s of processor time",
    }
    for cell, how in ends.items():
        assert jail(cell, limits=replace(small, cpu_s=1)).reason == f"cell 1 {how}", cell


def test_no_process_and_no_descriptor_stays_behind(jail):
    jail("")
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(3):
        jail("import subprocess; subprocess.Popen(['sleep', '91.5'], start_new_session=True)")
    assert len(os.listdir("/proc/self/fd")) == before
    assert not [p for p in Path("/proc").glob("[0-9]*/cmdline") if b"91.5\0" in _content(p)]
    assert subprocess.run(["pgrep", "-c", "-f", "zygote.py"], capture_output=True, text=True, check=False).stdout.strip() != "0"


TAKE = "import os, time\nfor _ in range(6):\n    if os.fork() == 0:\n        x = b'x' * 300_000_000; time.sleep(30)\ntime.sleep(3)"
"""1.8 GB in six processes, each of them within the limit."""


@pytest.mark.parametrize("counted", ["in a control group", "from outside"])
def test_memory_of_all_processes_together(jail, small, monkeypatch, counted):
    from zerohero_autograder.sandbox import bubblewrap

    if counted == "from outside":
        monkeypatch.setattr(bubblewrap, "memory_group", lambda limit: None)
    elif (group := bubblewrap.memory_group(2**30)) is None:
        pytest.skip("no control group can be made here")
    else:
        group.remove()
    run = jail(TAKE, "print('on')")
    assert (run.ended, run.reason) == ("died", "cell 1 used more than 1024 MB of memory in all its processes")
    assert jail("print('on')").cells[0].text == "on\n"  # the zygote is none of the group's


def test_files_in_memory_count_in_a_control_group(jail, small):
    from dataclasses import replace

    from zerohero_autograder.sandbox.memory_group import memory_group

    if (group := memory_group(2**30)) is None:
        pytest.skip("no control group can be made here")
    group.remove()
    fill = "for place in ('/tmp/a', '/dev/shm/b', 'c'):\n    with open(place, 'wb') as file:\n        for _ in range(90): file.write(bytes(2**20))"
    run = jail(fill, limits=replace(small, disk=100 * 2**20, file_size=100 * 2**20, memory=2**28))
    assert run.reason == "cell 1 used more than 256 MB of memory in all its processes"
    assert not list(Path("/sys/fs/cgroup").glob(f"**/zerohero-{os.getpid()}-*"))


def test_beside_our_own_group_in_version_2(tmp_path, monkeypatch):
    """The folders as systemd makes them; a real version 2 was not at hand."""
    from zerohero_autograder.sandbox import memory_group

    (tmp_path / "app.slice" / "run.scope").mkdir(parents=True)
    (tmp_path / "app.slice" / "cgroup.subtree_control").write_text("cpu memory pids\n")
    (tmp_path / "ours").write_text("0::/app.slice/run.scope\n")
    monkeypatch.setattr(memory_group, "MOUNT", tmp_path)
    monkeypatch.setattr(memory_group, "OURS", tmp_path / "ours")
    memory_group._parent.cache_clear()
    try:
        assert memory_group._parent() == (2, tmp_path / "app.slice")
        (tmp_path / "app.slice" / "cgroup.subtree_control").write_text("cpu pids\n")
        memory_group._parent.cache_clear()
        assert memory_group.memory_group(2**30) is None
    finally:
        memory_group._parent.cache_clear()
