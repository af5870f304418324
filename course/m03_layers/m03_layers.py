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
    rows = x.reshape(-1, x.shape[-1])
    dout_rows = dout.reshape(-1, dout.shape[-1])
    return dout @ w.T, rows.T @ dout_rows, dout_rows.sum(axis=0)
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
    """x where it is positive, else 0. x : (...) float64 of any shape; returns the same shape."""
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
# Two ways to write it, and both break somewhere. Look at what the second one does far to the right:

# %%
far = np.array([-1000.0, 0.0, 1000.0])
with np.errstate(all="ignore"):  # NumPy would warn, and go on
    print("1 / (1 + exp(-x))      ", 1 / (1 + np.exp(-far)))
    print("exp(x) / (1 + exp(x))  ", np.exp(far) / (1 + np.exp(far)))
    print("exp(-x) / (1 + exp(-x))**2, its slope:", np.exp(-far) / (1 + np.exp(-far)) ** 2)

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
    plt.gca().set(title=f"{name} and its slope", xlabel="x", ylabel="value, slope", ylim=(-0.1, 2))
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
for place, (values, name, color) in enumerate([(p, "probability", BLUE), (dz, "gradient", ORANGE)]):
    plt.subplot(1, 2, place + 1)
    plt.bar(range(4), values, color=color)
    plt.axhline(0, color="black", linewidth=0.8)
    plt.gca().set(title=f"{name} of each class; class 1 is right", xlabel="class", ylabel=name, ylim=(-1, 1))
    plt.xticks(range(4))
plt.show()
print("probabilities", p.round(3), "  gradients", dz.round(3), "  sum of the gradients", abs(dz.sum()).round(3))

# %% [markdown]
# Every wrong class is pushed down by as much as it is believed in, the right one is pulled up by as much as is missing to 1.
# The pulls of one row cancel. And they are never larger than 1, however wrong the network is.
#
# ## 5. Two layers, there and back
#
# Before anything is trained, **look at the data**. How many of each digit? Which range? Is an image there twice, so that one
# could be learnt and asked? Then put 360 images aside that the network never learns from, the **test** images.

# %%
print("of each digit:", *(f"{digit}: {count}" for digit, count in enumerate(np.bincount(labels))))
print(f"pixels from {images.min():g} to {images.max():g};", end=" ")
print(f"{np.mean(images == 0):.0%} of them are 0;", (images.max(axis=0) == 0).sum(), "are 0 in every image")
print("different images:", len(np.unique(images, axis=0)), "of", len(images))

order = np.random.RandomState(0).permutation(len(images))
X, y = images[order] / 16, labels[order]  # from 0 to 1
X_train, y_train, X_test, y_test = X[:-360], y[:-360], X[-360:], y[-360:]
print(len(X_train), "training images,", len(X_test), "test images")

# %% [markdown]
# The network: 64 pixels, an affine layer, relu, a second affine layer with one output for each digit, softmax
# cross-entropy. The numbers between the layers are called **hidden**. Weights start random, and each layer's the smaller the
# more inputs it has, so that its sums neither grow nor shrink much; biases start at 0.

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

plt.figure(figsize=(11, 3.4), layout="constrained")
plt.subplot(1, 3, 1)
plt.hist(before.ravel(), 40, color=BLUE)
plt.gca().set(title="Into relu", xlabel="value", ylabel="how many")
plt.subplot(1, 3, 2)
plt.hist(hidden.ravel(), 40, color=BLUE)
plt.gca().set(title="Out of relu", xlabel="value", ylabel="how many")
plt.subplot(1, 3, 3)
flow = {"logits": dlogits, "out of\nrelu": dhidden, "into\nrelu": dbefore}
plt.bar(list(flow), [len(X_train) * typical(gradient) for gradient in flow.values()], color=ORANGE)
plt.gca().set(title="Gradient on its way back", ylabel="typical size, per image")
plt.show()
print(f"{np.mean(before < 0):.0%} of the sums are negative: relu makes them 0")
sizes = [f"{len(X_train) * typical(gradient):.2f}" for gradient in flow.values()]
print("typical gradient of one image, from the logits back:", " -> ".join(sizes))
for name, w, dw in [("w1", parameters["w1"], dw1), ("w2", parameters["w2"], dw2)]:
    print(f"{name}: typical weight {typical(w):.3f}, typical gradient {typical(dw):.4f}")

# %% [markdown]
# About a third of the gradient arrives at the first layer, and both layers get gradients of similar size: enough to learn
# from. With more layers this will not come by itself.
#
# ## 6. Train it
#
# The third question: can it **learn one small batch by heart**? Ten images, one of each digit, nothing else.

# %%
ten = np.array([np.argmax(y_train == digit) for digit in range(10)])
parameters = init_parameters(64, 32, 10, seed=1)
by_heart = []
for step in range(200):
    loss, gradients = two_layer_loss(parameters, X_train[ten], y_train[ten])
    by_heart.append(loss)
    for name in parameters:
        parameters[name] = parameters[name] - 0.5 * gradients[name]
print(f"ten images by heart: loss {by_heart[0]:.3f} -> {by_heart[-1]:.4f}")

# %% [markdown]
# It can: the pieces fit together. Now the real thing. How many hidden numbers, how many images in a step, which rate, how
# many steps: all this is up to you. Start with 32 hidden numbers, 50 images in a step and a rate of 0.5, then try others.
#
# Your function is judged by what it returns: it gets 600 images, and its parameters have to read at least 92% of the other
# 1,197 rightly. One of the checks changes the order of the pixels in all images. Will that make it harder?

# %% exercise="m03-train-digits"
def train_digits(images, labels, seed, watch=lambda step, parameters: None):
    """Train the two-layer network with minibatches; returns its parameters.

    images : (n, 64) float64 from 0 to 1;  labels : (n,) ints from 0 to 9. Both stay as they are.
    seed   : int. The same seed gives the same parameters: draw with np.random.RandomState(seed)
    watch  : call watch(step, parameters) at the beginning of each step
    returns dict of w1 (64, H), b1 (H,), w2 (H, 10), b2 (10,), with any number H of hidden units
    """
    ### BEGIN SOLUTION
    rng = np.random.RandomState(seed)
    parameters = init_parameters(64, 32, 10, seed)
    for step in range(600):
        watch(step, parameters)
        chosen = rng.randint(len(images), size=50)
        _, slopes = two_layer_loss(parameters, images[chosen], labels[chosen])
        for name in parameters:
            parameters[name] = parameters[name] - 0.5 * slopes[name]
    return parameters
    ### END SOLUTION

# %% check="m03-train-digits" points=4
check("m03-train-digits", train_digits)

# %% [markdown]
# Train on all training images, and watch training and test images **together**.

# %%
def predicted(parameters, images):
    """The class with the largest logit, for each image."""
    hidden = relu_forward(affine_forward(images, parameters["w1"], parameters["b1"]))
    return affine_forward(hidden, parameters["w2"], parameters["b2"]).argmax(axis=1)

def accuracy(parameters, images, labels):
    return np.mean(predicted(parameters, images) == labels)

steps, curves = [], {"train loss": [], "test loss": [], "train accuracy": [], "test accuracy": []}

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
    plt.plot(steps, curves[f"train {what}"], color=BLUE, label=f"{len(X_train)} training images")
    plt.plot(steps, curves[f"test {what}"], "--", color=ORANGE, label=f"{len(X_test)} test images")
    plt.gca().set(title=f"{what.capitalize()} of your network", xlabel="step", ylabel=what)
    plt.legend()
plt.show()
for name, images_, labels_ in [("train", X_train, y_train), ("test", X_test, y_test)]:
    loss = two_layer_loss(trained, images_, labels_)[0]
    print(f"{name:5} loss {loss:.3f}, accuracy {accuracy(trained, images_, labels_):.1%}")

# %% [markdown]
# More than 95% of images it has never seen: with the values above, between 97% and 98.5% (five seeds). And the order of the
# pixels did not matter: for this network an image is a list of 64 numbers, and which of them are neighbours it never knew.
# The curves lie close together. Where they part, the network goes on learning what is true of the training images only.
#
# Numbers are not enough. Look at what it gets wrong:

# %%
answers = predicted(trained, X_test)
wrong = np.flatnonzero(answers != y_test)[:10]
texts = [f"{y_test[n]}, read as {answers[n]}" for n in wrong]
if len(wrong):
    show_digits(X_test[wrong], texts, "Test images that your network reads wrongly")
print(f"{np.sum(answers != y_test)} of {len(y_test)} test images are read wrongly:", "; ".join(texts))

# %% [markdown]
# ## 7. Break it: a borrowed backward pass
#
# Here is an affine layer's backward pass from somewhere else. Somebody remembered that the loss is a mean. Put it in the place of
# yours, and train.

# %%
def borrowed_affine_backward(dout, x, w, b):
    dx = dout @ w.T
    dw = x.T @ dout
    db = dout.mean(axis=0)
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
# It learns just as well. Nothing in the curve, and no error, tells you that a gradient is wrong. One is. Check the borrowed
# function as you would check any: on a small input, one row of three numbers. How many of its three gradients will
# `gradcheck` find wrong?

# %% predict="m03-predict-one-row"
predict("m03-predict-one-row", guess=None)

# %%
rows = 1
rng = np.random.RandomState(2)
print(gradcheck(affine_forward, borrowed_affine_backward, [rng.randn(rows, 3), rng.randn(3, 4), rng.randn(4)]).headline)

# %% [markdown]
# Now with five rows:

# %%
rows = 5
gradcheck(affine_forward, borrowed_affine_backward, [rng.randn(rows, 3), rng.randn(3, 4), rng.randn(4)])

# %% [markdown]
# The report names the gradient, and its map shows that all of it is off, not one element. (On one input it cannot tell a
# mean from another constant. Run it with seven rows: what stays the same is the right answer times 1/N.) The 1/N of the loss
# is in `dout` already; here it came in a second time. The biases learnt 50 times more slowly, and on digits nobody notices.
#
# Two things to keep. A network that learns is no proof that its gradients are right. And a check is only as good as its
# inputs: one row hides a mean, a square matrix hides a missing transpose, ones as upstream gradient hide that it is ignored.
#
# **A place to stop.** When you come back, click into the cell you want to go on from and choose *Run > Run All Above Selected
# Cell*.

# %%
# (leaks)

# %% [markdown]
# ## What is true now
#
# You can write the backward pass of a layer on arrays: ask of each number where it is used, multiply by the local slope, add up
# over all uses, and keep the shape. Six such functions are a network that reads digits. And you know where gradients get lost
# on their way, and that a check on designed inputs finds what a falling loss hides.
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
