"""The channel and the printed output change places, are made not to wait, to have other buffers, and are closed in the end."""

AFTER = """
import fcntl, os
channel = int(os.environ["ZEROHERO_GRADING_FD"])
tried()
for fd in (1, channel):
    fcntl.fcntl(fd, fcntl.F_SETFL, os.O_NONBLOCK)
    for command, value in ((fcntl.F_SETPIPE_SZ, 4096), (fcntl.F_SETOWN, 1), (fcntl.F_SETFL, os.O_ASYNC)):
        try: fcntl.fcntl(fd, command, value)
        except OSError: pass
kept = os.dup(1)
os.dup2(channel, 1); os.dup2(kept, channel)
print('{"event": "end"}', flush=True)
os.write(channel, b'{"event": "outputs", "exercise": "m01-chain-by-hand", "outputs": "[]"}\\n')
os.close(channel); os.close(1)
"""
