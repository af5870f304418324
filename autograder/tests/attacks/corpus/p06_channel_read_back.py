"""The other end of the channel is opened, to take back what was said: a run of which nothing was heard could pass for a grader that is broken."""

BEFORE = """
import os
channel = int(os.environ["ZEROHERO_GRADING_FD"])
try:
    other = os.open(f"/proc/self/fd/{channel}", os.O_RDONLY | os.O_NONBLOCK)
    escaped("the other end")
except OSError: tried()
os._exit(0)
"""
EVIDENCE = "TRIED"
