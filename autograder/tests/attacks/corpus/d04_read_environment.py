"""The environment of the grading process, its home folder and the secret of the hidden cases are printed."""

AFTER = """
import glob, os
print(dict(os.environ))
for place in [*glob.glob("/proc/*/environ"), f"{HOME}/canary.txt", f"{ROOT}/secret_seed", f"{ROOT}/submitted/abe/m01_derivatives/m01_derivatives.ipynb"]:
    try: print(open(place).read())
    except OSError: pass
tried()
"""
