"""What a class did with one module, in numbers: for the instructor, without names and, unless asked, without code.

collect.py  the numbers, from the graded notebooks
guesses.py  what was guessed at the predict questions, and how that changed
attempts.py how many answers were handed in, where nbgrader's exchange kept them
page.py     one HTML page
table.py    one CSV row per exercise
make.py     make_insights(), for `zerohero insights`
"""

from .collect import Insights, collect
from .make import make_insights

__all__ = ["Insights", "collect", "make_insights"]
