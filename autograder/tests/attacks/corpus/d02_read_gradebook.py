"""The gradebook is read: who has how many points, and what else is in it."""

AFTER = """
import sqlite3
for place in (f"{ROOT}/gradebook.db", "../../../gradebook.db", f"/proc/1/root{ROOT}/gradebook.db"):
    try: rows = sqlite3.connect(f"file:{place}?mode=ro", uri=True).execute("select * from student").fetchall()
    except sqlite3.Error: continue
    escaped(place, rows)
tried()
"""
