"""The instructor's notebook is overwritten."""

AFTER = """
for place in (f"{ROOT}/source/m01_derivatives/m01_derivatives.ipynb", "../../../source/m01_derivatives/m01_derivatives.ipynb"):
    try:
        open(place, "w").write("{}")
        escaped(place)
    except OSError: pass
tried()
"""
