"""Ways to more rights than a submission has."""

import os

import pytest

pytestmark = pytest.mark.jail
JAILS = ("warm", "cold")
LIBC = "import ctypes, os\nlibc = ctypes.CDLL(None, use_errno=True)\ndef call(name, *a):\n    r = getattr(libc, name)(*a)\n    print(r, ctypes.get_errno())\n"


def printed(jail, code):
    run = jail(code)
    assert run.ended == "finished", run
    return run.cells[0].text


def test_no_capability_and_no_new_privileges(jail):
    status = dict(line.split(":\t", 1) for line in printed(jail, "print(open('/proc/self/status').read())").splitlines() if ":\t" in line)
    assert {status[k] for k in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")} == {"0" * 16}
    assert status["NoNewPrivs"] == "1" and status["Uid"].split() == ["65534"] * 4 and status["Groups"].split() in (["65534"], [])


def test_the_jail_is_not_root_outside(jail):
    """Inside it is 65534 in any case; this looks from outside, where a root grader must not have left it root."""
    import threading
    import time
    from pathlib import Path

    found = []

    def look():
        end = time.monotonic() + 10
        while not found and time.monotonic() < end:
            for entry in Path("/proc").glob("[0-9]*"):
                try:
                    if (entry / "cmdline").read_bytes() == b"sleep\x001.0987\x00":
                        found.append(entry.stat().st_uid)
                except OSError:
                    continue
            time.sleep(0.02)

    watcher = threading.Thread(target=look)
    watcher.start()
    jail("!sleep 1.0987")
    watcher.join()
    assert found and found[0] == (os.geteuid() or 65534)


def test_setuid_programs_give_nothing(jail):
    code = """
import os, shutil, subprocess
for name in ("su", "sudo", "mount", "umount", "passwd", "newgrp", "chsh", "unix_chkpwd"):
    if path := shutil.which(name, path="/usr/bin:/usr/sbin"):
        subprocess.run([path, "-c", "touch /etc/planted"], capture_output=True, timeout=3)
print(os.path.exists("/etc/planted"), os.getresuid())
"""
    assert printed(jail, code) == "False (65534, 65534, 65534)\n"


def test_a_setuid_program_of_the_students_own(jail):
    code = "import os, shutil, subprocess\nshutil.copy('/usr/bin/id', 'id'); os.chmod('id', 0o6755)\nprint(subprocess.run(['./id', '-u'], capture_output=True, text=True).stdout)"
    assert printed(jail, code).strip() == "65534"


def test_becoming_root(jail):
    code = "import os\nfor f in (os.setuid, os.setgid, os.seteuid):\n    try: f(0); print(f)\n    except OSError as e: print(e.errno)"
    assert printed(jail, code) == "22\n22\n22\n"  # there is no such user


def test_new_namespaces(jail):
    flags = (0x10000000, 0x00020000, 0x20000000, 0x40000000, 0x08000000)  # user, mount, pid, network, ipc
    assert printed(jail, LIBC + "".join(f"call('unshare', {flag})\n" for flag in flags)) == "-1 1\n" * 5


def test_a_new_user_namespace_by_clone(jail):
    if os.uname().machine != "x86_64":
        pytest.skip("the number of clone differs")
    assert printed(jail, LIBC + "r = libc.syscall(56, 0x10000000 | 17, 0, 0, 0, 0)\nif r == 0: os._exit(0)\nprint(r, ctypes.get_errno())") == "-1 1\n"


def test_namespaces_of_other_processes(jail):
    assert printed(jail, LIBC + "fd = os.open('/proc/self/ns/net', os.O_RDONLY)\ncall('setns', fd, 0)").startswith("-1 ")


def test_mounting_and_unmounting(jail):
    assert (
        printed(jail, LIBC + "call('mount', b'none', b'/tmp', b'tmpfs', 0, None)\ncall('umount2', b'/etc/passwd', 2)\ncall('umount2', b'/home/student', 2)")
        == "-1 1\n" * 3
    )


def test_changing_the_root(jail):
    assert "PermissionError" in jail("import os; os.chroot('/tmp')").cells[0].error


def test_ptrace(jail):
    assert printed(jail, LIBC + "for p in (1, os.getppid(), os.getpid()): call('ptrace', 16, p, 0, 0)") == "-1 1\n" * 3


def test_calls_with_a_history(jail):
    if os.uname().machine != "x86_64":
        pytest.skip("numbers of x86_64")
    from zerohero_autograder.sandbox import seccomp

    numbers = [n for n, _ in seccomp.DENIED.values()]
    assert printed(jail, LIBC + f"for n in {numbers}: call('syscall', n, 0, 0, 0, 0, 0)") == "-1 1\n" * len(numbers)


def test_device_files(jail):
    code = "import os, stat\nos.mknod('d', stat.S_IFBLK | 0o666, os.makedev(8, 0))"
    assert jail(code).cells[0].error.startswith("PermissionError")
    assert set(eval(printed(jail, "import os; print(os.listdir('/dev'))"))) <= {
        "null",
        "zero",
        "full",
        "random",
        "urandom",
        "tty",
        "pts",
        "ptmx",
        "shm",
        "fd",
        "stdin",
        "stdout",
        "stderr",
        "core",
        "console",
    }


def test_the_terminal_of_the_operator(jail):
    assert jail("open('/dev/tty', 'w').write('x')").cells[0].status == "error"


def test_clock_and_host_name(jail):
    assert "PermissionError" in jail("import socket; socket.sethostname('x')").cells[0].error
    assert "PermissionError" in jail("import time; time.clock_settime(time.CLOCK_REALTIME, 0)").cells[0].error


def test_priority_cannot_be_raised(jail):
    assert "PermissionError" in jail("import os; os.setpriority(os.PRIO_PROCESS, 0, -5)").cells[0].error
