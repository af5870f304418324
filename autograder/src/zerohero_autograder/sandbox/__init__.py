"""Running a student's cells where they can do no harm.

``choose()`` gives the best sandbox this machine has; ``Sandbox.run`` runs one notebook in it and tells what happened.
What the sandbox does and does not do is written down in docs/threat-model.md.
"""

from .bubblewrap import Bubblewrap
from .contract import CellRun, Limits, NoSandbox, Run, Sandbox
from .unsafe import Unsafe
from .warm import Warm, begin

__all__ = ["Bubblewrap", "CellRun", "Limits", "NoSandbox", "Run", "Sandbox", "Unsafe", "Warm", "begin", "choose"]


def choose(unsafe: bool = False) -> Sandbox:
    """The sandbox to grade in.

    Raises NoSandbox, saying what to install, when no jail can be made here. ``unsafe=True`` is the operator's word,
    given as ``--unsafe`` on the command line, that submissions may run with the grader's own rights.
    """
    return Unsafe() if unsafe else Warm.ready()
