"""The replay of a backward pass shows what the student's own code does, and leaves no trace of itself."""

import math
import operator
import random
from dataclasses import dataclass

import pytest

from zerohero.viz import graph
from zerohero.viz import replay as replay_module
from zerohero.viz.replay import local_derivatives, number


class Value:
    """micrograd's design: each result stores a function that adds to the grads of its inputs. ``add``: how it adds."""

    ordered = tuple

    def __init__(self, data, inputs=(), op="", label=""):
        self.data, self.grad, self.label, self._op = data, 0.0, label, op
        self._prev, self._backward = self.ordered(inputs), lambda: None

    def add(self, amount):
        self.grad += amount

    def made(self, data, inputs, op, *slopes):
        out = type(self)(data, inputs, op)

        def step():
            for one, slope in zip(inputs, slopes, strict=True):
                one.add(slope * out.grad)

        out._backward = step
        return out

    def __add__(self, other):
        return self.made(self.data + other.data, (self, other), "+", 1.0, 1.0)

    def __sub__(self, other):
        return self.made(self.data - other.data, (self, other), "-", 1.0, -1.0)

    def __mul__(self, other):
        return self.made(self.data * other.data, (self, other), "*", other.data, self.data)

    def __truediv__(self, other):
        return self.made(self.data / other.data, (self, other), "/", 1 / other.data, -self.data / other.data**2)

    def __pow__(self, n):
        return self.made(self.data**n, (self,), f"**{n}", n * self.data ** (n - 1))

    def exp(self):
        return self.made(math.exp(self.data), (self,), "exp", math.exp(self.data))

    def log(self):
        return self.made(math.log(self.data), (self,), "log", 1 / self.data)

    def tanh(self):
        return self.made(math.tanh(self.data), (self,), "tanh", 1 - math.tanh(self.data) ** 2)

    def relu(self):
        return self.made(max(self.data, 0.0), (self,), "ReLU", float(self.data > 0))

    def sigmoid(self):
        s = 1 / (1 + math.exp(-self.data))
        return self.made(s, (self,), "sigmoid", s * (1 - s))

    def named(self, label):
        self.label = label
        return self


class Assigning(Value):
    def add(self, amount):
        self.grad = amount


class InASet(Value):
    ordered = set


def replayed(root):
    return graph.graph_view(root)["graph"]


def steps(root):
    """{name of the node: (upstream, flows)} as strings, and what is said besides."""
    shown = replayed(root)
    return {shown["names"][node]: (upstream, flows) for node, upstream, flows in shown["backward"]}, shown


def lesson_expression(kind=Value):
    a, b, c, f = (kind(number).named(name) for number, name in ((2.0, "a"), (-3.0, "b"), (10.0, "c"), (-2.0, "f")))
    e = (a * b).named("e")
    d = (e + c).named("d")
    return (d * f).named("L")


# ---------------------------------------------------------------- what the steps say


def test_each_step_has_upstream_local_derivative_and_product():
    told, shown = steps(lesson_expression())
    assert told == {
        "L": ("1", [[0, "-2", "-2", "0", "-2"], [1, "4", "4", "0", "4"]]),
        "d": ("-2", [[0, "1", "-2", "0", "-2"], [1, "1", "-2", "0", "-2"]]),
        "e": ("-2", [[0, "-3", "6", "0", "6"], [1, "2", "-4", "0", "-4"]]),
    }
    assert [shown["names"][node] for node, _, _ in shown["backward"]] == ["L", "d", "e"]  # a result before what it is made of
    assert shown["replaced"] == [] and "notes" not in shown


@pytest.mark.parametrize(
    "make, flows",
    [
        (lambda a: a + a, [[0, "1", "1", "0", "1"], [1, "1", "1", "1", "2"]]),
        (lambda a: a * a, [[0, "3", "3", "0", "3"], [1, "3", "3", "3", "6"]]),
    ],
)
def test_a_value_used_twice_by_one_node_gets_two_products(make, flows):
    told, shown = steps(make(Value(3.0)).named("b"))
    assert told["b"] == ("1", flows)
    assert "notes" not in shown


def test_where_paths_meet_the_second_product_is_added_to_the_first():
    a, b = Value(-2.0).named("a"), Value(3.0).named("b")
    told, shown = steps(((a * b).named("d") * (a + b).named("e")).named("f"))
    assert told["e"] == ("-6", [[0, "1", "-6", "0", "-6"], [1, "1", "-6", "0", "-6"]])
    assert told["d"] == ("1", [[0, "3", "3", "-6", "-3"], [1, "-2", "-2", "-6", "-8"]])  # the lesson's -3 and -8
    assert shown["replaced"] == []


ONE_INPUT = [lambda a: a**2, lambda a: a**-1, lambda a: a * a, lambda a: a + a, Value.exp, Value.tanh, Value.relu, Value.sigmoid, Value.log]


def random_expression(seed, kind=Value):
    """20 operations on three leaves, with data between about 0.3 and 3 so that each has a slope."""
    rng = random.Random(seed)
    values = [kind(rng.uniform(0.5, 1.5)).named(name) for name in "xyz"]
    while len(values) < 23:
        made = rng.choice([operator.add, operator.sub, operator.mul, operator.truediv, *ONE_INPUT])
        given = [rng.choice(values[-6:]), rng.choice(values)]
        try:
            new = made(given[0]) if made in ONE_INPUT else made(*given)
        except (ArithmeticError, ValueError):
            continue
        if 0.2 < abs(new.data) < 5:
            values.append(new)
    return values[-1]


@pytest.mark.parametrize("kind", [Value, InASet])
@pytest.mark.parametrize("seed", range(12))
def test_local_derivatives_and_products_agree_with_torch(kind, seed):
    torch = pytest.importorskip("torch")
    values, inputs = graph._walk(random_expression(seed, kind))
    ops = {
        "+": torch.add, "-": torch.sub, "*": torch.mul, "/": torch.div, "exp": torch.exp, "tanh": torch.tanh, "ReLU": torch.relu,
        "sigmoid": torch.sigmoid, "log": torch.log, "**2": lambda x: x**2, "**-1": lambda x: x**-1,
    }  # fmt: skip
    twins = []
    for value, sources in zip(values, inputs, strict=True):
        if sources and kind is Value:
            twins.append(ops[value._op](*(twins[source] for source in sources)))
        else:  # a set has no order: the data says it
            twins.append(torch.tensor(value.data, dtype=torch.float64, requires_grad=True))
        twins[-1].retain_grad()
    nodes = graph._nodes(values, inputs)
    found = replay_module.replay(replay_module.Graph(values, inputs, [node.op for node in nodes], [node.name for node in nodes]))
    assert not found.notes and not found.replaced
    assert [turn.node for turn in found.turns] == [n for n in reversed(range(len(values))) if inputs[n]]
    flows = [(turn, flow) for turn in found.turns for flow in turn.flows]
    assert [flow.place for turn in found.turns for flow in turn.flows] == [place for turn in found.turns for place in range(len(inputs[turn.node]))]
    for turn, flow in flows:
        assert flow.product == pytest.approx(turn.upstream * flow.local)
        assert flow.after == pytest.approx(flow.before + flow.product)
    if kind is Value:
        twins[-1].backward()
        for n, twin in enumerate(twins):
            assert sum(flow.product for turn, flow in flows if inputs[turn.node][flow.place] == n) == pytest.approx(
                0.0 if n == len(twins) - 1 else twin.grad.item()
            )
        for turn, flow in flows:
            alone = [torch.tensor(values[source].data, dtype=torch.float64, requires_grad=True) for source in inputs[turn.node]]
            ops[values[turn.node]._op](*alone).backward()
            assert flow.local == pytest.approx(alone[flow.place].grad.item())


@pytest.mark.parametrize(
    "op, out, inputs, ordered, expected",
    [
        ("+", 5.0, [2.0, 3.0], True, [1, 1]),
        ("sum", 9.0, [2.0, 3.0, 4.0], True, [1, 1, 1]),
        ("*", 24.0, [2.0, 3.0, 4.0], True, [12, 8, 6]),
        ("*", 0.0, [0.0, 3.0], True, [3, 0]),
        ("-", -1.0, [2.0, 3.0], True, [1, -1]),
        ("-", 1.0, [2.0, 3.0], False, [-1, 1]),  # a set: the data says which was taken from which
        ("-", 0.0, [2.0, 2.0], False, [None, None]),
        ("/", 1.5, [2.0, 3.0], False, [-0.75, 0.5]),
        ("**", 8.0, [2.0, 3.0], True, [12, 8 * math.log(2)]),
        ("**3", 8.0, [2.0], True, [12]),
        ("**-1", 0.5, [2.0], True, [-0.25]),
        ("**", 8.0, [2.0], True, [None]),  # which exponent?
        ("neg", -2.0, [2.0], True, [-1]),
        ("__neg__", -2.0, [2.0], True, [-1]),
        ("-", -2.0, [2.0], True, [None]),  # -a, or 0 - a, or a - 4?
        ("+", 7.0, [2.0], True, [1]),  # a constant
        ("+", 4.0, [2.0], False, [None]),  # a + a in a set, or a + 2
        ("*", 6.0, [2.0], True, [3]),
        ("*", 4.0, [2.0], False, [None]),
        ("*", 0.0, [0.0], True, [None]),
        ("ReLU", 0.0, [-3.0], True, [0]),
        ("relu", 0.0, [0.0], True, [None]),  # any slope from 0 to 1 is right
        ("tanh", 0.5, [2.0], True, [None]),  # tanh(2) is not 0.5: the data has changed, or the name is wrong
        ("+", 6.0, [2.0, 3.0], True, [None, None]),
        ("log", 0.0, [-1.0], True, [None]),
        ("exp", math.inf, [1000.0], True, [None]),
        ("/", 0.0, [1.0, 0.0], True, [None, None]),
        ("**0.5", 1.0, [-1.0], True, [None]),
        ("frobnicate", 1.0, [1.0], True, [None]),
        ("<script>", 1.0, [1.0, 2.0], True, [None, None]),
    ],
)
def test_local_derivatives_only_where_the_formula_makes_the_data(op, out, inputs, ordered, expected):
    assert local_derivatives(op, out, inputs, ordered) == [None if one is None else pytest.approx(one) for one in expected]


def test_an_operation_without_a_formula_is_shown_by_what_it_did():
    a = Value(2.0).named("a")
    told, shown = steps(a.made(12.0, (a,), "triple square", 12.0).named("b"))
    assert told["b"] == ("1", [[0, "12", "12", "0", "12"]]) and "notes" not in shown


def test_shares_of_one_value_in_two_places_of_an_unknown_operation_are_not_made_up():
    a = Value(2.0).named("a")
    told, _ = steps(a.made(12.0, (a, a), "mystery", 5.0, 7.0).named("b"))
    assert told["b"] == ("1", [[0, "?", "?", "0", "12"], [1, "?", "?", "0", "12"]])


# ---------------------------------------------------------------- engines that are wrong


def test_a_gradient_that_was_replaced_is_shown_as_such():
    a, b = Assigning(-2.0).named("a"), Assigning(3.0).named("b")
    told, shown = steps(((a * b).named("d") * (a + b).named("e")).named("f"))
    assert told["d"] == ("1", [[0, "3", "3", "-6", "3"], [1, "-2", "-2", "-6", "-2"]])  # was -6, now 3, not -3
    assert [shown["names"][n] for n in shown["replaced"]] == ["a", "b"]
    assert shown["notes"][0] == "The grad of a was -6, now 3, not -3: at * (d) it was replaced where it should have been added to."
    assert "Gradients were replaced where they should have been added to: a, b." in graph.graph_view((a * b) * (a + b))["summary"]


def test_a_value_added_to_itself_with_assignment_is_proven_replaced():
    told, shown = steps((lambda a: a + a)(Assigning(3.0).named("a")).named("b"))
    assert told["b"] == ("1", [[0, "1", "1", "0", "1"], [1, "1", "1", "1", "1"]])  # was 1, now 1, not 2
    assert shown["replaced"] == [0]


def test_an_assignment_that_loses_nothing_is_not_called_a_mistake():
    _, shown = steps(lesson_expression(Assigning))
    assert shown["replaced"] == [] and "notes" not in shown


def test_a_forgotten_path_is_not_called_replaced():
    a = Value(3.0).named("a")
    b = (a * a).named("b")

    def half():
        a.grad += a.data * b.grad

    b._backward = half
    told, shown = steps(b)
    assert told["b"] == ("1", [[0, "3", "3", "0", "3"], [1, "3", "3", "0", "3"]])
    assert shown["replaced"] == []
    assert shown["notes"] == ["At * (b) upstream times local derivative makes 6 in all, but the grad of a went from 0 to 3."]


def test_a_replaced_gradient_of_an_operation_without_a_formula():
    a = Assigning(2.0).named("a")
    told, shown = steps((a.made(5.0, (a,), "mystery", 7.0).named("m") + a).named("b"))
    assert told["m"] == ("1", [[0, "7", "7", "1", "7"]])
    assert shown["replaced"] == [0]


@pytest.mark.parametrize("slope, note", [
    (0.5, "At tanh (t) upstream 1 times local derivative 0.41997 makes 0.41997, but the grad of a went from 0 to 0.5."),
    (math.nan, "At tanh (t) upstream 1 times local derivative 0.41997 makes 0.41997, but the grad of a went from 0 to nan."),
])  # fmt: skip
def test_a_wrong_local_derivative_is_shown_beside_the_right_one(slope, note):
    a = Value(1.0).named("a")
    told, shown = steps(a.made(math.tanh(1.0), (a,), "tanh", slope).named("t"))
    assert told["t"] == ("1", [[0, "0.41997", "0.41997", "0", f"{slope:.5g}"]])
    assert shown["notes"] == [note] and shown["replaced"] == []


def test_a_step_that_was_called_instead_of_stored():
    a, b = Value(2.0).named("a"), Value(3.0).named("b")
    out = (a + b).named("out")
    out._backward = out._backward()
    told, shown = steps(out)
    assert told["out"] == ("1", [[0, "1", "1", "0", "0"], [1, "1", "1", "0", "0"]])
    assert shown["notes"] == ["`_backward` of out is None, not a function: nothing is passed back from there."]


def test_a_step_that_was_never_stored():
    a = Value(2.0).named("a")
    told, shown = steps(Value(4.0, (a, a), "+", "b"))  # the default step does nothing
    assert told["b"][1] == [[0, "1", "1", "0", "0"], [1, "1", "1", "0", "0"]]
    assert shown["notes"] == ["At + (b) upstream times local derivative makes 2 in all, but the grad of a went from 0 to 0."]
    b = Value(4.0, (a, a), "+", "b")
    del b._backward
    _, shown = steps(b * Value(1.0))
    assert "`_backward` of b is missing: nothing is passed back from there." in shown["notes"]


@pytest.mark.parametrize("order", [1, -1])
def test_a_step_that_reaches_past_its_inputs_is_noticed(order):
    a = Value(2.0).named("a")
    e, z = a.exp().named("e"), (a * a).named("z")
    own = e._backward

    def reaching():
        own()
        z.grad += 1.0

    e._backward = reaching
    _, shown = steps((lambda x, y: x * y)(*(e, z)[::order]))  # z has its turn before e, or after
    assert shown["notes"] == ["The grad of z changed at the turn of a value that is not made of it."]


def test_stored_grads_that_the_steps_do_not_end_with_are_pointed_out():
    a, b = Value(2.0).named("a"), Value(3.0).named("b")
    out = (a * b).named("out")
    out.grad, a.grad, b.grad = 1.0, 6.0, 2.0  # the pass before was not zeroed
    _, shown = steps(out)
    assert shown["notes"][0].startswith("Stored grads are not those that these steps end with, which start from 0: a has 6, not 3. ")
    assert shown["grads"] == ["6", "2", "1"]
    a.grad = 3.0
    assert "notes" not in steps(out)[1]


# ---------------------------------------------------------------- nothing is left changed


def state(root):
    return [(value.grad, value.data, value._prev) for value in graph._walk(root)[0]]


def identical(before, after):
    return all(old is new for one, other in zip(before, after, strict=True) for old, new in zip(one, other, strict=True))


@pytest.mark.parametrize("kind", [Value, Assigning, InASet])
@pytest.mark.parametrize("seed", range(3))
def test_every_grad_is_put_back(kind, seed):
    root = random_expression(seed, kind)
    for n, value in enumerate(graph._walk(root)[0]):
        value.grad = [0.1 * n, math.nan, -0.0, None, 7][n % 5]
    before = state(root)
    assert replayed(root)["backward"]
    assert identical(before, state(root))


def raising(root):
    def step():
        root._prev[0].grad = 99.0
        raise ZeroDivisionError("float division by zero")

    return step


def test_a_step_that_raises_ends_the_replay_and_nothing_is_lost():
    L = lesson_expression()
    L.grad = 5.0
    d = L._prev[0]
    d._backward = raising(d)
    before = state(L)
    told, shown = steps(L)
    assert list(told) == ["L"]
    assert shown["notes"] == ["`_backward` of d raised ZeroDivisionError: float division by zero. The steps end there."]
    assert identical(before, state(L))


def test_an_interrupt_gets_through_and_nothing_is_lost():
    L = lesson_expression()
    before = state(L)

    def step():
        L._prev[0].grad = 99.0
        raise KeyboardInterrupt

    L._backward = step
    with pytest.raises(KeyboardInterrupt):
        replayed(L)
    assert identical(before, state(L))


def test_a_step_that_wants_an_argument_is_not_the_step():
    class Handing(Value):
        pass

    a = Handing(3.0).named("a")
    b = Handing(9.0, (a, a), "*", "b")
    b._backward = lambda upstream: None
    b.grad, a.grad = 1.0, 6.0
    told, shown = steps(b)
    assert told["b"] == ("1", [[0, "3", "3", "0", "3"], [1, "3", "3", "3", "6"]])  # from the grads that are stored
    assert shown["notes"][0].startswith("`_backward` of b raised TypeError")


def test_data_that_a_step_changes_is_put_back():
    np = pytest.importorskip("numpy")
    a, b = Value(np.array(2.0)).named("a"), Value(3.0).named("b")
    out = (a * b).named("out")
    own = out._backward

    def step():
        own()
        a.data += 1.0  # in place
        b.data = 7.0

    out._backward = step
    _, shown = steps(out)
    assert (float(a.data), b.data) == (2.0, 3.0)
    assert shown["notes"] == ["A step changed data of a, b; it has been put back."]


def test_what_a_step_prints_is_not_shown(capsys):
    out = Value(2.0) + Value(3.0)
    own = out._backward

    def step():
        print("noise")
        own()

    out._backward = step
    assert replayed(out)["backward"]
    assert capsys.readouterr().out == ""


def test_grads_that_cannot_be_set():
    @dataclass(frozen=True)
    class Frozen:
        data: float
        grad: float = 0.0
        _prev: tuple = ()
        _op: str = ""

        def _backward(self):
            raise AssertionError("must not be called")

    a = Frozen(3.0, 6.0)
    assert replayed(Frozen(9.0, 1.0, (a, a), "*"))["backward"] == [[1, "1", [[0, "3", "3", "0", "3"], [1, "3", "3", "3", "6"]]]]


def test_a_property_that_raises_is_no_step():
    class Moody(Value):
        @property
        def pass_back(self):
            raise RuntimeError("no")

    assert replayed(Moody(2.0) + Moody(3.0))["backward"]


def test_slow_steps_end_the_replay(monkeypatch):
    monkeypatch.setattr(replay_module, "SECONDS", -1.0)
    shown = replayed(lesson_expression())
    assert shown["notes"][0].startswith("The steps end before L: they took more than")


def test_data_that_is_no_number_has_no_steps():
    a = Value(3.0).named("a")
    out = a + a
    a.data = [3.0]
    shown = replayed(out)
    assert shown["backward"] == [] and shown["notes"] == ["There are no backward steps to show: data of a is not a number."]


def test_above_a_limit_nothing_is_called():
    value = Value(1.0)
    for _ in range(replay_module.REPLAYED):
        value = value + value

    def step():
        raise AssertionError("must not be called")

    value._backward = step
    assert replayed(value)["backward"] == []


def test_infinities_and_nan_are_words():
    a, b = Value(math.inf).named("a"), Value(0.0).named("b")
    told, shown = steps((a * b).named("out"))
    assert shown["data"] == ["inf", "0", "nan"]
    assert [flow[4] for flow in told["out"][1]] == ["0", "inf"]


# ---------------------------------------------------------------- values without steps


class Plain:
    """Made by hand: no operators, no steps."""

    def __init__(self, data, inputs=(), op="", grad=0.0, label=""):
        self.data, self._prev, self._op, self.grad, self.label = data, inputs, op, grad, label


def test_without_steps_the_stored_grads_say_what_flowed():
    a = Plain(3.0, grad=6.0, label="a")
    assert replayed(Plain(9.0, (a, a), "*", 1.0, "b"))["backward"] == [[1, "1", [[0, "3", "3", "0", "3"], [1, "3", "3", "3", "6"]]]]


def test_without_steps_a_sum_that_is_not_the_stored_grad_is_a_note():
    a = Plain(3.0, grad=3.0, label="a")
    shown = replayed(Plain(9.0, (a, a), "*", 1.0, "b"))
    assert shown["notes"] == ["The grad of a is 3, the products that reach it make 6."] and shown["replaced"] == []


def test_without_steps_and_without_grads_there_is_nothing_to_replay():
    a = Plain(3.0)
    assert replayed(Plain(9.0, (a, a), "*"))["backward"] == []


def test_without_steps_and_without_a_formula_there_is_nothing_to_replay():
    shown = replayed(Plain(9.0, (Plain(3.0, grad=1.0),), "mystery", 1.0, "b"))
    assert shown["backward"] == []
    assert shown["notes"] == ["There are no backward steps to show: the values have no `_backward`, and no local derivative is known for mystery (b)."]


# ---------------------------------------------------------------- the engine of the lesson


def test_the_engine_of_the_lesson_is_replayed_by_its_pass_back(m02):
    Value = m02["Value"]
    a = Value(3.0)
    square = a * a
    a.label, square.label = "a", "square"
    square.backward()
    assert steps(square)[0]["square"] == ("1", [[0, "3", "3", "0", "3"], [1, "3", "3", "3", "6"]])
    total = m02["weighted_sum"]([Value(2.0), Value(-1.0)], [4.0, a], Value(0.5))
    flows = replayed(total)["backward"][0][2]
    assert [flow[1] for flow in flows] == ["1", "4", "3", "-1"]  # no formula: the slopes that the engine stores
    assert a.grad == 6.0 and square.grad == 1.0


def test_the_planted_bug_of_the_lesson_is_seen(m02, monkeypatch):
    Value = m02["Value"]

    def value_pass_back(self):
        for node, slope in zip(self._prev, self._local, strict=True):
            node.grad = slope * self.grad

    monkeypatch.setattr(Value, "pass_back", value_pass_back)
    a = Value(3.0)
    a.label = "a"
    b = a + a
    b.backward()
    shown = replayed(b)
    assert shown["replaced"] == [0] and shown["backward"][0][2][1] == [1, "1", "1", "1", "1"]


def test_slopes_that_the_engine_stores_are_called_so(m02):
    Value = m02["Value"]
    a = Value(2.0)
    out = Value(5.0, (a,), (3.0,), "mystery")
    a.label, out.label = "a", "out"

    class Forgetful(Value):
        def pass_back(self):
            for one in self._prev:
                one.grad += 1.0

    odd = Forgetful(5.0, (a,), (3.0,), "mystery")
    odd.label = "odd"
    assert replayed(odd)["notes"] == ["At mystery (odd) upstream 1 times the local derivative in `_local` 3 makes 3, but the grad of a went from 0 to 1."]
    assert replayed(out)["backward"][0][2] == [[0, "3", "3", "0", "3"]]


def test_what_is_no_number_has_none():
    assert number([1]) is None and number("x") is None and number(None) is None and number(2) == 2.0
