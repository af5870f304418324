"""The picture of an expression graph holds what the graph holds, and every host can read it."""

import random
import re
import sys
import xml.etree.ElementTree as ET
from dataclasses import dataclass, field
from html.parser import HTMLParser
from itertools import pairwise

import numpy as np
import pytest

import zerohero
from zerohero.errors import WrongObject, ZeroheroError
from zerohero.viz import graph, to_dot, to_svg, view
from zerohero.viz.layout import LAYER_GAP, place

SVG = "{http://www.w3.org/2000/svg}"


class Value:
    """The least an engine is: no operators, no hash by value."""

    def __init__(self, data, inputs=(), op="", label="", grad=0.0):
        self.data, self._prev, self._op, self.label, self.grad = data, inputs, op, label, grad


@dataclass
class Unhashable:
    data: float
    _prev: list = field(default_factory=list)
    grad: float = 0.0


def diamond():
    a, b = Value(2.0, label="a", grad=-3.0), Value(-3.0, label="b")
    c, d = Value(-6.0, (a, b), "*", "c"), Value(-1.0, (a, b), "+", "d")
    return Value(6.0, (c, d), "*", "f", grad=1.0)


def chain(length):
    value = Value(1.0, label="x")
    for _ in range(length - 1):
        value = Value(value.data, (value,), "+")
    return value


def random_graph(seed, count):
    """Sizes and inputs for place(): every node but the last is used, some twice by one node, some from far away."""
    rng = random.Random(seed)
    inputs = [[] if n < 3 or rng.random() < 0.2 else [rng.randrange(n) for _ in range(rng.choice((1, 2, 2, 3)))] for n in range(count - 1)]
    used = {source for sources in inputs for source in sources}
    inputs.append([n for n in range(count - 1) if n not in used])
    return [(rng.uniform(60, 200), max(59.0, (len(sources) + 1) * 14.0)) for sources in inputs], inputs


def parts(svg):
    root = ET.fromstring(svg)
    return root, [g for g in root.iter(f"{SVG}g") if g.get("class") == "node"], [p for p in root.iter(f"{SVG}path") if p.get("class") == "edge"]


def words(element):
    return " ".join("".join(text.itertext()).strip() for text in element.iter(f"{SVG}text"))


def test_one_box_per_node_and_one_arrow_per_input():
    _, boxes, arrows = parts(to_svg(diamond()))
    assert [words(box) for box in boxes] == [
        "a data 2 grad -3", "b data -3 grad 0", "c * data -6 grad 0", "d + data -1 grad 0", "f * data 6 grad 1",
    ]  # fmt: skip
    assert len(arrows) == 6


def test_a_value_used_twice_by_one_operation_has_two_arrows():
    a = Value(3.0, label="a")
    _, boxes, arrows = parts(to_svg(Value(9.0, (a, a), "*", "b")))
    assert len(boxes) == 2
    assert len({arrow.get("d") for arrow in arrows}) == 2
    assert [node.inputs for node in graph.read(Value(9.0, [a, a], "*"))] == [(), (0, 0)]


def test_inputs_stand_to_the_left_of_their_result():
    nodes = graph.read(diamond())
    x = [float(re.match(r"translate\((\S+)", box.get("transform")).group(1)) for box in parts(to_svg(diamond()))[1]]
    assert all(x[source] < x[number] for number, node in enumerate(nodes) for source in node.inputs)
    assert [node.name for node in nodes] == ["a", "b", "c", "d", "f"]


def test_equal_values_are_different_nodes_and_need_no_hash():
    a, b = Unhashable(2.0), Unhashable(2.0)
    nodes = graph.read(Unhashable(4.0, [a, b, a]))
    assert [node.name for node in nodes] == ["v1", "v2", "v3"]
    assert nodes[2].inputs == (0, 1, 0)
    assert nodes[2].op == "?"  # this engine does not say


def test_a_shared_label_is_told_apart():
    w, v = Value(1.0, label="w"), Value(2.0, label="w")
    assert [node.name for node in graph.read(Value(2.0, (w, v), "*", "y"))] == ["w (v1)", "w (v2)", "y"]


@pytest.mark.parametrize("kind", [set, frozenset])
def test_inputs_in_a_set_are_shown_in_the_same_order_every_time(kind):
    pictures = set()
    for order in (1, -1):
        made = [Value(float(n), label=f"x{n}") for n in range(7)[::order]]
        pictures.add(to_svg(Value(21.0, kind(made), "+")))
    assert len(pictures) == 1


def test_the_same_graph_gives_the_same_bytes():
    assert graph.bundle(diamond()) == graph.bundle(diamond())


def test_labels_and_operations_are_escaped_everywhere():
    evil = "<script>alert(\"&')</script>\\"
    value = Value(1.0, (Value(2.0, label=evil + "2"),), evil, evil)
    html = graph.bundle(value)["text/html"]
    assert "<script" not in html and "&lt;script&gt;" in html
    parts(to_svg(value))  # is well-formed XML
    assert re.findall(r'label="((?:[^"\\]|\\.)*)"\];', to_dot(value))  # every quote inside is escaped
    assert to_dot(value).count("label=") == len(re.findall(r'label="(?:[^"\\]|\\.)*"\];', to_dot(value)))


def test_the_picture_fetches_and_runs_nothing():
    html = graph.bundle(diamond())["text/html"]
    assert not re.search(r"<script|<style|<link|<image|href|url\(|@import|\bon\w+=|\bid=", html)
    assert "http" not in html.replace('xmlns="http://www.w3.org/2000/svg"', "")


def test_a_screen_reader_gets_a_name_and_a_table():
    html = graph.bundle(diamond())["text/html"]
    root, _, _ = parts(to_svg(diamond()))
    assert (root.get("role"), root[0].tag, root[1].tag) == ("img", f"{SVG}title", f"{SVG}desc")
    assert root.get("aria-label") == root[0].text
    assert root[0].text == "Expression graph of f: 5 nodes, 6 arrows, 2 inputs, longest path 2; operations: 2 x *, 1 x +."
    assert "<details>" in html and html.count('<th scope="col">') == 5 and html.count('<th scope="row">') == 5
    assert '<tr><th scope="row">c</th><td>*</td><td>-6</td><td>0</td><td>a, b</td></tr>' in html


def test_where_the_tags_of_the_picture_are_dropped_each_node_is_a_line():
    class Dropping(HTMLParser):  # as JupyterLab does in a notebook that is not trusted
        text = ""

        def handle_starttag(self, tag, attrs):
            self.text += "\n" if tag == "br" else ""

        def handle_data(self, data):
            self.text += data

    reader = Dropping()
    reader.feed(to_svg(diamond()))
    lines = [line.strip() for line in reader.text.split("\n")]
    assert lines[0].endswith("to its result.")
    assert lines[1:] == ["a data 2 grad -3", "b data -3 grad 0", "c * data -6 grad 0", "d + data -1 grad 0", "f * data 6 grad 1"]


@pytest.mark.parametrize("seed", range(20))
def test_no_box_overlaps_another_and_no_edge_crosses_a_box(seed):
    sizes, inputs = random_graph(seed, 12 + 4 * seed)
    layout = place(sizes, inputs)
    boxes = layout.boxes
    for i, a in enumerate(boxes):
        assert a.x >= 0 and a.y >= 0 and a.x + a.width <= layout.width + 1e-9 and a.y + a.height <= layout.height + 1e-9
        assert a.width >= sizes[i][0] - 1e-9 and a.height == sizes[i][1]
        for b in boxes[i + 1 :]:
            assert a.x + a.width < b.x or b.x + b.width < a.x or a.y + a.height < b.y or b.y + b.height < a.y
    assert set(layout.routes) == {(node, k) for node, sources in enumerate(inputs) for k in range(len(sources))}
    for (node, k), points in layout.routes.items():
        source, target = boxes[inputs[node][k]], boxes[node]
        assert points[0][0] == pytest.approx(source.x + source.width) and source.y < points[0][1] < source.y + source.height
        assert points[-1][0] == target.x and target.y < points[-1][1] < target.y + target.height
        for index, ((x0, y0), (x1, y1)) in enumerate(pairwise(points)):
            if index % 2:  # straight past a column
                assert y0 == y1 and all(not (b.x < x0 + 1e-6 < b.x + b.width and b.y < y0 < b.y + b.height) for b in boxes)
            else:  # across a gap, which holds no box
                assert x1 - x0 == pytest.approx(LAYER_GAP)


@pytest.mark.parametrize("seed", range(10))
def test_a_tree_is_drawn_without_crossings(seed):
    rng = random.Random(seed)
    inputs, open_ = [], []
    for node in range(60):
        taken = [open_.pop() for _ in range(min(len(open_), rng.randrange(4)))][::-1] if node < 59 else open_
        inputs.append(list(taken))
        open_.append(node)
    layout = place([(80.0, 90.0)] * 60, inputs)
    gaps = {}
    for points in layout.routes.values():
        for (x0, y0), (_, y1) in list(pairwise(points))[::2]:
            gaps.setdefault(x0, []).append((y0, y1))
    for edges in gaps.values():
        ends = [end for _, end in sorted(edges)]
        assert ends == sorted(ends)


def test_a_box_with_many_inputs_is_as_high_as_its_arrows():
    inputs = tuple(Value(float(n)) for n in range(40))
    _, boxes, arrows = parts(to_svg(Value(0.0, inputs, "sum")))
    assert len(arrows) == 40
    assert float(boxes[-1].find(f"{SVG}rect").get("height")) > 39 * 14


def test_a_graph_too_large_to_read_is_described_instead():
    shown = graph.bundle(chain(301))
    assert "<svg" not in shown["text/html"]
    assert "301 nodes, more than the 300" in shown["text/html"] and "operations: 300 x +" in shown["text/plain"]
    with pytest.raises(ZeroheroError, match="301 nodes"):
        to_svg(chain(301))
    assert len(parts(to_svg(chain(300)))[1]) == 300


def test_a_chain_of_100_000_is_no_trouble(capsys):
    value = chain(100_000)
    view(value)
    assert "100,000 nodes, 99,999 arrows, 1 input, longest path 99,999" in capsys.readouterr().out
    assert to_dot(value).count("->") == 99_999


def test_dot():
    a = Value(3.0, label='a"')
    assert to_dot(Value(9.0, (a, a), "*", "b")).splitlines() == [
        "digraph expression {",
        "  rankdir=LR; node [shape=box];",
        '  n0 [label="a\\"\\ndata 3\\ngrad 0"];',
        '  n1 [label="b = *\\ndata 9\\ngrad 0"];',
        "  n0 -> n1;",
        "  n0 -> n1;",
        "}",
    ]


class Moody:
    def __float__(self):
        raise RuntimeError("no")


@pytest.mark.parametrize(
    "number, text",
    [(24.70408163265306, "24.704"), (-0.0, "-0"), (1, "1"), (np.float32(0.1), "0.1"), (np.array(2.5), "2.5"), (1e-9, "1e-09"), (float("nan"), "nan"),
     (float("-inf"), "-inf"), (None, "None"), (True, "True"), ("<b>", "(str)"), ([1], "(list)"), (Moody(), "(Moody)"), (10**400, "(int)")],
)  # fmt: skip
def test_numbers_are_short_and_what_is_no_number_is_named(number, text):
    assert graph.number_text(number) == text
    assert text in words(parts(to_svg(Value(number)))[1][0])


def test_gradients_that_are_all_zero_are_pointed_out():
    assert "backward() has not run" in graph.bundle(chain(2))["text/html"]
    assert "backward() has not run" in graph.bundle(chain(2))["text/plain"]
    assert "backward()" not in graph.bundle(diamond())["text/html"]


class NoGrad:
    data, _prev = 1.0, ()


@pytest.mark.parametrize(
    "obj, message",
    [
        (3.0, r"handed an object of type float, which has no `data`, `grad`, `_prev`"),
        (NoGrad(), r"handed an object of type NoGrad, which has no `grad`;"),
        (Value, r"handed the class Value; the graph belongs to an object of it"),
        (Value(1.0, 5), r"`_prev` is of type int; it must be a tuple, list or set"),
        (Value(1.0, (Value(2.0), 2.0), "+", "c"), r"`_prev` of c holds an object of type float, which has no"),
        (None, r"type NoneType"),
    ],
)
def test_what_is_no_value_is_refused_with_what_it_lacks(obj, message):
    for function in (view, to_svg, to_dot):
        with pytest.raises(WrongObject, match=message):
            function(obj)


def test_a_circle_is_refused():
    a = Value(1.0, label="a")
    b = Value(2.0, (a,), "+", "b")
    a._prev = (b,)
    with pytest.raises(ZeroheroError, match="b is among its own inputs"):
        to_svg(b)
    c = Value(1.0)
    c._prev = [c]
    with pytest.raises(ZeroheroError, match="is among its own inputs"):
        to_svg(c)


def test_view_is_a_public_name_that_prints_a_table_outside_notebooks(capsys, monkeypatch):
    monkeypatch.delitem(sys.modules, "IPython", raising=False)
    assert zerohero.view is view
    view(diamond())
    assert capsys.readouterr().out.splitlines()[1:4] == ["node  op  data  grad  inputs", "a         2     -3", "b         -3    0"]


def test_view_displays_in_a_notebook(monkeypatch):
    IPython = pytest.importorskip("IPython")
    shown = []
    monkeypatch.setattr(IPython, "get_ipython", lambda: object())
    monkeypatch.setattr("IPython.display.display", lambda data, raw: shown.append(data))
    view(diamond())
    assert [set(data) for data in shown] == [{"text/html", "text/plain"}]
