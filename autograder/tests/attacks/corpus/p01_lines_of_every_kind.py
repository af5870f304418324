"""Lines to the channel that a reader could choke on: too long, too deep, not text, no numbers, keys twice, events out of order."""

AFTER = r"""
import json, os
channel = int(os.environ["ZEROHERO_GRADING_FD"])
def write(data):
    while data: data = data[os.write(channel, data):]
head = b'{"event": "outputs", "exercise": "m01-chain-by-hand", "outputs": '
bodies = [
    b'"[' + b"[" * 5000 + b']"', b'"' + b"\\u0000\\ud800\\udfff" * 1000 + b'"', b'"[NaN, Infinity, -Infinity, -0, 1e999, ' + b"9" * 5000 + b']"',
    b'"[{\\"status\\": \\"ok\\", \\"value\\": 1, \\"status\\": \\"raised\\"}]"', b"[[[[1]]]]", b"null", b'"' + b"x" * 9_000_000 + b'"', b'"' + b"[1]," * 500_000 + b'"',
]
for body in bodies: write(b"\n" + head + body + b"}\n")
for line in (b'{"event": "begin", "index": -1}', b'{"event": "begin", "index": true}', b'{"event": "cell", "index": 1e400, "status": "ok"}', b'{"event": "cell", "index": 0, "index": 1, "status": ["ok"], "error": {}}',
             b'{"event": "outputs", "event": "end"}', b"\xef\xbb\xbf{}", b"\xff" * 5000, b'{"event": "outputs", "exercise": "m02-value-add", "outputs": "[]"}'):
    write(b"\n" + line + b"\n")
tried()
"""
EVIDENCE = "BEGUN"
