# %% [markdown]
# # Layers: backprop on arrays, and where it leaks
#
# Your engine from the last lesson handles one number at a time. A network that reads images handles thousands at once, and
# for that the same chain rule is written for whole **arrays**. At the end you will have
#
# - four layers in NumPy, each with its forward and its backward pass, checked against measured slopes;
# - a network of two layers that reads handwritten digits it has never seen, more than 95 of 100 rightly;
# - a list of the places where gradients get lost on their way back, each seen in an experiment of your own.
#
# **Time**: two sittings of 60 to 90 minutes; after section 7 is a good place to stop. **You need**: the lessons on
# derivatives and on micrograd, NumPy arrays, and the product of two matrices. Stuck? `hint("m03-unbroadcast")` gives the
# first of three hints; call it again for the next.

# %%
import matplotlib.pyplot as plt
import numpy as np

from zerohero import check, data, hint, predict
from zerohero.gradcheck import gradcheck
from zerohero.viz import activations, gradient_flow
from zerohero.widgets import TrainingMonitor

BLUE, ORANGE, GREEN, GRAY = "#0072B2", "#D55E00", "#009E73", "#999999"

# %%
def show_digits(images, titles, title):
    """images : (n, 64), row by row;  titles : one text for each"""
    columns = min(10, len(images))
    rows = -(-len(images) // columns)
    plt.figure(figsize=(9, 1.2 * rows + 0.4), layout="constrained")
    for place, (image, text) in enumerate(zip(images, titles)):
        plt.subplot(rows, columns, place + 1)
        plt.imshow(image.reshape(8, 8), cmap="gray_r")
        plt.title(text, fontsize=9)
        plt.axis("off")
    plt.suptitle(title)
    plt.show()

images, labels = data.digits()
show_digits(images[:20], labels[:20], "20 of the digits, 8 x 8 pixels each, with their labels")
print(f"{len(images):,} images of handwritten digits; the first 20 are", *labels[:20])

# %% [markdown]
# First three guesses. Replace `None` and run the cell. The same kind of question comes again at the end.
#
# 1. `x` of shape (3, 1) is added to `y` of shape (1, 4). Each number of the sum has the upstream gradient 1. What is the
#    gradient of `x[0, 0]`?

# %% predict="m03-predict-stretched"
predict("m03-predict-stretched", guess=None)

# %% [markdown]
# 2. A network that knows nothing gives each of 10 classes the same probability. Its loss is $-\ln p$, where $p$ is the
#    probability of the right class. How much is that? (`np.log` is $\ln$.)

# %% predict="m03-predict-ten-classes"
predict("m03-predict-ten-classes", guess=None)

# %% [markdown]
# 3. The slope of a sigmoid, a bent curve from 0 to 1, is 0.25 where it is steepest. A gradient of 1 goes back through four
#    sigmoids in a row. How much is left of it at most?

# %% predict="m03-predict-four-sigmoids"
predict("m03-predict-four-sigmoids", guess=None)

# %% [markdown]
# ## 1. A number that is used many times
#
# When two arrays of different shapes meet, NumPy stretches them until they fit: an axis of length 1 is repeated, and so is
# an axis that is missing in front. This is called **broadcasting**.

# %%
x = np.array([[10.0], [20.0]])  # (2, 1)
y = np.array([1.0, 2.0, 3.0])  # (3,)
print(x + y)  # (2, 3)

# %% [markdown]
# The 10 stands in `x` once, and in three of the sums. You know what that means since `a + a`: **each use hands back a
# gradient, and gradients add up**. So where the forward pass repeats a number along an axis, the backward pass sums along
# that axis.
#
# The gradient has the shape of the array it belongs to. For `x` above, the upstream gradient of shape (2, 3) becomes (2, 1):
# sum along axis 1, and keep the axis. For `y` it becomes (3,): sum along axis 0, and drop it.

# %% exercise="m03-unbroadcast"
def unbroadcast(dout, shape):
    """The gradient of an array that was stretched from `shape` to the shape of dout.

    dout  : float64 array, the upstream gradient
    shape : tuple of ints, the shape that the array had before: each axis is as long as
            that of dout, or 1, or missing in front
    returns float64 array of this shape

    Example: dout = [[1, 2, 3], [4, 5, 6]] gives [5, 7, 9] for the shape (3,),
    and [[6], [15]] for the shape (2, 1).
    """
    ### BEGIN SOLUTION
    while dout.ndim > len(shape):
        dout = dout.sum(axis=0)
    for axis, size in enumerate(shape):
        if size == 1:
            dout = dout.sum(axis=axis, keepdims=True)
    return dout
    ### END SOLUTION

# %% check="m03-unbroadcast" points=2
check("m03-unbroadcast", unbroadcast)

# %% [markdown]
# Any operation on two arrays has a backward pass now: the local slope times the upstream gradient, as ever, and then back to
# the shape of each input. Try it on a product. `gradcheck` is the gradient check of the first lesson, grown up: it measures
# slopes of the forward pass, with a random upstream gradient, and compares.

# %%
def multiply(x, y):
    return x * y

def multiply_backward(dout, x, y):
    return unbroadcast(dout * y, x.shape), unbroadcast(dout * x, y.shape)

rng = np.random.RandomState(1)
for shapes in [(2, 3), (2, 3)], [(2, 1), (3,)], [(4, 1, 3), (2, 1)]:
    report = gradcheck(multiply, multiply_backward, [rng.randn(*shape) for shape in shapes])
    print(f"{str(shapes[0]):>9} * {str(shapes[1]):6}  {report.headline}")

# %% [markdown]
# ## 2. A layer is one matrix product
#
# In the last lesson a layer was a list of neurons, and it saw one example at a time. Put the examples of a batch into the
# **rows** of `x`, and the weights of each neuron into a **column** of `w`. Then a matrix product does the whole layer for the
# whole batch at once, and the biases are broadcast over the rows:
#
# $$\text{out}_{nm} = \sum_d x_{nd}\, w_{dm} + b_m \qquad (N, D) \times (D, M) + (M) \to (N, M)$$
#
# Weighted sums plus a bias are called an **affine** map, so this is the affine layer.

# %% exercise="m03-affine-forward"
def affine_forward(x, w, b):
    """x times w, plus b.

    x : (..., D) float64, often (N, D): N examples of D numbers; there may be more axes in front
    w : (D, M) float64;  b : (M,) float64
    returns (..., M) float64

    Example: x = [[1, 2]], w = [[3], [4]], b = [5] gives [[16]].
    """
    ### BEGIN SOLUTION
    return x @ w + b
    ### END SOLUTION

# %% check="m03-affine-forward" points=1
check("m03-affine-forward", affine_forward)

# %% [markdown]
# Now back. Ask of each number: where is it used, and with which slope?
#
# - $x_{nd}$ is used in all $M$ outputs of its row, with the slopes $w_{dm}$. So its gradient is $\sum_m \text{dout}_{nm}\, w_{dm}$.
# - $w_{dm}$ is used in column $m$ of all $N$ rows, with the slopes $x_{nd}$.
# - $b_m$ is stretched over the rows.
#
# Each of the two sums of products is again a matrix product. You need not remember which: only one way of putting the
# arrays together gives the right shape. `dx` must be (N, D), `dw` must be (D, M); `x.T` is `x` with rows and columns
# exchanged.

# %% exercise="m03-affine-backward"
def affine_backward(dout, x, w, b):
    """The gradients of the affine layer.

    dout : (..., M) float64, the upstream gradient
    x    : (..., D) float64, w : (D, M), b : (M,), as in affine_forward
    returns dx, dw, db, of the shapes of x, w and b. Never divides by N: that is for the loss.

    Example: dout = [[10]] and x, w, b as above give [[30, 40]], [[10], [20]], [10].
    For x with three axes, all rows are treated alike: bring it to two axes first.
    """
    ### BEGIN SOLUTION
    x_rows = x.reshape(-1, x.shape[-1])
    dout_rows = dout.reshape(-1, dout.shape[-1])
    return dout @ w.T, x_rows.T @ dout_rows, dout_rows.sum(axis=0)
    ### END SOLUTION

# %% check="m03-affine-backward" points=3
check("m03-affine-backward", affine_backward)

# %%
x, w, b = rng.randn(5, 3), rng.randn(3, 2), rng.randn(2)
dout = rng.randn(5, 2)
for name, array, gradient in zip("xwb", (x, w, b), affine_backward(dout, x, w, b)):
    print(f"{name} {str(array.shape):7} gradient {gradient.shape}")

# %% [markdown]
# Gradient and array have the same shape, always: each number has one slope. When a backward pass of yours returns
# another shape, stop there.
#
# ## 3. Layers that bend
#
# Two affine layers in a row are one affine layer: something has to bend in between. **relu** you know from the last lesson; here
# it acts on each number of an array by itself, and so does its slope.

# %% exercise="m03-relu-forward"
def relu_forward(x):
    """x where it is positive, else 0.

    x : (...) float64 of any shape; returns the same shape. Example: [-1, 2] gives [0, 2].
    """
    ### BEGIN SOLUTION
    return np.maximum(x, 0)
    ### END SOLUTION

# %% check="m03-relu-forward" points=1
check("m03-relu-forward", relu_forward)

# %% exercise="m03-relu-backward"
def relu_backward(dout, x):
    """The gradient of relu.

    dout : (...) float64, the upstream gradient;  x : what went into relu, of the same shape
    returns dx of that shape. Where x is exactly 0, any slope from 0 to 1 is accepted.

    Example: dout = [5, -6], x = [-1, 2] gives [0, -6].
    """
    ### BEGIN SOLUTION
    return dout * (x > 0)
    ### END SOLUTION

# %% check="m03-relu-backward" points=1
check("m03-relu-backward", relu_backward)

# %% [markdown]
# The other bend is older. The **sigmoid** squeezes every number between 0 and 1, as tanh does between -1 and 1:
#
# $$\sigma(x) = \frac{1}{1 + e^{-x}}$$
#
# With the numerator and the denominator times $e^x$ it is $e^x / (1 + e^x)$, the same on paper. Not in floats: look at both far
# out.

# %%
far = np.array([-1000.0, 0.0, 1000.0])
with np.errstate(all="ignore"):  # NumPy would warn, and go on
    print("1 / (1 + exp(-x))      ", 1 / (1 + np.exp(-far)))
    print("exp(x) / (1 + exp(x))  ", np.exp(far) / (1 + np.exp(far)))

# %% [markdown]
# `exp(1000)` is beyond every float, so it becomes `inf`, and `inf / inf` is `nan`, **not a number**. One `nan` in a gradient
# makes every parameter `nan` in the next step. A function that gives right numbers for large inputs too is called **stable**.
# The trick here: take exp only of numbers that are not positive.

# %% exercise="m03-sigmoid-forward"
def sigmoid_forward(x):
    """1 / (1 + exp(-x)), for each number. x : (...) float64; returns the same shape.

    Stable: right for 1000 and -1000 too.
    Example: x = [0, 1000, -1000] gives [0.5, 1, 0].
    """
    ### BEGIN SOLUTION
    small = np.exp(-np.abs(x))  # between 0 and 1, whatever x is
    return np.where(x >= 0, 1, small) / (1 + small)
    ### END SOLUTION

# %% check="m03-sigmoid-forward" points=2
check("m03-sigmoid-forward", sigmoid_forward)

# %% [markdown]
# For the slope, differentiate $(1 + e^{-x})^{-1}$ and write the result with $s = \sigma(x)$ alone. It turns out as short as
# that of tanh.

# %% exercise="m03-sigmoid-backward"
def sigmoid_backward(dout, x):
    """The gradient of the sigmoid, stable.

    dout : (...) float64, the upstream gradient;  x : what went into the sigmoid
    returns dx of the same shape. Example: dout = [8], x = [0] gives [2].
    """
    ### BEGIN SOLUTION
    s = sigmoid_forward(x)
    return dout * s * (1 - s)
    ### END SOLUTION

# %% check="m03-sigmoid-backward" points=2
check("m03-sigmoid-backward", sigmoid_backward)

# %%
grid = np.linspace(-6, 6, 241)
ones = np.ones_like(grid)
plt.figure(figsize=(9, 3.2), layout="constrained")
for place, (name, forward, backward) in enumerate(
    [("relu", relu_forward, relu_backward), ("sigmoid", sigmoid_forward, sigmoid_backward)]
):
    plt.subplot(1, 2, place + 1)
    plt.plot(grid, forward(grid), color=BLUE, label=f"{name}(x)")
    plt.plot(grid, backward(ones, grid), "--", color=ORANGE, label="your slope")
    plt.gca().set(title=f"{name} and its slope", xlabel="x", ylabel="value, slope")
    plt.ylim(-0.1, 2)
    plt.legend()
plt.show()
for at in [-6.0, 0.0, 6.0]:
    slope = sigmoid_backward(np.ones(1), np.array([at]))[0]
    print(f"x = {at:4.1f}: slope of the sigmoid {slope:.4f}")

# %% [markdown]
# The slope of the sigmoid is 0.25 at best, and almost nothing 6 steps away. relu passes on all or nothing. Keep both in
# mind: the second half of this lesson is about what follows from them.
#
# ## 4. Which class, and how sure?
#
# For ten classes the network gives ten scores, the **logits**; the largest one is its answer. **Softmax** makes probabilities
# of a row $z$ of logits: positive, and 1 together.
#
# $$p_c = \frac{e^{z_c}}{\sum_k e^{z_k}}$$
#
# The loss of an example is $-\ln p$ of the right class, the **cross-entropy**: 0 if the network is certain and right, large if
# it is certain and wrong. The loss of a batch is the mean over its rows.

# %%
z = np.array([2.0, 1.0, 0.0])
p = np.exp(z) / np.exp(z).sum()
print("logits", z, "  probabilities", p.round(3), "  sum", p.sum().round(3))
print("loss if the right class is 0, 1 or 2:", (-np.log(p)).round(3))
print("logits + 100, probabilities", (np.exp(z + 100) / np.exp(z + 100).sum()).round(3))

# %% [markdown]
# Two stones lie in the way. $e^{1000}$ overflows; but the last line shows that a number added to **all** logits of a row
# changes nothing, so you may take the largest logit of the row away first. And a probability may be so small that it becomes
# 0, whose $\ln$ is $-\infty$; but with a fraction inside, $\ln \frac{e^a}{S} = a - \ln S$, and nothing is 0 any more.

# %% exercise="m03-softmax-ce-forward"
def softmax_ce_forward(logits, labels):
    """Softmax and cross-entropy: the mean over all rows of -ln(probability of the label).

    logits : (N, C) float64;  labels : (N,) ints from 0 to C - 1
    returns float. Stable: logits of 1000 and -1000 too.

    Example: logits [[0, 0]], labels [1] gives ln 2 = 0.6931; [[1000, 0]], [1] gives 1000.
    """
    ### BEGIN SOLUTION
    shifted = logits - logits.max(axis=1, keepdims=True)
    log_sums = np.log(np.exp(shifted).sum(axis=1))
    return np.mean(log_sums - shifted[np.arange(len(labels)), labels])
    ### END SOLUTION

# %% check="m03-softmax-ce-forward" points=3
check("m03-softmax-ce-forward", softmax_ce_forward)

# %% [markdown]
# For the gradient take the loss of one row as you have just computed it, $\ln \sum_k e^{z_k} - z_\text{label}$, and
# differentiate it towards one logit $z_c$. The first part gives something you have already met. The second part gives -1 if
# $c$ is the label, and 0 if not. Do it on paper; the result is one of the shortest in this course.

# %% exercise="m03-softmax-ce-backward"
def softmax_ce_backward(dout, logits, labels):
    """The gradient of softmax_ce_forward towards the logits, stable.

    dout   : float, the upstream gradient: the loss is one number
    logits : (N, C) float64;  labels : (N,) ints
    returns (N, C) float64. Example: dout = 1, logits [[0, 0]], labels [1] gives [[0.5, -0.5]].
    """
    ### BEGIN SOLUTION
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    dlogits = powers / powers.sum(axis=1, keepdims=True)
    dlogits[np.arange(len(labels)), labels] -= 1
    return dout * dlogits / len(labels)
    ### END SOLUTION

# %% check="m03-softmax-ce-backward" points=3
check("m03-softmax-ce-backward", softmax_ce_backward)

# %%
z, label = np.array([[2.0, 1.0, 0.0, -1.0]]), np.array([1])
p = np.exp(z[0]) / np.exp(z[0]).sum()
dz = softmax_ce_backward(1.0, z, label)[0]
plt.figure(figsize=(9, 3), layout="constrained")
shown = [(p, "probability", BLUE), (dz, "gradient", ORANGE)]
for place, (values, name, color) in enumerate(shown):
    plt.subplot(1, 2, place + 1)
    plt.bar(range(4), values, color=color)
    plt.axhline(0, color="black", linewidth=0.8)
    plt.gca().set(title=f"{name} of each class; class 1 is right", xlabel="class", ylabel=name)
    plt.ylim(-1, 1)
    plt.xticks(range(4))
plt.show()
print("probabilities", p.round(3), "  gradients", dz.round(3))
print("sum of the gradients", abs(dz.sum()).round(3))

# %% [markdown]
# Every wrong class is pushed down by as much as it is believed in, the right one is pulled up by as much as is missing to 1.
# The pulls of one row cancel. And they are never larger than 1, however wrong the network is.
#
# ## 5. Two layers, there and back
#
# Before anything is trained, **look at the data**. How many of each digit? Which range? Is an image there twice, so that one
# could be learnt and asked? Then put 360 images aside that the network never learns from, the **test** images.

# %%
counts = np.bincount(labels)
print("of each digit:", ", ".join(f"{count} x {digit}" for digit, count in enumerate(counts)))
print(f"pixels from {images.min():g} to {images.max():g};", end=" ")
print(f"{np.mean(images == 0):.0%} of them are 0;", end=" ")
print((images.max(axis=0) == 0).sum(), "are 0 in every image")
print("different images:", len(np.unique(images, axis=0)), "of", len(images))

order = np.random.RandomState(0).permutation(len(images))
X, y = images[order] / 16, labels[order]  # from 0 to 1
X_train, y_train, X_test, y_test = X[:-360], y[:-360], X[-360:], y[-360:]
print(len(X_train), "training images,", len(X_test), "test images")

# %% [markdown]
# The network: 64 pixels, an affine layer, relu, a second affine layer with one output for each digit, softmax
# cross-entropy. The numbers between the layers are called **hidden**, and a neuron that gives one of them is a hidden **unit**.
# Weights start random, and each layer's the smaller the more inputs it has, so that its sums neither grow nor shrink much;
# biases start at 0.

# %%
def init_parameters(n_inputs, n_hidden, n_classes, seed):
    """Dict of float64 arrays: w1 (n_inputs, n_hidden), b1, w2 (n_hidden, n_classes), b2."""
    rng = np.random.RandomState(seed)
    return {
        "w1": rng.randn(n_inputs, n_hidden) / np.sqrt(n_inputs),
        "b1": np.zeros(n_hidden),
        "w2": rng.randn(n_hidden, n_classes) / np.sqrt(n_hidden),
        "b2": np.zeros(n_classes),
    }

# %% [markdown]
# All the pieces are yours. Forward they are called one after the other; backward each one takes the gradient that the one
# behind it has returned. Keep what went into each step.

# %% exercise="m03-two-layer-loss"
def two_layer_loss(parameters, images, labels):
    """Loss and gradients of affine, relu, affine, softmax cross-entropy.

    parameters : dict of w1 (D, H), b1 (H,), w2 (H, C), b2 (C,), float64
    images     : (N, D) float64;  labels : (N,) ints
    returns loss, gradients: a float, and a dict with the same keys as parameters,
            each gradient of the shape of its parameter

    Use your six functions. For a single row of zeros and biases of 0 the loss is ln C.
    """
    ### BEGIN SOLUTION
    w1, b1, w2, b2 = (parameters[name] for name in ("w1", "b1", "w2", "b2"))
    sums = affine_forward(images, w1, b1)
    bent = relu_forward(sums)
    logits = affine_forward(bent, w2, b2)
    loss = softmax_ce_forward(logits, labels)

    dlogits = softmax_ce_backward(1.0, logits, labels)
    dbent, dw2, db2 = affine_backward(dlogits, bent, w2, b2)
    dsums = relu_backward(dbent, sums)
    _, dw1, db1 = affine_backward(dsums, images, w1, b1)
    return loss, {"w1": dw1, "b1": db1, "w2": dw2, "b2": db2}
    ### END SOLUTION

# %% check="m03-two-layer-loss" points=3
check("m03-two-layer-loss", two_layer_loss)

# %% [markdown]
# The first question to any network: is the **loss at the start** plausible? It knows nothing yet, so it should be near your
# second guess, a little above it because the logits are not all equal.

# %%
for seed in (1, 2, 3):
    parameters = init_parameters(64, 32, 10, seed)
    loss, gradients = two_layer_loss(parameters, X_train, y_train)
    print(f"seed {seed}: loss at the start {loss:.3f}   (ln 10 = {np.log(10):.3f})")

# %% [markdown]
# The second question: does the gradient arrive everywhere? Walk through the network once by hand, and look at what goes
# forward and at what comes back.

# %%
def typical(array):
    """Root of the mean square: the size of a typical element."""
    return np.sqrt(np.mean(array**2))

before = affine_forward(X_train, parameters["w1"], parameters["b1"])
hidden = relu_forward(before)
logits = affine_forward(hidden, parameters["w2"], parameters["b2"])
dlogits = softmax_ce_backward(1.0, logits, y_train)
dhidden, dw2, _ = affine_backward(dlogits, hidden, parameters["w2"], parameters["b2"])
dbefore = relu_backward(dhidden, before)
_, dw1, _ = affine_backward(dbefore, X_train, parameters["w1"], parameters["b1"])

activations({"into relu": before, "out of relu": hidden}, kinds={"into relu": ""})
flow = {"logits": dlogits, "out of relu": dhidden, "into relu": dbefore}
gradient_flow({**flow, "w2": dw2, "w1": dw1})
sizes = [len(X_train) * typical(gradient) for gradient in flow.values()]
print(f"{np.mean(before < 0):.0%} of the sums are negative: relu makes them 0")
back = " -> ".join(f"{size:.2f}" for size in sizes)
print("typical gradient of one image, from the logits back:", back)
for name, w, dw in [("w1", parameters["w1"], dw1), ("w2", parameters["w2"], dw2)]:
    print(f"{name}: typical weight {typical(w):.3f}, typical gradient {typical(dw):.4f}")

# %% [markdown]
# About 40% of the gradient comes through to the first layer, and both layers get gradients of similar size: enough to learn
# from. With more layers this will not come by itself.
#
# ## 6. Train it
#
# The third question: can it **learn one small batch by heart**? Ten images, one of each digit, nothing else.

# %%
ten = np.array([np.argmax(y_train == digit) for digit in range(10)])
parameters = init_parameters(64, 32, 10, seed=1)
by_heart = []
monitor = TrainingMonitor(steps=200, title="Ten images by heart")
for step in monitor:
    loss, gradients = two_layer_loss(parameters, X_train[ten], y_train[ten])
    by_heart.append(loss)
    monitor.log(loss=loss, lr=0.5)
    for name in parameters:
        parameters[name] = parameters[name] - 0.5 * gradients[name]
print(f"ten images by heart: loss {by_heart[0]:.3f} -> {by_heart[-1]:.4f}")

# %% [markdown]
# It can: the pieces fit together. Now the real thing. How many hidden numbers, how many images in a step, which rate, how
# many steps: all this is up to you. Start with 32 hidden numbers, 50 images in a step and a rate of 0.5, then try others.
#
# Your function is judged by what it returns: it gets 600 images, and its parameters have to read at least 90% of the other
# 1,197 rightly. One of the checks changes the order of the pixels in all images. Will that make it harder?

# %% exercise="m03-train-digits"
def train_digits(images, labels, seed, watch=lambda step, parameters: None):
    """Train the two-layer network with minibatches; returns its parameters.

    images : (n, 64) float64 from 0 to 1;  labels : (n,) ints from 0 to 9.
             Both stay as they are.
    seed   : int. The same seed gives the same parameters: draw with np.random.RandomState(seed)
    watch  : call watch(step, parameters) at the beginning of each step
    returns dict of w1 (64, H), b1 (H,), w2 (H, 10), b2 (10,), with any number H of hidden units
    """
    ### BEGIN SOLUTION
    picker = np.random.RandomState(seed)
    learnt = init_parameters(images.shape[1], 32, 10, seed)
    for step in range(600):
        watch(step, learnt)
        chosen = picker.randint(len(images), size=50)
        _, slopes = two_layer_loss(learnt, images[chosen], labels[chosen])
        for key in learnt:
            learnt[key] = learnt[key] - 0.5 * slopes[key]
    return learnt
    ### END SOLUTION

# %% check="m03-train-digits" points=4
check("m03-train-digits", train_digits)

# %% [markdown]
# Train on all training images, and watch training and test images **together**. (Strictly, images that you look at while you
# still try values are dev images, as in the last lesson. The next lesson keeps a third part, looked at once, at the very end.)

# %%
def predicted(parameters, images):
    """The class with the largest logit, for each image."""
    hidden = relu_forward(affine_forward(images, parameters["w1"], parameters["b1"]))
    return affine_forward(hidden, parameters["w2"], parameters["b2"]).argmax(axis=1)

def accuracy(parameters, images, labels):
    return np.mean(predicted(parameters, images) == labels)

steps = []
curves = {"train loss": [], "test loss": [], "train accuracy": [], "test accuracy": []}

def watch(step, parameters):
    if step % 20 == 0:
        steps.append(step)
        for name, images, labels in [("train", X_train, y_train), ("test", X_test, y_test)]:
            curves[f"{name} loss"].append(two_layer_loss(parameters, images, labels)[0])
            curves[f"{name} accuracy"].append(accuracy(parameters, images, labels))

trained = train_digits(X_train, y_train, seed=1, watch=watch)

plt.figure(figsize=(11, 3.6), layout="constrained")
for place, what in enumerate(["loss", "accuracy"]):
    plt.subplot(1, 2, place + 1)
    plt.plot(steps, curves[f"train {what}"], color=BLUE, label="1,437 training images")
    plt.plot(steps, curves[f"test {what}"], "--", color=ORANGE, label="360 test images")
    plt.gca().set(title=f"{what.capitalize()} of your network", xlabel="step", ylabel=what)
    plt.legend()
plt.show()
for name, images_, labels_ in [("train", X_train, y_train), ("test", X_test, y_test)]:
    loss = two_layer_loss(trained, images_, labels_)[0]
    print(f"{name:5} loss {loss:.3f}, accuracy {accuracy(trained, images_, labels_):.1%}")

# %% [markdown]
# More than 95% of images it has never seen: with the values above and 600 steps, 97% to 99% (ten seeds). And the order of
# the pixels did not matter: for this network an image is a list of 64 numbers, and it never knew which are neighbours.
# The curves lie close together. Where they part, the network goes on learning what is true of the training images only.
#
# Numbers are not enough. Look at what it gets wrong:

# %%
answers = predicted(trained, X_test)
wrong = np.flatnonzero(answers != y_test)[:10]
texts = [f"{y_test[n]}, read as {answers[n]}" for n in wrong]
if len(wrong):
    show_digits(X_test[wrong], texts, "Test images that your network reads wrongly")
print(f"{np.sum(answers != y_test)} of {len(y_test)} test images are read wrongly:")
print("; ".join(texts))

# %% [markdown]
# ## 7. Break it: a borrowed backward pass
#
# Here is the backward pass of an affine layer as somebody else has written it. (`np.einsum` writes a sum of products by its
# indices: in `"nm,dm->nd"` the index `m` does not come back, so it is summed over.) Put it in the place of yours, and train.

# %%
def borrowed_affine_backward(dout, x, w, b):
    dx = np.einsum("nm,dm->nd", dout, w)
    dw = np.einsum("nd,nm->dm", x, dout)
    db = np.einsum("nm->m", dout) / len(dout)
    return dx, dw, db

yours = affine_backward
affine_backward = borrowed_affine_backward  # two_layer_loss uses it from now on
try:
    with_borrowed = train_digits(X_train, y_train, seed=1)
finally:
    affine_backward = yours
print(f"test accuracy with yours    {accuracy(trained, X_test, y_test):.1%}")
print(f"test accuracy with borrowed {accuracy(with_borrowed, X_test, y_test):.1%}")

# %% [markdown]
# It learns just as well (over ten seeds, both end at 97% to 99%). No curve and no error tells you that a gradient is wrong.
# One is. Check the borrowed function as you would check any, on a small input: one row of three numbers. How many of its
# three gradients will `gradcheck` find wrong?

# %% predict="m03-predict-one-row"
predict("m03-predict-one-row", guess=None)

# %%
rows = 1
rng = np.random.RandomState(2)
inputs = [rng.randn(rows, 3), rng.randn(3, 4), rng.randn(4)]
print(gradcheck(affine_forward, borrowed_affine_backward, inputs).headline)

# %% [markdown]
# Now with five rows:

# %%
rows = 5
inputs = [rng.randn(rows, 3), rng.randn(3, 4), rng.randn(4)]
gradcheck(affine_forward, borrowed_affine_backward, inputs)

# %% [markdown]
# The report names the gradient, and its map shows that all of it is off, not one element. (From one input it cannot tell 1/5
# as a mean from 1/5 as a constant; run it with seven rows, too.) Find the line above, repair it, run that cell and the check
# again: it passes. The 1/N of the loss is in `dout` already, and here it came in a second time. The biases learnt 50 times more
# slowly, and on digits nobody notices.
#
# Two things to keep. A network that learns is no proof that its gradients are right. And a check is only as good as its
# inputs: one row hides a mean, a square matrix hides a missing transpose, ones as upstream gradient hide that it is ignored.
#
# **A place to stop.** When you come back, click into the cell you want to go on from and choose *Run > Run All Above Selected
# Cell*.

# %% [markdown]
# ## 8. Leak: saturated sigmoids
#
# From here on every backward pass is right, and still something goes wrong: gradients get lost on the way, or they blow up,
# and no check of a single layer can see it. Each such leak is an experiment: you predict, you measure, you look. (From here on,
# run a predict cell as it stands first: it prints its question.)
#
# The slope of a sigmoid with output $s$ is $s\,(1 - s)$: 0.25 at $s = 0.5$, 0.01 at $s = 0.99$, nothing at the ends. For an
# input of 2 it is 0.10, for 4.6 it is 0.01, for 10 it is 0.000045. A unit is called **saturated** for an example when its
# slope there is nearly 0. It still has an output, but nothing that you teach it gets through.
#
# What decides is the size of the weighted sum. A sum of many random terms of either sign does not grow like their number but
# like its root: 100 terms of size 1 make about 10. Terms of sizes $a_1, a_2, \ldots$ make about
# $\sqrt{a_1^2 + a_2^2 + \ldots}$, and for the pixels of a typical image that root is 62.

# %% predict="m03-predict-saturated"
predict("m03-predict-saturated", guess=None)

# %% [markdown]
# To measure it you need the slope of each unit for each example, and one share per unit.

# %% exercise="m03-saturation"
def saturated_share(s, limit):
    """For each unit, the share of the examples for which its slope is smaller than limit.

    s     : (N, H) float64, outputs of sigmoids: N examples, H units
    limit : float, for example 0.01
    returns (H,) float64, each from 0 to 1

    Example: one unit, outputs 0.5, 0.999, 0.001 and 0.9, limit 0.01 gives [0.5].
    """
    ### BEGIN SOLUTION
    slope = s * (1 - s)
    return (slope < limit).mean(axis=0)
    ### END SOLUTION

# %% check="m03-saturation" points=1
check("m03-saturation", saturated_share)

# %%
pixels, _ = data.digits()  # (1797, 64), as they come: 0 to 16
drawn = np.random.RandomState(0).randn(64, 100)  # weights of 100 units
scales = [1, 0.3, 0.1, 0.03, 0.01, 0.003]
outputs = [sigmoid_forward(scale * (pixels @ drawn)) for scale in scales]
shares = [saturated_share(s, 0.01).mean() for s in outputs]
slopes = [(s * (1 - s)).mean() for s in outputs]
for scale, share, slope in zip(scales, shares, slopes):
    print(f"weights of size {scale:<5}  saturated {share:5.1%}  mean slope {slope:.4f}")

fig, (left, right) = plt.subplots(1, 2, figsize=(11, 3.8), layout="constrained")
z = np.linspace(-12, 12, 400)
left.plot(z, sigmoid_backward(1.0, z), color="gray", label="slope of a sigmoid")
for scale, color, mark in ((0.3, ORANGE, "x"), (0.03, BLUE, ".")):
    sums = scale * (pixels[0] @ drawn)
    label = f"the 100 units, weights of size {scale}"
    left.plot(sums, sigmoid_backward(np.ones(100), sums), mark, color=color, label=label)
left.set(title="Units on the slope, one image", xlabel="weighted sum", ylabel="slope")
left.set(xlim=(-12, 12), ylim=(-0.01, 0.36))
left.legend(loc="upper right", fontsize=8)
right.plot(scales, 100 * np.array(shares), "o-", color=ORANGE, label="saturated")
right.plot(scales, 400 * np.array(slopes), "s--", color=BLUE, label="mean slope, of 0.25")
right.set(title="All images, all units", xlabel="size of the weights", ylabel="percent")
right.set_xscale("log")
right.legend()
plt.show()
seen = np.mean(np.abs(0.3 * (pixels[0] @ drawn)) > 12)
print(f"left: with weights of size 0.3, {seen:.0%} of the units are even outside the picture")

# %% [markdown]
# With weights of size 1, more than 9 of 10 gradients stop here, and there may be three more such layers. The cure is
# cheap: choose the size of the weights so that the sums are about 1. For these pixels that is 1/62, or 16/62 after they are
# divided by 16. The rule "inputs of size 1, weights of size $1/\sqrt{\text{number of inputs}}$", which `init_parameters`
# follows, will come again.
#
# ## 9. Leak: dead relus
#
# A relu has no flat ends on both sides, only one. But there the slope is not small, it is exactly 0. A unit whose sum is
# negative for **every** example is **dead**: its weights get no gradient, so they do not move, so it stays dead.

# %% predict="m03-predict-dead"
predict("m03-predict-dead", guess=None)

# %% exercise="m03-dead-relu"
def dead_units(X, W, b):
    """Which units of relu(X @ W + b) never fire, that is, give 0 for every example.

    X : (N, D) float64, the examples;  W : (D, H);  b : (H,)
    returns (H,) bool, True for a dead unit

    Example: X = [[1], [2]], W = [[1, -1]], b = [-1.5, -3]: the first unit fires for the second
    example (0.5), the other for none (-4, -5). [False, True].
    """
    ### BEGIN SOLUTION
    fires = X @ W + b > 0
    return ~fires.any(axis=0)
    ### END SOLUTION

# %% check="m03-dead-relu" points=1
check("m03-dead-relu", dead_units)

# %% [markdown]
# Now kill some: the digits network with 100 hidden units, 40 steps, a rate that works and two that are too large. Guess
# before you run it: at ten times the good rate, how many of the 100 units are dead after the first step? And after 40?

# %%
def dead_while_training(rate, seed, steps=40):
    """Share of dead units before training and after each step; the parameters at the end."""
    parameters, rng = init_parameters(64, 100, 10, seed), np.random.RandomState(seed)
    dead = [dead_units(X_train, parameters["w1"], parameters["b1"]).mean()]
    for step in range(steps):
        batch = rng.randint(len(X_train), size=32)
        _, gradients = two_layer_loss(parameters, X_train[batch], y_train[batch])
        parameters = {name: p - rate * gradients[name] for name, p in parameters.items()}
        dead.append(dead_units(X_train, parameters["w1"], parameters["b1"]).mean())
    return np.array(dead), parameters

fig, (left, right) = plt.subplots(1, 2, figsize=(11, 3.8), layout="constrained")
for rate, color, style in ((10.0, "black", ":"), (3.0, ORANGE, "--"), (0.3, BLUE, "-")):
    runs = [dead_while_training(rate, seed) for seed in range(3)]
    curves = 100 * np.array([dead for dead, _ in runs])
    low, high = curves.min(axis=0), curves.max(axis=0)
    left.plot(curves.mean(axis=0), style, color=color, label=f"rate {rate}")
    left.fill_between(range(len(low)), low, high, color=color, alpha=0.15)
    said = ", ".join(f"{low[n]:.0f} to {high[n]:.0f}% after {n}" for n in (0, 1, 40))
    ends = [accuracy(parameters, X_test, y_test) for _, parameters in runs]
    print(f"rate {rate:<4}  dead: {said} steps", end="; ")
    print(f"test accuracy {min(ends):.0%} to {max(ends):.0%}")
    if rate == 3:
        fires = affine_forward(X_train[:60], runs[0][1]["w1"], runs[0][1]["b1"]) > 0
left.set(title="Dead units of 100, three random starts", xlabel="step", ylabel="percent")
left.legend()
right.imshow(fires.T, cmap="gray_r", aspect="auto", interpolation="nearest")
right.set(title="After 40 steps of rate 3 (black: fires)", xlabel="image", ylabel="unit")
plt.show()
print(f"right: {fires.any(axis=0).sum()} of 100 units fire for any of these 60 images")

# %% [markdown]
# One step that is too long pushes the biases and weights of many units so far down that no image reaches them again; the
# rest follows. In the picture on the right nearly every row is white from end to end. No error is raised, and no number is
# nan: what comes out of the network is just nearly the same for every image.
#
# So count dead units whenever a relu network stops learning. A smaller rate prevents them; a slope that is small instead of
# 0 on the left, the **leaky relu**, lets them come back.
#
# ## 10. Leak: a long chain
#
# A **recurrent** network uses the same weights again and again, once per step of a sequence. Without any activation the
# state $h$ moves like this, one row per example:
#
# $$h_t = h_{t-1} W + x_t$$
#
# On the way back the gradient is multiplied by $W^T$ in each step. Multiply by the same number again and again, and
# there are only two ends: it dies, or it explodes. For a matrix the number that matters is its **spectral radius**, the size
# of its largest eigenvalue. (An **eigenvalue** is a factor by which the matrix only stretches certain vectors, without turning
# them; it may be a complex number. `np.linalg.eigvals` finds them all.)

# %% predict="m03-predict-chain"
predict("m03-predict-chain", guess=None)

# %%
def rnn_states(x, W):
    """All states h of h = h @ W + x[t], from h = 0.

    x : (T, N, H), what comes in: T steps, N examples;  W : (H, H)
    returns (T, N, H): the state after each step
    """
    h, states = np.zeros(x.shape[1:]), []
    for step in x:
        h = h @ W + step
        states.append(h)
    return np.array(states)

# %% [markdown]
# The loss sees only the **last** state; `dout` is its gradient. You write the way back through all steps. One array walks
# from the end to the beginning: the gradient of the state of the step you are at. On the way you collect two things. Each
# `x[t]` was used once; `W` was used in every step, and you know what that means for its gradient.

# %% exercise="m03-rnn-explosion"
def rnn_backward(dout, x, W):
    """Gradients of the loss with respect to x and W, where out = rnn_states(x, W)[-1].

    dout : (N, H) float64, upstream gradient of the last state
    x    : (T, N, H);  W : (H, H)
    returns (dx, dW) of the shapes of x and W

    Example: T = 2, N = H = 1, x = [[[3]], [[1]]], W = [[5]]: out = 3 * 5 + 1.
    For dout = [[1]], dx = [[[5]], [[1]]] and dW = [[3]].
    """
    ### BEGIN SOLUTION
    states = rnn_states(x, W)
    dx, dW = np.zeros_like(x), np.zeros_like(W)
    dh = dout
    for t in reversed(range(len(x))):
        dx[t] = dh
        if t > 0:
            dW += states[t - 1].T @ dh
            dh = dh @ W.T
    return dx, dW
    ### END SOLUTION

# %% check="m03-rnn-explosion" points=3
check("m03-rnn-explosion", rnn_backward)

# %%
def with_radius(radius, size=32, seed=0):
    """Random (size, size) matrix whose largest eigenvalue has this size."""
    W = np.random.RandomState(seed).randn(size, size)
    return W * radius / np.abs(np.linalg.eigvals(W)).max()

rng = np.random.RandomState(1)
x, dout = rng.randn(50, 4, 32), rng.randn(4, 32)
plt.figure(figsize=(7, 4))
for radius, color, style in ((1.5, ORANGE, "--"), (1.0, GREEN, "-."), (0.5, BLUE, "-")):
    dx, dW = rnn_backward(dout, x, with_radius(radius))
    norms = np.sqrt((dx**2).sum(axis=(1, 2)))[::-1]  # the last step first
    plt.semilogy(norms, style, color=color, label=f"spectral radius {radius}")
    per_step = (norms[49] / norms[0]) ** (1 / 49)
    print(f"radius {radius}: {norms[0]:.0f} at the last step,", end=" ")
    print(f"{norms[49]:.1e} at 49 steps before it; {per_step:.2f} per step")
plt.gca().set(title="How far back does a gradient reach?", xlabel="steps before the end",
              ylabel="norm of the gradient of x[t]")
plt.legend()
plt.show()

# %% [markdown]
# Straight lines on a logarithmic axis: each step multiplies by about the radius. With 0.5 the network cannot learn that
# something 50 steps ago mattered; with 1.5 that one distant step drowns all others. Only close to 1 does it work, and
# nothing keeps $W$ there while it is trained. A tanh or relu in each step has slopes of at most 1: that makes the vanishing
# worse, and does not rule out the explosion. Gates, residual connections and normalisation, which come later, are answers
# to this picture. A short answer to the explosion comes in section 13.
#
# ## 11. Leak: clipping the wrong thing
#
# Large errors make large gradients, and one wild example can ruin a step. DQN, a network that learnt to play video games
# (2015), guarded against that, and several people who wrote it anew did so like this: clip the **error** to the range from
# -1 to 1, then square it. What is lost?

# %% predict="m03-predict-clipped"
predict("m03-predict-clipped", guess=None)

# %% [markdown]
# Meant was something else: clip the **gradient** of $e^2/2$, which is the error $e$ itself. Which loss has that gradient? A
# parabola in the middle that goes on in straight lines of slope 1 and -1: the **Huber** loss. A smooth relative of it is
# $\sqrt{1 + e^2} - 1$. Here are all three.

# %%
def error_loss(error, kind):
    """Loss of each error, an array of any shape. kind : "clip", "huber" or "root"."""
    size = np.abs(error)
    if kind == "clip":
        return np.minimum(size, 1.0) ** 2 / 2
    if kind == "huber":
        return np.where(size <= 1.0, error**2 / 2, size - 0.5)
    return np.hypot(1.0, error) - 1.0  # np.hypot(a, b) is the root of a^2 + b^2

# %% exercise="m03-clip-vs-huber"
def error_loss_backward(dout, error, kind):
    """Gradient of the loss with respect to error, where out = error_loss(error, kind).

    dout, error : (...) float64, any shape;  kind : "clip", "huber" or "root"
    returns (...) float64. At a corner, either of the two slopes is right.

    Example: error 3, dout 2: 0 for "clip", 2 for "huber", 6 / sqrt(10) for "root".
    """
    ### BEGIN SOLUTION
    if kind == "clip":
        slope = np.where(np.abs(error) < 1, error, 0)
    elif kind == "huber":
        slope = np.clip(error, -1, 1)
    else:
        slope = error / np.sqrt(1 + error**2)
    return dout * slope
    ### END SOLUTION

# %% check="m03-clip-vs-huber" points=3
check("m03-clip-vs-huber", error_loss_backward)

# %% [markdown]
# An experiment: find one number $w$ that is near 20 targets. 18 of them are around 4; two are wild. Start at 0, take 60
# steps. The mean of all targets is about 7.4, their median about 4.3. Where does each loss lead? In particular: where
# does the clipped error lead, if every target is further than 1 from the start?

# %%
rng = np.random.RandomState(0)
targets = np.append(4 + 0.5 * rng.randn(18), [30.0, 40.0])
look = {"square": ("black", ":"), "clip": (ORANGE, "--"),
        "huber": (BLUE, "-"), "root": (GREEN, "-.")}

def slope_of(error, kind):
    return error if kind == "square" else error_loss_backward(np.ones_like(error), error, kind)

fig, (left, right) = plt.subplots(1, 2, figsize=(11, 3.8), layout="constrained")
errors = np.linspace(-3, 3, 301)
for kind, (color, style) in look.items():
    left.plot(errors, slope_of(errors, kind), style, color=color, label=kind)
    w, path = 0.0, []
    for step in range(60):
        path.append(w)
        w -= 0.2 * slope_of(w - targets, kind).mean()
    right.plot(path, style, color=color, label=kind)
    print(f"{kind:<7} ends at {w:.2f}")
left.set(title="Slope of each loss", xlabel="error", ylabel="slope", ylim=(-2, 2))
left.legend()
middle = f"median {np.median(targets):.1f}, mean {targets.mean():.1f}"
right.set(title=f"Finding one number ({middle})", xlabel="step", ylabel="w")
right.legend()
plt.show()

# %% [markdown]
# The square follows the two wild targets. Huber and the root settle near the 18 others: a wild target pulls, but with a
# force of at most 1. And the clipped error does not move at all. From where it starts, every target is further than 1 away,
# and there its loss is flat. It ignores exactly what it is most wrong about. Such code does train wherever *some* errors
# are small, so the mistake is easily missed.
#
# Libraries know Huber under the name **smooth L1**, divided by its corner $\beta$ (beta), so that the lines have slope 1:
#
# $$\text{smooth L1} = \operatorname{mean}\begin{cases} e^2 / (2\beta) & |e| < \beta \\ |e| - \beta/2 & \text{else}\end{cases}
# \qquad e = \text{prediction} - \text{target}$$

# %% predict="m03-predict-smooth"
predict("m03-predict-smooth", guess=None)

# %% exercise="m03-smooth-l1-backward"
def smooth_l1_backward(dout, prediction, target, beta):
    """Gradients of out = the mean of smooth L1 over all elements of prediction - target.

    dout : float, upstream gradient of out, which is one number
    prediction, target : (...) float64, of one shape;  beta : float, above 0
    returns (dprediction, dtarget), each of that shape

    Example: prediction [5.25, 9], target [5, 5], beta 0.5, dout 1: dprediction is [0.25, 0.5].
    """
    ### BEGIN SOLUTION
    error = prediction - target
    dprediction = dout * np.clip(error / beta, -1, 1) / error.size
    return dprediction, -dprediction
    ### END SOLUTION

# %% check="m03-smooth-l1-backward" points=2
check("m03-smooth-l1-backward", smooth_l1_backward)

# %% [markdown]
# ## 12. Too many easy examples: focal loss
#
# The opposite worry: many small gradients. An object detector looks at thousands of places in an image, and nearly all
# are plainly empty. Each easy place has a small gradient, but there are so many that together they drown the few hard
# ones. The **focal loss** multiplies the cross-entropy of an example by $(1 - p)^\gamma$, where $p$ is the probability of its
# right class and $\gamma$ (gamma) a number such as 2:
#
# $$\text{focal} = \operatorname{mean}\bigl(-(1 - p)^\gamma \ln p\bigr)$$

# %% predict="m03-predict-focal"
predict("m03-predict-focal", guess=None)

# %%
def focal_loss(logits, labels, gamma):
    """Mean focal loss. logits (N, C) float64, labels (N,) int, gamma float; returns a float."""
    rows = [(logits[n : n + 1], labels[n : n + 1]) for n in range(len(labels))]
    surprise = np.array([softmax_ce_forward(*row) for row in rows])  # -ln p of each row
    return np.mean((1 - np.exp(-surprise)) ** gamma * surprise)

# %% [markdown]
# For the way back, go in two steps. First from the loss of a row to $\ln p$, a product of two things that both depend on it
# ($p$ is $e^{\ln p}$). Then from $\ln p$ to the logits: you know from cross-entropy that this slope is
# one-hot (1 at the label, 0 elsewhere) minus softmax.

# %% exercise="m03-focal-backward"
def focal_backward(dout, logits, labels, gamma):
    """Gradient of out = focal_loss(logits, labels, gamma), one number, towards the logits.

    dout : float;  logits : (N, C) float64;  labels : (N,) int;  gamma : float, 1 or more
    returns (N, C) float64

    It must hold for logits of 1000 and -1000 too.
    Example: one row of logits [0, 0], label 0, gamma 1, dout 1 gives [[-0.423, 0.423]].
    """
    ### BEGIN SOLUTION
    rows = np.arange(len(labels))
    shifted = logits - logits.max(axis=1, keepdims=True)
    log_softmax = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    softmax = np.exp(log_softmax)
    log_p, p = log_softmax[rows, labels], softmax[rows, labels]
    dlog_p = gamma * (1 - p) ** (gamma - 1) * p * log_p - (1 - p) ** gamma
    onehot = np.zeros_like(logits)
    onehot[rows, labels] = 1
    return dout * dlog_p[:, None] * (onehot - softmax) / len(labels)
    ### END SOLUTION

# %% check="m03-focal-backward" points=3
check("m03-focal-backward", focal_backward)

# %%
# 1000 easy examples (probability 0.95) and 10 hard ones (0.1), two classes
p = np.append(np.full(1000, 0.95), np.full(10, 0.1))
logits = np.stack([np.log(p / (1 - p)), np.zeros_like(p)], axis=1)
first = np.zeros(1010, dtype=int)  # the right class of each is class 0
for name, gradient in [
    ("cross-entropy", softmax_ce_backward(1.0, logits, first)),
    ("focal, gamma 1", focal_backward(1.0, logits, first, 1.0)),
    ("focal, gamma 2", focal_backward(1.0, logits, first, 2.0)),
]:
    size = np.abs(gradient[:, 0])
    hard = size[1000:].sum() / size.sum()
    print(f"{name:<15} the 10 hard examples have {hard:4.0%} of the gradient")

p = np.linspace(0.01, 0.99, 99)
logits = np.stack([np.log(p / (1 - p)), np.zeros_like(p)], axis=1)
first = np.zeros(99, dtype=int)
plt.figure(figsize=(7, 3.8), layout="constrained")
size = 99 * np.abs(softmax_ce_backward(1.0, logits, first)[:, 0])
plt.plot(p, size, ":", color="black", label="cross-entropy")
for gamma, color, style in ((1.0, BLUE, "-"), (2.0, ORANGE, "--")):
    size = 99 * np.abs(focal_backward(1.0, logits, first, gamma)[:, 0])
    plt.plot(p, size, style, color=color, label=f"focal, gamma {gamma}")
plt.gca().set(title="How loud is an example?", xlabel="probability of the right class",
              ylabel="size of the gradient")
plt.legend()
plt.show()

# %% [markdown]
# With cross-entropy the ten hard examples are hardly heard; with $\gamma = 2$ they are nearly all that is heard. On the left
# of the picture the focal loss is even a little louder than cross-entropy: that is the second term of your product. All
# this is a choice, not a truth: where labels are often wrong, the "hard" examples are the mislabelled ones.
#
# ## 13. Shorten what is too long
#
# Back to the exploding chain. What can be done about a gradient that is right, but a million times too long for a step?
# Keep its direction and shorten it. All gradients of a network together are one long list of numbers, and its length is the
# **global norm**: the root of the sum of all squares over all arrays. If it is above a limit, every array is multiplied by
# the same factor, so that the norm becomes the limit. If not, nothing changes.

# %% predict="m03-predict-shortened"
predict("m03-predict-shortened", guess=None)

# %% exercise="m03-clip-by-norm"
def clip_by_norm(gradients, most):
    """The gradients, shortened by one common factor if their global norm is above most.

    gradients : list of float64 arrays of any shapes;  most : float, above 0
    returns (list of arrays of the same shapes, the norm before as a float)

    The arrays handed in stay as they are. It must hold for gradients that are all 0,
    and for numbers of 1e200, whose squares are too large for a float.
    Example: [[3, 4], [12]] and most = 6.5 give [[1.5, 2], [6]] and 13.
    """
    ### BEGIN SOLUTION
    largest = max(np.abs(gradient).max() for gradient in gradients)
    if largest == 0:
        return gradients, 0.0
    squares = sum(np.sum((gradient / largest) ** 2) for gradient in gradients)
    norm = largest * np.sqrt(squares)
    factor = min(1.0, most / norm)
    return [factor * gradient for gradient in gradients], norm
    ### END SOLUTION

# %% check="m03-clip-by-norm" points=2
check("m03-clip-by-norm", clip_by_norm)

# %%
x = np.random.RandomState(1).randn(1000, 4, 32)
dx, dW = rnn_backward(dout, x, with_radius(1.5))
(clipped,), norm = clip_by_norm([dW], 5.0)
print(f"1000 steps, radius 1.5: norm {norm:.0e}, after clipping {np.linalg.norm(clipped):.1f}")
with np.errstate(over="ignore"):
    print("the root of the sum of squares, as it stands:", np.sqrt(np.sum(dW**2)))

# %% [markdown]
# The second line says why the care with squares is worth it: the plain formula gives inf, and `most / inf` is 0, so the
# step is lost without a word. Print the norm now and then while you train: it is the first number to show an explosion.
# And remember section 11: what is clipped here is the gradient, all of it together, not the error.
#
# ## 14. How exact must a gradient be?
#
# After so much care, a question that sounds like heresy. The digits network is trained in six ways, from the same start and
# on the same minibatches. Only what is done to the gradient before each step differs:
#
# - **exact**: nothing;
# - **bf16**: each number is rounded to bfloat16, which keeps two to three digits;
# - **sign**: of each number only the sign is kept (with a smaller rate, or the steps would be huge);
# - **noise**: noise is added, three times as large as the gradient itself;
# - **new flips**: in each step, a third of the numbers, drawn anew, get the wrong sign;
# - **same flips**: a third of the numbers get the wrong sign, and it is the same third in every step.
#
# The exact one reaches 97 to 98% on the test images. One of the other five stays below 90%. Which?

# %% predict="m03-predict-exact"
predict("m03-predict-exact", guess=None)  # "bf16", "sign", "noise", "new flips" or "same flips"

# %%
def to_bf16(x):
    """Rounded to the nearest number of 8 binary digits, as bfloat16 keeps them."""
    bits = x.astype(np.float32).view(np.uint32).astype(np.uint64)
    # to the nearest, halves to even: then the last 16 binary digits are dropped
    rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000
    return rounded.astype(np.uint32).view(np.float32).astype(np.float64)

def third_flipped(g, rng):
    return np.where(rng.rand(*g.shape) < 1 / 3, -g, g)

# what is done to the gradient g; rng goes on from step to step, fixed starts anew in each step
changes = {
    "exact": lambda g, rng, fixed: g,
    "bf16": lambda g, rng, fixed: to_bf16(g),
    "sign": lambda g, rng, fixed: np.sign(g),
    "noise": lambda g, rng, fixed: g + 3 * np.sqrt(np.mean(g**2)) * rng.randn(*g.shape),
    "new flips": lambda g, rng, fixed: third_flipped(g, rng),
    "same flips": lambda g, rng, fixed: third_flipped(g, fixed),
}

def train_with(change, rate, seed, steps=400):
    """The test accuracy in percent after every 40 steps."""
    parameters, batches = init_parameters(64, 32, 10, seed), np.random.RandomState(seed)
    rng, seen = np.random.RandomState(seed + 100), []
    for step in range(steps):
        batch = batches.randint(len(X_train), size=50)
        _, gradients = two_layer_loss(parameters, X_train[batch], y_train[batch])
        fixed, now = np.random.RandomState(seed + 200), rate * (1 - 0.9 * step / steps)
        for name in ("w1", "b1", "w2", "b2"):
            parameters[name] = parameters[name] - now * change(gradients[name], rng, fixed)
        if step % 40 == 39:
            seen.append(100 * accuracy(parameters, X_test, y_test))
    return seen

plt.figure(figsize=(8, 4.2))
styles = [("black", ":"), (BLUE, "-"), (ORANGE, "--"), (GREEN, "-."),
          ("#CC79A7", "-"), ("#E69F00", "--")]
print("test accuracy at the end, three random starts")
for (name, change), (color, style) in zip(changes.items(), styles):
    rate = 0.01 if name == "sign" else 0.5
    curves = np.array([train_with(change, rate, seed) for seed in range(3)])
    low, high, steps = curves.min(axis=0), curves.max(axis=0), np.arange(40, 401, 40)
    plt.plot(steps, curves.mean(axis=0), style, color=color, label=name)
    plt.fill_between(steps, low, high, color=color, alpha=0.15)
    print(f"{name:<11} {low[-1]:4.1f}% to {high[-1]:.1f}%")
plt.gca().set(title="One network, six kinds of gradient", xlabel="step", ylim=(0, 100))
plt.ylabel("test accuracy (percent)")
plt.legend(loc="center right")
plt.show()

# %% [markdown]
# Two or three digits are enough. Even the sign alone is enough, and so is a gradient under three times as much noise. What is
# drawn anew in each step cancels over many steps; choosing a minibatch adds noise of this kind, too. That is why large
# networks can be trained with half of the bits of a number left out.
#
# What does not cancel is an error that is the same in each step. Two thirds of the signs are right, as in *new flips*, but
# the other third of the weights climbs where it should descend, step after step, until nothing is left. A mistake in a
# backward pass is of this kind, though seldom as large. So the checks of this course insist on seven digits: not because
# training needs them, but because they tell rounding from a mistake.

# %% [markdown]
# ## What is true now
#
# You can write the backward pass of a layer on arrays: ask of each number where it is used, multiply by the local slope, add up
# over all uses, and keep the shape. Six functions, three forward and three backward, are a network that reads digits. And you
# know where gradients get lost on their way, and that a check on designed inputs finds what a falling loss hides.
#
# Three questions to end with:
#
# 1. `x` of shape (5, 1, 3) is added to `y` of shape (4, 3). Each number of the sum has the upstream gradient 2. What is the
#    gradient of `x[0, 0, 0]`?

# %% predict="m03-predict-stretched-again"
predict("m03-predict-stretched-again", guess=None)

# %% [markdown]
# 2. A network that has learnt nothing yet is to say which of 27 characters comes next. Which loss should it start with?

# %% predict="m03-predict-letters"
predict("m03-predict-letters", guess=None)

# %% [markdown]
# 3. A gradient of 1 goes back through a relu whose input was -0.3. How much of it is left?

# %% predict="m03-predict-lost"
predict("m03-predict-lost", guess=None)

# %% [markdown]
# **Read on.** Andrej Karpathy, *Yes you should understand backprop* (2016), on the leaks; the notes of the Stanford course
# CS231n on backpropagation; Yann LeCun and others, *Efficient BackProp* (1998); Xavier Glorot and Yoshua Bengio,
# *Understanding the difficulty of training deep feedforward neural networks* (2010).
