"""Leaves a mark for the next student wherever one can be left: files, sockets, queues, libraries in memory, settings of the process."""

AFTER = r"""
import builtins, ctypes, json, os, socket, sys
mark = "mallory-was-here"
for top, folders, files in os.walk("/", topdown=True):
    if top == "/proc": folders.clear()
    try: open(os.path.join(top, mark), "w").write(mark)
    except OSError: pass
for name in ("/dev/shm/sem." + mark, f"/proc/sys/kernel/{mark}", "/proc/self/comm"):
    try: open(name, "w").write(mark)
    except OSError: pass
left = socket.socket(socket.AF_UNIX)
left.bind("\0" + mark)
left.listen()
libc = ctypes.CDLL(None, use_errno=True)
libc.shmget(0x5eed, 4096, 0o1666); libc.msgget(0x5eed, 0o1666); libc.semget(0x5eed, 1, 0o1666)
builtins.mallory_was_here = json.mallory_was_here = sys.mallory_was_here = True
sys.path.insert(0, "/" + mark)
os.environ["MARK"] = mark
os.umask(0o123); os.nice(7); open("/proc/self/oom_score_adj", "w").write("777")
if os.fork() == 0:
    os.setsid()
    while True: left.accept()
tried()
"""
