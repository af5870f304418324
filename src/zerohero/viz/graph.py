"""The expression graph behind a scalar value, as a picture, a table and Graphviz text.

    view(a * b + c)

For any scalar engine, by duck typing: an object has ``data``, ``grad`` and ``_prev`` (the values it was made of, in a
tuple, list or set), and may have ``_op`` and ``label``. Read only; nothing of the object is called.
"""

import sys
from collections import Counter
from dataclasses import dataclass
from html import escape
from typing import Any

from ..errors import WrongObject, ZeroheroError
from .svg import draw

DRAWN = 300  # nodes; a larger picture is not readable
PRINTED = 40  # rows of the table in a terminal


@dataclass(frozen=True)
class Node:
    """One value of the graph, as it is shown."""

    name: str
    """Its label; "label (v7)" when several share it; "v7", by its place in the list, without one."""
    op: str
    """"" for a leaf, "?" when the engine does not say."""
    data: str
    grad: str
    inputs: tuple[int, ...]
    """Places in the list of the values it was made of, all earlier; a value used twice stands here twice."""


def view(obj: Any) -> None:
    """Show the expression graph that ends in ``obj``: a picture in a notebook, a table elsewhere. Raises as read()."""
    shown = bundle(obj)
    if "IPython" in sys.modules:
        from IPython import get_ipython

        if get_ipython() is not None:
            from IPython.display import display

            display(shown, raw=True)
            return
    print(shown["text/plain"])


def bundle(obj: Any) -> dict[str, str]:
    """{MIME type: the graph in that form}."""
    nodes = read(obj)
    if len(nodes) > DRAWN:
        text = f"{_too_many(nodes)}\n{_summary(nodes)}"
        return {"text/html": f"<p>{escape(text)}</p>".replace("\n", "<br>"), "text/plain": text}
    # JupyterLab takes style attributes and the <svg> tags, not their text, out of untrusted output: what stays are lines of text and the table
    html = f'<div class="zerohero-graph"><div style="overflow-x: auto">{draw(nodes, _summary(nodes))}</div>{_note(nodes, "p")}{_html_table(nodes)}</div>'
    return {"text/html": html, "text/plain": f"{_summary(nodes)}\n{_text_table(nodes)}{_note(nodes)}"}


def to_svg(obj: Any) -> str:
    """The picture as one <svg> element. Raises as read(), and ZeroheroError above DRAWN nodes."""
    nodes = read(obj)
    if len(nodes) > DRAWN:
        raise ZeroheroError(_too_many(nodes))
    return draw(nodes, _summary(nodes))


def to_dot(obj: Any) -> str:
    """The graph in Graphviz's language, of any size. Raises as read()."""

    def quoted(text):
        return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")

    lines = ["digraph expression {", "  rankdir=LR; node [shape=box];"]
    for number, node in enumerate(read(obj)):
        rows = [node.name + (f" = {node.op}" if node.op else ""), f"data {node.data}", f"grad {node.grad}"]
        lines.append(f'  n{number} [label="' + "\\n".join(map(quoted, rows)) + '"];')
        lines += [f"  n{source} -> n{number};" for source in node.inputs]
    return "\n".join([*lines, "}"])


def read(obj: Any) -> list[Node]:
    """All values that ``obj`` is made of, inputs before what is made of them; ``obj`` is last.

    Raises WrongObject when obj, or a value it is made of, lacks an attribute, and ZeroheroError when a value is among
    its own inputs. Values are told apart by identity: they need not be hashable, equal values are different nodes.
    """
    _insist(obj, "view() was handed")
    found, inputs_of, place, open_ = [], {}, {}, set()
    stack = [obj]
    while stack:  # no recursion: a chain of 100,000 nodes is an ordinary graph
        value = stack[-1]
        if id(value) in place:
            stack.pop()
        elif id(value) in open_:
            open_.discard(id(value))
            place[id(value)] = len(found)
            found.append(stack.pop())
        else:
            open_.add(id(value))
            inputs_of[id(value)] = inputs = _inputs(value)
            for one in inputs:
                _insist(one, f"`_prev` of {_label(value) or 'a value with data ' + number_text(value.data)} holds")
                if id(one) in open_:
                    raise ZeroheroError(
                        f"{_label(one) or 'a value with data ' + number_text(one.data)} is among its own inputs: a graph must not run in a circle"
                    )
            stack += [one for one in reversed(inputs) if id(one) not in place]
    shared = Counter(_label(value) for value in found)
    nodes = []
    for number, value in enumerate(found, 1):
        label, inputs = _label(value), inputs_of[id(value)]
        name = f"v{number}" if not label else label if shared[label] == 1 else f"{label} (v{number})"
        nodes.append(Node(name, _op(value, inputs), number_text(value.data), number_text(value.grad), tuple(place[id(one)] for one in inputs)))
    return nodes


def _insist(value, who):
    missing = [name for name in ("data", "grad", "_prev") if not hasattr(value, name)]
    if isinstance(value, type):
        raise WrongObject(f"{who} the class {value.__name__}; the graph belongs to an object of it")
    if missing:
        raise WrongObject(f"{who} an object of type {type(value).__name__}, which has no {', '.join(f'`{name}`' for name in missing)}; a value of a scalar engine has `data`, `grad` and `_prev`")  # fmt: skip
    if not isinstance(value._prev, (tuple, list, set, frozenset)):
        raise WrongObject(
            f"{who} an object whose `_prev` is of type {type(value._prev).__name__}; it must be a tuple, list or set of the values it was made of"
        )


def _inputs(value):
    """In the order of the operation; a set has none, so its values are sorted by what is seen of them."""
    inputs = list(value._prev)
    if isinstance(value._prev, (set, frozenset)):
        inputs.sort(key=lambda one: (_label(one), str(getattr(one, "_op", "")), number_text(getattr(one, "data", ""))))
    return inputs


def _label(value):
    label = getattr(value, "label", "")
    return label.strip() if isinstance(label, str) else ""


def _op(value, inputs):
    op = getattr(value, "_op", "")
    if isinstance(op, (str, int)):
        return str(op) if op != "" else "?" if inputs else ""
    return getattr(op, "__name__", "?" if inputs else "")


def number_text(number: Any) -> str:
    """Five significant digits; anything that is no number is named by its type, never by its own text."""
    if number is None or isinstance(number, bool):
        return str(number)
    try:
        return f"{float(number):.5g}"
    except Exception:  # a student's class may raise anything
        return f"({type(number).__name__})"


def _summary(nodes):
    edges, leaves = sum(len(node.inputs) for node in nodes), sum(not node.inputs for node in nodes)
    depth = [0] * len(nodes)
    for number, node in enumerate(nodes):
        depth[number] = 1 + max((depth[source] for source in node.inputs), default=-1)
    ops = ", ".join(
        f"{count} x {op}" for op, count in sorted(Counter(node.op for node in nodes if node.inputs).items(), key=lambda item: (-item[1], item[0]))[:8]
    )
    return (f"Expression graph of {nodes[-1].name}: {len(nodes):,} node{'s' * (len(nodes) != 1)}, {edges:,} arrow{'s' * (edges != 1)}, "
            f"{leaves:,} input{'s' * (leaves != 1)}, longest path {depth[-1]:,}" + (f"; operations: {ops}" if ops else "") + ".")  # fmt: skip


def _too_many(nodes):
    return f"This graph has {len(nodes):,} nodes, more than the {DRAWN} that make a readable picture; view a part of it, such as one neuron."


def _note(nodes, tag=""):
    if any(node.grad != "0" for node in nodes):
        return ""
    text = "Every grad is 0: backward() has not run on this graph since the gradients were zeroed."
    return f"<{tag}>{text}</{tag}>" if tag else f"\n{text}"


def _rows(nodes):
    return [(node.name, node.op, node.data, node.grad, ", ".join(nodes[source].name for source in node.inputs)) for node in nodes]


def _html_table(nodes):
    head = "".join(f'<th scope="col">{name}</th>' for name in ("node", "op", "data", "grad", "inputs"))
    body = "".join(f'<tr><th scope="row">{escape(row[0])}</th>' + "".join(f"<td>{escape(cell)}</td>" for cell in row[1:]) + "</tr>" for row in _rows(nodes))
    return f"<details><summary>The same as a table</summary><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></details>"


def _text_table(nodes):
    rows = [("node", "op", "data", "grad", "inputs"), *_rows(nodes)[-PRINTED:]]
    widths = [max(len(row[i]) for row in rows) for i in range(5)]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    return "\n".join(lines) + (f"\n(the last {PRINTED} of {len(nodes)})" if len(nodes) > PRINTED else "")
