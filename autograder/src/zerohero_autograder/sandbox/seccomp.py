"""A filter of system calls that no course notebook needs and that limits or namespaces do not cover.

Above all: memory that RLIMIT_AS does not count (SysV shared memory, memfd), the kernel's key rings (which are not in any
namespace), new namespaces and mounts, ptrace, io_uring, bpf, and socket families that reach past a network namespace (AF_VSOCK). A denied call fails with EPERM; the program goes on.
"""

import errno
import platform
import struct

# call -> number on x86_64, on aarch64 (None: does not exist there)
DENIED = {
    "shmget": (29, 194),
    "shmat": (30, 196),
    "shmctl": (31, 195),
    "msgget": (68, 186),
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "kcmp": (312, 272),
    "pidfd_getfd": (438, 438),
    "unshare": (272, 97),
    "setns": (308, 268),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "open_by_handle_at": (304, 265),
    "name_to_handle_at": (303, 264),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "quotactl": (179, 60),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "reboot": (169, 142),
    "acct": (163, 89),
    "syslog": (103, 116),
}
SOCKET = (41, 198)
FAMILIES = (1, 2, 10, 16)  # unix, inet, inet6, netlink
CLONE = (56, 220)
CLONE3 = (435, 435)
NEW_NAMESPACE = 0x00020000 | 0x02000000 | 0x04000000 | 0x08000000 | 0x10000000 | 0x20000000 | 0x40000000
ARCHITECTURES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _ERROR, _KILL = 0x7FFF0000, 0x00050000, 0x80000000


def program(machine: str | None = None) -> bytes:
    """The filter for bubblewrap's --seccomp, or nothing where the machine's call numbers are not known here."""
    if (machine or platform.machine()) not in ARCHITECTURES:
        return b""
    column, audit = ARCHITECTURES[machine or platform.machine()]
    denied = [numbers[column] for numbers in DENIED.values()]
    rules = [(_LOAD, 0, 0, 4), (_EQUAL, 1, 0, audit), (_RETURN, 0, 0, _KILL)]  # calls of another architecture have other numbers
    rules += [(_LOAD, 0, 0, 0), (_AT_LEAST, 0, 1, 0x40000000), (_RETURN, 0, 0, _KILL)]  # x32
    rules += [(_EQUAL, 0, 1, CLONE3[column]), (_RETURN, 0, 0, _ERROR | errno.ENOSYS)]  # its flags are in memory; libc falls back to clone
    for number in denied:
        rules += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, _ERROR | errno.EPERM)]
    rules += [(_EQUAL, 0, 4, CLONE[column]), (_LOAD, 0, 0, 16), (_ANY_BIT, 0, 1, NEW_NAMESPACE), (_RETURN, 0, 0, _ERROR | errno.EPERM), (_RETURN, 0, 0, _ALLOW)]
    rules += [(_EQUAL, 0, len(FAMILIES) + 2, SOCKET[column]), (_LOAD, 0, 0, 16)]
    rules += [(_EQUAL, len(FAMILIES) - i, 0, family) for i, family in enumerate(FAMILIES)]
    rules += [(_RETURN, 0, 0, _ERROR | errno.EAFNOSUPPORT)]
    rules += [(_RETURN, 0, 0, _ALLOW)]
    return b"".join(struct.pack("=HBBI", *rule) for rule in rules)
