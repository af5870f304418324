"""More open files, pipes and watches than there may be, and files of a terabyte that hold nothing."""

AFTER = """
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
held = []
try:
    while len(held) < 10_000: held += os.pipe()
    escaped("10,000 descriptors")
except OSError: pass
for fd in held: os.close(fd)
try:
    with open("hole", "wb") as file: file.truncate(2**40)
    escaped("a terabyte")
except OSError: pass
for call in (libc.inotify_init, libc.epoll_create1):
    taken = [call(0) for _ in range(1000)]
    if min(taken) >= 0: escaped(call)
    for fd in taken:
        if fd >= 0: os.close(fd)
if libc.mlockall(3) == 0 or libc.mq_open(b"/mallory", 0o102, 0o600, None) >= 0: escaped("locked memory or a queue")
tried()
"""
