"""Looks for what the one before it left."""

BEFORE = r"""
import builtins, ctypes, json, os, resource, socket, sys
mark = "mallory-was-here"
for top, folders, files in os.walk("/"):
    if top == "/proc": folders.clear()
    if mark in files or "sem." + mark in files: escaped("a file in", top)
try:
    socket.socket(socket.AF_UNIX).connect("\0" + mark)
    escaped("a socket")
except OSError: pass
libc = ctypes.CDLL(None, use_errno=True)
if libc.shmget(0x5eed, 4096, 0) >= 0 or libc.msgget(0x5eed, 0) >= 0 or libc.semget(0x5eed, 1, 0) >= 0: escaped("SysV")
for module in (builtins, json, sys):
    if hasattr(module, "mallory_was_here"): escaped("in memory of", module)
if "/" + mark in sys.path or "MARK" in os.environ: escaped("a setting")
if os.umask(0o22) == 0o123 or os.nice(0) >= 7 or "777" in open("/proc/self/oom_score_adj").read(): escaped("a property of the process")
for folder in (".", "/tmp", "/dev/shm"):
    space = os.statvfs(folder)
    if space.f_bavail < 0.9 * space.f_blocks: escaped("a full", folder)
import numpy as np
if abs(-2.0) != 2.0 or np.allclose(1, 2) or np.tanh(0.5) == 0: escaped("a library that was changed")
tried()
"""
