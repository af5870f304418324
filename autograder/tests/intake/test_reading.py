"""Large files: old outputs cost little, and a file made to fill the memory costs its student only."""

import json
import time

import pytest
import toy_course

from zerohero_autograder.errors import SubmissionUnreadable
from zerohero_autograder.intake import parse, read


def test_sixty_megabytes_of_old_output(tmp_path, monkeypatch):
    toy_course.register(monkeypatch)
    notebook = toy_course.answered()
    small = parse(json.dumps(notebook).encode())
    toy_course.cell(notebook, "m99-square-answer")["outputs"] = [{"output_type": "stream", "name": "stdout", "text": ["0.123, 0.456, 0.789\n"] * 2_600_000}]
    file = tmp_path / "m99_toy.ipynb"
    file.write_text(json.dumps(notebook))
    assert file.stat().st_size > 60_000_000
    start = time.process_time()
    found, data = read(file)
    assert found == small and len(data) == file.stat().st_size
    assert time.process_time() - start < 5


def test_brackets_that_would_fill_the_memory(tmp_path):
    file = tmp_path / "a.ipynb"
    file.write_bytes(b'{"nbformat": 4, "cells": [' + b"[]," * 40_000_000 + b"[]]}")
    with pytest.raises(SubmissionUnreadable, match="too large to read"):
        read(file)


def test_a_large_broken_file_has_its_own_reason(tmp_path):
    file = tmp_path / "a.ipynb"
    file.write_bytes(b'{"nbformat": 4, "cells": [' + b" " * 9_000_000)
    with pytest.raises(SubmissionUnreadable, match="not a whole notebook"):
        read(file)
