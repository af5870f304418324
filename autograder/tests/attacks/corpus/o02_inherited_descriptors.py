"""Everything that was open when the first cell began is tried: what is no pipe and no channel could lead to whoever started it."""

BEFORE = """
import os, socket, stat
channel = int(os.environ["ZEROHERO_GRADING_FD"])
for fd in range(256):
    try: kind, target = os.fstat(fd).st_mode, os.readlink(f"/proc/self/fd/{fd}")
    except OSError: continue
    own = target.startswith(os.path.expanduser("~")) or target.startswith(("/grading/", "/usr/", "/proc/", "/dev/urandom"))
    if stat.S_ISDIR(kind): escaped("a folder", fd, target)
    if stat.S_ISSOCK(kind) and fd != channel: escaped("a socket", fd, target)
    if not (own or target == "/dev/null" or target.startswith(("pipe:", "anon_inode:[event"))) and fd != channel: escaped(fd, target)
    for path in (f"/proc/self/fd/{fd}/..", f"/proc/self/fd/{fd}/../../etc/shadow"):
        if os.path.exists(path): escaped(path)
tried()
"""
