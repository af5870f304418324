# %% [markdown]
# # Micrograd: an engine that differentiates
#
# In the last lesson you found gradients by hand, one expression at a time. Now you write the program that does it for
# **every** expression, and then you use it to train a neural network. At the end you will have
#
# - `Value`, a number that remembers how it was made, and `backward()`, which fills in all gradients at once;
# - a neuron, a layer and a network made of Values, and the loop that trains them;
# - a network of your own that separates the two half-moons below.
#
# **Time**: two sittings of 60 to 90 minutes; after section 6 or 7 is a good place to stop. **You need**: the lesson on
# derivatives, Python functions and classes. Stuck? `hint("m02-value-add")` gives the first of three hints; call it again
# for the next.

# %%
import math
import random

import matplotlib.pyplot as plt
import numpy as np

from zerohero import check, hint, predict, view
from zerohero.widgets import BoundaryMovie

BLUE, ORANGE = "#0072B2", "#D55E00"

# %%
def make_moons(n, noise, seed):
    """Two interleaved half circles.

    Returns points X (n, 2) and labels y (n,), 1.0 and -1.0 in turn.
    """
    rng = np.random.RandomState(seed)
    angle, y = np.pi * rng.rand(n), np.where(np.arange(n) % 2 == 0, 1.0, -1.0)
    upper = np.stack([np.cos(angle), np.sin(angle)], 1)
    lower = np.stack([1 - np.cos(angle), 0.5 - np.sin(angle)], 1)
    return np.where(y[:, None] > 0, upper, lower) + noise * rng.randn(n, 2), y

def plot_moons(X, y, title):
    plt.plot(*X[y > 0].T, "o", color=BLUE, markeredgecolor="white", label="label 1")
    plt.plot(*X[y < 0].T, "s", color=ORANGE, markeredgecolor="white", label="label -1")
    plt.gca().set(title=title, xlabel="x[0]", ylabel="x[1]", aspect="equal")
    plt.legend()

X, y = make_moons(100, noise=0.1, seed=1)
plt.figure(figsize=(6, 4))
plot_moons(X, y, "100 points, two labels: no straight line separates them")
plt.show()
top, bottom = X[y > 0, 1].max(), X[y < 0, 1].min()
print(f"{np.sum(y > 0)} circles, label 1: the upper half-moon, x[1] up to {top:.1f}")
print(f"{np.sum(y < 0)} squares, label -1: the lower half-moon, x[1] down to {bottom:.1f}")

# %% [markdown]
# First three guesses. Replace `None` and run the cell. The same kind of question comes again at the end. "The gradient of
# $c$ towards $a$" means the slope of $c$ when $a$ alone is changed.
#
# 1. $c = a\,b + a$ with $a = 2$ and $b = 3$. What is the gradient of $c$ towards $a$?

# %% predict="m02-predict-product"
predict("m02-predict-product", guess=None)

# %% [markdown]
# 2. $b = a + a$ with $a = 3$. What is the gradient of $b$ towards $a$?

# %% predict="m02-predict-twice"
predict("m02-predict-twice", guess=None)

# %% [markdown]
# 3. A network has 3 inputs, two layers of 4 neurons, and 1 output neuron. Each neuron has a weight for each of its
#    inputs, and a bias. How many numbers is that?

# %% predict="m02-predict-count"
predict("m02-predict-count", guess=None)

# %% [markdown]
# ## 1. A number that remembers
#
# In Python, `2.0 * -3.0` is `-6.0`, and nobody can tell afterwards where it came from. To walk back from a result to its
# inputs, each result must keep two things: the values it was made of, and its slope towards each of them, the **local
# derivative** of the last lesson. That is all there is to `Value`:

# %%
class Value:
    """A number that remembers how it was made."""

    # the only attributes a Value can have: that makes it small and fast
    # (label is for pictures; _backward is for another design, see section 4)
    __slots__ = ("data", "grad", "_prev", "_local", "_op", "label", "_backward")

    def __init__(self, data, _prev=(), _local=(), _op=""):
        self.data = data  # the number itself
        self.grad = 0.0  # slope of the final result towards this number; backward() fills it in
        self._prev = _prev  # the Values it was made of
        self._local = _local  # its slope towards each of them, in the same order
        self._op = _op  # "+", "*", ...: shown in pictures

    def __repr__(self):
        return f"Value(data={self.data:.4f}, grad={self.grad:.4f})"

# %% [markdown]
# For `a + b`, Python calls `a.__add__(b)`. You write the method as a function; the last line of the cell puts it into the
# class. So the class grows cell by cell, and every Value that exists already learns the new method too.
#
# The result of an addition has two inputs. If either grows by 0.001, by how much does the sum grow?

# %% exercise="m02-value-add"
def value_add(self, other):
    """self + other, as a new Value that remembers.

    self  : Value
    other : Value, or a plain number, which is a constant: only `self` is remembered then
    returns Value. Its _prev is a tuple of the Values it was made of, its _local a tuple
            of its slopes towards them, its _op is "+". self and other stay as they are.

    Example: Value(2.0) + Value(-3.0) has data -1.0, and as many local slopes as inputs.
    """
    ### BEGIN SOLUTION
    if isinstance(other, Value):
        return Value(self.data + other.data, (self, other), (1.0, 1.0), "+")
    return Value(self.data + other, (self,), (1.0,), "+")
    ### END SOLUTION

Value.__add__ = value_add

# %% check="m02-value-add" points=1
check("m02-value-add", Value)

# %% [markdown]
# Multiplication is the same again, with other slopes. You know them: hold $b$ still, nudge $a$, and see how fast $a\,b$
# moves.

# %% exercise="m02-value-mul"
def value_mul(self, other):
    """self * other, as a new Value that remembers. other : Value or a plain number. _op is "*".

    Example: Value(2.0) * Value(-3.0) has data -6.0.
    """
    ### BEGIN SOLUTION
    if isinstance(other, Value):
        return Value(self.data * other.data, (self, other), (other.data, self.data), "*")
    return Value(self.data * other, (self,), (other,), "*")
    ### END SOLUTION

Value.__mul__ = value_mul

# %% check="m02-value-mul" points=1
check("m02-value-mul", Value)

# %%
a, b, c, f = Value(2.0), Value(-3.0), Value(10.0), Value(-2.0)
L = (a * b + c) * f
for value, name in [(a, "a"), (b, "b"), (c, "c"), (f, "f"), (L, "L")]:
    value.label = name
view(L)

# %% [markdown]
# This is the **expression graph** of $L = (a\,b + c)\,f$, drawn from your own objects: each box is a Value, also called a
# **node**, and each arrow runs from an input to what was made of it. Every `grad` is still 0. To fill them in, walk from
# `L` back along the arrows.

# %% [markdown]
# ## 2. In which order?
#
# A node can hand its gradient to its inputs only when its own gradient is complete, that is, when *everything made of it*
# has handed down first. So put the nodes in a list in which inputs stand before what is made of them, a **topological
# order**, and walk it from the end.
#
# The usual way is a function that calls itself for each input. Python stops that about 1,000 calls deep, and the graph of
# a loss over many examples is deeper. So keep a list of your own for the nodes that wait. It starts with the result alone.
# Until it is empty, look at its last node:
#
# - Seen for the first time? Leave it, and put its inputs on the list: they come first.
# - Seen before? Its inputs are done by now. Take it off the list and put it into the order, unless it is there already: a
#   node that is used twice is put on the list twice.

# %% exercise="m02-topo-sort"
def topo_sort(root):
    """All nodes that root is made of, root included, inputs before what is made of them.

    root : an object with an attribute _prev, a tuple of such objects; use nothing else of it
    returns a list; each node stands in it once, root is last

    No function that calls itself: a chain of 100,000 nodes must work.
    Example: for c = a * b, [a, b, c] or [b, a, c].
    """
    ### BEGIN SOLUTION
    order, opened, done = [], set(), set()
    waiting = [root]
    while waiting:
        node = waiting[-1]
        if node not in opened:
            opened.add(node)
            waiting.extend(node._prev)
        else:
            waiting.pop()
            if node not in done:
                done.add(node)
                order.append(node)
    return order
    ### END SOLUTION

# %% check="m02-topo-sort" points=3
check("m02-topo-sort", topo_sort)

# %% [markdown]
# ## 3. Backward
#
# The gradient of `L` towards itself is 1. From there the chain rule says what each node does: multiply its own gradient,
# the **upstream gradient**, by the local slope towards an input, and pass the product back to that input. This step is
# given:

# %%
def value_pass_back(self):
    """Give each input of self its gradient: local slope times the gradient of self."""
    for node, slope in zip(self._prev, self._local):
        node.grad = slope * self.grad

Value.pass_back = value_pass_back

# %% [markdown]
# Yours is the walk: set the gradient of the last value, then let each node pass back, in the right order.

# %% exercise="m02-backward"
def value_backward(self):
    """Fill in .grad of every Value that self is made of: the slope of self towards it.

    Uses topo_sort(self) and node.pass_back(). Changes only .grad; returns nothing.
    The gradient of self is 1. Starts from gradients that are 0; what a second call
    on the same graph does is up to you.
    """
    ### BEGIN SOLUTION
    order = topo_sort(self)
    self.grad = 1.0
    for node in reversed(order):
        node.pass_back()
    ### END SOLUTION

Value.backward = value_backward

# %% check="m02-backward" points=3
check("m02-backward", Value)

# %%
L = (a * b + c) * f
L.label = "L"
L.backward()
view(L)

# %% [markdown]
# Compare with what you found by hand in the last lesson: $a$ 6, $b$ -4, $c$ -2, $f$ 4. One call, any expression.
#
# ## 4. Break it: a value used twice
#
# You predicted the gradient of $b = a + a$ towards $a$. Run it, and try a second expression that you can verify by nudging.

# %%
a = Value(3.0)
b = a + a
a.label, b.label = "a", "b"
b.backward()
view(b)
print("b = a + a:      a.grad =", a.grad)

a, b = Value(-2.0), Value(3.0)
d, e = a * b, a + b
f = d * e
f.backward()
print("f = ab(a + b):  a.grad =", a.grad, "  b.grad =", b.grad)

def nudged(a, b):
    return (a * b) * (a + b)

h = 1e-6
slope_a = (nudged(-2 + h, 3) - nudged(-2 - h, 3)) / (2 * h)
slope_b = (nudged(-2, 3 + h) - nudged(-2, 3 - h)) / (2 * h)
print(f"measured:       a.grad = {slope_a:.1f}   b.grad = {slope_b:.1f}")

# %% [markdown]
# `a + a` gives 1 although two arrows run from `a` to `b`, and `f` disagrees with the measured slopes. The gradients of `L`
# in section 3 were right. What do these two expressions have in common that `L` had not? Look at the step `pass_back` that
# was given to you, find the one character that is missing, and write the step yourself.

# %% exercise="m02-accumulate"
def value_pass_back(self):
    """Pass the gradient of self on to each of its inputs.

    It must be right for an input that is used more than once.
    Changes .grad of the Values in self._prev, returns nothing.
    Example: after b = a + a and b.backward(), a.grad is 2.
    """
    ### BEGIN SOLUTION
    upstream = self.grad
    for source, slope in zip(self._prev, self._local):
        source.grad += slope * upstream
    ### END SOLUTION

Value.pass_back = value_pass_back

# %% check="m02-accumulate" points=2
check("m02-accumulate", Value)

# %%
a, b = Value(-2.0), Value(3.0)
f = (a * b) * (a + b)
f.backward()
print("f = ab(a + b):  a.grad =", a.grad, "  b.grad =", b.grad)

a = Value(3.0)
square = a * a
a.label, square.label = "a", "a * a"
square.backward()
view(square)

# %% [markdown]
# Now `f` gives -3 and -8, as measured, and $a \cdot a$ gives $3 + 3 = 6$: **gradients add up**, one contribution per arrow.
# A first version of a well-known engine had this very bug, and its network trained all the same: a wrong gradient rarely
# fails, it only learns worse.
#
# Adding up has a price. What is in `.grad` before `backward()` stays in the sum. So set the gradients of your **leaves**,
# the Values that are made of nothing, to 0 before each new pass. And do not call `backward()` twice on one graph: the
# values in between still hold their gradients, which would count again. Compute the expression anew instead.

# %% [markdown]
# Another well-known design keeps no slopes. Each result stores a *function* that does its step. It has a trap of its own:

# %%
class ClosureValue:
    def __init__(self, data, _prev=()):
        self.data, self.grad, self._prev = data, 0.0, _prev
        self._backward = lambda: None

    def __add__(self, other):
        out = ClosureValue(self.data + other.data, (self, other))

        def step():
            self.grad += out.grad
            other.grad += out.grad

        # the trap: () calls step now, and keeps what it returns, which is None
        out._backward = step()
        return out

out = ClosureValue(2.0) + ClosureValue(3.0)
try:
    out._backward()
except TypeError as error:
    print("TypeError:", error)

# %% [markdown]
# Stored as `step`, without `()`, it works. But `step` refers to `out` and `out` to `step`: a circle, and Python clears
# away circles of unused objects only now and then, in a search that takes time on large graphs. Your engine makes none.
#
# ## 5. The other operators
#
# Two of them need a slope of their own: the power with a fixed exponent, and exp. All others can be said with what
# you have: $a - b = a + (-b)$, $a / b = a \cdot b^{-1}$. For `2 - v` Python asks the 2 first, which knows nothing of Values;
# then it calls `v.__rsub__(2)`. The methods with an `r` are called **reflected**: `self` stands on the right.

# %% exercise="m02-value-ops"
def value_pow(self, exponent):
    """self ** exponent. exponent : a plain int or float.

    Works for a negative self when the exponent is an int.
    """
    ### BEGIN SOLUTION
    slope = exponent * self.data ** (exponent - 1)
    return Value(self.data**exponent, (self,), (slope,), f"**{exponent}")
    ### END SOLUTION

def value_exp(self):
    """e to the power self."""
    ### BEGIN SOLUTION
    result = math.exp(self.data)
    return Value(result, (self,), (result,), "exp")
    ### END SOLUTION

def value_neg(self):
    """-self"""
    ### BEGIN SOLUTION
    return self * -1
    ### END SOLUTION

def value_sub(self, other):
    """self - other. other : Value or a plain number."""
    ### BEGIN SOLUTION
    return self + (-other)
    ### END SOLUTION

def value_truediv(self, other):
    """self / other. other : Value or a plain number, not 0."""
    ### BEGIN SOLUTION
    return self * other**-1
    ### END SOLUTION

def value_radd(self, other):
    """other + self, where other is a plain number."""
    ### BEGIN SOLUTION
    return self + other
    ### END SOLUTION

def value_rmul(self, other):
    """other * self, where other is a plain number."""
    ### BEGIN SOLUTION
    return self * other
    ### END SOLUTION

def value_rsub(self, other):
    """other - self, where other is a plain number. Example: 2 - Value(0.5) has data 1.5."""
    ### BEGIN SOLUTION
    return (-self) + other
    ### END SOLUTION

def value_rtruediv(self, other):
    """other / self, where other is a plain number. Example: 2 / Value(0.5) has data 4.0."""
    ### BEGIN SOLUTION
    return self**-1 * other
    ### END SOLUTION

Value.__pow__, Value.exp, Value.__neg__ = value_pow, value_exp, value_neg
Value.__sub__, Value.__truediv__ = value_sub, value_truediv
Value.__radd__, Value.__rmul__ = value_radd, value_rmul
Value.__rsub__, Value.__rtruediv__ = value_rsub, value_rtruediv

# %% check="m02-value-ops" points=5
check("m02-value-ops", Value)

# %% [markdown]
# Two more operations, which bend: **tanh** squeezes every number between -1 and 1, **relu** cuts off what is negative. You
# know both slopes from the last lesson. What counts as one operation is your choice, as long as you know its slope.

# %% exercise="m02-value-tanh"
def value_tanh(self):
    """tanh of self. Works for data 1000 and -1000 too.

    Example: Value(0.0).tanh() has data 0 and local slope 1.
    """
    ### BEGIN SOLUTION
    t = math.tanh(self.data)
    return Value(t, (self,), (1 - t * t,), "tanh")
    ### END SOLUTION

Value.tanh = value_tanh

# %% check="m02-value-tanh" points=2
check("m02-value-tanh", Value)

# %% exercise="m02-value-relu"
def value_relu(self):
    """self if it is positive, else 0. At exactly 0 any slope from 0 to 1 is accepted."""
    ### BEGIN SOLUTION
    if self.data > 0:
        return Value(self.data, (self,), (1.0,), "relu")
    return Value(0.0, (self,), (0.0,), "relu")
    ### END SOLUTION

Value.relu = value_relu

# %% check="m02-value-relu" points=1
check("m02-value-relu", Value)

# %% [markdown]
# The engine is complete. Here are two expressions that use almost all of it at once, with figures known from other engines:

# %%
a, b = Value(-4.0), Value(2.0)
c, d = a + b, a * b + b**3
c = c + c + 1
c = c + 1 + c - a
d = d + d * 2 + (b + a).relu()
d = d + 3 * d + (b - a).relu()
e = (c - d) ** 2
g = e / 2.0 + 10.0 / e
g.backward()
print(f"g = {g.data:.4f}   a.grad = {a.grad:.4f}   b.grad = {b.grad:.4f}")
print("known: 24.7041,         138.8338,           645.5773")

x = Value(-4.0)
z = 2 * x + 2 + x
q = z.relu() + z * x
out = (z * z).relu() + q + q * x
out.backward()
print(f"out = {out.data}   x.grad = {x.grad}   (known: -20, 46)")

# %% [markdown]
# ## 6. How large is one operation?
#
# You wrote tanh as a single operation. It can also be built from exp and arithmetic, $\tanh x = \frac{e^{2x} - 1}{e^{2x} + 1}$, and then
# it is several nodes, each with a simpler slope. Value and gradient must come out the same.

# %% exercise="m02-tanh-from-parts"
def tanh_from_parts(x):
    """tanh(x) out of exp, +, -, * and / of Values; without tanh.

    x : Value, between -300 and 300, so that exp does not overflow
    returns Value
    """
    ### BEGIN SOLUTION
    e = (2 * x).exp()
    return (e - 1) / (e + 1)
    ### END SOLUTION

# %% check="m02-tanh-from-parts" points=2
check("m02-tanh-from-parts", tanh_from_parts)

# %%
x1, x2, w1, w2 = Value(2.0), Value(0.0), Value(-3.0), Value(1.0)
bias = Value(6.8813735870195432)
for value, name in [(x1, "x1"), (x2, "x2"), (w1, "w1"), (w2, "w2"), (bias, "b")]:
    value.label = name
o = tanh_from_parts(x1 * w1 + x2 * w2 + bias)
o.backward()
view(o)
grads = f"x1 {x1.grad:.1f}   w1 {w1.grad:.1f}   x2 {x2.grad:.1f}   w2 {w2.grad:.1f}"
print(f"o = {o.data:.4f}   {grads}")

# %% [markdown]
# This is the neuron of the last lesson, and its gradients are those you found by hand: -1.5, 1, 0.5 and 0. (Scroll the
# picture to the right to see all of it.)
#
# **A place to stop.** The engine is done. When you come back, click into the cell you want to go on from and choose
# *Run > Run All Above Selected Cell*: Python has forgotten your functions, your notebook has not.

# %% [markdown]
# ## 7. The same in torch
#
# **PyTorch** is the engine most networks are trained with. It does the same on whole arrays, called **tensors**. Two
# things differ: a tensor collects a gradient only if you ask for it, with `requires_grad=True`; and torch stores numbers
# in 7 digits (float32) unless you ask for 16 (float64). `t.item()` makes a tensor of one number a Python float,
# `t.tolist()` makes any tensor a list.

# %%
import torch

t = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
(t * t).sum().backward()
print("gradient of t1^2 + t2^2:", t.grad)
print(torch.tensor(6.8813735870195432).item(), "in float32 is not", 6.8813735870195432)

# %% exercise="m02-torch-neuron"
def torch_neuron(x, w, b):
    """The neuron o = tanh(x[0]*w[0] + x[1]*w[1] + ... + b) with all its gradients.

    In torch, in float64.

    x, w : lists of n floats;  b : float
    returns (o, dx, dw, db): float, list of n floats, list of n floats, float;
            dx[i] is the gradient of o towards x[i], and so on

    Example: x = [2, 0], w = [-3, 1], b = 6.8813735870195432
    gives o = 0.7071, dx = [-1.5, 0.5], dw = [1, 0], db = 0.5.
    """
    ### BEGIN SOLUTION
    x = torch.tensor(x, dtype=torch.float64, requires_grad=True)
    w = torch.tensor(w, dtype=torch.float64, requires_grad=True)
    b = torch.tensor(b, dtype=torch.float64, requires_grad=True)
    o = torch.tanh(x @ w + b)
    o.backward()
    return o.item(), x.grad.tolist(), w.grad.tolist(), b.grad.item()
    ### END SOLUTION

# %% check="m02-torch-neuron" points=2
check("m02-torch-neuron", torch_neuron)

# %% [markdown]
# torch knows hundreds of operations. To add one it does not know, you give it what your engine stores: the value, and
# the slope. You write them as two functions. `forward` gets `ctx`, an object in which it keeps what will be needed later;
# `backward` gets the same `ctx` and the upstream gradient.
#
# Take the third **Legendre polynomial**, $P_3(x) = \frac{5x^3 - 3x}{2}$, for each element of a tensor by itself. Differentiate
# it on paper first.

# %% exercise="m02-legendre-function"
class LegendreP3(torch.autograd.Function):
    """P3 as one operation. Used as LegendreP3.apply(x)."""

    @staticmethod
    def forward(ctx, x):
        """P3 of each element. x : tensor of any shape. Returns a tensor of that shape.

        Keep the tensors that backward needs with ctx.save_for_backward(...).
        """
        ### BEGIN SOLUTION
        ctx.save_for_backward(x)
        return (5 * x**3 - 3 * x) / 2
        ### END SOLUTION

    @staticmethod
    def backward(ctx, grad_output):
        """The gradient towards x, a tensor of its shape.

        grad_output : upstream gradient, shape of x
        ctx.saved_tensors is a tuple of what forward has kept.
        """
        ### BEGIN SOLUTION
        (x,) = ctx.saved_tensors
        return grad_output * (15 * x**2 - 3) / 2
        ### END SOLUTION

# %% check="m02-legendre-function" points=2
check("m02-legendre-function", LegendreP3)

# %%
xs = torch.linspace(-1, 1, 201, dtype=torch.float64, requires_grad=True)
p3 = LegendreP3.apply(xs)
p3.sum().backward()  # the sum, so that each element gets the upstream gradient 1
plt.figure(figsize=(6, 3.5))
plt.plot(xs.detach(), p3.detach(), color=BLUE, label="P3(x)")
plt.plot(xs.detach(), xs.grad, "--", color=ORANGE, label="your slope")
plt.gca().set(title="The slope is 0 where P3 turns", xlabel="x", ylabel="P3(x), slope")
plt.axhline(0, color="gray", linewidth=0.5)
plt.legend()
plt.show()
for at in [0, 55, 145, 200]:
    print(f"x = {xs[at]:5.2f}   P3 = {p3[at]:5.2f}   slope = {xs.grad[at]:5.2f}")

# %% [markdown]
# ## 8. A network
#
# Back to your own engine. A **neuron** computes $w_1 x_1 + \dots + w_n x_n + b$ and bends the sum with a function such as
# tanh or relu, its **activation**. A **layer** is several neurons that see the same inputs, and a **multi-layer perceptron**
# (MLP) is several layers in a row: the outputs of one are the inputs of the next. All weights and biases together are the
# **parameters**, the numbers that training changes.
#
# Almost all the work is in the sums. Built from `*` and `+`, a sum of $n$ products takes $2n$ Values. Its slopes are known,
# so here it is as one operation, several times faster. You may use it; a loop over `*` and `+` gives the same numbers.

# %%
def weighted_sum(weights, inputs, bias):
    """weights[0]*inputs[0] + weights[1]*inputs[1] + ... + bias, as one Value.

    weights : list of Values;  inputs : list of Values or floats;  bias : Value
    """
    data, prev, local = bias.data, [bias], [1.0]
    # strict: lists of different lengths are an error; without it, zip stops at the shorter one
    for weight, one in zip(weights, inputs, strict=True):
        if isinstance(one, Value):
            data += weight.data * one.data
            prev += (weight, one)
            local += (one.data, weight.data)
        else:
            data += weight.data * one
            prev.append(weight)
            local.append(one)
    return Value(data, prev, local, "w.x+b")

# %% [markdown]
# Weights start random: with equal weights all neurons of a layer would get the same gradients and stay equal for ever.
# Every neuron keeps its activation as a name: `"tanh"`, `"relu"`, or `"linear"`, which leaves the sum as it is.

# %% exercise="m02-neuron"
class Neuron:
    """n_inputs weights w and a bias b, all Values. act is "tanh", "relu" or "linear"."""

    def __init__(self, n_inputs, act="relu"):
        """Each weight starts at random between -1 and 1, the bias at 0."""
        ### BEGIN SOLUTION
        self.w = [Value(random.uniform(-1, 1)) for _ in range(n_inputs)]
        self.b = Value(0.0)
        self.act = act
        ### END SOLUTION

    def __call__(self, x):
        """act(w[0]*x[0] + w[1]*x[1] + ... + b).

        x : list of n_inputs Values or floats
        returns Value
        """
        ### BEGIN SOLUTION
        total = weighted_sum(self.w, x, self.b)
        if self.act == "tanh":
            return total.tanh()
        return total.relu() if self.act == "relu" else total
        ### END SOLUTION

    def parameters(self):
        """List of all Values to be trained: the weights in order, then the bias."""
        ### BEGIN SOLUTION
        return [*self.w, self.b]
        ### END SOLUTION

# %% check="m02-neuron" points=3
check("m02-neuron", Neuron)

# %% exercise="m02-layer"
class Layer:
    """n_outputs neurons, each with n_inputs inputs."""

    def __init__(self, n_inputs, n_outputs, act="relu"):
        ### BEGIN SOLUTION
        self.neurons = [Neuron(n_inputs, act) for _ in range(n_outputs)]
        ### END SOLUTION

    def __call__(self, x):
        """List of n_outputs Values, one per neuron. x : list of n_inputs Values or floats."""
        ### BEGIN SOLUTION
        return [each(x) for each in self.neurons]
        ### END SOLUTION

    def parameters(self):
        """List of the parameters of all neurons, neuron by neuron."""
        ### BEGIN SOLUTION
        return [p for each in self.neurons for p in each.parameters()]
        ### END SOLUTION

# %% check="m02-layer" points=2
check("m02-layer", Layer)

# %% exercise="m02-mlp"
class MLP:
    """Layers in a row.

    MLP(3, [4, 4, 1]) has 3 inputs, two layers of 4 neurons, and a last layer of 1 neuron.
    act is that of all layers but the last; the last is "linear".
    """

    def __init__(self, n_inputs, sizes, act="relu"):
        ### BEGIN SOLUTION
        widths = [n_inputs, *sizes]
        acts = [act] * (len(sizes) - 1) + ["linear"]
        self.layers = [Layer(widths[i], widths[i + 1], acts[i]) for i in range(len(sizes))]
        ### END SOLUTION

    def __call__(self, x):
        """One Value when the last layer has one neuron, else a list of Values.

        x : list of n_inputs Values or floats
        """
        ### BEGIN SOLUTION
        for each in self.layers:
            x = each(x)
        return x[0] if len(x) == 1 else x
        ### END SOLUTION

    def parameters(self):
        """List of the parameters of all layers, layer by layer."""
        ### BEGIN SOLUTION
        return [p for each in self.layers for p in each.parameters()]
        ### END SOLUTION

# %% check="m02-mlp" points=3
check("m02-mlp", MLP)

# %%
print("MLP(3, [4, 4, 1]):  ", len(MLP(3, [4, 4, 1]).parameters()), "parameters")
print("MLP(2, [16, 16, 1]):", len(MLP(2, [16, 16, 1]).parameters()), "parameters")
random.seed(3)
view(MLP(2, [2, 1], "tanh")([0.5, -1.0]))

# %% [markdown]
# The picture is a small network: two inputs, a layer of two neurons, one output neuron. With `weighted_sum`, each `w.x+b`
# is the sum of one neuron; its bias and its weights come in from the left. (The two inputs are plain numbers and are not
# drawn.)
#
# ## 9. Loss
#
# The **loss** is one number that says how far the outputs of a network, its **predictions**, are from what they should be,
# the **targets**. For a few targets of 1 and -1, add up the squared differences:

# %% exercise="m02-squared-loss"
def squared_loss(predictions, targets):
    """Sum over all examples of (prediction - target)^2. A sum, not a mean.

    predictions : list of n Values;  targets : list of n floats
    returns Value. Example: predictions 0.5 and 0, targets 1 and -1 gives 1.25.
    """
    ### BEGIN SOLUTION
    pairs = zip(predictions, targets, strict=True)
    return sum((prediction - target) ** 2 for prediction, target in pairs)
    ### END SOLUTION

# %% check="m02-squared-loss" points=1
check("m02-squared-loss", squared_loss)

# %% [markdown]
# **Gradient descent**: compute the loss, find the gradients, move each parameter a little against its gradient, repeat.
# Do not forget section 4: what is in `.grad` from the last step does not go away by itself.

# %% exercise="m02-train-loop"
def train_loop(model, xs, ys, loss, steps, rate):
    """Gradient descent on all examples at once. Changes the model; returns the losses.

    model : model(x) gives a Value, model.parameters() a list of Values
    xs    : list of n inputs, each a list of floats;  ys : list of n floats
    loss  : loss(predictions, ys) gives a Value
    steps : how many;  rate : float, each parameter moves by rate times its gradient
    returns list of `steps` floats: the loss of each step, before its move
    """
    ### BEGIN SOLUTION
    losses = []
    for _ in range(steps):
        total = loss([model(x) for x in xs], ys)
        for p in model.parameters():
            p.grad = 0.0  # or the gradients of the last step are added
        total.backward()
        for p in model.parameters():
            p.data -= rate * p.grad
        losses.append(total.data)
    return losses
    ### END SOLUTION

# %% check="m02-train-loop" points=3
check("m02-train-loop", train_loop)

# %%
xs = [[2.0, 3.0, -1.0], [3.0, -1.0, 0.5], [0.5, 1.0, 1.0], [1.0, 1.0, -1.0]]
ys = [1.0, -1.0, -1.0, 1.0]
random.seed(1)
model = MLP(3, [4, 4, 1], "tanh")
losses = train_loop(model, xs, ys, squared_loss, steps=50, rate=0.05)
print(f"loss {losses[0]:.3f} -> {losses[-1]:.1e}; it would be 0 if all outputs were right")
print("outputs", [round(model(x).data, 2) for x in xs], " targets", ys)

# the same loss twice, (w - 3)^2 and (v - 3)^2; the gradient of v is never zeroed
w, v = Value(0.0), Value(0.0)
for step in range(6):
    w.grad = 0.0
    ((w - 3) ** 2).backward()
    ((v - 3) ** 2).backward()
    w.data, v.data = w.data - 0.2 * w.grad, v.data - 0.2 * v.grad
    print(f"step {step}   zeroed: {w.data:6.3f}   not zeroed: {v.data:6.3f}   (best: 3)")

# %% [markdown]
# In the column *zeroed*, the loop as it should be: it comes closer with each step. In *not zeroed*, it runs past 3 to
# beyond 6 before it turns, and no error is printed. Think of this whenever a loss behaves oddly.
#
# ## 10. Two moons
#
# Now the points from the beginning. The network gives each point a **score** $s$, which should be positive for label 1 and
# negative for label -1. At label 1, a score of 2 costs nothing, 0.5 costs 0.5, and -1 costs 2. In general the
# **max-margin loss** of a point with label $y$ is $\operatorname{relu}(1 - y\,s)$: 0 once the score has the sign of the label and
# is at least 1 in size.
#
# The loss of the network is the mean over the points, plus $\alpha$ (alpha) times the sum of all squared parameters, called
# **L2 regularisation**: it keeps parameters small that the points do not need.

# %% exercise="m02-moons-loss"
def moons_loss(scores, labels, parameters, alpha=1e-4):
    """Mean of relu(1 - label * score), plus alpha times the sum of the squared parameters.

    scores     : list of n Values
    labels     : list of n floats, 1.0 or -1.0
    parameters : list of Values
    returns Value

    Example: scores 2 and 0.5, labels 1 and 1, one parameter 3, alpha 0.1 gives 0.25 + 0.9.
    """
    ### BEGIN SOLUTION
    pairs = zip(scores, labels, strict=True)
    margins = sum((1 - label * score).relu() for score, label in pairs)
    return margins / len(scores) + alpha * sum(p * p for p in parameters)
    ### END SOLUTION

# %% check="m02-moons-loss" points=2
check("m02-moons-loss", moons_loss)

# %% [markdown]
# One step over all points is slow, and a few points already tell roughly where to go. So each step uses a **minibatch**, a
# few points drawn at random. Its gradient is noisy; steps that get shorter let the noise die out at the end.

# %% exercise="m02-moons-train"
def moons_train(model, X, y, batches, loss):
    """One step of gradient descent per minibatch. Changes the model; returns the losses.

    X : array (n, 2);  y : array (n,)
    batches : list of integer arrays: step k uses the rows batches[k] of X and y
    loss    : loss(scores, labels, model.parameters()) gives a Value
    Step k (k = 0, 1, ...) has the rate 1.0 - 0.9 * k / len(batches).
    returns list of len(batches) floats: the loss of each minibatch, before the move
    """
    ### BEGIN SOLUTION
    losses = []
    for k, rows in enumerate(batches):
        scores = [model(point) for point in X[rows].tolist()]
        total = loss(scores, y[rows].tolist(), model.parameters())
        for p in model.parameters():
            p.grad = 0.0
        total.backward()
        for p in model.parameters():
            p.data -= (1.0 - 0.9 * k / len(batches)) * p.grad
        losses.append(total.data)
    return losses
    ### END SOLUTION

# %% check="m02-moons-train" points=3
check("m02-moons-train", moons_train)

# %% [markdown]
# Before the real run, two questions that find most mistakes in a minute. Is the **loss at the start** plausible? With scores
# near 0 it must be near $\operatorname{relu}(1 - 0) = 1$. And can the network **learn one small batch by heart**? If it cannot, more data will not help.

# %%
def accuracy(model, X, y):
    """Share of points whose score has the sign of their label."""
    right = [(model(point).data > 0) == (label > 0) for point, label in zip(X.tolist(), y)]
    return sum(right) / len(right)

random.seed(1337)
model = MLP(2, [16, 16, 1])
start = moons_loss([model(point) for point in X.tolist()], y.tolist(), model.parameters())
print(f"loss at the start {start.data:.3f}, accuracy {accuracy(model, X, y):.0%}")

ten = np.arange(10)
losses = moons_train(model, X, y, [ten] * 30, moons_loss)
print(f"ten points by heart: loss {losses[0]:.3f} -> {losses[-1]:.3f}", end=", ")
print(f"accuracy on them {accuracy(model, X[ten], y[ten]):.0%}")

# %% [markdown]
# Both answers are good: now train. 100 other points, which the network never learns from, tell whether it found the shape
# or only these points. They are called **dev** points, for development.

# %%
X_dev, y_dev = make_moons(100, noise=0.1, seed=2)
random.seed(1337)
model = MLP(2, [16, 16, 1])
rng = np.random.RandomState(0)
batches = [rng.permutation(len(X))[:50] for _ in range(100)]
dev_steps, dev_losses = [], []

def watched_loss(scores, labels, parameters):
    """moons_loss, which also looks at the dev points every tenth time it is asked."""
    watched_loss.calls += 1
    if watched_loss.calls % 10 == 1:
        dev_steps.append(watched_loss.calls - 1)
        dev_scores = [model(point) for point in X_dev.tolist()]
        dev_losses.append(moons_loss(dev_scores, y_dev.tolist(), parameters).data)
    movie.frame(watched_loss.calls)
    return moons_loss(scores, labels, parameters)

watched_loss.calls = 0
with BoundaryMovie(model, X, y) as movie:
    losses = moons_train(model, X, y, batches, watched_loss)
print(f"train accuracy {accuracy(model, X, y):.0%}", end=", ")
print(f"dev accuracy {accuracy(model, X_dev, y_dev):.0%}")
print(f"minibatch loss {losses[0]:.3f} -> {losses[-1]:.3f}", end=", ")
print(f"dev loss {dev_losses[0]:.3f} -> {dev_losses[-1]:.3f}")

plt.figure(figsize=(7, 4))
plt.plot(losses, color=BLUE, label="minibatch of the training points")
plt.plot(dev_steps, dev_losses, "s--", color=ORANGE, label="dev points")
plt.gca().set(title="Loss of your network", xlabel="step", ylabel="max-margin loss + L2")
plt.ylim(0, None)
plt.legend()
plt.show()

# %% [markdown]
# A network of 337 parameters, made of nothing but your Values, separates the moons: above the line where the score turns
# lies the upper half-moon, below it the lower one. Step through the picture to see how the line came to lie there. The dev loss fell with the training loss. (The jump in the first steps comes
# from the large rate at the start. With 0.3 times the rate it does not happen, but then 100 steps are too few.) With other
# random starts the training ends at 99 to 100% on both sets (six starts tried).
#
# ## What is true now
#
# You can differentiate any expression, not only those you can do by hand: each operation knows its own slopes, one walk
# over the graph multiplies and adds them up. Everything else, from the neuron to the training loop, is built on top.
#
# Three questions to end with:
#
# 1. $y = x \cdot x \cdot x$ at $x = 2$. What is the gradient of $y$ towards $x$?

# %% predict="m02-predict-cube"
predict("m02-predict-cube", guess=None)

# %% [markdown]
# 2. The true gradient of a parameter is 1 in each of three steps, and nobody zeroes `.grad`. What does the third step use?

# %% predict="m02-predict-stale"
predict("m02-predict-stale", guess=None)

# %% [markdown]
# 3. A network has 2 inputs, two layers of 8 neurons, and 1 output neuron. How many weights and biases?

# %% predict="m02-predict-size"
predict("m02-predict-size", guess=None)

# %% [markdown]
# **Read on.** Andrej Karpathy, *The spelled-out intro to neural networks and backpropagation* (lecture) and the micrograd
# repository; Baydin and others, *Automatic differentiation in machine learning: a survey* (2018); Rumelhart, Hinton and
# Williams, *Learning representations by back-propagating errors* (1986).
