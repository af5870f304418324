"""Processes with two forks, a session of their own, every signal ignored, all descriptors closed, one of them stopped, one with nobody who waits."""

AFTER = """
import ctypes, os, signal, time
def hide(stop):
    if os.fork(): return
    os.setsid()
    if os.fork(): os._exit(0)
    for number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP}: signal.signal(number, signal.SIG_IGN)
    ctypes.CDLL(None).prctl(1, 0)  # no signal when the parent dies
    os.closerange(0, 256)
    open("/proc/self/comm", "w").write(TOKEN)
    if stop: os.kill(os.getpid(), signal.SIGSTOP)
    while True: time.sleep(1)
hide(True); hide(False)
time.sleep(0.2)
tried()
"""
