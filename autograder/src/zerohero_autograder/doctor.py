"""What `zerohero doctor` says on an instructor's machine besides what it says on a student's."""

from zerohero.doctor import Finding
from zerohero.errors import ZeroheroError

from .sandbox import Warm, choose


def jail() -> Finding:
    """Can submissions be graded safely here? Starts a jail and runs an empty notebook in it."""
    try:
        sandbox = choose()
    except ZeroheroError as error:
        saw, _, todo = str(error).partition("; ")
        return Finding("grading jail", False, saw, todo or saw, required=False)
    saw = "bubblewrap works" if isinstance(sandbox, Warm) else "bubblewrap works; each submission starts a jail of its own, which takes longer"
    return Finding("grading jail", True, saw, required=False)
