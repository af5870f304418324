"""What a person should look at: cells that reach for the checker's own parts. Evidence, no verdict, and easily evaded."""

import re

from ..rebuild import Rebuilt

REACHES = re.compile(
    r"zerohero\s*\.\s*(?:exercises?|grading|gradcheck\.directional)\b|from\s+zerohero\s+import[^\n]{0,200}\b(?:exercises?|grading)\b|ZEROHERO_GRADING|/grading/"
)
"""The package measures truth with code that a student has too; calling it is no answer, and no judge can tell."""


def worth_a_look(rebuilt: Rebuilt) -> list[str]:
    """One sentence for the instructor per cell of the student's that names a part of the checker."""
    cells = [cell for cell in rebuilt.cells if cell.number is not None and cell.runs]
    return [f"cell {cell.number} names a part of the checker: {found[0]}" for cell in cells if (found := REACHES.search(cell.source))]
