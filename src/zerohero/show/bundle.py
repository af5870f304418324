"""One MIME bundle a report: JSON for JupyterLab, HTML for every other host, text for terminals."""

import sys
from typing import Any

from ..report import MIME, Report
from .html import html
from .text import text


def bundle(report: Report) -> dict[str, Any]:
    """{MIME type: the report in that form}."""
    return {MIME: report.to_json(), "text/html": html(report), "text/plain": text(report)}


def show(report: Report) -> bool:
    """Display the report in a notebook and return True; elsewhere print a passed one and return False."""
    if "IPython" in sys.modules:
        from IPython import get_ipython

        if get_ipython() is not None:
            from IPython.display import display

            display(bundle(report), raw=True)
            return True
    if report.passed:
        print(text(report))
    return False
