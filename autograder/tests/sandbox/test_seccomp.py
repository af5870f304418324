"""The filter is data for the kernel: this interprets it, for both architectures, on machines that are neither."""

import errno
import struct

import pytest

from zerohero_autograder.sandbox import seccomp

ALLOW, EPERM = 0x7FFF0000, 0x00050000 | errno.EPERM


def verdict(machine, call, argument=0, audit=None):
    _, own = seccomp.ARCHITECTURES[machine]
    words = {0: call, 4: audit or own, 16: argument}
    program = [r for r in struct.iter_unpack("=HBBI", seccomp.program(machine))]
    at, value = 0, 0
    while True:
        code, yes, no, k = program[at]
        at += 1
        if code == 0x20:
            value = words[k]
        elif code == 0x06:
            return k
        else:
            at += yes if {0x15: value == k, 0x35: value >= k, 0x45: bool(value & k)}[code] else no


@pytest.mark.parametrize("machine", seccomp.ARCHITECTURES)
@pytest.mark.parametrize("name", seccomp.DENIED)
def test_each_denied_call_is_denied(machine, name):
    assert verdict(machine, seccomp.DENIED[name][seccomp.ARCHITECTURES[machine][0]]) == EPERM


@pytest.mark.parametrize("machine", seccomp.ARCHITECTURES)
def test_threads_and_forks_are_allowed_and_namespaces_are_not(machine):
    call = seccomp.CLONE[seccomp.ARCHITECTURES[machine][0]]
    assert verdict(machine, call, 0x3D0F00) == ALLOW  # what pthread_create passes
    assert verdict(machine, call, 0x01200011) == ALLOW  # what fork passes
    assert verdict(machine, call, 0x10000000) == EPERM
    assert verdict(machine, seccomp.CLONE3[0]) == 0x00050000 | errno.ENOSYS


@pytest.mark.parametrize("machine", seccomp.ARCHITECTURES)
@pytest.mark.parametrize(("family", "allowed"), [(1, True), (2, True), (10, True), (16, True), (0, False), (17, False), (38, False), (40, False)])
def test_socket_families(machine, family, allowed):
    assert (verdict(machine, seccomp.SOCKET[seccomp.ARCHITECTURES[machine][0]], family) == ALLOW) is allowed


@pytest.mark.parametrize("machine", seccomp.ARCHITECTURES)
def test_everyday_calls_are_allowed(machine):
    for call in ((0, 63), (1, 64), (9, 222), (202, 98), (59, 221), (61, 260)):  # read, write, mmap, futex, execve, wait4
        assert verdict(machine, call[seccomp.ARCHITECTURES[machine][0]]) == ALLOW


def test_calls_of_another_architecture_are_killed():
    assert verdict("x86_64", 0, audit=0x40000003) == 0x80000000  # i386
    assert verdict("x86_64", 0x40000000 + 29) == 0x80000000  # x32


def test_an_unknown_architecture_has_no_filter():
    assert seccomp.program("riscv64") == b""
