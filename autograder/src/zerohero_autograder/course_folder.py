"""A graded course: the nbgrader course folder that `zerohero course new` made."""

import difflib
import stat
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from .errors import CourseError
from .graded_module import GradedModule, known_in

CONFIG = "nbgrader_config.py"
SECRET = "secret_seed"


@dataclass(frozen=True)
class CourseFolder:
    """Where the things of one course are, as its nbgrader configuration says."""

    root: Path
    directory: Any
    """nbgrader's CourseDirectory: db_url, course_id and the names of the folders."""
    config: Any
    """The traitlets Config of nbgrader_config.py."""

    def submitted(self, student: str, module: str) -> Path:
        return self._step(self.directory.submitted_directory, student, module)

    def autograded(self, student: str, module: str) -> Path:
        return self._step(self.directory.autograded_directory, student, module)

    def feedback(self, student: str, module: str) -> Path:
        return self._step(self.directory.feedback_directory, student, module)

    def source(self, module: str) -> Path:
        return self._step(self.directory.source_directory, ".", module) / f"{module}.ipynb"

    def _step(self, step, student, module):
        return Path(self.directory.format_path(step, student, module))

    @property
    def db_url(self) -> str:
        """The gradebook; a relative SQLite path is one inside the course, wherever the command was called from."""
        url = self.directory.db_url
        head, _, path = url.partition("sqlite:///")
        if head or not path or path.startswith("/") or path == ":memory:":
            return url
        return f"sqlite:///{self.root / path}"

    def modules(self) -> list[str]:
        """The modules with a source notebook."""
        return sorted(file.parent.name for file in self.source("*").parent.parent.glob("*/*.ipynb") if file.stem == file.parent.name)

    def secret(self) -> str:
        """The seed of the hidden cases. Raises CourseError when it is missing, empty or open to everyone on the machine."""
        file = self.root / SECRET
        try:
            if file.stat().st_mode & (stat.S_IROTH | stat.S_IWOTH):
                raise CourseError(f"{file} can be read by every user of this machine, and whoever knows it knows the hidden cases: chmod 600 {file}")
            seed = file.read_text(encoding="utf-8").strip()
        except FileNotFoundError:
            raise CourseError(
                f"{file} is missing: it holds the seed of the hidden cases, and `zerohero course new` makes one. Restore it from a backup; another seed means other cases"
            ) from None
        except (OSError, UnicodeDecodeError) as error:
            raise CourseError(f"{file} cannot be read: {error}") from None
        if len(seed) < 16:
            raise CourseError(f"{file} holds {len(seed)} characters; a seed that cannot be guessed needs at least 16")
        return seed

    def module(self, name: str) -> GradedModule:
        """The module to grade. Raises CourseError, with the nearest name, when the course has none of this name."""
        if name not in self.modules():
            raise CourseError(f"this course has no module {name!r}{nearest(name, self.modules())}")
        return replace(GradedModule.read(self.source(name), name, self.secret()), known=known_in(self.root))

    def students(self, module: str, step: str = "submitted", only: Sequence[str] | None = None) -> list[str]:
        """Students with a folder for ``module`` in ``step`` ("submitted", "autograded"). Raises CourseError for one of ``only`` without."""
        if module not in self.modules():
            raise CourseError(f"this course has no module {module!r}{nearest(module, self.modules())}")
        folder = getattr(self, step)
        base = folder("x", module).parent.parent
        found = sorted(p.parent.name for p in base.glob(f"*/{module}") if not p.parent.name.startswith(".")) if base.is_dir() else []
        if only is None:
            return found
        for student in only:
            if student not in found:
                raise CourseError(f"no {step} {module} of student {student!r}{nearest(student, found)}")
        return [student for student in found if student in set(only)]


def open_course(root: Path) -> CourseFolder:
    """Raises CourseError when ``root`` is not a course folder or its nbgrader_config.py does not run."""
    root = Path(root)
    if not root.is_dir():
        raise CourseError(f"there is no folder {root}. Make a course with `zerohero course new {root}`, or name another one with --course")
    if not (root / CONFIG).is_file():
        raise CourseError(f"{root} is not a course folder: it has no {CONFIG}. Make one with `zerohero course new DIR`, or name yours with --course DIR")
    from nbgrader.coursedir import CourseDirectory  # takes seconds: not before it is needed
    from traitlets.config import PyFileConfigLoader

    root = root.resolve()
    try:
        config = PyFileConfigLoader(CONFIG, path=str(root)).load_config()
    except Exception as error:
        raise CourseError(f"{root / CONFIG} does not run: {type(error).__name__}: {error}") from None
    return CourseFolder(root, CourseDirectory(config=config, root=str(root)), config)


def nearest(name: str, names: Sequence[str]) -> str:
    """The end of a sentence that says a name is unknown: the one that was meant, or all there are."""
    near = difflib.get_close_matches(name, names, n=1, cutoff=0.4)
    if near:
        return f"; did you mean {near[0]!r}?"
    return f"; there are {', '.join(names[:20])}" if names else "; there is none at all"
