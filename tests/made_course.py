"""Small notebooks with answer and check cells as the course build makes them, for tests in JupyterLab."""

import hashlib
import json

from zerohero.report import MIME

STARTER = "# write here\n"


def exercise(id, source=STARTER, status=None):
    """An answer and its check cell, as the course build makes them."""
    report = {MIME: {"schema": 1, "exercise": id, "title": id, "status": status, "groups": [], "findings": []}}
    outputs = [{"output_type": "display_data", "data": report, "metadata": {}}] if status else []
    starter = hashlib.sha256(STARTER.encode()).hexdigest()[:16]
    return [
        {"cell_type": "code", "id": f"{id}-answer", "source": source, "metadata": {"zerohero": {"exercise": id, "starter": starter}}, "outputs": [], "execution_count": None},
        {"cell_type": "code", "id": id, "source": f"check('{id}', f)", "metadata": {"zerohero": {"check": id}, "nbgrader": {"points": 2}}, "outputs": outputs, "execution_count": None},
    ]  # fmt: skip


def write(folder, name, cells):
    file = folder / name / f"{name}.ipynb"
    file.parent.mkdir(exist_ok=True)
    kernel = {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"}
    file.write_text(json.dumps({"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}), encoding="utf-8")
    return file


def text(words):
    return {"cell_type": "markdown", "id": hashlib.sha256(words.encode()).hexdigest()[:8], "source": words, "metadata": {}}
