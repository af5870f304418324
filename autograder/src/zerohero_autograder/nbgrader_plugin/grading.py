"""GradingExporter: how `nbgrader autograde` reads a submission in our courses: by grading it."""

from pathlib import Path

from nbconvert.exporters import NotebookExporter
from nbformat import from_dict
from nbgrader.converters import NbGraderException
from traitlets import Bool

from zerohero.errors import ZeroheroError

from ..course_folder import CourseFolder
from ..record import files
from ..run import grade
from ..sandbox import choose


class GradingExporter(NotebookExporter):
    """Turns a submitted file into the graded notebook. Called by Autograde, once with the submitted file and once with its own result."""

    unsafe = Bool(False, help="Grade without a sandbox, with your own rights. Only on a machine you can lose.").tag(config=True)

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self._modules = {}
        try:  # before the first submission, so that nothing is half graded without a sandbox
            self._sandbox = choose(self.unsafe)
        except ZeroheroError as error:
            self.log.error("%s", error)
            raise NbGraderException(str(error)) from None

    def from_filename(self, filename, resources=None, **kwargs):
        """(notebook as text, resources) of a submission, graded, or of a notebook that is graded already."""
        names = resources["nbgrader"]
        course = self._course()
        student, name = names["student"], names["assignment"]
        if Path(filename).resolve().parent != course.submitted(student, name).resolve():
            names["handed_in"] = files.stamp(course.submitted(student, name), "timestamp.txt")
            return super().from_filename(filename, resources, **kwargs)
        if names["notebook"] != name:
            raise NbGraderException(f"{filename} is not the notebook of {name}: only {name}.ipynb is graded")
        graded = grade(course.submitted(student, name) / f"{name}.ipynb", self._module(course, name), self._sandbox)
        for message in (*graded.messages, *graded.notes, *(flag.text for flag in graded.flags)):
            self.log.warning("%s: %s", student, message)
        self._drop_links(course, student, name)
        return self.from_notebook_node(from_dict(dict(graded.notebook)), resources, **kwargs)

    def _module(self, course, name):
        if name not in self._modules:
            try:
                self._modules[name] = course.module(name)
            except ZeroheroError as error:
                raise NbGraderException(str(error)) from None
        return self._modules[name]

    def _course(self) -> CourseFolder:
        directory = self.parent.coursedir
        return CourseFolder(Path(directory.root).resolve(), directory, self.config)

    def _drop_links(self, course, student, name):
        """autograde has copied what the links in a submission point to; those copies are no work of the student's."""
        for link in course.submitted(student, name).rglob("*"):
            copied = course.autograded(student, name) / link.relative_to(course.submitted(student, name))
            if link.is_symlink() and copied.is_file():
                copied.unlink()
                self.log.warning("%s: %s is a link; what it points to was not kept", student, link.name)
