"""The instructor's notebook is opened wherever it may be, and its solutions are run."""

AFTER = """
import json, os
name = "m01_derivatives/m01_derivatives.ipynb"
places = [f"{ROOT}/source/{name}", f"../../../source/{name}", f"../../../../course/{name[:-5]}py", f"/proc/1/cwd/source/{name}", f"/proc/self/root{ROOT}/source/{name}"]
for place in places:
    try: cells = json.load(open(place))["cells"]
    except (OSError, ValueError, KeyError): continue
    escaped(place)
    for cell in cells:
        print(cell["source"])
        if "BEGIN SOLUTION" in "".join(cell["source"]): exec("".join(cell["source"]))
tried()
"""
