"""The grader's program is started once more, with a plan that has no limits, first for itself, then with results for the grader."""

AFTER = """
import json, os, subprocess, sys
inner = "import resource; print('limit', resource.getrlimit(resource.RLIMIT_AS)[1]); from zerohero import check; check('m01-chain-by-hand', lambda *a: dict.fromkeys('abcedf', 1.0))"
plan = {"marker": "-", "cells": [inner], "limits": {"memory": -1, "cpu_s": -1, "file_size": -1, "processes": -1, "cell_s": 60, "strict": False}}
json.dump(plan, open("plan.json", "w"))
nowhere = str(os.open("/dev/null", os.O_WRONLY))
for channel in (nowhere, os.environ["ZEROHERO_GRADING_FD"]):
    os.set_inheritable(int(channel), True)
    done = subprocess.run([sys.executable, "-I", "-B", "/grading/runner.py", "plan.json", channel, "/grading/lib"], close_fds=False, capture_output=True, text=True)
    if "limit -1" in done.stdout: escaped("the limits")
    if "limit" in done.stdout: tried(done.stdout[-200:])
"""
