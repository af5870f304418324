# %% [markdown]
# ## L1. Leak: saturated sigmoids
#
# From here on every backward pass is right, and still something goes wrong. Gradients get **lost** on the way, or they
# **blow up**, and no check of a single layer can see it. Each leak is an experiment: you predict, you measure, you look.
#
# The slope of a sigmoid with output $s$ is $s\,(1 - s)$: 0.25 at $s = 0.5$, 0.01 at $s = 0.99$, nothing at the ends. For an
# input of 2 it is 0.10, for 4.6 it is 0.01, for 10 it is 0.000045. A unit is called **saturated** for an example when its
# slope there is nearly 0. It still has an output, but nothing that you teach it gets through.
#
# What decides is the size of the weighted sum. A sum of many independent terms of size 1 does not grow like their number but
# like its root: 100 of them make about 10.

# %% predict="m03-predict-saturated"
predict("m03-predict-saturated", percent=None)

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
pixels = data.digits()[0]  # (1797, 64), as they come: 0 to 16
drawn = np.random.RandomState(0).randn(64, 100)  # weights of 100 units
scales = [1, 0.3, 0.1, 0.03, 0.01, 0.003]
outputs = [sigmoid_forward(scale * (pixels @ drawn)) for scale in scales]
shares = [saturated_share(s, 0.01).mean() for s in outputs]
slopes = [(s * (1 - s)).mean() for s in outputs]
for scale, share, slope in zip(scales, shares, slopes):
    print(f"weights of size {scale:<6} saturated {share:6.1%}   mean slope {slope:.4f}  (at most 0.25)")

fig, (left, right) = plt.subplots(1, 2, figsize=(11, 3.8), layout="constrained")
z = np.linspace(-12, 12, 400)
left.plot(z, sigmoid_backward(1.0, z), color="gray", label="slope of a sigmoid")
for scale, color, mark in ((0.3, ORANGE, "x"), (0.03, BLUE, ".")):
    sums = scale * (pixels[0] @ drawn)
    label = f"the 100 units, weights of size {scale}"
    left.plot(sums, sigmoid_backward(np.ones(100), sums), mark, color=color, label=label)
left.set(title="Units on the slope, one image", xlabel="weighted sum", ylabel="slope", xlim=(-12, 12))
left.set_ylim(-0.01, 0.34)
left.legend(loc="upper right", fontsize=8)
right.plot(scales, np.array(shares) * 100, "o-", color=ORANGE, label="saturated")
right.plot(scales, np.array(slopes) / 0.25 * 100, "s--", color=BLUE, label="mean slope, of 0.25")
right.set(title="All images, all units", xlabel="size of the weights", ylabel="percent", xscale="log")
right.legend()
plt.show()
seen = np.mean(np.abs(0.3 * (pixels[0] @ drawn)) > 12)
print(f"left: with weights of size 0.3, {seen:.0%} of the units are even outside the picture")

# %% [markdown]
# With weights of size 1, more than 9 of 10 gradients stop here; and after this layer there may be three more. The cure
# is cheap: choose the size of the weights so that the sums are about 1. Here that is 1/62, because the pixels of an image
# are together about 62 long. Pixels from 0 to 1 instead of 0 to 16 do most of it. The rule "inputs of size 1, weights of
# size $1/\sqrt{\text{number of inputs}}$" will come again.
#
# ## L2. Leak: dead relus
#
# A relu has no flat ends on both sides, only one. But there the slope is not small, it is exactly 0. A unit whose sum is
# negative for **every** example is **dead**: its weights get no gradient, so they do not move, so it stays dead.

# %% predict="m03-predict-dead"
predict("m03-predict-dead", percent=None)

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
# Now kill some. The digits network, 60 steps, with a rate that works and with larger ones. Guess before you run it: at ten
# times the good rate, how many of 100 units are dead after the first step? And after 60?

# %%
def start_network(hidden, seed):
    """Weights and biases of a network 64 - hidden - 10."""
    rng = np.random.RandomState(seed)
    return {"w1": rng.randn(64, hidden) * np.sqrt(2 / 64), "b1": np.zeros(hidden),
            "w2": rng.randn(hidden, 10) / np.sqrt(hidden), "b2": np.zeros(10)}

def accuracy_of(parameters, images, labels):
    """Share of the images for which the largest of the ten outputs is that of the label."""
    hidden = relu_forward(affine_forward(images, parameters["w1"], parameters["b1"]))
    guesses = affine_forward(hidden, parameters["w2"], parameters["b2"]).argmax(axis=1)
    return (guesses == labels).mean()

def dead_while_training(rate, seed, steps=60):
    """Share of dead units before training and after each step, and the parameters at the end."""
    parameters, rng = start_network(100, seed), np.random.RandomState(seed)
    dead = [dead_units(train_images, parameters["w1"], parameters["b1"]).mean()]
    for step in range(steps):
        batch = rng.randint(len(train_labels), size=32)
        _, gradients = two_layer_loss(parameters, train_images[batch], train_labels[batch])
        parameters = {name: p - rate * gradients[name] for name, p in parameters.items()}
        dead.append(dead_units(train_images, parameters["w1"], parameters["b1"]).mean())
    return np.array(dead), parameters

fig, (left, right) = plt.subplots(1, 2, figsize=(11, 3.8), layout="constrained")
for rate, color, style in ((0.3, BLUE, "-"), (1.0, GREEN, "-."), (3.0, ORANGE, "--"), (10.0, "black", ":")):
    runs = [dead_while_training(rate, seed) for seed in range(3)]
    curves = 100 * np.array([dead for dead, _ in runs])
    right_share = [100 * accuracy_of(p, test_images, test_labels) for _, p in runs]
    left.plot(curves.mean(axis=0), style, color=color, label=f"rate {rate}")
    left.fill_between(range(61), curves.min(axis=0), curves.max(axis=0), color=color, alpha=0.15)
    print(f"rate {rate:<4}  dead: {curves[:, 0].min():.0f} to {curves[:, 0].max():.0f}% at the start,"
          f" {curves[:, 1].min():.0f} to {curves[:, 1].max():.0f}% after one step,"
          f" {curves[:, -1].min():.0f} to {curves[:, -1].max():.0f}% after 60;"
          f" test accuracy {min(right_share):.0f} to {max(right_share):.0f}%")
left.set(title="Dead units of 100, three random starts", xlabel="step", ylabel="dead units (percent)")
left.legend()
fires = affine_forward(train_images[:60], runs[0][1]["w1"], runs[0][1]["b1"]) > 0
right.imshow(fires.T, cmap="gray_r", aspect="auto", interpolation="nearest")
right.set(title="Who fires at the end, rate 10 (black: fires)", xlabel="image", ylabel="unit")
plt.show()

# %% [markdown]
# One step that is too long pushes the biases and weights of many units so far down that no image reaches them again; the
# rest follows. In the picture on the right nearly every row is white from end to end. No error is raised, and the loss is
# not even nan: it stays near $\ln 10$, because a network with dead units can still learn how frequent each digit is.
#
# So count dead units whenever a relu network stops learning. A smaller rate prevents them; a slope that is small instead of
# 0 on the left, the **leaky relu**, lets them come back.
#
# ## L3. Leak: a long chain
#
# A **recurrent** network uses the same weights again and again, once per step of a sequence. Without any activation the
# state $h$ moves like this, one row per example:
#
# $$h_t = h_{t-1} W + x_t$$
#
# On the way back the gradient is multiplied by $W^T$ in each step. Multiply by the same number again and again, and
# there are only two ends: it dies, or it explodes. For a matrix the number that matters is its **spectral radius**, the size
# of its largest eigenvalue.

# %% predict="m03-predict-chain"
predict("m03-predict-chain", power_of_ten=None)

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
# from the end to the beginning: the gradient of the state of the step you are at. What you keep on the way is asked for
# twice: each `x[t]` was used once, but `W` was used in every step.

# %% exercise="m03-rnn-explosion"
def rnn_backward(dout, x, W):
    """Gradients of the loss with respect to x and W, where out = rnn_states(x, W)[-1].

    dout : (N, H) float64, upstream gradient of the last state
    x    : (T, N, H);  W : (H, H)
    returns (dx, dW) of the shapes of x and W

    Example: T = 2, N = H = 1, x = [[[3]], [[1]]], W = [[5]]: out = 3 * 5 + 1, and for dout = [[1]]
    dx = [[[5]], [[1]]], dW = [[3]].
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
    print(f"radius {radius}: {norms[0]:.0f} at the last step, {norms[49]:.0e} 49 steps earlier;"
          f" {(norms[49] / norms[0]) ** (1 / 49):.2f} per step")
plt.gca().set(title="How far back does a gradient reach?", xlabel="steps before the end",
              ylabel="norm of the gradient of x[t]")
plt.legend()
plt.show()

# %% [markdown]
# Straight lines on a logarithmic axis: each step multiplies by about the radius. With 0.5 the network cannot learn that
# something 50 steps ago mattered; with 1.5 that one distant step drowns all others. Only close to 1 does it work, and
# training moves $W$ away from there. A tanh or relu in each step has slopes of at most 1: that makes vanishing
# worse and does not stop the explosion. Gates, residual connections and normalisation, which come later, are answers to
# this picture. A short answer for the explosion comes in section L6.
#
# ## L4. Leak: clipping the wrong thing
#
# Large errors make large gradients, and one wild example can ruin a step. A famous program for playing video games
# wanted to guard against that, and in its first public copies many people wrote: clip the **error** to the range from
# -1 to 1, then square it. What did they lose?

# %% predict="m03-predict-clipped"
predict("m03-predict-clipped", slope=None)

# %% [markdown]
# Meant was something else: clip the **gradient** of the squared error, which is the error itself. Which loss has this
# gradient? A parabola in the middle with straight lines of slope 1 on: the **Huber** loss. A smooth relative of it is
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
# does the clipped error lead, if all targets but a few are further than 1 from the start?

# %%
rng = np.random.RandomState(0)
targets = np.append(4 + 0.5 * rng.randn(18), [30.0, 40.0])
look = {"square": ("black", ":"), "clip": (ORANGE, "--"), "huber": (BLUE, "-"), "root": (GREEN, "-.")}

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
right.set(title=f"Finding one number (median {np.median(targets):.1f}, mean {targets.mean():.1f})",
          xlabel="step", ylabel="w")
right.legend()
plt.show()

# %% [markdown]
# The square follows the two wild targets. Huber and the root settle near the 18 others: a wild target pulls, but with a
# force of at most 1. And the clipped error does not move at all. From where it starts, every target is further than 1 away,
# and there its loss is flat. It ignores exactly what it is most wrong about. Such code trains, slowly, whenever *some*
# errors are small, which is why the mistake lived for years.
#
# Libraries know Huber under the name **smooth L1**, divided by its corner $\beta$ (beta), so that the lines have slope 1:
#
# $$\text{smooth L1} = \operatorname{mean}\begin{cases} e^2 / (2\beta) & |e| < \beta \\ |e| - \beta/2 & \text{else}\end{cases}
# \qquad e = \text{prediction} - \text{target}$$

# %% predict="m03-predict-smooth"
predict("m03-predict-smooth", slope=None)

# %% exercise="m03-smooth-l1-backward"
def smooth_l1_backward(dout, prediction, target, beta):
    """Gradients of out = the mean of smooth L1 over all elements, which is one number.

    dout : float, upstream gradient
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
# ## L5. Too many easy examples: focal loss
#
# The opposite worry: many small gradients. An object detector looks at thousands of places in an image, and nearly all
# are plainly empty. Each easy place has a small gradient, but there are so many that together they drown the few hard
# ones. The **focal loss** multiplies the cross-entropy of an example by $(1 - p)^\gamma$, where $p$ is the probability of its
# right class and $\gamma$ (gamma) a number such as 2:
#
# $$\text{focal} = \operatorname{mean}\bigl(-(1 - p)^\gamma \ln p\bigr)$$

# %% predict="m03-predict-focal"
predict("m03-predict-focal", factor=None)

# %%
def focal_loss(logits, labels, gamma):
    """Mean focal loss. logits (N, C) float64, labels (N,) int, gamma float; returns a float."""
    shifted = logits - logits.max(axis=1, keepdims=True)
    log_softmax = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    log_p = log_softmax[np.arange(len(labels)), labels]
    return np.mean(-((1 - np.exp(log_p)) ** gamma) * log_p)

# %% [markdown]
# For the way back, go in two steps. First from the loss of a row to $\ln p$, a product of two things that both depend on it
# ($p$ is $e^{\ln p}$). Then from $\ln p$ to the logits: you know from cross-entropy that this slope is
# one-hot minus softmax.

# %% exercise="m03-focal-backward"
def focal_backward(dout, logits, labels, gamma):
    """Gradient of out = focal_loss(logits, labels, gamma), one number, with respect to the logits.

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
labels = np.zeros(1010, dtype=int)
cross_entropy = softmax_ce_backward(1.0, logits, labels)
for name, gradient in [("cross-entropy", cross_entropy),
                       ("focal, gamma 1", focal_backward(1.0, logits, labels, 1.0)),
                       ("focal, gamma 2", focal_backward(1.0, logits, labels, 2.0))]:
    size = np.abs(gradient[:, 0])
    print(f"{name:<15} the 10 hard examples have {size[1000:].sum() / size.sum():4.0%} of the gradient")

p = np.linspace(0.01, 0.99, 99)
logits = np.stack([np.log(p / (1 - p)), np.zeros_like(p)], axis=1)
labels = np.zeros(99, dtype=int)
plt.figure(figsize=(7, 3.8))
plt.plot(p, 99 * np.abs(softmax_ce_backward(1.0, logits, labels)[:, 0]), ":", color="black", label="cross-entropy")
for gamma, color, style in ((1.0, BLUE, "-"), (2.0, ORANGE, "--")):
    size = 99 * np.abs(focal_backward(1.0, logits, labels, gamma)[:, 0])
    plt.plot(p, size, style, color=color, label=f"focal, gamma {gamma}")
plt.gca().set(title="How loud is an example?", xlabel="probability of the right class",
              ylabel="size of the gradient")
plt.legend()
plt.show()

# %% [markdown]
# With cross-entropy the ten hard examples are hardly heard; with $\gamma = 2$ they are nearly all that is heard. That is a
# choice, not a truth: where labels are often wrong, the "hard" examples are the mislabelled ones.
#
# ## L6. Shorten what is too long
#
# Back to the exploding chain. What can be done about a gradient that is right, but a million times too long for a step?
# Keep its direction and shorten it. All gradients of a network together are one long list of numbers, and its length is the
# **global norm**: the root of the sum of all squares over all arrays. If it is above a limit, every array is multiplied by
# the same factor, so that the norm becomes the limit. If not, nothing changes.

# %% predict="m03-predict-shortened"
predict("m03-predict-shortened", factor=None)

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
# The second line says why the care with squares is worth it: the plain formula gives inf, and a factor of `most / inf`
# is 0: the step is lost, without a word. Log the norm in every run. It is the first number that shows an explosion.
# And remember section L4: what is clipped here is the gradient, all of it together, not the error.
#
# ## L7. How exact must a gradient be?
#
# After so much care, a question that sounds like heresy. The digits network is trained five times, from the same start and
# on the same minibatches. Only what is done to the gradient before each step differs:
#
# - **exact**: nothing;
# - **bf16**: each number is rounded to bfloat16, which keeps two to three digits;
# - **sign**: of each number only the sign is kept (with a smaller rate, or the steps would be huge);
# - **noise**: noise is added, three times as large as the gradient itself;
# - **new flips**: in each step, a quarter of the numbers, drawn anew, get the wrong sign;
# - **same flips**: a quarter of the numbers get the wrong sign, and it is the same quarter in every step.
#
# The exact one reaches about 98% on the test images. One of the other five stays below 92%. Which?

# %% predict="m03-predict-exact"
predict("m03-predict-exact", guess=None)  # "bf16", "sign", "noise", "new flips" or "same flips"

# %%
def to_bf16(x):
    """Rounded to the nearest number of 8 binary digits, as bfloat16 keeps them."""
    bits = x.astype(np.float32).view(np.uint32).astype(np.uint64)
    rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000  # to the nearest; halves to even
    return rounded.astype(np.uint32).view(np.float32).astype(np.float64)

def quarter_flipped(g, rng):
    return np.where(rng.rand(*g.shape) < 0.25, -g, g)

# what is done to the gradient g; rng goes on from step to step, fixed starts anew in each step
changes = {
    "exact": lambda g, rng, fixed: g,
    "bf16": lambda g, rng, fixed: to_bf16(g),
    "sign": lambda g, rng, fixed: np.sign(g),
    "noise": lambda g, rng, fixed: g + 3 * np.sqrt(np.mean(g**2)) * rng.randn(*g.shape),
    "new flips": lambda g, rng, fixed: quarter_flipped(g, rng),
    "same flips": lambda g, rng, fixed: quarter_flipped(g, fixed),
}

def train_with(change, rate, seed, steps=600):
    """Parameters after training, and the test accuracy after every 50 steps."""
    parameters, batches = start_network(32, seed), np.random.RandomState(seed)
    rng, accuracies = np.random.RandomState(seed + 100), []
    for step in range(steps):
        batch = batches.randint(len(train_labels), size=64)
        _, gradients = two_layer_loss(parameters, train_images[batch], train_labels[batch])
        fixed, now = np.random.RandomState(seed + 200), rate * (1 - 0.9 * step / steps)
        for name in ("w1", "b1", "w2", "b2"):
            parameters[name] = parameters[name] - now * change(gradients[name], rng, fixed)
        if (step + 1) % 50 == 0:
            accuracies.append(100 * accuracy_of(parameters, test_images, test_labels))
    return parameters, accuracies

plt.figure(figsize=(8, 4.2))
styles = [("black", ":"), (BLUE, "-"), (ORANGE, "--"), (GREEN, "-."), ("#CC79A7", "-"), ("#E69F00", "--")]
print("                  train loss        test accuracy (three random starts)")
for (name, change), (color, style) in zip(changes.items(), styles):
    runs = [train_with(change, 0.01 if name == "sign" else 0.5, seed) for seed in range(3)]
    losses = [two_layer_loss(p, train_images, train_labels)[0] for p, _ in runs]
    curves = np.array([accuracies for _, accuracies in runs])
    steps = 50 * (1 + np.arange(curves.shape[1]))
    plt.plot(steps, curves.mean(axis=0), style, color=color, label=name)
    plt.fill_between(steps, curves.min(axis=0), curves.max(axis=0), color=color, alpha=0.15)
    print(f"{name:<12} {min(losses):8.3f} to {max(losses):.3f} {curves[:, -1].min():12.1f} to {curves[:, -1].max():.1f}%")
plt.gca().set(title="One network, six kinds of gradient", xlabel="step", ylabel="test accuracy (percent)", ylim=(70, 100))
plt.legend(loc="lower right")
plt.show()

# %% [markdown]
# Two digits are enough. Even the sign alone is enough, and so is a gradient under three times as much noise. What is
# drawn anew in each step cancels over many steps; a minibatch is nothing but such noise, after all. That is why half of the
# bits of a number can be left out when large networks are trained.
#
# What does not cancel is an error that is the same in each step. Three quarters of the signs are right there, as in *new
# flips*, but the wrong quarter is led astray, step after step. A mistake in a backward pass is of this kind: it is the
# same in every step. That is why the checks of this course insist on seven digits: not because training needs them, but
# because they tell a rounding from a mistake.
