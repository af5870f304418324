"""Keys are typed into every terminal in reach, as if the operator had typed them."""

BEFORE = """
import fcntl, glob, os
for path in [*glob.glob("/dev/pts/*"), "/dev/tty", "/dev/console", "/dev/tty1", "/proc/self/fd/0", "/proc/self/fd/1", "/proc/1/fd/0"]:
    if path.endswith("ptmx"): continue
    try: terminal = os.open(path, os.O_RDWR | os.O_NOCTTY)
    except OSError: continue
    for key in b"touch /tmp/typed\\n":
        try: fcntl.ioctl(terminal, 0x5412, bytes([key]))
        except OSError: break
    else: escaped(path)
tried()
"""
