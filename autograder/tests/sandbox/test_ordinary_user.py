"""The jail as an ordinary user makes it, on a machine where the tests run as root."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import zerohero
import zerohero_autograder

pytestmark = [pytest.mark.jail, pytest.mark.skipif(os.geteuid() != 0, reason="all the other tests ran as an ordinary user")]

PROGRAM = """
import json, os
from dataclasses import asdict
from zerohero_autograder.sandbox import Limits, choose
cells = [
    "import os; print(os.getuid(), set(os.listdir(os.path.expanduser('~'))) <= {'.cache', '.ipython'}, os.path.exists('/etc/shadow'))",
    "import zerohero_autograder",
    "open('/usr/x', 'w')",
    '''n = 0
try:
    while n < 200:
        if os.fork() == 0: import time; time.sleep(20); os._exit(0)
        n += 1
except OSError as e: print(10 < n < 32, e.errno)''',
    "while True: pass",
    "import socket; socket.create_connection(('192.0.2.1', 80), timeout=1)",
    "os.open('/proc/self/fd/' + os.environ['ZEROHERO_GRADING_FD'], os.O_RDONLY | os.O_NONBLOCK)",
]
run = choose().run(cells, {}, limits=Limits(cell_s=2, processes=32))
print(json.dumps([os.getuid(), asdict(run)]))
"""


def test_the_same_jail(tmp_path):
    import json

    # A view of this machine in which the folders of Python and of this repository can be walked by anybody.
    view = ["bwrap", "--bind", "/", "/", "--dev", "/dev", "--bind", "/proc", "/proc"]
    places = [sys.base_prefix, sys.prefix, *(str(Path(p.__file__).parent) for p in (zerohero, zerohero_autograder))]
    closed = {}  # place -> the topmost folder above it that only root can walk
    for place in places:
        closed[place] = next((p for p in reversed(Path(place).parents) if not p.stat().st_mode & 0o001), None)
    for top in {t for t in closed.values() if t}:
        view += ["--perms", "0755", "--tmpfs", str(top)]
    for place, top in closed.items():
        if top:
            for folder in reversed([p for p in Path(place).parents if p.is_relative_to(top)]):
                view += ["--perms", "0755", "--dir", str(folder)]
            view += ["--ro-bind", place, place]
    command = [*view, "--", "setpriv", "--reuid=12345", "--regid=12345", "--clear-groups", sys.executable, "-I", "-B", "-c", PROGRAM]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, env={"PATH": "/usr/bin:/bin", "HOME": "/nonexistent"})
    assert done.returncode == 0, done.stderr
    user, run = json.loads(done.stdout)
    assert user == 12345
    assert run["ended"] == "finished", run
    texts, errors = [c["text"] for c in run["cells"]], [c["error"] for c in run["cells"]]
    assert texts[0] == "65534 True False\n"
    assert errors[1].startswith("ModuleNotFoundError")
    assert "Errno 30" in errors[2] or "Errno 13" in errors[2]
    assert texts[3] == "True 11\n"
    assert run["cells"][4]["status"] == "timeout"
    assert "Errno 101" in errors[5]
    assert "Errno 6" in errors[6]  # with a pipe this user could take back what was said, the beginning of the run included
