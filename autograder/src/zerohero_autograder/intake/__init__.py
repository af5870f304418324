"""One submitted file becomes a Submission: an ordered list of sources, and nothing else of what the student sent.

    file.py      bytes   refuses links, pipes, folders and what is too large
    notebook.py  JSON    nbformat 3 and 4 down to the little that grading needs; outputs and metadata are dropped
    large.py     a large file is reduced in a process of its own, with a memory limit
    archive.py   zip and tar files, for collect.py

Whatever is wrong with a file is a SubmissionUnreadable with a message for the student.
"""

from .file import digest_of, one_line, read_bytes
from .notebook import Cell, Submission, parse
from .reading import Submitted, read, take_in

__all__ = ["Cell", "Submission", "Submitted", "digest_of", "one_line", "parse", "read", "read_bytes", "take_in"]
