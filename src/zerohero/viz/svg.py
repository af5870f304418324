"""An expression graph as one <svg> element, in the colours of the page around it.

Everything is a presentation attribute or ``currentColor``: no style sheet, no script, no id, nothing to fetch.
"""

from html import escape

from .layout import LAYER_GAP, PORT_GAP, place

MARGIN = 6
ROW = 17  # px per line of text
CHAR = 7.3  # px per character at size 12, monospace
SMALLEST = 0.85  # hosts shrink a wide picture to the page; below this share of its size it scrolls instead
NAMED = 20  # characters of a name that are shown
FONT = "font-family=\"ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace\" font-size=\"12\""
OP = "#1f66ad"  # 5.9:1 against its white text; its edge against the page is the box's outline


def draw(nodes, summary: str) -> str:
    """The picture of ``nodes`` (graph.Node, inputs first). ``summary`` is what a screen reader says."""
    sizes = [_size(node) for node in nodes]
    layout = place(sizes, [list(node.inputs) for node in nodes])
    edges = [_edge(layout.routes[number, k]) for number, node in enumerate(nodes) for k in range(len(node.inputs))]
    boxes = [_node(node, box, last=number == len(nodes) - 1) for number, (node, box) in enumerate(zip(nodes, layout.boxes, strict=True))]
    width, height = layout.width + 2 * MARGIN, layout.height + 2 * MARGIN
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{escape(summary)}" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="{-MARGIN} {-MARGIN} {width:.0f} {height:.0f}" style="min-width: {SMALLEST * width:.0f}px" fill="currentColor" {FONT}>'
        f"<title>{escape(summary)}</title> <desc>Arrows lead from the inputs of an operation to its result.</desc>"
        + '<g fill="none" stroke="currentColor" stroke-opacity="0.75" stroke-width="1.4" stroke-linejoin="round">'
        + "".join(edges)
        + "</g>"
        + "".join(boxes)
        + "</svg>"
    )


def _short(text, limit):
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _op_width(node):
    return max(26.0, len(_short(node.op, 8)) * CHAR + 12) if node.op else 0.0


def _size(node):
    characters = max(len(_short(node.name, NAMED)) + 1, 6 + len(node.data), 6 + len(node.grad), 12)
    return _op_width(node) + characters * CHAR + 14, max(3 * ROW + 8.0, (len(node.inputs) + 1) * PORT_GAP)


def _edge(points):
    path = f"M{points[0][0]:.0f} {points[0][1]:.0f}"
    for index, (x, y) in enumerate(points[1:]):
        x0, y0 = points[index]
        if index % 2:
            path += f"H{x:.0f}"
        else:
            bend = LAYER_GAP / 2
            path += f"C{x0 + bend:.0f} {y0:.0f} {x - bend:.0f} {y:.0f} {x:.0f} {y:.0f}"
    x, y = points[-1]
    path += f"M{x - 7:.0f} {y - 4:.0f}L{x:.0f} {y:.0f}L{x - 7:.0f} {y + 4:.0f}"
    return f'<path class="edge" d="{path}"/>'


def _node(node, box, last):
    op_width = _op_width(node)
    x, right = op_width + 9, box.width - 9
    # <br/> inside <desc> is never drawn; where a host drops the tags of the picture, it keeps each node on a line of its own
    parts = [f'<g class="node" transform="translate({box.x:.0f} {box.y:.0f})"><desc><br/></desc>']
    if node.op:
        parts.append(f'<path d="M{op_width:.0f} 0V{box.height:.0f}H5a5 5 0 0 1-5-5V5a5 5 0 0 1 5-5z" fill="{OP}"/>')
    parts.append(
        f'<rect width="{box.width:.0f}" height="{box.height:.0f}" rx="5" fill-opacity="0.06" stroke="currentColor" stroke-width="{2.5 if last else 1}"/>'
    )
    parts.append(f'<text x="{x:.0f}" y="{ROW}" font-weight="bold">{escape(_short(node.name, NAMED))} </text>')
    if node.op:
        op = escape(_short(node.op, 8))
        parts.append(
            f'<text x="{op_width / 2:.0f}" y="{box.height / 2 + 5:.0f}" text-anchor="middle" font-weight="bold" fill="#fff" font-size="{16 if len(node.op) == 1 else 12}">{op} </text>'
        )
    for line, (word, value) in enumerate((("data", node.data), ("grad", node.grad)), 2):
        y = line * ROW
        parts.append(f'<text x="{x:.0f}" y="{y}">{word} </text><text x="{right:.0f}" y="{y}" text-anchor="end">{escape(value)} </text>')
    return "".join([*parts, "</g>"])
