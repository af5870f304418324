"""Family e: changing what others will use."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

import zerohero

pytestmark = pytest.mark.jail
JAILS = ("warm", "cold")


def errors(run):
    return [c.error for c in run.cells]


def test_folders_that_are_not_the_students(jail):
    folders = [sys.prefix + "/lib", sys.base_prefix + "/lib", sys.prefix + "/bin", "/usr", "/etc", "/", "/grading", "/grading/lib/zerohero", "/dev", "/home"]
    for folder, error in zip(folders, errors(jail(*[f"open({f + '/planted'!r}, 'w')" for f in folders])), strict=True):
        assert "Errno 30" in error or "Errno 13" in error, folder


def test_libraries_already_there(jail):
    import numpy

    files = (numpy.__file__, f"/grading/lib/zerohero/{Path(zerohero.__file__).name}")
    attempts = ["open({!r}, 'a')", "import os; os.chmod({!r}, 0o777)", "import os; os.remove({!r})", "import os; os.rename({!r}, '/tmp/x')"]
    for error in errors(jail(*[a.format(f) for f in files for a in attempts])):
        assert "Errno 30" in error or "Errno 13" in error or "Errno 18" in error


def test_start_up_hooks_of_python(jail):
    run = jail(
        "import site; open(site.getsitepackages()[0] + '/sitecustomize.py', 'w')",
        "import os; open(os.path.expanduser('~/.bashrc'), 'w')",
        "import os; print(os.listdir(os.path.expanduser('~')))",
    )
    assert "Errno 30" in errors(run)[0]
    assert not jail("import os; print(os.path.exists(os.path.expanduser('~/.bashrc')))").cells[0].text.startswith("True")


def test_cases_and_plan(jail):
    assert all(
        "Errno 13" in e or "Errno 30" in e
        for e in errors(
            jail(
                "open('/grading/given/cases.json', 'w')",
                "import os; os.chmod('/grading/given/cases.json', 0o666)",
                "import os; os.remove('/grading/runner.py')",
            )
        )
    )


def test_writing_through_links(jail, tmp_path):
    target = tmp_path / "target"
    target.write_text("before")
    run = jail(
        f"import os\nos.symlink({str(target)!r}, 'a'); open('a', 'w').write('after')",
        f"os.symlink({sys.prefix + '/lib'!r}, 'b'); open('b/planted', 'w')",
        "os.link('/etc/passwd', 'c')",
    )
    assert all(errors(run))
    assert target.read_text() == "before"


def test_memory_of_the_first_process(jail):
    """bubblewrap's own process inside has the student's user and none of the limits."""
    run = jail("import os; os.open(f'/proc/{os.getppid()}/mem', os.O_RDWR)", "os.open('/proc/1/task/1/mem', os.O_RDONLY)", "os.listdir('/proc/1/fd')")
    assert all(e.startswith("FileNotFoundError") for e in errors(run))


def test_settings_of_the_kernel(jail):
    assert all(
        errors(
            jail(
                "open('/proc/sys/kernel/core_pattern', 'w').write('|/tmp/x')",
                "open('/proc/sysrq-trigger', 'w').write('b')",
                "open('/proc/sys/kernel/hostname', 'w').write('x')",
            )
        )
    )


def alive(text):
    """Processes of the machine with this text in their command line."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if text.encode() in entry.read_bytes():
                found.append(entry.parent.name)
        except OSError:
            continue
    return found


DAEMON = """
import os, subprocess, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.closerange(0, 256)
        os.execvp("sleep", ["sleep", "{}"])
    os._exit(0)
os.wait()
subprocess.Popen(["sleep", "{}"], start_new_session=True)
time.sleep(0.1)
"""


def test_daemons_are_gone_when_the_run_is(jail):
    run = jail(DAEMON.format(987.123, 987.123), "!ps -e | grep -c sleep || true")
    assert alive("987.123") == []
    assert run.ended == "finished"


def test_daemons_are_gone_when_the_notebook_died(jail):
    run = jail(DAEMON.format(987.124, 987.124), "import os; os._exit(0)")
    assert alive("987.124") == []
    assert run.ended == "died"


def test_a_jail_does_not_outlive_a_grader_that_was_killed():
    program = 'from zerohero_autograder.sandbox import choose; choose().run([\'import subprocess; subprocess.run(["sleep", "987.125"])\'], {})'
    grader = subprocess.Popen([sys.executable, "-c", program])
    try:
        _until(lambda: [p for p in alive("987.125") if Path(f"/proc/{p}/comm").read_text() == "sleep\n"], 120)
    finally:
        grader.kill()
        grader.wait()
    _until(lambda: not alive("987.125"))


def _until(true, seconds=10):
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
        time.sleep(0.02)
