"""What covers or write-protects something is to be taken off: mounts again, with more rights, away, elsewhere; new and old system calls."""

BEFORE = """
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
places = [line.split()[4].encode() for line in open("/proc/self/mountinfo")]
for place in places:
    if libc.mount(None, place, None, 4096 | 32, None) == 0: escaped("writable again", place)  # MS_BIND | MS_REMOUNT
    if libc.umount2(place, 2) == 0 or libc.umount2(place, 8) == 0: escaped("gone", place)
    if libc.mount(place, b"/tmp", None, 4096, None) == 0: escaped("elsewhere", place)
for kind in (b"tmpfs", b"proc", b"sysfs", b"cgroup2", b"devpts", b"overlay"):
    if libc.mount(kind, b"/tmp", kind, 0, None) == 0: escaped("new", kind)
    if libc.syscall(430, kind, 0) >= 0: escaped("fsopen", kind)
if libc.syscall(428, -100, b"/", 1) >= 0 or libc.syscall(155, b"/tmp", b"/tmp") == 0: escaped("open_tree or pivot_root")
for name in os.listdir("/proc/self/ns"):
    if libc.setns(os.open(f"/proc/self/ns/{name}", os.O_RDONLY), 0) == 0: escaped("setns", name)
for flag in (0x10000000, 0x00020000, 0x20000000, 0x40000000, 0x08000000, 0x04000000, 0x02000000):
    if os.fork() == 0:
        if libc.unshare(flag) == 0: escaped("unshare", hex(flag))
        os._exit(0)
    os.wait()
tried()
"""
