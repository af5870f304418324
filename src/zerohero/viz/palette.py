"""How things look in a view: each look is a colour with a dash and a shape, so that nothing is told by colour alone.

The colours have a contrast of at least 3:1 against white and against a dark page (#111), and are 15 apart (CIE 1976 Lab)
from each other for normal sight and for protanopia, deuteranopia and tritanopia (matrices of Machado, Oliveira and Fernandes,
2009, severity 1): tests/viz/test_scene.py. ``labext/style/view.css`` has the same colours; the same test compares them.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Look:
    color: str
    dash: str = ""
    """Lengths of strokes and gaps in px, as SVG has them; "" is a whole line."""
    shape: str = "circle"
    """Of a dot: circle, square, triangle, diamond or cross."""
    opacity: float = 1.0


LOOKS = {
    "ink": Look("currentColor"),  # text and axes, in the colour of the page
    "faint": Look("currentColor", opacity=0.25),  # grid lines, what is not there yet
    "series0": Look("#0072B2"),  # Okabe and Ito's blue
    "series1": Look("#D55E00", "7 4", "square"),  # and their vermillion
    "series2": Look("#767676", "2 3", "triangle"),
    "series3": Look("#A0522D", "9 3 2 3", "diamond"),
    "series4": Look("#7A5CD6", "1 4", "cross"),
    "focus": Look("#D55E00"),  # what this step is about: drawn thicker too
    "flow": Look("#0072B2"),  # what moves in this step: drawn thicker too
}
SERIES = [name for name in LOOKS if name.startswith("series")]

POSITIVE, NEGATIVE = "#0072B2", "#D55E00"  # of cells; negative cells are crossed by a line as well
LEVELS = 8
"""Cells have levels 0 to 8, or -8 to 8: the share of the colour laid over the page, in eighths."""
