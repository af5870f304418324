"""gradcheck() on scalar engines: two right designs, each with bugs that can be switched on, and objects that are no engine."""

import math

import numpy as np
import pytest

from zerohero.errors import CannotCheck
from zerohero.gradcheck import gradcheck
from zerohero.gradcheck.engine_door import Engine


def closure_engine(bug=""):
    """One closure per operation, as the well-known small engines have it. ``bug`` names what is wrong with it."""

    class Value:
        def __init__(self, data, inputs=()):
            self.data, self.grad = data, 0.0
            self._prev, self._pull = inputs, lambda: None

        def __repr__(self):
            return f"Value({self.data})"

        def _give(self, g):
            self.grad = g if bug == "overwrite" else self.grad + g

        def _op(self, data, inputs, slopes):
            out = Value(data, inputs)

            def pull():
                upstream = 1.0 if bug == "no upstream" else out.grad
                for one, slope in zip(inputs, slopes, strict=True):
                    one._give(upstream if bug == "dropped local" else slope * upstream)

            out._pull = pull
            return out

        def __add__(self, other):
            other = other if isinstance(other, Value) else Value(other)
            return self._op(self.data + other.data, (self, other), (1.0, 1.0))

        def __mul__(self, other):
            other = other if isinstance(other, Value) else Value(other)
            if bug == "swapped factors":
                return self._op(self.data * other.data, (self, other), (self.data, other.data))
            if bug == "missing path":
                return self._op(self.data * other.data, (self,), (other.data,))
            return self._op(self.data * other.data, (self, other), (other.data, self.data))

        def __sub__(self, other):
            other = other if isinstance(other, Value) else Value(other)
            return self._op(self.data - other.data, (self, other), (1.0, 1.0 if bug == "sign" else -1.0))

        def __pow__(self, k):
            return self._op(self.data**k, (self,), (self.data ** (k - 1) if bug == "forgets k" else k * self.data ** (k - 1),))

        def relu(self):
            return self._op(max(0.0, self.data), (self,), (float(self.data <= 0 if bug == "mask" else self.data > 0),))

        def log(self):
            return self._op(math.log(self.data), (self,), (1 / self.data,))

        __radd__, __rmul__ = __add__, __mul__

        def backward(self):
            self.grad = 1.0
            if bug == "no order":  # each node hands on as soon as it is reached, and again when it is reached again
                waiting = [self]
                while waiting:
                    node = waiting.pop()
                    node._pull()
                    waiting.extend(node._prev)
                return
            order, seen = [], set()

            def visit(node):
                if id(node) not in seen:
                    seen.add(id(node))
                    for one in node._prev:
                        visit(one)
                    order.append(node)

            visit(self)
            for node in order if bug == "not reversed" else order[::-1]:
                node._pull()
                if bug == "writes data":
                    node.data = node.data + 0.0 * node.grad + (1e-3 if not node._prev else 0.0)

    return Value


def slope_engine(bug=""):
    """Each node keeps its local derivatives; slots, leaves that ask for requires_grad, grad None until it is reached, grads zeroed first."""

    class Scalar:
        __slots__ = ("data", "grad", "links", "requires_grad")

        def __init__(self, data, links=(), requires_grad=False):
            self.data, self.grad, self.links, self.requires_grad = np.float64(data), None, links, requires_grad or any(s.requires_grad for s, _ in links)

        def __add__(self, other):
            other = other if isinstance(other, Scalar) else Scalar(other)
            return Scalar(self.data + other.data, ((self, 1.0), (other, 1.0)))

        def __mul__(self, other):
            other = other if isinstance(other, Scalar) else Scalar(other)
            return Scalar(self.data * other.data, ((self, other.data), (other, self.data)))

        def exp(self):
            e = np.exp(self.data)
            return Scalar(e, ((self, 1.0 if bug == "exp" else e),))

        __radd__, __rmul__ = __add__, __mul__

        def backward(self):
            order, seen, waiting = [], set(), [(self, False)]
            while waiting:
                node, done = waiting.pop()
                if done:
                    order.append(node)
                elif id(node) not in seen and node.requires_grad:
                    seen.add(id(node))
                    waiting.append((node, True))
                    waiting.extend((one, False) for one, _ in node.links)
            for node in order:
                node.grad = 0.0
            self.grad = 1.0
            for node in reversed(order):
                for one, slope in node.links:
                    if one.requires_grad:
                        one.grad = slope * node.grad if bug == "overwrite" else one.grad + slope * node.grad

    return Scalar


def diamond(a, b):
    c = a * b
    d = c + a
    return c * d + d * b


FUNCTIONS = {
    "sum": (lambda a, b: a + b, (2.0, -3.0)),
    "product": (lambda a, b: a * b, (2.0, -3.0)),
    "x + x": (lambda x: x + x, (3.0,)),
    "x * x": (lambda x: x * x, (3.0,)),
    "numbers beside": (lambda x: 2.0 * x + 1.0, (3.0,)),
    "diamond": (diamond, (2.0, -3.0)),
    "the input itself": (lambda x: x, (3.0,)),
    "an input that is not used": (lambda a, b: a * a, (2.0, -3.0)),
    "zero": (lambda a, b: a * b, (0.0, 0.0)),
    "large": (lambda a, b: a * a * b, (1e4, -3e5)),
    "small": (lambda a, b: a * a + b, (1e-5, 3e-6)),
    "integers": (lambda a, b: a * b, (2, 3)),
}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("make", [closure_engine, slope_engine])
def test_right_engines_pass(name, make):
    f, numbers = FUNCTIONS[name]
    kind = make()
    for seed in range(3):
        report = gradcheck(f, inputs=[kind(number) for number in numbers], seed=seed)
        assert report.passed, report.findings


@pytest.mark.parametrize("numbers", [(3.0,), (0.0,), (-2.0,)])
def test_relu_passes_at_and_beside_its_kink(numbers):
    Value = closure_engine()
    assert gradcheck(lambda x: x.relu() * 2.0, inputs=[Value(*numbers)]).passed


def neuron(x, w, b):
    return sum((wi * xi for wi, xi in zip(w, x, strict=True)), b)


def test_lists_of_values_are_inputs_as_well():
    Value = closure_engine()
    w = [Value(0.5), Value(-1.0), Value(2.0)]
    assert gradcheck(lambda x, w, b: neuron(x, w, b).relu(), inputs=[[1.0, 2.0, 3.0], w, Value(0.1)]).passed
    assert gradcheck(lambda layers: neuron(layers[0], layers[1], 0.0), inputs=[[w, (Value(1.0), Value(2.0), Value(3.0))]]).passed
    assert gradcheck(lambda layers: neuron(layers[0], layers[1][0], layers[1][1]), inputs=[[w, (w, Value(2.0))]]).passed
    assert [v.grad for v in w] == [0.0, 0.0, 0.0]  # the objects that were handed in are only read


def test_a_list_of_values_is_one_argument():
    Value = closure_engine("swapped factors")
    report = gradcheck(neuron, inputs=[[1.0, 2.0, 3.0], [Value(0.5), Value(-1.0), Value(2.0)], Value(0.1)])
    assert report.findings[0].where.startswith("dw[") and report.findings[0].error_map.shape == (3,)


# bug, f, inputs, the kinds that are named
WRONG = {
    "overwrite, x + x": ("overwrite", lambda x: x + x, (3.0,), ("OVERWRITE",)),
    "overwrite, x * x": ("overwrite", lambda x: x * x, (3.0,), ("OVERWRITE",)),
    "overwrite, diamond": ("overwrite", diamond, (2.0, -3.0), ("OVERWRITE",)),
    "overwrite, within": ("overwrite", lambda a: (lambda b: b * b)(a * 3.0), (2.0,), ("OVERWRITE",)),
    "sign": ("sign", lambda a, b: a - b, (2.0, -3.0), ("SIGN_FLIP", "DROPPED_LOCAL")),
    "sign of a product": ("sign", lambda a, b: a * a - b * b, (2.0, -3.0), ("SIGN_FLIP",)),
    "no upstream": ("no upstream", lambda a, b: a * b, (2.0, -3.0), ("NO_UPSTREAM",)),
    "no upstream within": ("no upstream", lambda a, b: a * b * b, (2.0, -3.0), None),
    "swapped factors": ("swapped factors", lambda a, b: a * b, (2.0, -3.0), ("SWAPPED",)),
    "dropped local": ("dropped local", lambda a, b: a * b, (2.0, -3.0), None),
    "forgets the exponent": ("forgets k", lambda a: a**3, (2.0,), ("WRONG_CONSTANT", "MISSING_PATH")),
    "missing path": ("missing path", lambda a, b: a * b, (2.0, -3.0), None),
    "mask": ("mask", lambda a: a.relu() * 3.0, (2.0,), None),
    "no order": ("no order", diamond, (2.0, -3.0), None),
    "not reversed": ("not reversed", diamond, (2.0, -3.0), ()),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_engines_are_rejected_and_named_where_it_is_proven(name):
    bug, f, numbers, kinds = WRONG[name]
    Value = closure_engine(bug)
    report = gradcheck(f, inputs=[Value(number) for number in numbers])
    assert not report.passed
    assert kinds is None or report.findings[0].kinds == kinds, report.findings[0]


def test_the_class_is_as_it_was_after_a_name_is_looked_for():
    for make in (closure_engine, slope_engine):
        kind = make("overwrite")
        names = set(vars(kind))
        assert gradcheck(lambda x: x * x * x, inputs=[kind(3.0)]).findings[0].mistake == "OVERWRITE"
        assert set(vars(kind)) == names and kind(2.0).grad in (0.0, None)


def test_zeroing_grads_first_is_no_overwriting():
    finding = gradcheck(lambda x: x.exp() * x, inputs=[slope_engine("exp")(3.0)]).findings[0]
    assert finding.mistake != "OVERWRITE"


def test_a_gradient_that_never_arrives_has_its_next_step():
    Value = closure_engine("missing path")
    finding = gradcheck(lambda a, b: a * b, inputs=[Value(2.0), Value(-3.0)]).findings[0]
    assert finding.what == "the gradient of `b` is wrong" and finding.actual == "0" and "reach every node" in finding.next
    assert finding.mistake == ""  # a walk that stops early looks the same


def test_writing_into_data_is_named():
    Value = closure_engine("writes data")
    finding = gradcheck(lambda a, b: a * b, inputs=[Value(2.0), Value(-3.0)]).findings[0]
    assert finding.mistake == "MUTATES" and "`.data`" in finding.what


def test_gradients_left_from_one_call_to_the_next_are_seen():
    shared = [0.0]

    class Value(closure_engine()):
        grad = property(lambda self: shared[0], lambda self, g: shared.__setitem__(0, shared[0] + g))

    finding = gradcheck(lambda a: a + 1.0, inputs=[Value(2.0)]).findings[0]
    assert "has a gradient already" in finding.what or finding.mistake == "STATE_LEAK"


def test_backward_that_raises_is_reported():
    class Value(closure_engine()):
        def backward(self):
            raise RecursionError("maximum recursion depth exceeded")

    assert gradcheck(lambda a: a, inputs=[Value(2.0)]).findings[0].what == "backward raised RecursionError"


def test_an_engine_without_multiplication_is_checked_alone():
    class Value(closure_engine()):
        __mul__ = None

    assert not Engine(lambda a: a, [Value(1.0)], [Value(1.0)]).scales
    assert gradcheck(lambda a, b: a - b, inputs=[Value(2.0), Value(-3.0)]).passed

    class Wrong(closure_engine("sign")):
        __mul__ = None

    assert not gradcheck(lambda a, b: a - b, inputs=[Wrong(2.0), Wrong(-3.0)]).passed


class NoGrad:
    def __init__(self, data):
        self.data = data

    def backward(self):
        pass


class DataIsAMethod:
    grad = None

    def __init__(self, value):
        self.value = value

    def data(self):
        return self.value

    def backward(self):
        pass


class NeedsMore(closure_engine()):
    def __init__(self, data, inputs, op):
        super().__init__(data, inputs)


class Rounds(closure_engine()):
    def __init__(self, data, inputs=()):
        super().__init__(float(np.float32(data)), inputs)


Value = closure_engine()
REFUSED = {
    "no grad": (lambda: gradcheck(lambda a: a, inputs=[NoGrad(2.0)]), "a NoGrad has no `.grad`"),
    "data is a method": (lambda: gradcheck(lambda a: a, inputs=[DataIsAMethod(2.0)]), "`.data` of a DataIsAMethod is a method"),
    "not made from a number": (lambda: gradcheck(lambda a: a, inputs=[NeedsMore(2.0, (), "")]), "raised TypeError"),
    "float32": (lambda: gradcheck(lambda a: a * a, inputs=[Rounds(1.5)]), "slopes need the number as it is"),
    "a number comes out": (lambda: gradcheck(lambda a: a.data * 2, inputs=[Value(2.0)]), "forward returned a float, not a Value"),
    "a list comes out": (lambda: gradcheck(lambda a: [a, a], inputs=[Value(2.0)]), "forward returned 2 values; return one Value"),
    "None comes out": (lambda: gradcheck(lambda a: None, inputs=[Value(2.0)]), "forward returned None"),
    "raises": (lambda: gradcheck(lambda a: a / 2, inputs=[Value(2.0)]), "forward raised TypeError"),
    "too few inputs": (lambda: gradcheck(lambda a, b: a * b, inputs=[Value(2.0)]), "forward takes 2 arguments, but is called as forward(a): 1"),
    "NaN": (lambda: gradcheck(lambda a: a, inputs=[Value(math.nan)]), "`a` holds nan"),
    "noise": (lambda: gradcheck(lambda a: a * np.random.rand(), inputs=[Value(2.0)]), "not deterministic"),
    "numbers alone": (lambda: gradcheck(lambda a: a, inputs=[2.0]), "backward is missing"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_checked_has_its_sentence(name):
    call, words = REFUSED[name]
    with pytest.raises(CannotCheck) as error:
        call()
    assert words in str(error.value) and "CannotCheck" not in str(error.value)
