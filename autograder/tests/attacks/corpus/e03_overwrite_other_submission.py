"""What another student handed in, who is graded later, is replaced by something broken."""

AFTER = """
import os
for place in (f"{ROOT}/submitted/zed/m01_derivatives", "../../zed/m01_derivatives"):
    try:
        open(f"{place}/m01_derivatives.ipynb", "w").write("broken")
        escaped(place)
    except OSError: pass
    try:
        os.makedirs(place)
        open(f"{place}/m01_derivatives.ipynb", "w").write("broken")  # in the jail's own memory, if at all
    except OSError: pass
tried()
"""
