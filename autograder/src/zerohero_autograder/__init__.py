"""The instructor's side of zerohero: build the course from text, grade submissions in a jail, record, give feedback."""

__version__ = "0.1.0"
