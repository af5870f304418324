"""The program that warm jails are forked from: inside bubblewrap, with the libraries imported, and without any right.

    python -I -B zygote.py CONTROL FOLDER...

For each request on the socket CONTROL a child makes a jail of its own out of this one and becomes runner.py in it. No code of
a student's ever runs in this process, and nothing that a child can write to is shared with it or with another child: the
child has its own user, mount, pid, ipc, uts, network and cgroup namespaces, fresh folders in memory over each writable
place, and a /proc, /dev/pts and loopback of its own. It holds no capability when the first cell runs.

A request is one message with descriptors: the plan (JSON in memory), the channel, what is printed, a socket for answers, and,
where there are control groups, a file to join one by. Answers: b"started" with a pidfd of the jail's first process, then the exit status as digits; or b"failed: ...".

    zygote --fork--> keeper (new namespaces) --fork--> init (pid 1 of the jail) --fork--> runner
"""

import array
import ctypes
import fcntl
import gc
import importlib
import importlib.util
import json
import os
import random
import signal
import socket
import stat
import struct
import sys
import traceback

PRELOADED = (
    "IPython.core.interactiveshell",
    "matplotlib_inline.backend_inline",
    "matplotlib.pyplot",
    "numpy",
    "torch",
    "zerohero.checking",
    "zerohero.grading",
    "zerohero.predicting",
    "zerohero.show",
)
NEW_NAMESPACES = 0x00020000 | 0x02000000 | 0x04000000 | 0x08000000 | 0x10000000 | 0x20000000 | 0x40000000
"""Mount, cgroup, uts, ipc, user, pid, network: CLONE_NEW... of linux/sched.h."""
READ_ONLY, NO_SUID, NO_DEVICES, NO_EXEC, REMOUNT = 1, 2, 4, 8, 32
CHANNEL = 3
INODES = 20_000
"""Files in each writable folder: empty ones take no space of its size, but memory of the kernel's."""

libc = ctypes.CDLL(None, use_errno=True)


def main(control, *folders):
    control = socket.socket(fileno=int(control))
    sys.path[:0] = folders
    runner = _beside("runner.py")
    given = json.loads(control.recv(1 << 16))
    for name in PRELOADED:
        if name.partition(".")[0] not in given["without"]:
            try:
                importlib.import_module(name)
            except Exception:  # not installed, or broken: the cell that imports it will say so
                pass
    gc.collect()
    gc.freeze()  # a collection in a child would otherwise copy every page that is shared with this process
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    control.send(b"ready")
    while True:
        message, descriptors = _receive(control)
        if not message:
            os._exit(0)  # nobody is left who could ask
        answers = None
        try:
            plan, channel, printed, answers, *groups = descriptors
            if os.fork() == 0:
                _keep(runner, given, plan, channel, printed, socket.socket(fileno=answers), groups, control)
        except (OSError, ValueError) as problem:
            if answers is not None:
                os.write(answers, f"failed: {problem}".encode())
        for descriptor in descriptors:
            os.close(descriptor)


def _beside(name):
    """A program of ours as a module that no import statement finds."""
    spec = importlib.util.spec_from_file_location(name.removesuffix(".py"), os.path.join(os.path.dirname(__file__), name))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _receive(control):
    numbers = array.array("i")
    message, ancillary, _, _ = control.recvmsg(64, socket.CMSG_SPACE(5 * numbers.itemsize))
    for level, kind, data in ancillary:
        if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
            numbers.frombytes(data[: len(data) - len(data) % numbers.itemsize])
    return message, list(numbers)


def _keep(runner, given, plan, channel, printed, answers, groups, control):
    """The child: makes the namespaces, starts init in them, and tells how it ended."""
    try:
        control.close()
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for group in groups:
            os.write(group, b"0")  # this process, and all that come from it
            os.close(group)
        with open(plan, encoding="utf-8") as file:  # closes it
            wanted = json.load(file)
        _new_namespaces()
        init = os.fork()
        if init == 0:
            answers.close()
            _init(runner, given, wanted, channel, printed)
        os.close(channel)
        os.close(printed)
        pidfd = os.pidfd_open(init)
        answers.sendmsg([b"started"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [pidfd]))])
        _, status = os.waitpid(init, 0)
        code = os.waitstatus_to_exitcode(status)
        answers.send(str(code if code >= 0 else 128 - code).encode())
    except BaseException as problem:
        answers.send(f"failed: {problem!r}"[:2000].encode())
    finally:
        os._exit(0)


def _new_namespaces():
    user, group = os.getuid(), os.getgid()
    _call("unshare", NEW_NAMESPACES)
    for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
        with open(f"/proc/self/{name}", "w") as file:
            file.write(text)


def _init(runner, given, wanted, channel, printed):
    """Pid 1 of the jail. Sets it up, drops every right, starts the runner, and waits for its end."""
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        _prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG: with the keeper
        _own_descriptors(channel, printed)
        _own_places(given, wanted)
        _loopback_up()
        rules = bytes.fromhex(given["filter"])
        _drop_rights(rules)
        first = os.fork()
        if first == 0:
            _no_right_is_left(rules)
            _become(runner, wanted["plan"])
    except BaseException as problem:
        os.write(2, f"the jail could not be made: {type(problem).__name__}: {problem}\n".encode())
        os._exit(71)
    os.close(CHANNEL)  # the end of the runner is the end of the channel
    while True:
        try:
            pid, status = os.wait()
        except ChildProcessError:
            os._exit(71)
        if pid == first:
            code = os.waitstatus_to_exitcode(status)
            os._exit(code if code >= 0 else 128 - code)


def _own_places(given, wanted):
    _mount("none", "/", None, 0x4000 | 0x40000)  # MS_REC | MS_PRIVATE
    size = wanted["plan"]["limits"]["disk"]
    below = [(os.open(place, os.O_PATH | os.O_NOFOLLOW), place) for place in given["below"]]  # what the folders to come would cover
    for place, mode in ((given["home"], "0700"), ("/tmp", "0700"), ("/dev/shm", "1777")):
        _mount("tmpfs", place, "tmpfs", NO_SUID | NO_DEVICES, f"mode={mode},size={size},nr_inodes={INODES}")
    for descriptor, place in below:
        _show(descriptor, place)
    _mount("tmpfs", given["given"], "tmpfs", NO_SUID | NO_DEVICES, "mode=0755")
    with open(f"{given['given']}/cases.json", "w", encoding="utf-8") as file:
        file.write(wanted["cases"])
    _mount("none", given["given"], None, REMOUNT | READ_ONLY | NO_SUID | NO_DEVICES)
    _mount("devpts", "/dev/pts", "devpts", NO_SUID | NO_EXEC, "newinstance,ptmxmode=0666,mode=620")
    _mount("proc", "/proc", "proc", NO_SUID | NO_DEVICES | NO_EXEC)
    with open("/proc/sys/user/max_user_namespaces", "w") as file:  # as bubblewrap's --disable-userns; the filter denies them too
        file.write("0")
    # pid 1 is ours and of the student's user: its memory must not be in reach
    _mount("tmpfs", "/proc/1", "tmpfs", READ_ONLY | NO_SUID | NO_DEVICES | NO_EXEC, "mode=0555,size=4096")


def _show(descriptor, place):
    """Put what was opened before at the same place in a folder that covers it now."""
    os.makedirs(os.path.dirname(place), 0o755, exist_ok=True)
    source = f"/proc/self/fd/{descriptor}"
    kind = os.fstat(descriptor).st_mode
    if stat.S_ISLNK(kind):
        os.symlink(os.readlink("", dir_fd=descriptor), place)
    else:
        os.mkdir(place) if stat.S_ISDIR(kind) else os.close(os.open(place, os.O_CREAT | os.O_WRONLY))
        _mount(source, place, None, 0x1000 | 0x4000)  # MS_BIND | MS_REC: with what covers parts of it
    os.close(descriptor)


def _loopback_up():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        up_and_running = 0x1 | 0x40
        fcntl.ioctl(any_socket, 0x8914, struct.pack("16sH22x", b"lo", up_and_running))  # SIOCSIFFLAGS


def _own_descriptors(channel, printed):
    """0 nothing, 1 and 2 what is printed, 3 the channel; every other one is closed."""
    channel, printed = fcntl.fcntl(channel, fcntl.F_DUPFD, 64), fcntl.fcntl(printed, fcntl.F_DUPFD, 64)
    nothing = os.open("/dev/null", os.O_RDONLY)
    for source, target in ((nothing, 0), (printed, 1), (printed, 2), (channel, CHANNEL)):
        os.dup2(source, target)
    for name in os.listdir("/proc/self/fd"):
        if int(name) > CHANNEL:
            try:
                os.close(int(name))
            except OSError:  # the one that listed them
                pass


def _drop_rights(rules):
    _prctl(38, 1)  # PR_SET_NO_NEW_PRIVS; bubblewrap did so
    _prctl(47, 4)  # PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL
    for capability in range(64):
        try:
            _prctl(24, capability)  # PR_CAPBSET_DROP
        except OSError:
            break  # the kernel knows no more of them
    header, none = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()  # version 3: two sets of three words
    _call("capset", header, none)
    if rules:
        code = ctypes.create_string_buffer(rules, len(rules))
        program = ctypes.create_string_buffer(struct.pack("HP", len(rules) // 8, ctypes.addressof(code)))
        _prctl(22, 2, ctypes.addressof(program))  # PR_SET_SECCOMP, SECCOMP_MODE_FILTER


def _no_right_is_left(rules):
    """Seen from the process that the student gets."""
    with open("/proc/self/status") as file:
        held = dict(line.split(":", 1) for line in file if line.startswith(("Cap", "NoNewPrivs", "Seccomp:")))
    if any(int(held[name], 16) for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")) or held["NoNewPrivs"].strip() != "1":
        raise PermissionError("some right could not be dropped")
    if rules and held["Seccomp"].strip() != "2":
        raise PermissionError("the filter of system calls is not in force")


def _become(runner, plan):
    """The process in which the student's code runs: as runner.py is in a jail of its own."""
    try:
        os.setsid()
        os.chdir(os.environ["HOME"])
        sys.stdin = os.fdopen(0, closefd=False)  # those of the zygote belong to other files
        sys.stdout = sys.__stdout__ = os.fdopen(1, "w", encoding="utf-8", closefd=False)
        sys.stderr = sys.__stderr__ = os.fdopen(2, "w", encoding="utf-8", closefd=False)
        for number in (signal.SIGINT, signal.SIGCHLD):
            signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)
        random.seed()  # a fork has its parent's generators
        if "numpy" in sys.modules:
            sys.modules["numpy"].random.seed()
        runner.run(plan, CHANNEL)
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(70)


def _mount(source, place, kind, flags, options=""):
    _call("mount", source.encode(), place.encode(), kind and kind.encode(), ctypes.c_ulong(flags), options.encode(), about=place)


def _prctl(option, *arguments):
    _call("prctl", option, *(ctypes.c_ulong(argument) for argument in (*arguments, 0, 0, 0, 0)[:4]))


def _call(name, *arguments, about=""):
    ctypes.set_errno(0)
    if getattr(libc, name)(*arguments) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name} {about}: {os.strerror(number)}")


if __name__ == "__main__":
    main(*sys.argv[1:])
