"""The picture of an expression graph holds what the graph holds, and every host can read it."""

import json
import math
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
from zerohero.viz import groups as structure
from zerohero.viz.explore import Explorer
from zerohero.viz.groups import DRAWN, ordered
from zerohero.viz.layout import LAYER_GAP, place
from zerohero.viz.scene import MIME

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


def test_the_still_picture_of_a_large_graph_is_that_of_its_closed_groups():
    root, boxes, arrows = parts(to_svg(chain(301)))
    assert len(parts(to_svg(chain(300)))[1]) == 300
    assert 20 <= len(boxes) <= 100 and len(arrows) == len(boxes) - 1
    assert f"Its 301 nodes are put together into {len(boxes)} boxes." in root[0].text
    shown = graph.bundle(chain(301))
    assert len(parts(re.search(r"<svg.*</svg>", shown["text/html"])[0])[1]) == len(boxes)
    assert (words(boxes[0]), words(boxes[-1])) == ("depth 1 to 5 group data 1 grad 0", "depth 300 group data 1 grad 0")
    assert "operations: 300 x +" in shown["text/plain"] and "put together" in shown["text/plain"]


def test_a_chain_of_50_000_is_no_trouble():
    assert to_dot(chain(50_000)).count("->") == 49_999


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
    assert [set(data) for data in shown] == [{MIME, "text/html", "text/plain"}]
    assert shown[0][MIME]["kind"] == "graph"


# ---------------------------------------------------------------- the view


def size(obj):
    return len(json.dumps(graph.graph_view(obj), allow_nan=False, separators=(",", ":")))


def test_the_view_holds_each_node():
    made = graph.graph_view(diamond())
    assert (made["schema"], made["kind"], made["title"]) == (1, "graph", "Expression graph of f")
    assert {key: value for key, value in made["graph"].items() if key not in ("backward", "notes")} == {
        "names": ["a", "b", "c", "d", "f"], "ops": ["", "", "*", "+", "*"], "data": ["2", "-3", "-6", "-1", "6"], "grads": ["-3", "0", "0", "0", "1"],
        "inputs": [[], [], [0, 1], [0, 1], [2, 3]], "group": [-1] * 5, "groups": [], "replaced": [],
    }  # fmt: skip
    assert made["table"]["columns"] == ["node", "op", "data", "grad", "inputs"]
    assert made["table"]["rows"][2] == ["c", "*", "-6", "0", "a, b"]
    assert "Every grad is 0" in graph.graph_view(chain(2))["summary"]


def test_hostile_strings_are_plain_text_of_one_line():
    evil = "<script>alert(\"&')</script>\x00\n\u202e\ud800" + "x" * 1000
    made = graph.graph_view(Value(math.nan, (Value(math.inf, label=evil),), evil, evil + "2"))
    assert made["graph"]["names"][0].startswith("<script>alert(\"&')</script>\\x00\\n\\u202e\\ud800xxx") and len(made["graph"]["names"][0]) == 80
    assert len(made["graph"]["ops"][1]) == 24 and made["graph"]["data"] == ["inf", "nan"]
    text = json.dumps(made, ensure_ascii=False, allow_nan=False)
    assert text.isprintable() and len(text) < 5000


def check(made):
    """What docs/views.md says of graphs, and that a closed picture can be laid out."""
    shown = made["graph"]
    count = len(shown["names"])
    assert all(len(shown[key]) == count for key in ("names", "ops", "data", "grads", "inputs", "group"))
    assert all(0 <= source < n for n, sources in enumerate(shown["inputs"]) for source in sources)
    assert all(-1 <= n < len(shown["groups"]) for n in shown["group"])
    assert all(group["parent"] == -1 or n < group["parent"] < len(shown["groups"]) for n, group in enumerate(shown["groups"]))
    for closed in (False, True):
        groups = tuple(structure.Group(g["name"], g["parent"], closed or g["closed"]) for g in shown["groups"])
        boxes = structure.numbered(structure.Groups(tuple(shown["group"]), groups).boxes())
        sources = [set() for _ in range(max(boxes) + 1)]
        for n, of in enumerate(shown["inputs"]):
            sources[boxes[n]] |= {boxes[source] for source in of} - {boxes[n]}
        assert len(ordered(sources)) == len(sources)  # no circle
        if not closed:
            assert len(sources) <= DRAWN
    return made


def tree(made):
    """{name of an outermost group: {name of a group in it: ...}}"""
    groups = made["graph"]["groups"]
    inside = {-1: {}}
    for n in range(len(groups) - 1, -1, -1):
        inside[n] = {}
        inside[groups[n]["parent"]].setdefault(groups[n]["name"], inside[n])
    return {name: dict(reversed(of.items())) for name, of in reversed(inside[-1].items())}


def neurons(count):
    return {f"neuron {n}": {} for n in range(1, count + 1)}


def run(m02, seed, sizes, x, act="relu"):
    random.seed(seed)
    return m02["MLP"](len(x), sizes, act)(x)


def test_the_groups_of_a_network_are_its_neurons_and_layers(m02):
    made = check(graph.graph_view(run(m02, 1, [16, 16, 1], [0.5, -1.0])))
    assert tree(made) == {"layer 1": neurons(16), "layer 2": neurons(16), "layer 3": neurons(1)}
    assert {group["closed"] for group in made["graph"]["groups"] if group["parent"] >= 0} == {True}  # 402 nodes: neurons closed, layers open
    assert {group["closed"] for group in made["graph"]["groups"] if group["parent"] < 0} == {False}
    small = check(graph.graph_view(run(m02, 1, [4, 4, 1], [0.5, -1.0, 2.0], "tanh")))
    assert tree(small) == {"layer 1": neurons(4), "layer 2": neurons(4), "layer 3": neurons(1)}
    assert not any(group["closed"] for group in small["graph"]["groups"])


def test_each_neuron_holds_its_own_weights(m02):
    random.seed(1)
    model = m02["MLP"](2, [16, 16, 1])
    for layer, at in zip(model.layers, "123", strict=True):
        for n, neuron in enumerate(layer.neurons, 1):
            for parameter in neuron.parameters():
                parameter.label = f"{at} {n}"
    shown = graph.graph_view(model([0.5, -1.0]))["graph"]
    for name, group in zip(shown["names"], shown["group"], strict=True):
        if "(" in name:
            at, n = name.split()[:2]
            assert (shown["groups"][group]["name"], shown["groups"][shown["groups"][group]["parent"]]["name"]) == (f"neuron {n}", f"layer {at}")


def loops(seed, sizes, x):
    """A network of single products and sums, as micrograd has it: inputs are values, tanh is made of exp in the first layer."""
    rng = random.Random(seed)

    def neuron(inputs, last):
        total = Value(0.0)
        for one in inputs:
            total = Value(0.0, (total, Value(0.0, (Value(rng.random()), one), "*")), "+")
        if last:
            return total
        e = Value(0.0, (Value(0.0, (total, Value(2.0)), "*"),), "exp")
        return Value(0.0, (Value(0.0, (e, Value(-1.0)), "+"), Value(0.0, (e, Value(1.0)), "+")), "/")

    values = [Value(one, label=f"x{n}") for n, one in enumerate(x)]
    for n, size in enumerate(sizes):
        values = [neuron(values, n == len(sizes) - 1) for _ in range(size)]
    return values[0]


@pytest.mark.parametrize("sizes", [[3, 1], [3, 4, 1], [5, 5, 5, 1]])
def test_neurons_are_found_in_other_engines_too(sizes):
    made = check(graph.graph_view(loops(0, sizes, [1.0, 2.0])))
    assert tree(made) == {f"layer {n}": neurons(size) for n, size in enumerate(sizes, 1)}
    assert made["graph"]["group"][made["graph"]["names"].index("x0")] == -1  # an input of the network lies in no layer


def batch(m02, examples, loss="squared"):
    random.seed(2)
    model, X = m02["MLP"](2, [4, 3, 1], "tanh"), np.random.RandomState(0).randn(examples, 2).tolist()
    y = [1.0, -1.0] * (examples // 2)
    scores = [model(x) for x in X]
    return m02["squared_loss"](scores, y) if loss == "squared" else m02["moons_loss"](scores, y, model.parameters())


@pytest.mark.parametrize("loss", ["squared", "moons"])
def test_passes_of_one_network_are_told_apart(m02, loss):
    made = check(graph.graph_view(batch(m02, 4, loss)))
    passes = {name: of for name, of in tree(made).items() if name.endswith("passes")}
    assert passes == {
        "layer 1, 4 passes": {f"layer 1, pass {n}": neurons(4) for n in (1, 2, 3, 4)},
        "layer 2, 4 passes": {f"layer 2, pass {n}": neurons(3) for n in (1, 2, 3, 4)},
        "layer 3, 4 passes": {f"layer 3, pass {n}": {} for n in (1, 2, 3, 4)},  # one operation, whose weights are shared: no group of its own
    }


def test_passes_of_two_networks_of_one_shape_are_not_mixed(m02):
    random.seed(3)
    f, g = m02["MLP"](2, [3, 1]), m02["MLP"](2, [3, 1])
    points = [[1.0, 2.0], [0.5, -1.0]]
    made = check(graph.graph_view(m02["squared_loss"]([net(x) for net in (f, g) for x in points], [1.0, 2.0, 3.0, 4.0])))
    assert sorted(group["name"] for group in made["graph"]["groups"] if group["parent"] < 0) == ["layer 1, 2 passes"] * 2 + ["layer 2, 2 passes"] * 2


def test_a_batch_becomes_a_box_for_each_layer(m02):
    made = check(graph.graph_view(batch(m02, 100, "moons")))
    assert len(made["graph"]["names"]) < 10
    assert any(re.fullmatch(r"layer 2, 100 passes \(\d+ nodes\)", name) for name in made["graph"]["names"])
    assert "view a part of this graph" in made["summary"] and made["graph"]["backward"] == []


def test_small_expressions_have_no_groups(m02):
    assert graph.graph_view(run(m02, 1, [1], [0.5, -1.0]))["graph"]["groups"] == []
    assert graph.graph_view(diamond())["graph"]["groups"] == []


def random_values(seed, count):
    rng = random.Random(seed)
    values = [Value(1.0) for _ in range(3)]
    while len(values) < count:
        near = values[-rng.choice((5, 50, 5000)) :]
        values.append(Value(1.0, tuple(rng.choice(near) for _ in range(rng.choice((0, 1, 2, 2, 3)))), rng.choice("+*/")))
    return Value(1.0, tuple(values[-20:]), "+")


@pytest.mark.parametrize("seed", range(12))
def test_groups_of_any_graph_can_be_closed(seed):
    check(graph.graph_view(random_values(seed, (40, 400, 1500, 3000)[seed % 4])))


@pytest.mark.parametrize("count", [500, 1000, 1999, 5000, 50_000])
def test_a_chain_is_put_together_in_stretches(count):
    made = check(graph.graph_view(chain(count)))
    assert (len(made["graph"]["names"]) == count) == (count <= 2000)
    assert len(made["table"]["rows"]) <= 100
    assert len(made["graph"]["groups"] or made["graph"]["names"]) <= 100
    if count > 2000:
        assert sum(int(re.search(r"\(([\d,]+) nodes\)", name)[1].replace(",", "")) for name in made["graph"]["names"]) == count
        assert made["graph"]["ops"][-1] == "group" and made["graph"]["data"][-1] == "1"
        assert f"{count:,} nodes, {count - 1:,} arrows, 1 input, longest path {count - 1:,}" in made["summary"]
        assert len(json.dumps(made)) < 20_000


def test_a_wide_sum_of_leaves():
    made = check(graph.graph_view(Value(0.0, tuple(Value(1.0) for _ in range(5000)), "sum")))
    assert len(made["graph"]["names"]) < 10


def test_sizes_of_views(m02):
    assert size(run(m02, 1, [16, 16, 1], [0.5, -1.0])) < 50_000  # 402 nodes
    assert size(run(m02, 1, [24, 24, 1], [0.5] * 8)) < 120_000  # 938 nodes


# ---------------------------------------------------------------- leaves that move


def test_an_expression_follows_its_leaves(m02):
    explorer = Explorer(lambda a, b, c: (a * b + c).tanh(), m02["Value"], {"c": 6.0, "a": 2.0, "b": (-3.0, -5.0, 5.0)})
    assert explorer.view["handles"] == [
        {"name": "c", "value": 6.0, "from": -6.0, "to": 18.0, "node": 3},
        {"name": "a", "value": 2.0, "from": -2.0, "to": 6.0, "node": 0},
        {"name": "b", "value": -3.0, "from": -5.0, "to": 5.0, "node": 1},
    ]
    assert explorer.view["graph"]["names"][:4] == ["a", "b", "v3", "c"]
    made = explorer.move("a", 1.5)
    o = math.tanh(1.5 * -3 + 6)
    slope = 1 - o * o
    assert made["graph"]["data"][-1] == f"{o:.5g}"
    assert made["graph"]["grads"] == [f"{one:.5g}" for one in (-3 * slope, 1.5 * slope, slope, slope, slope, 1.0)]
    assert made["handles"][1]["value"] == 1.5


def test_a_leaf_stays_within_its_range_and_what_is_no_number_is_ignored(m02):
    explorer = Explorer(lambda x: x * x, m02["Value"], {"x": 0.25})
    assert explorer.move("x", 99)["handles"][0]["value"] == 1.25
    assert explorer.move("x", math.nan)["handles"][0]["value"] == 1.25
    assert explorer.move("y", 0.0)["graph"]["data"] == ["1.25", "1.5625"]


def test_what_the_expression_raises_is_said_and_the_last_picture_stays():
    def half_log(x):
        return Value(math.log(x.data), (x,), "log")

    explorer = Explorer(half_log, Value, {"x": 1.0})
    made = explorer.move("x", -0.5)
    assert made["summary"] == "At x = -0.5 the expression raised ValueError: math domain error. The picture is that of the numbers before."
    assert made["graph"]["data"] == ["1", "0"] and made["handles"][0]["value"] == -0.5
    assert explorer.move("x", 2.0)["summary"].startswith("Expression graph of")


def test_a_backward_that_raises_is_said():
    class Failing(Value):
        def backward(self):
            raise RuntimeError("<b>not yet</b>")

    made = Explorer(lambda x: Failing(1.0, (x,), "+"), Failing, {"x": 1.0}).view
    assert made["summary"].startswith("backward() raised RuntimeError: <b>not yet</b>. Expression graph of")


@pytest.mark.parametrize(
    "expression, leaves, message",
    [
        (lambda x: x.data * 2, {"x": 1.0}, "gave the plain number 2.0"),
        (lambda x: [x], {"x": 1.0}, "an object of type list, which has no"),
        (lambda y: y, {"x": 1.0}, "the expression raised TypeError: .*unexpected keyword argument 'x'.* at x = 1"),
        (lambda x: x, {}, "at least one input"),
        (lambda x: x, {"x": "1"}, "x must be a number"),
        (lambda x: x, {"x": math.inf}, "x must be a number"),
        (lambda x: x, {"x": (1.0, 2.0, 3.0)}, "x = 1 must lie between its ends 2 and 3"),
        (3.0, {"x": 1.0}, "an explorer needs a function"),
    ],
)
def test_what_cannot_be_explored_is_refused(expression, leaves, message):
    with pytest.raises(ZeroheroError, match=message):
        Explorer(expression, Value, leaves)
