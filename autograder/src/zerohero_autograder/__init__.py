"""The instructor's side of zerohero: build the course from text, grade submissions in a jail, record, give feedback."""

import sys

__version__ = "0.1.0"

# jsonschema, which comes with nbgrader by way of the Jupyter server, builds a grammar for one kind of web address when it is imported: half of
# the time that a command of ours takes to start. It does without where this package cannot be imported, and nothing here has such an address.
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]
