"""The student's working folder and JupyterLab beside a clone: filled from build/student, never overwriting what a student wrote."""

import hashlib
import json
import shutil
from pathlib import Path

RECORD = ".zerohero.json"  # {file: sha256 as we last wrote it}


def refresh(student: Path, work: Path) -> list[str]:
    """Copy new and updated files of ``student`` into ``work``. Returns the names of files that were kept as the student left them.

    A file is replaced only when it still is byte for byte what we put there. Where the lesson changed and the student's
    file too, theirs stays and the new version is written beside it as NAME.new.ipynb.
    """
    record_file = work / RECORD
    record = _read(record_file)
    kept = []
    for file in sorted(p for p in student.rglob("*") if p.is_file()):
        name = file.relative_to(student).as_posix()
        target, ours = work / name, _digest(file)
        if target.exists() and _digest(target) not in (ours, record.get(name)):
            kept.append(name)
            if record.get(name) not in (None, ours):
                shutil.copyfile(file, target.with_name(f"{target.stem}.new{target.suffix}"))
                record[name] = ours  # the new version is put beside theirs once
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        if not target.exists() or _digest(target) != ours:
            shutil.copyfile(file, target)
        record[name] = ours
    work.mkdir(parents=True, exist_ok=True)
    record_file.write_text(json.dumps(record, indent=0, sort_keys=True), encoding="utf-8")
    return kept


def no_news_pop_up(prefix: Path) -> None:
    """Settings of the JupyterLab in our own environment ``prefix``: no question about news over the first page. Kept when there are some."""
    file = prefix / "share" / "jupyter" / "lab" / "settings" / "overrides.json"
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps({"@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": False}}), encoding="utf-8")


def _read(record_file):
    try:
        return dict(json.loads(record_file.read_text(encoding="utf-8")))
    except (FileNotFoundError, ValueError):
        return {}  # without a record every file that differs counts as the student's


def _digest(file):
    return hashlib.sha256(file.read_bytes()).hexdigest()
