"""A report made visible: as text, as HTML, and both with its JSON in one MIME bundle."""

from .bundle import bundle, show
from .html import html
from .text import text

__all__ = ["bundle", "html", "show", "text"]
