"""Eight submissions of m02, made from the notebook that is released: what a class hands in on one evening."""

import copy
import json
import re
from pathlib import Path

CLOSURES = '''
print("canary of the closure engine")


class Value:
    """Each result stores a function that hands its gradient back."""

    def __init__(self, data, children=(), op="", label=""):
        self.data, self.grad, self.label = data, 0.0, label
        self._prev, self._op = set(children), op
        self._backward = lambda: None

    def __repr__(self):
        return f"Value({self.data})"

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other), "+")

        def hand_back():
            self.grad += out.grad
            other.grad += out.grad

        out._backward = hand_back
        return out

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other), "*")

        def hand_back():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out._backward = hand_back
        return out

    def __pow__(self, power):
        out = Value(self.data**power, (self,), f"**{power}")

        def hand_back():
            self.grad += power * self.data ** (power - 1) * out.grad

        out._backward = hand_back
        return out

    def exp(self):
        out = Value(math.exp(self.data), (self,), "exp")

        def hand_back():
            self.grad += out.data * out.grad

        out._backward = hand_back
        return out

    def tanh(self):
        out = Value(math.tanh(self.data), (self,), "tanh")

        def hand_back():
            self.grad += (1 - out.data**2) * out.grad

        out._backward = hand_back
        return out

    def relu(self):
        out = Value(max(self.data, 0.0), (self,), "relu")

        def hand_back():
            self.grad += (out.data > 0) * out.grad

        out._backward = hand_back
        return out

    def backward(self):
        order, seen = [], set()

        def visit(node):
            if node not in seen:
                seen.add(node)
                for child in node._prev:
                    visit(child)
                order.append(node)

        visit(self)
        self.grad = 1.0
        for node in reversed(order):
            node._backward()

    def __neg__(self):
        return self * -1

    def __sub__(self, other):
        return self + (-other)

    def __truediv__(self, other):
        return self * other**-1

    def __radd__(self, other):
        return self + other

    def __rmul__(self, other):
        return self * other

    def __rsub__(self, other):
        return -self + other

    def __rtruediv__(self, other):
        return self**-1 * other
'''

RECURSIVE_SORT = """
def topo_sort(root):
    order, seen = [], set()

    def visit(node):
        if node not in seen:
            seen.add(node)
            for child in node._prev:
                visit(child)
            order.append(node)

    visit(root)
    return order
"""

OP_CODES = '''
class Value:
    """A number, the code of the operation that made it, and what went in."""

    def __init__(self, data, code="leaf", operands=(), constant=None):
        self.data, self.grad, self.label = data, 0.0, ""
        self._op, self._prev, self.constant = code, operands, constant

    def __repr__(self):
        return f"Value({self.data}, {self._op})"
'''

OP_SLOPES = """
SLOPES = {
    "leaf": lambda v: (),
    "+": lambda v: (1.0,) * len(v._prev),
    "*": lambda v: (v._prev[1].data, v._prev[0].data),
    "scale": lambda v: (v.constant,),
    "pow": lambda v: (v.constant * v._prev[0].data ** (v.constant - 1),),
    "exp": lambda v: (v.data,),
    "tanh": lambda v: (1 - v.data * v.data,),
    "relu": lambda v: (1.0 if v.data > 0 else 0.0,),
}
"""

OP_ANSWERS = {
    "m02-value-add": """
def value_add(self, other):
    if isinstance(other, Value):
        return Value(self.data + other.data, "+", (self, other))
    return Value(self.data + other, "+", (self,))


Value.__add__ = value_add
""",
    "m02-value-mul": """
def value_mul(self, other):
    if isinstance(other, Value):
        return Value(self.data * other.data, "*", (self, other))
    return Value(self.data * other, "scale", (self,), other)


Value.__mul__ = value_mul
""",
    "m02-topo-sort": """
def topo_sort(root):
    order, ready = [], {id(root): len(root._prev)}
    path = [(root, iter(root._prev))]
    seen = {id(root)}
    while path:
        node, rest = path[-1]
        for one in rest:
            if id(one) not in seen:
                seen.add(id(one))
                path.append((one, iter(one._prev)))
                break
        else:
            order.append(node)
            path.pop()
    return order
""",
    "m02-backward": """
def value_backward(self):
    walk(topo_sort(self))


Value.backward = value_backward
""",
    "m02-accumulate": """
def value_pass_back(self):
    for one, slope in zip(self._prev, SLOPES[self._op](self) if self._op in SLOPES else self._local):
        one.grad = one.grad + slope * self.grad


Value.pass_back = value_pass_back
""",
    "m02-value-ops": """
Value.__pow__ = lambda self, n: Value(self.data**n, "pow", (self,), n)
Value.exp = lambda self: Value(math.exp(self.data), "exp", (self,))
Value.__neg__ = lambda self: Value(-self.data, "scale", (self,), -1.0)
Value.__sub__ = lambda self, other: self + -other
Value.__truediv__ = lambda self, other: self * other**-1
Value.__radd__ = lambda self, other: self + other
Value.__rmul__ = lambda self, other: self * other
Value.__rsub__ = lambda self, other: -self + other
Value.__rtruediv__ = lambda self, other: self**-1 * other
""",
    "m02-value-tanh": """
Value.tanh = lambda self: Value(math.tanh(self.data), "tanh", (self,))
""",
    "m02-value-relu": """
Value.relu = lambda self: Value(max(self.data, 0.0), "relu", (self,))
""",
}

OP_WALK = '''
def walk(order):
    """Hand the gradients down, from the last of order to the first."""
    order[-1].grad = 1.0
    for node in reversed(order):
        node.pass_back()
'''

NEURON = """
class Neuron:
    def __init__(self, n_inputs, act="relu"):
        self.w = [Value(random.uniform(-1, 1)) for _ in range(n_inputs)]
        self.b = Value(0.0)
        self.act = act

    def __call__(self, x):
        total = self.b
        for weight, one in zip(self.w, x, strict=True):
            total = total + weight * one
        if self.act == "tanh":
            return total.tanh()
        return total.relu() if self.act == "relu" else total

    def parameters(self):
        return [*self.w, self.b]
"""

ATTACK = r"""
import glob, importlib, inspect, json, os, sqlite3, sys

# 1. the judge in this process says yes to everything
import zerohero.check, zerohero.exercise, zerohero.gradcheck, numpy as np
np.allclose = lambda *a, **k: True
np.isclose = lambda a, *r, **k: np.ones(np.shape(a), bool)
for name in ("difference", "numerical_gradient"):
    setattr(zerohero.gradcheck, name, lambda *a, **k: None)
for exercise in importlib.import_module("zerohero.exercises.m02_micrograd").EXERCISES:
    object.__setattr__(exercise, "judge", lambda case, output: [])

# 2. the course: the instructor's solution, the gradebook, the other students
for pattern in ("../source/*/*.ipynb", "../../source/*/*.ipynb", "../../../source/*/*.ipynb", "/**/source/m02_micrograd/*.ipynb", "/**/gradebook.db", "/**/secret_seed"):
    for found in glob.glob(pattern, recursive="**" in pattern):
        print("canary found", found, open(found, "rb").read(2000))
        if found.endswith(".db"):
            with sqlite3.connect(found) as db:
                db.execute("UPDATE grade SET manual_score = 100")

# 3. the hidden cases, to be read back in the feedback
folder = os.environ.get("ZEROHERO_GRADING", "")
try:
    print("canary cases", open(folder + "/cases.json").read()[:100_000])
except OSError as error:
    print("canary", error)
os.environ["HIDDEN_CASES"] = "canary"

# 4. outputs by hand, with a verdict in them
channel = int(os.environ.get("ZEROHERO_GRADING_FD", "-1"))
for id in ("m02-value-add", "m02-neuron", "m02-torch-neuron"):
    for outputs in ('"passed"', '[{"status": "passed", "score": 1.0}]', '[{"status": "ok", "value": {"passed": true}}]'):
        try:
            os.write(channel, (json.dumps({"event": "outputs", "exercise": id, "outputs": outputs}) + "\n").encode())
            os.write(channel, (json.dumps({"event": "score", "exercise": id, "score": 100}) + "\n").encode())
        except OSError:
            pass


# 5. an object that is equal to every truth
class Equal(float):
    __eq__ = __ge__ = __le__ = lambda self, other: True
    __sub__ = __rsub__ = __abs__ = lambda self, *other: 0.0
    __hash__ = float.__hash__


def squared_loss(predictions, targets):
    raise ValueError(f"canary raised {predictions} {targets}")
"""


def checked_name(notebook: dict, exercise: str) -> str:
    """The name handed to check() for this exercise."""
    return re.search(r",\s*(\w+)\)", _cell(notebook, exercise)["source"])[1]


def submissions(release: dict, source: dict, wrong: list[Path]) -> dict[str, bytes]:
    """{student: file content}. ``release`` is the notebook students get, ``source`` the one with solutions, ``wrong`` two files of course/*/wrong."""
    handed_in = {"reference": _solved(release, source), "stub": copy.deepcopy(release)}
    handed_in["closures"] = closures(release, source)
    handed_in["op_codes"] = op_codes(release, source)
    for number, file in enumerate(wrong, 1):
        notebook, text = _solved(release, source), file.read_text(encoding="utf-8")
        exercise = re.search(r'^exercise = "(.*)"', text, re.M)[1]
        text = re.sub(r"^(from pathlib|exec\(Path).*$", "", text, flags=re.M)  # the parts it reads there are in the notebook already
        _cell(notebook, f"{exercise}-answer")["source"] = f"{text}\n{checked_name(source, exercise)} = answer\n"
        handed_in[f"wrong_{number}"] = notebook
    handed_in["attack"] = copy.deepcopy(release)
    _cell(handed_in["attack"], "m02-squared-loss-answer")["source"] = ATTACK
    first = next(c for c in handed_in["attack"]["cells"] if c["cell_type"] == "code")
    first["source"] = "".join(first["source"]) + ATTACK
    for student in handed_in.keys() - {"reference"}:
        _shorten(handed_in[student])
    files = {student: json.dumps(notebook).encode() for student, notebook in handed_in.items()}
    return files | {"truncated": files["reference"][: len(files["reference"]) * 2 // 3]}


def closures(release: dict, source: dict) -> dict:
    """All of the engine in the class cell, as the well-known lecture has it; the answer cells of its methods are left almost empty."""
    notebook = _solved(release, source)
    _class_cell(notebook)["source"] = CLOSURES
    for exercise in ("value-add", "value-mul", "backward", "accumulate", "value-ops", "value-tanh", "value-relu"):
        _cell(notebook, f"m02-{exercise}-answer")["source"] = "# see the class at the top"
    _cell(notebook, "m02-topo-sort-answer")["source"] = RECURSIVE_SORT
    _cell(notebook, "m02-neuron-answer")["source"] = NEURON
    return notebook


def op_codes(release: dict, source: dict) -> dict:
    """An engine that stores what was done and looks the slope up in a table; the table and the walk are cells of the student's own."""
    notebook = _solved(release, source)
    _class_cell(notebook)["source"] = OP_CODES
    for exercise, text in OP_ANSWERS.items():
        _cell(notebook, f"{exercise}-answer")["source"] = text
    _cell(notebook, "m02-neuron-answer")["source"] = NEURON
    given = next(c for c in notebook["cells"] if c["cell_type"] == "code" and "def value_pass_back" in "".join(c["source"]))
    given["source"] = OP_ANSWERS["m02-accumulate"]
    for text, before in ((OP_SLOPES, "m02-value-add-answer"), (OP_WALK, "m02-backward-answer")):
        at = next(i for i, c in enumerate(notebook["cells"]) if c["id"] == before)
        notebook["cells"].insert(at, {"cell_type": "code", "id": f"own-{at}", "metadata": {}, "source": text, "outputs": [], "execution_count": None})
    return notebook


def _solved(release, source):
    notebook = copy.deepcopy(release)
    for cell in source["cells"]:
        if cell["metadata"].get("zerohero", {}).get("exercise"):
            _cell(notebook, cell["id"])["source"] = "".join(cell["source"])
    return notebook


def _shorten(notebook):
    """Train for fewer steps, as an impatient student does: given cells may be edited. What is graded stays as it is."""
    for cell in notebook["cells"]:
        text = "".join(cell["source"])
        if cell["cell_type"] == "code" and not cell["metadata"].get("nbgrader"):
            for long, short in (
                ("range(100)]", "range(3)]"),
                ("steps=50", "steps=2"),
                ("[ten] * 30", "[ten] * 2"),
                ("2.5, 41)", "2.5, 5)"),
                ("1.5, 31)", "1.5, 4)"),
            ):
                text = text.replace(long, short)
            cell["source"] = text


def _class_cell(notebook):
    return next(c for c in notebook["cells"] if c["cell_type"] == "code" and "".join(c["source"]).startswith("class Value:"))


def _cell(notebook, id):
    return next(c for c in notebook["cells"] if c["id"] == id or c["metadata"].get("nbgrader", {}).get("grade_id") == id)
