"""Every signal to everything in reach, to the first process, to whoever started it, and to their groups."""

AFTER = """
import os, signal
for number in (signal.SIGKILL, signal.SIGSTOP, signal.SIGSEGV, signal.SIGABRT, signal.SIGUSR1, signal.SIGCONT):
    for target in {-1, 1, os.getppid(), -os.getppid(), -2, 2} - {0, os.getpid(), -os.getpid(), -os.getpgrp()}:
        try: os.kill(target, number)
        except OSError: pass
tried()
"""
