"""Descriptors are sent along with the results, the channel's own among them, for the grader to hold open for ever."""

AFTER = """
import os, socket
channel = socket.socket(fileno=os.dup(int(os.environ["ZEROHERO_GRADING_FD"])))
files = [os.open("/grading/given/cases.json", os.O_RDONLY) for _ in range(50)]
sent = 0
try:
    for _ in range(100): sent += socket.send_fds(channel, [b"\\n"], [*files, channel.fileno()])
except OSError: pass  # so many may be under way at one time
try:
    channel.settimeout(0.2)
    if channel.recv(1): escaped("something was said to the run")
except OSError: pass
tried(sent)
"""
