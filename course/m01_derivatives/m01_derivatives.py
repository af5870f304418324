# %% [markdown]
# # What a derivative measures
#
# Training a network means asking one question again and again: *if I turn this knob a little, does the result get
# better or worse, and by how much?* The answer is a derivative. In this lesson you measure derivatives, then work them
# out, then build the tool that says whether you worked them out right.
#
# At the end you will have
#
# - two functions that measure a slope, and a plot of how exact they can be;
# - all the gradients of a small expression and of one neuron, by hand;
# - a **gradient check** of your own, which finds a planted bug in someone else's formula.
#
# **Time**: 60 to 90 minutes. **You need**: Python functions, loops, lists and dicts, and the idea that a straight line has a slope.
#
# The next two cells load what the lesson needs and draw the first picture. Run them; you need not read them.

# %%
import math
from types import SimpleNamespace

import matplotlib.pyplot as plt
import numpy as np

from zerohero import check, hint, predict, view
from zerohero.gradcheck import gradcheck
from zerohero.viz import v_curve
from zerohero.widgets import slope_explorer

# %%
def show_L(a, b, c, f, grads):
    """Draw L = (a*b + c)*f as a graph.

    grads : dict of gradients by name; a box without one shows None
    """

    def node(label, data, op="", *inputs):
        grad = grads.get(label)
        return SimpleNamespace(label=label, data=data, grad=grad, _op=op, _prev=inputs)

    e = node("e", a * b, "*", node("a", a), node("b", b))
    d = node("d", e.data + c, "+", e, node("c", c))
    view(node("L", d.data * f, "*", d, node("f", f)))


show_L(2.0, -3.0, 10.0, -2.0, grads={})

# %% [markdown]
# This is $L = (a\,b + c)\,f$, one box for each number. $a$, $b$, $c$ and $f$ are the knobs, $e$ and $d$ are
# numbers on the way, $L$ is the result. Each box has a place for its **gradient**, the slope of $L$ when this number is
# changed; all are `None` so far. You will fill them all.
#
# Before you start, three guesses. Replace `None`, run the cell, and read what comes. A wrong guess costs nothing and is
# worth more than none: you will see the same kind of question again at the end.
#
# 1. The slope of $\sin$ at 1, how steep the curve is there, is measured as $(\sin(1+h) - \sin(1))/h$ on a computer,
#    in ordinary floating-point numbers (about 16 digits). Which $h$ comes closest to the true slope: `1e-2`, `1e-8` or
#    `1e-14`?

# %% predict="m01-predict-smallest-step"
predict("m01-predict-smallest-step", guess=None)

# %% [markdown]
# 2. $d = a\,b + c$ with $a = 2$, $b = -3$, $c = 10$. Does $d$ grow (`"+"`) or shrink (`"-"`) when $a$ grows a little? When
#    $b$ does? When $c$ does? Give a tuple such as `("+", "+", "-")`.

# %% predict="m01-predict-signs"
predict("m01-predict-signs", guess=None)

# %% [markdown]
# 3. $L = d \cdot f$ with $d = 4$ and $f = -2$. $d$ grows by 0.001. By how much does $L$ change? (A number, with its sign.)

# %% predict="m01-predict-chain"
predict("m01-predict-chain", guess=None)

# %% [markdown]
# ## 1. A slope by nudging
#
# Take $f(x) = 3x^2 - 4x + 5$ and stand at $x = 3$, where $f$ is 20. Now go a little to the right, to $x = 3.001$:
# a **nudge** of $h = 0.001$.

# %%
def f(x):
    return 3 * x**2 - 4 * x + 5


print("f(3)    ", f(3.0))
print("f(3.001)", f(3.001))

# %% [markdown]
# The input moved by 0.001. How far did the output move? Divide that by 0.001: this ratio is the **slope** over the nudge.
# (The 2 at the very end is not the function's, it is rounding. Section 4 comes back to it.)
#
# The **derivative** of $f$ at $x$, also called the slope of $f$ at $x$, is the number the ratio settles at when the nudge
# gets smaller and smaller. If you know a rule for it from school, use it now; if not, guess from the numbers above.

# %% predict="m01-predict-slope-at-3"
predict("m01-predict-slope-at-3", guess=None)

# %% [markdown]
# The ratio for one given nudge is called the **forward difference**:
#
# $$\frac{f(x + h) - f(x)}{h}$$
#
# Write it as a function that works for any `f`. Stuck? Run `hint("m01-forward-difference")` in a cell of your own, up to
# three times.

# %% exercise="m01-forward-difference"
def forward_difference(f, x, h):
    """Slope of f at x, measured with one nudge to the right.

    f : a function of one number
    x : float, where
    h : float, the nudge, larger than 0
    returns float

    Example: f(x) = 3x^2 - 4x + 5, x = 3, h = 0.001 gives 14.003.
    """
    ### BEGIN SOLUTION
    return (f(x + h) - f(x)) / h
    ### END SOLUTION

# %% check="m01-forward-difference" points=1
check("m01-forward-difference", forward_difference)

# %% [markdown]
# Now look at what you measure. A forward difference is the slope of the line through two points of the curve. The closer
# the points, the more that line is the **tangent**, the line that runs along the curve.

# %%
xs = np.linspace(-1, 5, 200)
plt.figure(figsize=(7, 4))
plt.plot(xs, f(xs), color="black", label="f(x)")
styles = [(2.0, "#D55E00", ":", "s"), (1.0, "#E69F00", "--", "^"), (0.001, "#0072B2", "-", "o")]
for h, color, line, point in styles:
    slope = forward_difference(f, 3.0, h)
    label = f"h = {h:g}: slope {slope:.3f}"
    plt.plot(xs, f(3.0) + slope * (xs - 3.0), line, color=color, label=label)
    plt.plot([3.0, 3.0 + h], [f(3.0), f(3.0 + h)], point, color=color)
    print(f"h = {h:5g}   slope at 3 = {slope:.3f}")
plt.ylim(-10, 60)
plt.title("Your forward_difference at x = 3: lines through two points")
plt.xlabel("x")
plt.ylabel("f(x)")
plt.legend()
plt.show()

print("slope at 2/3:", round(forward_difference(f, 2 / 3, 1e-6), 4))

# %% [markdown]
# Drag the point along the curve, and the step $h$ on the line below it (or move them with the arrow keys): the dashed line
# is your secant, the other the tangent. Where do the two differ most, where least?

# %%
slope_explorer(f, x=3.0, h=2.0, low=-1.0, high=5.0)

# %% [markdown]
# At $x = 3$ the slope settles at 14. At $x = 2/3$, the bottom of the curve, it is 0: a small nudge to either side changes
# almost nothing. A slope says two things: its sign tells which way the output goes when the input grows, its size how fast.
#
# ## 2. A nudge to either side
#
# With $h = 1$ you measured 17 and the truth is 14: to the right of 3 the curve is steeper than at 3. To the left it is
# less steep by about as much. So look at both sides, and most of the error cancels. This is the **central difference**:
# the output at $x + h$ minus the output at $x - h$, divided by the distance between these two places.

# %% exercise="m01-central-difference"
def central_difference(f, x, h):
    """Slope of f at x, measured between x - h and x + h.

    f : a function of one number
    x : float, where
    h : float, the nudge to either side, not 0
    returns float

    Example: f(x) = x^3, x = 1, h = 0.1 gives 3.01.
    """
    ### BEGIN SOLUTION
    return (f(x + h) - f(x - h)) / (2 * h)
    ### END SOLUTION

# %% check="m01-central-difference" points=1
check("m01-central-difference", central_difference)

# %%
true_slope = math.cos(1.0)  # known: the slope of sin at x is cos(x)
print("    h    error forward   error central")
for h in [0.1, 0.01, 0.001]:
    forward_error = forward_difference(math.sin, 1.0, h) - true_slope
    central_error = central_difference(math.sin, 1.0, h) - true_slope
    print(f"{h:5g}    {forward_error:13.1e}   {central_error:13.1e}")

# %% [markdown]
# With a nudge ten times smaller the forward error is ten times smaller, the central error a hundred times.
# In symbols: the first is proportional to $h$, the second to $h^2$.
#
# ## 3. Several inputs
#
# $d = a\,b + c$ has three inputs, so it has three slopes at each point: one for each input, measured while the other two
# stay where they are. They are called **partial derivatives** and written $\partial d/\partial a$ and so on.
#
# You have predicted their signs at $a = 2$, $b = -3$, $c = 10$. Now find the numbers. Measure them with nudges, or work
# them out with a pencil; both are accepted. One warning for the nudgers: put $a$ back before you nudge $b$.

# %% exercise="m01-partials"
def partials(a, b, c):
    """The three partial derivatives of d = a*b + c.

    a, b, c : float
    returns a dict with keys "a", "b", "c": the slope of d in that input, float

    Example: the slope in c is 1 everywhere.
    """
    ### BEGIN SOLUTION
    return {"a": b, "b": a, "c": 1.0}
    ### END SOLUTION

# %% check="m01-partials" points=2
check("m01-partials", partials)

# %%
at = {"a": 2.0, "b": -3.0, "c": 10.0}
nudge = 0.001
for name, slope in partials(**at).items():
    moved = {**at, name: at[name] + nudge}
    change = (moved["a"] * moved["b"] + moved["c"]) - (at["a"] * at["b"] + at["c"])
    print(f"{name} up by {nudge}: d changes by {change:+.4f}", end="   ")
    print(f"your slope * nudge = {slope * nudge:+.4f}")

# %% [markdown]
# The two columns agree: a slope times a small nudge is the change that the nudge makes. All of training rests on this line.
#
# ## 4. How small should a nudge be?
#
# A computer keeps about 16 digits of a number (**float64**) or about 7 (**float32**). A small nudge changes only the last
# few of them: $\sin(1 + h)$ and $\sin(1)$ then agree in almost all digits, the subtraction removes these, and what is left is
# rounding. So there are two errors: the curve bends (a large $h$ is bad) and numbers are rounded (a small $h$ is bad).
#
# To see both, try many values of $h$, from here on called **steps**, against a slope you know. First, a function that
# says which step was best.

# %% exercise="m01-best-h"
def best_h(measure, steps, true_slope):
    """The step whose measured slope is closest to the true one.

    measure    : function of one step, returns the slope measured with it, float
    steps      : list of float, in any order; leave it as it is
    true_slope : float
    returns the best element of steps

    Example: measure(0.1) is 14.3 and measure(0.01) is 14.03;
    with true_slope = 14, steps = [0.1, 0.01] gives 0.01.
    """
    ### BEGIN SOLUTION
    best, smallest = None, math.inf
    for h in steps:
        error = abs(measure(h) - true_slope)
        if error < smallest:
            best, smallest = h, error
    return best
    ### END SOLUTION

# %% check="m01-best-h" points=2
check("m01-best-h", best_h)

# %%
steps = [10.0**-k for k in range(16)]
methods = [
    ("forward, float64", forward_difference, np.float64),
    ("central, float64", central_difference, np.float64),
    ("forward, float32", forward_difference, np.float32),
    ("central, float32", central_difference, np.float32),
]
for label, difference, number in methods:

    def measure(h):
        return float(difference(np.sin, number(1), number(h)))

    errors = [abs(measure(h) - true_slope) for h in steps]
    best = best_h(measure, steps, true_slope)
    print(f"{label}: best step {best:.0e}, its error {errors[steps.index(best)]:.0e}")
v_curve(np.sin, np.cos, methods={"forward": forward_difference, "central": central_difference})

# %% [markdown]
# Both axes count in powers of ten. Each curve is a V. Come from the right, where steps are large: with each step ten
# times smaller the error falls, ten times for the forward difference, a hundred times for the central one. Then it turns
# and rises, ragged, because the rounding error is divided by an ever smaller $h$. Where a curve is flat, at the top
# left, the nudge is lost altogether: in float32, $1 + 10^{-10}$ is 1, and the measured slope is 0.
#
# Three things to take along. The smallest step is not the best one. In float64 the central difference with $h$ near
# $10^{-5}$ is good to about ten digits, enough to check any formula. In float32 no step gives more than about five:
# **check gradients in float64**.

# %% [markdown]
# ## 5. Local derivatives
#
# Measuring costs two runs of the whole function per input, and a network has millions of inputs. So we stop measuring
# and look at how the function is made. It consists of a few kinds of operations, and for each kind a short formula gives
# the slope. The slope of one operation in its own inputs is its **local derivative**.
#
# | operation | output | what to think of |
# |---|---|---|
# | `"+"` | $a + b$ | nudge $a$: does $b$ matter? |
# | `"*"` | $a\,b$ | you have just measured it |
# | `"pow"` | $a^b$, with $b$ a fixed number | the rule that makes $3x^2$ into $6x$ |
# | `"exp"` | $e^a$ | the function that is its own slope |
# | `"tanh"` | $\tanh a = \frac{e^a - e^{-a}}{e^a + e^{-a}}$ | slope 1 at $a = 0$, slope 0 where the output is near $1$ or $-1$ |
# | `"relu"` | $a$ if $a > 0$, else 0 | two straight lines |
#
# For tanh there is a short formula in the output $t = \tanh a$ alone. Look it up or derive it, then measure whether it is true:
# you have the tool. At exactly $a = 0$ relu has a corner and no slope; this course takes 0 there, and no check asks.

# %% exercise="m01-local-derivatives"
def local_derivatives(op, a, b=None):
    """Slopes of one operation in its own inputs, by formula, without nudging.

    op   : "+", "*", "pow", "exp", "tanh" or "relu"
    a, b : float. b is None for exp, tanh and relu; for pow it is the exponent, a fixed number.
    returns two floats, the slopes in a and in b, for "+" and "*";
            one float, the slope in a, for the others

    It must hold for large numbers too: tanh at a = 1000 has slope 0, not nan.
    Example: ("pow", 3.0, 2.0) gives 6.0.
    """
    ### BEGIN SOLUTION
    if op == "+":
        return 1.0, 1.0
    if op == "*":
        return b, a
    if op == "pow":
        return b * a ** (b - 1)
    if op == "exp":
        return math.exp(a)
    if op == "tanh":
        return 1 - math.tanh(a) ** 2
    if op == "relu":
        return 1.0 if a > 0 else 0.0
    raise ValueError(f"no operation {op!r}")
    ### END SOLUTION

# %% check="m01-local-derivatives" points=3
check("m01-local-derivatives", local_derivatives)

# %%
curves = [("exp", np.exp), ("tanh", np.tanh), ("relu", lambda x: np.maximum(x, 0))]
figure, axes = plt.subplots(1, 3, figsize=(10, 3.2), layout="constrained")
xs = np.linspace(-2, 2, 201)
for ax, (op, curve) in zip(axes, curves):
    ax.plot(xs, curve(xs), color="black")  # thin: the function; thick pieces: your slopes
    for x in [-1.5, -0.5, 0.5, 1.5]:
        slope = local_derivatives(op, x)
        near = np.array([x - 0.35, x + 0.35])
        ax.plot(near, curve(x) + slope * (near - x), color="#0072B2", linewidth=3)
        measured = central_difference(curve, x, 1e-5)
        print(f"{op:>5} at {x:4}: your slope {slope:.4f}, measured {measured:.4f}")
    ax.set(title=f"{op}: your slopes as tangents", xlabel="a", ylabel="output")
plt.show()

# %% [markdown]
# ## 6. The chain rule, by hand
#
# Back to $L = (a\,b + c)\,f$. Name the numbers on the way:
#
# $$e = a\,b \qquad d = e + c \qquad L = d\,f$$
#
# With $f = -2$, a nudge of 0.001 to $d$ changes $L$ by $-0.002$: the third guess of the beginning. A nudge of 0.001 to $e$
# moves $d$ by the same 0.001, and so $L$ by $-0.002$ again: the slope of $L$ in $e$ is $f \cdot 1$. That is the whole
# **chain rule**: *along a path, slopes multiply*. You walk from $L$ back to the knobs and multiply the slope you have by the
# next local derivative.
#
# When you come to an operation on this walk, the gradient of its output is known already. It is called the **upstream
# gradient**. Multiplied by a local derivative of the operation, it gives the gradient of that input.

# %% exercise="m01-chain-by-hand"
def chain_by_hand(a, b, c, f):
    """Gradients of L = d*f with d = e + c and e = a*b, by the chain rule. No nudging.

    a, b, c, f : float
    returns a dict with keys "a", "b", "c", "e", "d", "f":
            the slope of L with respect to each, float

    Example: a = 2, b = -3, c = 10, f = -2 gives -2 for "d".
    """
    ### BEGIN SOLUTION
    e = a * b
    d = e + c
    grad_f = d  # L = d*f
    grad_d = f
    grad_e = grad_d  # d = e + c hands its gradient on to both
    grad_c = grad_d
    grad_b = a * grad_e  # e = a*b
    grad_a = b * grad_e
    return {"a": grad_a, "b": grad_b, "c": grad_c, "e": grad_e, "d": grad_d, "f": grad_f}
    ### END SOLUTION

# %% check="m01-chain-by-hand" points=3
check("m01-chain-by-hand", chain_by_hand)

# %% [markdown]
# The picture from the beginning, with your gradients in their places. Read it from right to left.

# %%
show_L(2.0, -3.0, 10.0, -2.0, grads={"L": 1.0, **chain_by_hand(2.0, -3.0, 10.0, -2.0)})

# %% [markdown]
# ## 7. One neuron
#
# A neuron multiplies each input by a weight, adds everything and a bias, and bends the sum with tanh:
#
# $$n = x_1 w_1 + x_2 w_2 + b \qquad o = \tanh n$$
#
# You have every local derivative it needs. With $x_1 = 2$, $w_1 = -3$, $x_2 = 0$, $w_2 = 1$, $b = 6.8813735870195432$: what is the
# gradient of $w_2$?

# %% predict="m01-predict-second-weight"
predict("m01-predict-second-weight", guess=None)

# %% exercise="m01-neuron-by-hand"
def neuron_by_hand(x1, w1, x2, w2, b):
    """The neuron o = tanh(x1*w1 + x2*w2 + b), and the slope of o with respect to each number.

    By the chain rule, no nudging.

    x1, w1, x2, w2, b : float
    returns a dict with keys "o", "x1", "w1", "x2", "w2", "b":
            the output under "o", the slope of o under each other key, float

    Example: all five 0 gives o = 0, slope 1 for "b", and 0 for the rest.
    """
    ### BEGIN SOLUTION
    n = x1 * w1 + x2 * w2 + b
    o = math.tanh(n)
    grad_n = 1 - o**2
    first = {"x1": w1 * grad_n, "w1": x1 * grad_n}
    second = {"x2": w2 * grad_n, "w2": x2 * grad_n}
    return {"o": o, **first, **second, "b": grad_n}
    ### END SOLUTION

# %% check="m01-neuron-by-hand" points=3
check("m01-neuron-by-hand", neuron_by_hand)

# %%
neuron = {"x1": 2.0, "w1": -3.0, "x2": 0.0, "w2": 1.0, "b": 6.8813735870195432}
result = neuron_by_hand(**neuron)
for name, value in result.items():
    print(f"{name:>3} {value:8.4f}")

n = neuron["x1"] * neuron["w1"] + neuron["x2"] * neuron["w2"] + neuron["b"]
ns, near = np.linspace(-3, 3, 201), np.array([n - 0.8, n + 0.8])
plt.figure(figsize=(6, 3.5))
plt.plot(ns, np.tanh(ns), color="black", label="tanh(n)")
tangent = result["o"] + result["b"] * (near - n)
label = f"your gradient of b: {result['b']:.3f}"
plt.plot(near, tangent, color="#0072B2", linewidth=3, label=label)
plt.plot([n], [result["o"]], "o", color="#D55E00", label=f"o = {result['o']:.4f}")
plt.title("The neuron at work: the gradient of b is the slope of tanh")
plt.xlabel("n = x1*w1 + x2*w2 + b")
plt.ylabel("output o")
plt.legend()
plt.show()

# %% [markdown]
# The gradient of $n$ is 0.5, and every other one is that times one factor. Training moves each weight in proportion to its
# gradient, so two consequences will follow you through the course. A weight whose input is 0 gets the gradient 0: it
# learns nothing from this example. And where tanh is flat, *every* gradient of the neuron is close to 0: a **saturated** neuron stops
# learning.
#
# ## 8. One step
#
# Gradients are for moving. Give each of $a, b, c, f$ a small push in the direction of its own gradient, 0.01 times as
# large. $L$ is $-8$ now. Does it go `"up"` or `"down"`?

# %% predict="m01-predict-direction"
predict("m01-predict-direction", guess=None)

# %% exercise="m01-one-step"
def one_step(values, grads, step):
    """L = (a*b + c)*f after a, b, c and f have all moved by step times their gradient.

    values : dict, "a", "b", "c", "f": float
    grads  : dict, "a", "b", "c", "e", "d", "f": gradients of L at values, float
    step   : float
    returns the new L, float. Both dicts stay as they are.

    Example: values a = 1, b = 1, c = 0, f = 1 with all gradients 1 and step 0.1
    gives (1.1*1.1 + 0.1)*1.1 = 1.441.
    """
    ### BEGIN SOLUTION
    a = values["a"] + step * grads["a"]
    b = values["b"] + step * grads["b"]
    c = values["c"] + step * grads["c"]
    f = values["f"] + step * grads["f"]
    return (a * b + c) * f
    ### END SOLUTION

# %% check="m01-one-step" points=1
check("m01-one-step", one_step)

# %%
values = {"a": 2.0, "b": -3.0, "c": 10.0, "f": -2.0}
grads = chain_by_hand(**values)
for step in [0.0, 0.01, -0.01, 0.25]:
    print(f"step {step:5}: L = {one_step(values, grads, step):.6f}")

# %% [markdown]
# One small step of 0.01 takes $L$ from $-8$ to $-7.286496$, up by 0.71. Your four gradients promised
# $0.01 \cdot (6^2 + 4^2 + 2^2 + 4^2) = 0.72$. With the step 0.25 they promise 18, and $L$ goes up by 12.5 only: a slope
# tells about the neighbourhood, so steps must be small.
#
# Training is this, repeated, with a minus: there the result is a **loss**, a number that says how wrong a network is, and
# you want it to go down.
#
# ## 9. A gradient check
#
# Formulas go wrong. You have a second way to every gradient, slow but hard to get wrong: nudging. Compare the two, and
# you know. First, what does "equal" mean? A difference of 0.003 is nothing beside 14000 and everything beside 0.001, so
# the difference is set beside the numbers themselves: a **relative error**,
#
# $$\text{error} = \frac{|x - y|}{\text{the largest of } |x|,\ |y| \text{ and floor}}$$
#
# Without the floor, $x = y = 0$ would be a division by zero, and a true gradient of 0 against a measured $10^{-12}$ would be
# an error of 1, the same as a wrong answer. With it, numbers smaller than the floor are compared as they are.

# %% exercise="m01-rel-error"
def rel_error(x, y, floor=1.0):
    """How far x and y are apart, beside the largest of |x|, |y| and floor.

    x, y  : float, any sign, possibly 0
    floor : float, larger than 0
    returns float, 0 when x equals y; the same when x and y change places

    Example: x = 10, y = 8 gives 0.2; x = 0, y = 0 gives 0.
    """
    ### BEGIN SOLUTION
    return abs(x - y) / max(abs(x), abs(y), floor)
    ### END SOLUTION

# %% check="m01-rel-error" points=1
check("m01-rel-error", rel_error)

# %% [markdown]
# Now the tool itself. Nudge each entry of the point by itself, with $h$ near $10^{-5}$ to either side, and compare the
# measured slope with the claimed one. Use your `rel_error` with floor 1; if it does not pass yet, write the comparison out.

# %% exercise="m01-grad-check"
def grad_check(f, point, claimed):
    """Which of the claimed partial derivatives of f are right?

    f       : function of several numbers, called as f(*point)
    point   : list of float, where; leave it as it is, to the last digit
    claimed : list of float, one claimed slope per entry of point,
              possibly wrong, nan or infinite
    returns a list of bool, True where the relative error (floor 1)
            against the measured slope is at most 1e-4

    Example: f(x, y) = x*y at [2, 3] with claimed [3, 5] gives [True, False].
    """
    ### BEGIN SOLUTION
    h = 1e-5
    right = []
    for i in range(len(point)):
        up, down = list(point), list(point)
        up[i] += h
        down[i] -= h
        slope = (f(*up) - f(*down)) / (2 * h)
        right.append(bool(rel_error(slope, claimed[i], 1.0) <= 1e-4))
    return right
    ### END SOLUTION

# %% check="m01-grad-check" points=3
check("m01-grad-check", grad_check)

# %% [markdown]
# ## 10. Break it
#
# A colleague wrote the neuron's gradients in a hurry. The code runs and the numbers look sensible. Run the cell as it is,
# then find the bug with the table that your `grad_check` prints. Change one line, and run it again until all five are right.

# %%
def hasty_neuron(x1, w1, x2, w2, b):
    n = w1 * x1 + w2 * x2 + b
    o = math.tanh(n)
    grad_n = 1 - n**2
    return [w1 * grad_n, x1 * grad_n, w2 * grad_n, x2 * grad_n, grad_n]


point = [2.0, -3.0, 0.0, 1.0, 6.8813735870195432]
claimed = hasty_neuron(*point)
right = grad_check(lambda x1, w1, x2, w2, b: math.tanh(x1 * w1 + x2 * w2 + b), point, claimed)
for name, value, ok in zip(["x1", "w1", "x2", "w2", "b"], claimed, right):
    print(f"{name:>3} {value:8.4f}   {'right' if ok else 'WRONG'}")

# %% [markdown]
# Four are wrong, and one is right only because $x_2 = 0$ hides it: **check at a point without zeros** as well. How to read
# such a table: divide each wrong gradient by the one you found by hand. Here the quotient is the same for all four, so
# they share one wrong factor, and only one thing is shared by all five. Section 5 has the formula it should be.
#
# ## 11. The same tool, grown up
#
# A **backward function** gets the upstream gradient of an operation, here `dout`, and the inputs; it returns the gradient
# of each input. `zerohero.gradcheck` checks such a function the way yours does, for arrays of any size. It makes `dout`
# random, so that a function which forgets to multiply by it is caught.

# %%
def tanh(a):
    return np.tanh(a)


def tanh_backward(dout, a):
    return dout * local_derivatives("tanh", float(a))


def forgets_dout(dout, a):
    return local_derivatives("tanh", float(a))


print("slope of tanh at 0.7:", round(local_derivatives("tanh", 0.7), 4))
print("with dout:   ", gradcheck(tanh, tanh_backward, [0.7]).headline)
print("without dout:", gradcheck(tanh, forgets_dout, [0.7]).headline)

# %% [markdown]
# From here on, every gradient you compute is checked in this way: against a measured one.
#
# ## What is true now
#
# You can measure any slope and say how exact it is. You can work out the gradients of an expression by multiplying local
# derivatives from the result back to the knobs. And you have a tool that finds a wrong one. In the next lesson a program
# does the walking back: you only give it the local derivatives.
#
# Three questions to close. First: now in float32, with the central difference. Which of the steps `1`, `1e-2`, `1e-6` measures the
# slope of $\sin$ at 1 best?

# %% predict="m01-predict-step-again"
predict("m01-predict-step-again", guess=None)

# %% [markdown]
# Second: $d = a\,b - c$ with $a = -2$, $b = 5$, $c = 1$. The signs of the slopes for $a$, $b$, $c$, as a tuple?

# %% predict="m01-predict-signs-again"
predict("m01-predict-signs-again", guess=None)

# %% [markdown]
# Third: $o = \tanh(w\,x)$ with $w = -2$, and the output is $o = 0.6$. What is the slope of $o$ with respect to $x$?

# %% predict="m01-predict-chain-again"
predict("m01-predict-chain-again", guess=None)

# %% [markdown]
# **Read on.** Andrej Karpathy, *The spelled-out intro to neural networks and backpropagation: building micrograd* (lecture),
# whose numbers are used here. Baydin, Pearlmutter, Radul and Siskind, *Automatic differentiation in machine learning: a
# survey* (2018). Nicholas Higham, *Accuracy and Stability of Numerical Algorithms*, chapter 1, on rounding.
