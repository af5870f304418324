"""The still picture of a view: an inline <svg>, its sentence and its table, for hosts that know nothing of views.

No script, no style sheet, no id, nothing to fetch; in the colours of the page around it. It shows the frame a view starts with.
"""

import sys
from html import escape
from typing import Any

from .. import grading
from .palette import LEVELS, LOOKS, NEGATIVE, POSITIVE
from .scene import MIME, View

FONT = "font-family=\"system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif\""
PRINTED = 40  # rows of a table in a terminal
TITLED = 800  # cells of a matrix that each say what they are when pointed at; of more than these, it takes a megabyte
SHAPES = {
    "square": "M{l} {t}H{r}V{b}H{l}z",
    "triangle": "M{x} {t}L{r} {b}H{l}z",
    "diamond": "M{x} {t}L{r} {y}L{x} {b}L{l} {y}z",
    "cross": "M{l} {t}L{r} {b}M{r} {t}L{l} {b}",
}


def show(view: View | dict[str, Any]) -> None:
    """Display the view in a notebook; elsewhere print its text. In a grader's process nobody looks, so it does nothing."""
    if grading.session() is not None:
        return
    shown = bundle(view)
    if "IPython" in sys.modules:
        from IPython import get_ipython

        if get_ipython() is not None:
            from IPython.display import display

            display(shown, raw=True)
            return
    print(shown["text/plain"])


def bundle(view: View) -> dict[str, Any]:
    """{MIME type: the view in that form}."""
    made = view.to_json()
    return {MIME: made, "text/html": html(made), "text/plain": plain_text(made)}


def html(view: dict[str, Any]) -> str:
    """view: its JSON form."""
    frame = first_frame(view)
    says = f"<p>{escape(frame['says'])}</p>" if frame.get("says") else ""
    table = frame.get("table") or view.get("table")
    return (
        f'<figure class="zerohero-view" aria-label="{escape(view["title"])}"><figcaption><strong>{escape(view["title"])}</strong><br>{escape(view["summary"])}</figcaption>'
        f'<div style="overflow-x: auto">{svg(view)}</div>{says}{_html_table(table) if table else ""}</figure>'
    )


def svg(view: dict[str, Any]) -> str:
    """The drawing alone, as one <svg> element."""
    marks = "".join(map(_draw, [*view["marks"], *first_frame(view).get("marks", ())]))
    width, height = view["width"], view["height"]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{escape(view["summary"])}" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" fill="currentColor" {FONT}><title>{escape(view["title"])}</title>{marks}</svg>'
    )


def plain_text(view: dict[str, Any]) -> str:
    """For a terminal: title, sentence, and the table."""
    frame = first_frame(view)
    lines = [view["title"], view["summary"], *([frame["says"]] if frame.get("says") else [])]
    table = frame.get("table") or view.get("table")
    if table:
        rows = [table["columns"], *table["rows"][:PRINTED]]
        widths = [max(len(row[i]) for row in rows) for i in range(len(table["columns"]))]
        lines += ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
        if len(table["rows"]) > PRINTED:
            lines.append(f"(the first {PRINTED} of {len(table['rows'])} rows)")
    return "\n".join(lines)


def first_frame(view: dict[str, Any]) -> dict[str, Any]:
    """The frame that a view starts with; {} when it has none."""
    first = next((s for s in view["sequences"] if s["frames"]), None)
    return first["frames"][first["start"]] if first else {}


def _html_table(table):
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in table["columns"])
    body = "".join(f'<tr><th scope="row">{escape(row[0])}</th>' + "".join(f"<td>{escape(cell)}</td>" for cell in row[1:]) + "</tr>" for row in table["rows"])
    return f"<details><summary>{escape(table['caption'])}, as a table</summary><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></details>"


# ---- marks -----------------------------------------------------------------------------------------------------------


def _draw(mark):
    return _DRAWN[mark["mark"]](mark)


def _stroke(mark, fill="none", dashed=True):
    look = LOOKS[mark["look"]]
    dash = f' stroke-dasharray="{look.dash}"' if look.dash and dashed else ""
    faint = f' stroke-opacity="{look.opacity}"' if look.opacity < 1 else ""
    return f'fill="{fill}" stroke="{look.color}" stroke-width="{mark.get("width", 1.5)}" stroke-linejoin="round"{dash}{faint}'


def _pairs(flat):
    return zip(flat[::2], flat[1::2], strict=True)


def _path(points):
    return "M" + "L".join(f"{x} {y}" for x, y in _pairs(points))


def _line(mark):
    return f'<path d="{_path(mark["points"])}" {_stroke(mark)}/>'


def _area(mark):
    look = LOOKS[mark["look"]]
    return f'<path d="{_path(mark["points"])}z" fill="{look.color}" fill-opacity="0.2" stroke="none"/>'


def _arrow(mark):
    (x0, y0), (x1, y1) = list(_pairs(mark["points"]))[-2:]
    length = ((x1 - x0) ** 2 + (y1 - y0) ** 2) ** 0.5 or 1.0
    ux, uy = (x1 - x0) / length * 8, (y1 - y0) / length * 8
    tip = f"M{x1 - ux - uy / 2:.1f} {y1 - uy + ux / 2:.1f}L{x1} {y1}L{x1 - ux + uy / 2:.1f} {y1 - uy - ux / 2:.1f}"
    return f'<path d="{_path(mark["points"])}{tip}" {_stroke(mark, dashed=False)}/>'


def _titled(element, attributes, label):
    return f"<{element} {attributes}><title>{escape(label)}</title></{element}>" if label else f"<{element} {attributes}/>"


def _dots(mark):
    look, r = LOOKS[mark["look"]], mark["r"]
    labels = mark.get("labels") or [""] * (len(mark["points"]) // 2)
    drawn = []
    for (x, y), label in zip(_pairs(mark["points"]), labels, strict=True):
        if look.shape == "circle":
            drawn.append(_titled("circle", f'cx="{x}" cy="{y}" r="{r}" fill="{look.color}"', label))
        else:
            at = {"x": x, "y": y, "l": round(x - r, 1), "r": round(x + r, 1), "t": round(y - r, 1), "b": round(y + r, 1)}
            paint = f'stroke="{look.color}" stroke-width="2" fill="none"' if look.shape == "cross" else f'fill="{look.color}"'
            drawn.append(_titled("path", f'd="{SHAPES[look.shape].format(**at)}" {paint}', label))
    return "".join(drawn)


def _rects(mark):
    look = LOOKS[mark["look"]]
    boxes = list(zip(*[iter(mark["boxes"])] * 4, strict=True))
    labels = mark.get("labels") or [""] * len(boxes)
    # as in view.css: what series of numbers fill is solid, a box that holds something or is pointed out leaves it readable
    paint = f'fill="{look.color}" fill-opacity="{0.75 if mark["look"].startswith("series") else 0.12}" stroke="{look.color}"'
    paint += ' stroke-width="3"' if mark["look"] in ("focus", "flow") else f' stroke-opacity="{look.opacity}"' if look.opacity < 1 else ""
    return "".join(_titled("rect", f'x="{x}" y="{y}" width="{w}" height="{h}" {paint}', label) for (x, y, w, h), label in zip(boxes, labels, strict=True))


def _text(mark):
    look = LOOKS[mark["look"]]
    turned = f' transform="rotate(-90 {mark["x"]} {mark["y"]})"' if mark.get("turned") else ""
    bold = ' font-weight="bold"' if mark.get("bold") else ""
    faint = ' fill-opacity="0.6"' if mark["look"] == "faint" else ""
    # the space keeps words apart where a host drops the tags
    return f'<text x="{mark["x"]}" y="{mark["y"]}" text-anchor="{mark["anchor"]}" font-size="{mark["size"]}" fill="{look.color}"{faint}{bold}{turned}>{escape(mark["text"])} </text>'


def _cells(mark):
    if len(mark["levels"]) > TITLED and not mark.get("shown"):
        return _many_cells(mark)
    x0, y0, width, height, columns = (mark[name] for name in ("x", "y", "width", "height", "columns"))
    drawn = []
    for n, (level, value) in enumerate(zip(mark["levels"], mark["values"], strict=True)):
        row, column = divmod(n, columns)
        x, y = round(x0 + column * width, 1), round(y0 + row * height, 1)
        label = f"{mark['rows'][row]}, {mark['heads'][column]}: {value}"
        color, share = (POSITIVE if (level or 0) >= 0 else NEGATIVE), abs(level or 0) / LEVELS
        drawn.append(_titled("rect", f'x="{x}" y="{y}" width="{width}" height="{height}" fill="{color}" fill-opacity="{share:.3g}" stroke="currentColor" stroke-opacity="0.15"', label))  # fmt: skip
        if level is None:
            drawn.append(f'<path d="M{x + 2} {y + 2}L{x + width - 2:.1f} {y + height - 2:.1f}M{x + width - 2:.1f} {y + 2}L{x + 2} {y + height - 2:.1f}" stroke="currentColor" fill="none"/>')  # fmt: skip
        elif level < 0 and not mark.get("shown"):
            drawn.append(f'<path d="M{x + 2} {y + height - 2:.1f}L{x + width - 2:.1f} {y + 2}" stroke="currentColor" stroke-opacity="0.6" fill="none"/>')
        if mark.get("shown") and level is not None:
            ink = ' fill="#fff"' if abs(level) == LEVELS else ""
            size = min(12.0, width / max(3, len(value)) * 1.6, height * 0.7)
            drawn.append(f'<text x="{x + width / 2:.1f}" y="{y + height / 2 + size * 0.35:.1f}" text-anchor="middle" font-size="{size:.1f}"{ink}>{escape(value)} </text>')  # fmt: skip
    return "".join(drawn)


def _many_cells(mark):
    """One path for each level, as the browser draws them."""
    x0, y0, width, height, columns = (mark[name] for name in ("x", "y", "width", "height", "columns"))
    boxes: dict[int, list[str]] = {}
    lines = []
    for n, level in enumerate(mark["levels"]):
        x, y = round(x0 + n % columns * width, 1), round(y0 + n // columns * height, 1)
        boxes.setdefault(level or 0, []).append(f"M{x} {y}h{width}v{height}h{-width}z")
        if level is None:
            lines.append(f"M{x + 2:.1f} {y + 2:.1f}l{width - 4:.1f} {height - 4:.1f}m0 {4 - height:.1f}l{4 - width:.1f} {height - 4:.1f}")
        elif level < 0:
            lines.append(f"M{x + 2:.1f} {y + height - 2:.1f}l{width - 4:.1f} {4 - height:.1f}")
    drawn = [
        f'<path d="{"".join(d)}" fill="{POSITIVE if level >= 0 else NEGATIVE}" fill-opacity="{abs(level) / LEVELS:.3g}" stroke="currentColor" stroke-opacity="0.15"/>'
        for level, d in boxes.items()
    ]
    return "".join(drawn) + (f'<path d="{"".join(lines)}" stroke="currentColor" stroke-opacity="0.6" fill="none"/>' if lines else "")


def _handle(mark):
    return f'<circle cx="{mark["x"]}" cy="{mark["y"]}" r="7" fill="none" stroke="currentColor" stroke-width="2"/>'


_DRAWN = {"line": _line, "area": _area, "arrow": _arrow, "dots": _dots, "rects": _rects, "text": _text, "cells": _cells, "handle": _handle}
