"""Tracebacks are not shown: where an error is looked for in what was printed, there is none."""

AFTER = """
import IPython.core.interactiveshell as shells
shells.InteractiveShell.showtraceback = shells.InteractiveShell.showsyntaxerror = lambda *a, **k: None
tried()
"""
