"""The expression graph behind a scalar value: a view that steps forward and backward, a still picture, a table, Graphviz text.

    view(a * b + c)

For any scalar engine, by duck typing: an object has ``data``, ``grad`` and ``_prev`` (the values it was made of, in a
tuple, list or set), and may have ``_op`` and ``label``. To show the backward pass, view() calls the step of each node,
``_backward()`` or ``pass_back()``, and puts all grads back as they were (replay.py); to_dot(), to_svg() and read() call nothing.
"""

import sys
from collections import Counter
from dataclasses import dataclass
from html import escape
from typing import Any

from ..errors import WrongObject, ZeroheroError
from . import groups as structure
from .groups import DRAWN, Groups
from .replay import REPLAYED, Graph, Replay, replay
from .scene import MIME, SCHEMA, plain
from .svg import draw

PRINTED = 40  # rows of the table in a terminal
NAMED = 8  # inputs named in a row of the table
OP = 24  # characters of an operation's name that are kept
NOTED = 12  # notes that are shown; more are counted


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


def bundle(obj: Any) -> dict[str, Any]:
    """{MIME type: the graph in that form}. Raises as read()."""
    made, drawn, pictured = _made(obj)
    notes = made["graph"].get("notes", [])
    # JupyterLab takes style attributes and the <svg> tags, not their text, out of untrusted output: what stays are lines of text and the table
    said = "".join(f"<p>{escape(note)}</p>" for note in [made["summary"], *notes])
    html = f'<div class="zerohero-graph"><div style="overflow-x: auto">{draw(pictured, made["summary"])}</div>{said}{_html_table(made["table"])}</div>'
    return {MIME: made, "text/html": html, "text/plain": "\n".join([made["summary"], _text_table(drawn), *notes])}


def graph_view(obj: Any) -> dict[str, Any]:
    """The view of the graph that ends in ``obj``, of kind "graph" (docs/views.md). Raises as read().

    Up to REPLAYED nodes it holds each node, its groups, and the backward pass; of a larger graph at most DRAWN boxes, one for
    each neuron, layer or stretch of the graph.
    """
    return _made(obj)[0]


def _made(obj):
    """(the view, the rows of its table, the boxes of its still picture)."""
    values, inputs = _walk(obj)
    nodes = _nodes(values, inputs)
    groups = structure_of = structure.find([node.op for node in nodes], inputs)
    drawn = nodes if len(nodes) <= DRAWN else _boxes(nodes, groups)
    if len(nodes) <= REPLAYED:
        found, shown = replay(Graph(values, inputs, [node.op for node in nodes], [plain(node.name, 40) for node in nodes])), nodes
    else:
        found, shown, groups = Replay(), drawn, Groups((-1,) * len(drawn), ())
    summary = [_summary(nodes), *_notes(nodes)]
    if drawn is not nodes:
        summary.append(_closed(len(nodes), len(drawn)))
    if found.replaced:
        names = [nodes[n].name for n in found.replaced]
        summary.append(f"Gradients were replaced where they should have been added to: {', '.join(names[:NAMED])}{' ...' if len(names) > NAMED else ''}.")
    made = {
        "schema": SCHEMA, "kind": "graph", "title": plain(f"Expression graph of {nodes[-1].name}"), "summary": plain(" ".join(summary), 800),
        "table": _table(drawn, len(nodes)), "graph": _graph(shown, groups, found),
    }  # fmt: skip
    return made, drawn, nodes if drawn is nodes else _boxes(nodes, structure_of, counted=False)


def _graph(nodes, groups, found):
    graph = {
        "names": [plain(node.name) for node in nodes],
        "ops": [plain(node.op, OP) for node in nodes],
        "data": [node.data for node in nodes],
        "grads": [node.grad for node in nodes],
        "inputs": [list(node.inputs) for node in nodes],
        "group": list(groups.group),
        "groups": [{"name": group.name, "parent": group.parent, "closed": group.closed} for group in groups.groups],
        "backward": [[turn.node, number_text(turn.upstream), [_flow(flow) for flow in turn.flows]] for turn in found.turns],
        "replaced": sorted(found.replaced),
    }
    notes = [plain(note, 400) for note in found.notes[:NOTED]]
    if len(found.notes) > NOTED:
        notes.append(f"And {len(found.notes) - NOTED:,} more of this kind.")
    return {**graph, "notes": notes} if notes else graph


def _flow(flow):
    known = ["?" if number is None else number_text(number) for number in (flow.local, flow.product)]
    return [flow.place, *known, number_text(flow.before), number_text(flow.after)]


def _boxes(nodes: list[Node], groups: Groups, counted: bool = True) -> list[Node]:
    """The graph with its closed groups as one node each, inputs first; the last one holds the last node. counted: their names say how many nodes they hold."""
    of = groups.boxes()
    box = structure.numbered(of)
    count = max(box) + 1
    members: list[list[int]] = [[] for _ in range(count)]
    sources: list[dict[int, None]] = [{} for _ in range(count)]
    leaving = [len(nodes) - 1]
    for n, node in enumerate(nodes):
        members[box[n]].append(n)
        for source in node.inputs:
            if box[source] != box[n]:
                sources[box[n]][box[source]] = None
                leaving.append(source)
    leave: list[dict[int, None]] = [{} for _ in range(count)]
    for n in leaving:
        leave[box[n]][n] = None
    place, made = {}, []
    for one in structure.ordered([set(of_box) for of_box in sources]):
        place[one] = len(made)
        first = members[one][0]
        if of[first] < 0:
            made.append(
                Node(nodes[first].name, nodes[first].op, nodes[first].data, nodes[first].grad, tuple(place[box[source]] for source in nodes[first].inputs))
            )
            continue
        out = [*leave[one]]
        data, grad = (nodes[out[0]].data, nodes[out[0]].grad) if len(out) == 1 else (f"{len(out):,} values",) * 2
        name = _group_name(groups, of[first]) + (f" ({len(members[one]):,} nodes)" if counted else "")
        made.append(Node(name, "group", data, grad, tuple(place[source] for source in sources[one])))
    return made


def _group_name(groups, n):
    """ "neuron 3 of layer 1": the name alone may stand for several."""
    group = groups.groups[n]
    return group.name + (f" of {groups.groups[group.parent].name}" if group.parent >= 0 else "")


def to_svg(obj: Any) -> str:
    """The picture as one <svg> element; above DRAWN nodes neurons, layers or stretches of the graph are one box each. Raises as read()."""
    nodes = read(obj)
    if len(nodes) <= DRAWN:
        return draw(nodes, _summary(nodes))
    drawn = _boxes(nodes, structure.find([node.op for node in nodes], [node.inputs for node in nodes]), counted=False)
    return draw(drawn, f"{_summary(nodes)} {_closed(len(nodes), len(drawn))}")


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
    """All values that ``obj`` is made of, inputs before what is made of them; ``obj`` is last. Nothing of them is called.

    Raises WrongObject when obj, or a value it is made of, lacks an attribute, and ZeroheroError when a value is among
    its own inputs. Values are told apart by identity: they need not be hashable, equal values are different nodes.
    """
    return _nodes(*_walk(obj))


def places(obj: Any) -> dict[int, int]:
    """{id() of a value: its number in the graph that ends in ``obj``}. Raises as read()."""
    return {id(value): n for n, value in enumerate(_walk(obj)[0])}


def _walk(obj):
    """(the values in the order of read(), for each the places of its inputs)."""
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
                if id(one) not in place:
                    _insist(one, value)
                if id(one) in open_:
                    raise ZeroheroError(
                        f"{_label(one) or 'a value with data ' + number_text(one.data)} is among its own inputs: a graph must not run in a circle"
                    )
            stack += [one for one in reversed(inputs) if id(one) not in place]
    return found, [tuple(place[id(one)] for one in inputs_of[id(value)]) for value in found]


def _nodes(values, inputs):
    labels = [_label(value) for value in values]
    shared = Counter(labels)
    nodes = []
    for number, (value, label, sources) in enumerate(zip(values, labels, inputs, strict=True), 1):
        name = f"v{number}" if not label else label if shared[label] == 1 else f"{label} (v{number})"
        nodes.append(Node(name, _op(value, sources), number_text(value.data), number_text(value.grad), sources))
    return nodes


def _insist(value, user):
    """Raises unless value can be a node. user: the value that was made of it, or the beginning of the message."""
    missing = [name for name in ("data", "grad", "_prev") if not hasattr(value, name)]
    if not missing and isinstance(value._prev, (tuple, list, set, frozenset)) and not isinstance(value, type):
        return
    who = user if isinstance(user, str) else f"`_prev` of {_label(user) or 'a value with data ' + number_text(user.data)} holds"
    if isinstance(value, type):
        raise WrongObject(f"{who} the class {value.__name__}; the graph belongs to an object of it")
    if missing:
        raise WrongObject(f"{who} an object of type {type(value).__name__}, which has no {', '.join(f'`{name}`' for name in missing)}; a value of a scalar engine has `data`, `grad` and `_prev`")  # fmt: skip
    raise WrongObject(f"{who} an object whose `_prev` is of type {type(value._prev).__name__}; it must be a tuple, list or set of the values it was made of")


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


def _closed(count, drawn):
    large = f" The steps of the backward pass are shown for up to {REPLAYED:,} nodes; view a part of this graph to see them." if count > REPLAYED else ""
    return f"Its {count:,} nodes are put together into {drawn:,} boxes.{large}"


def _notes(nodes):
    return [] if any(node.grad != "0" for node in nodes) else ["Every grad is 0: backward() has not run on this graph since the gradients were zeroed."]


COLUMNS = ("node", "op", "data", "grad", "inputs")


def _rows(nodes):
    return [(node.name, node.op, node.data, node.grad, _named(nodes, node.inputs)) for node in nodes]


def _named(nodes, sources):
    return ", ".join(nodes[source].name for source in sources[:NAMED]) + (f" and {len(sources) - NAMED:,} more" if len(sources) > NAMED else "")


def _table(nodes, count):
    caption = "Nodes" if len(nodes) == count else f"The {len(nodes):,} boxes"
    return {"caption": f"{caption}, inputs first", "columns": list(COLUMNS), "rows": [[plain(cell, 160) for cell in row] for row in _rows(nodes)]}


def _html_table(table):
    head = "".join(f'<th scope="col">{name}</th>' for name in table["columns"])
    body = "".join(f'<tr><th scope="row">{escape(row[0])}</th>' + "".join(f"<td>{escape(cell)}</td>" for cell in row[1:]) + "</tr>" for row in table["rows"])
    return f"<details><summary>The same as a table</summary><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></details>"


def _text_table(nodes):
    rows = [COLUMNS, *_rows(nodes)[-PRINTED:]]
    widths = [max(len(row[i]) for row in rows) for i in range(5)]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    return "\n".join(lines) + (f"\n(the last {PRINTED} of {len(nodes)})" if len(nodes) > PRINTED else "")
