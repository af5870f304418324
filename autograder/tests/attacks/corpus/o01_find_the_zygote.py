"""Looks for a process that is not its own: who started it, who is pid 1, whose memory, files and namespaces can be opened."""

BEFORE = """
import os
me = os.getpid()
for pid in sorted(int(p) for p in os.listdir("/proc") if p.isdigit()):
    if pid == me: continue
    if pid != 1 and pid != os.getppid(): escaped("process", pid)
    for part in ("mem", "environ", "maps", "root/etc/shadow", "cwd", "exe", "ns/mnt", f"task/{pid}/mem", "stack", "syscall", "fd", "fdinfo", "oom_score_adj", "timerslack_ns", "uid_map"):
        path = f"/proc/{pid}/{part}"
        try: os.close(os.open(path, os.O_RDWR if part in ("mem", "oom_score_adj", "uid_map") else os.O_RDONLY))
        except OSError: continue
        escaped(path)
tried()
"""
