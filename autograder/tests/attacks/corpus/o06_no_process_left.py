"""As many sleeping processes as there may be are left behind, so that whoever comes next cannot start one."""

AFTER = """
import os, time
count = 0
try:
    while True:
        if os.fork() == 0:
            open("/proc/self/comm", "w").write(TOKEN)
            os.setsid(); time.sleep(1000)
        count += 1
except OSError: tried(count)
"""
