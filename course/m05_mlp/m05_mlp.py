# %% [markdown]
# # A model that learns what letters are like
#
# In the last lesson a model looked at one letter and guessed the next, and it could do so by counting. With more
# letters, counting first helps and then fails: many long windows were never seen. Here you build the model that made
# the way out known (Bengio and others, 2003): each letter becomes a few numbers, and a network reads the numbers. At
# the end you have
#
# - a data set of windows, cut from 29,910 first names, and a network with an **embedding**, forward and backward;
# - the way to train it: a plausible start, one batch by heart, a rate that was measured, train and dev loss side by
#   side;
# - new names that sound like names.
#
# **Time**: two sittings of about an hour; after section 6 is a good place to stop. **You need**: the lessons on
# layers and on counting pairs. `hint("m05-build-dataset")` gives the first of three hints.

# %%
from collections import Counter

import matplotlib.pyplot as plt
import numpy as np

from zerohero import check, data, hint, predict
from zerohero.dice import Dice
from zerohero.gradcheck import gradcheck
from zerohero.recipe import lr_range_test
from zerohero.viz import embedding, range_curve

BLUE, ORANGE = "#0072B2", "#D55E00"

# %% [markdown]
# The names are shuffled once and divided **by names**: 80% to learn from (train), 10% to watch and to choose by
# (dev), 10% for the very end (test). Dividing the windows instead would put parts of one name on both sides, and the
# dev loss would be told some of the answers.
#
# A **window** is the last few letters before the one that is to be predicted. Why not simply count what follows each
# window of 2, 3, 4 letters? Try it: a table of counts, with 0.1 added to each of the 27 counts of a row so that
# nothing is impossible. The picture shows its dev loss, and how many of the windows of the dev names no train name
# has.

# %%
names = Dice(seed=42).shuffled(data.names())
first, second = int(0.8 * len(names)), int(0.9 * len(names))
train_names, dev_names, test_names = names[:first], names[first:second], names[second:]
print(f"{len(train_names):,} train, {len(dev_names):,} dev, {len(test_names):,} test names")
print("for example", train_names[:5])

def pieces(names, length):
    """(what stands before, letter) for each letter and each end of each name, as text."""
    padded = ["." * length + name + "." for name in names]
    found = []
    for text in padded:
        found += [(text[k : k + length], text[k + length]) for k in range(len(text) - length)]
    return found

lengths, count_loss, unseen = [1, 2, 3, 4, 5, 6], [], []
for length in lengths:
    counts = Counter(pieces(train_names, length))
    rows = Counter(window for window, _ in counts.elements())
    there = pieces(dev_names, length)
    p = [(counts[window, letter] + 0.1) / (rows[window] + 2.7) for window, letter in there]
    count_loss.append(-np.mean(np.log(p)))
    unseen.append(sum(window not in rows for window, _ in there) / len(there))

plt.figure(figsize=(10, 3.6), layout="constrained")
plt.subplot(1, 2, 1)
plt.plot(lengths, count_loss, "o-", color=BLUE)
plt.gca().set(title="Loss of counting on the dev names", ylabel="loss (nats per letter)")
plt.xlabel("letters in a window")
plt.subplot(1, 2, 2)
plt.bar(lengths, [100 * share for share in unseen], color=BLUE)
plt.gca().set(title="Windows that no train name has", ylabel="share of the dev windows (%)")
plt.xlabel("letters in a window")
plt.show()
for length, loss, share in zip(lengths, count_loss, unseen):
    print(f"windows of {length}: dev loss {loss:.3f}, never seen {share:.1%}")

# %% [markdown]
# Three letters are best. From there on the table has too many rows, and most of them are nearly empty. Remember 2.12
# for windows of 3, and how fast it gets worse with longer ones.
#
# Three guesses first. Replace `None` and run the cell; the same kind of question comes again at the end.
#
# 1. A table of counts has one row for each possible window of 3 letters, out of 27 (a to z, and the dot). How many
#    rows?

# %% predict="m05-predict-table"
predict("m05-predict-table", guess=None)

# %% [markdown]
# 2. A model says that all 27 letters are equally likely, always. What is its **loss**, the mean of $-\ln p$ over what
#    really comes?

# %% predict="m05-predict-guess"
predict("m05-predict-guess", guess=None)

# %% [markdown]
# 3. The letter e stands in three places of a batch, and each place hands a gradient of 0.5 back to the same number of
#    its row. What is the gradient of that number?

# %% predict="m05-predict-repeated"
predict("m05-predict-repeated", guess=None)

# %% [markdown]
# ## 1. Windows
#
# The network reads a window, also called its **context**, and predicts the letter after it. Letters are numbers: 0 is
# the dot that stands before and after a name, 1 is a, 26 is z. For `emma` and windows of 3:
#
# | window | next |
# |---|---|
# | `. . .` | e |
# | `. . e` | m |
# | `. e m` | m |
# | `e m m` | a |
# | `m m a` | . |
#
# The last row matters: without it, the model would never learn to end a name.

# %%
def number_of(letter):
    """0 for the dot, 1 for a, ..., 26 for z."""
    return ".abcdefghijklmnopqrstuvwxyz".index(letter)

def letter_of(number):
    return ".abcdefghijklmnopqrstuvwxyz"[number]

# %% exercise="m05-build-dataset"
def build_dataset(names, context):
    """Every window of every name, and the letter that follows it.

    names   : list of strings, letters a to z
    context : int, letters in a window
    returns X (N, context) and Y (N,), arrays of ints: name by name, letter by letter.
            A name of n letters gives n + 1 rows; its first window is all dots (0).

    Example: build_dataset(["emma"], 3) gives 5 rows; X[2] is [0, 5, 13], Y[2] is 13.
    """
    ### BEGIN SOLUTION
    X, Y = [], []
    for name in names:
        window = [0] * context
        for letter in name + ".":
            number = number_of(letter)
            X.append(window)
            Y.append(number)
            window = window[1:] + [number]
    return np.array(X), np.array(Y)
    ### END SOLUTION

# %% check="m05-build-dataset" points=2
check("m05-build-dataset", build_dataset)

# %%
CONTEXT = 3
X, Y = build_dataset(train_names, CONTEXT)
X_dev, Y_dev = build_dataset(dev_names, CONTEXT)
X_test, Y_test = build_dataset(test_names, CONTEXT)
print(f"{len(X):,} train, {len(X_dev):,} dev, {len(X_test):,} test windows")
for row in range(6):
    print(" ".join(letter_of(k) for k in X[row]), "->", letter_of(Y[row]))

# %% [markdown]
# ## 2. A row for each letter
#
# An **embedding** is a table `C` with one row per letter: a few numbers, say 10, which are the network's idea of that
# letter. They start random and are learnt like weights. If a and e are used alike, their rows may become alike, and
# what is learnt about a window with a then helps for the same window with e, seen or not. A table of counts cannot do
# that.
#
# To look up is to pick rows. `C[5]` is the row of e; `C[X]`, with an array of ints in the brackets, picks a row for
# each of them: X is (N, 3), so `C[X]` is (N, 3, 10). The next layer wants one row per window: 30 numbers, the three
# letters side by side.

# %% exercise="m05-embed-forward"
def embed_forward(C, X):
    """The rows of C that X picks, those of a window side by side.

    C : (V, D) floats, a row per letter
    X : (N, T) ints, T letters per window
    returns (N, T * D): row n is C[X[n, 0]], then C[X[n, 1]], ...

    Example: C = [[1, 2], [3, 4]] and X = [[1, 0, 1]] give [[3, 4, 1, 2, 3, 4]].
    """
    ### BEGIN SOLUTION
    return C[X].reshape(len(X), -1)
    ### END SOLUTION

# %% check="m05-embed-forward" points=1
check("m05-embed-forward", embed_forward)

# %% [markdown]
# There are two ways to put the letters side by side: give the numbers that lie there another shape (`reshape`), or
# copy them into a new array (`concatenate`). The numbers are the same. The difference is whether the memory is, too.
# **Strides** say how an array lies in memory: how many bytes there are from one number to the next, along each axis.

# %%
C = np.random.RandomState(0).standard_normal((27, 10))
looked_up = C[X[:1000]]
reshaped = looked_up.reshape(1000, 30)
glued = np.concatenate([looked_up[:, 0], looked_up[:, 1], looked_up[:, 2]], axis=1)
print("same numbers:", np.array_equal(reshaped, glued))
print("looked up    shape", looked_up.shape, "  strides", looked_up.strides)
for name, array in [("reshaped    ", reshaped), ("concatenated", glued)]:
    shared = np.shares_memory(array, looked_up)
    print(name, "shape", array.shape, "    strides", array.strides, "    same memory:", shared)

turned = looked_up.transpose(0, 2, 1)
flat = turned.reshape(1000, 30)
print("transposed   shape", turned.shape, "  strides", turned.strides)
print("and reshaped: same memory:", np.shares_memory(flat, looked_up), end=", ")
print("same numbers as above:", np.array_equal(flat, reshaped))

# %% [markdown]
# `reshape` moved nothing: the 3 times 10 numbers of a window lie one after the other already, and only the
# description of the array is new (a **view**). `concatenate` copied 240,000 bytes. After a transpose the numbers no
# longer lie in reading order, so that `reshape` must copy; and what it gives is another row: not letter by letter,
# but first numbers, then second numbers. It has the right shape. Only the values tell.
#
# ## 3. Backward through a lookup
#
# A lookup has no arithmetic, and still a gradient. Nudge one number of the row of e: it moves in every place where an
# e stands. So **the gradient of a row is the sum of what comes back from all its places**; a letter that is not in
# the batch gets 0. It is the rule of `b = a + a`: used twice, counted twice.

# %% exercise="m05-embed-backward"
def embed_backward(dout, C, X):
    """Gradient of the loss with respect to C, where out = embed_forward(C, X).

    dout : (N, T * D) floats, upstream gradient
    C    : (V, D) floats
    X    : (N, T) ints; a letter may stand in it many times
    returns dC (V, D)

    Example: D = 1, X = [[2, 0], [2, 2]] and dout = [[1, 10], [100, 1000]] give
    row 0 the gradient 10, row 2 the gradient 1101, and all other rows 0.
    """
    ### BEGIN SOLUTION
    dC = np.zeros_like(C)
    np.add.at(dC, X, dout.reshape(X.shape + (C.shape[1],)))
    return dC
    ### END SOLUTION

# %% check="m05-embed-backward" points=3
check("m05-embed-backward", embed_backward)

# %% [markdown]
# `dC[X] += ...` looks right and is not: NumPy takes the old rows, adds once, and writes back, so that of several
# additions to one row only the last survives. No error is printed, and a network with such gradients learns: only
# worse.
#
# ## 4. From letters to a loss
#
# Now the network: `C` looks up, a hidden layer with tanh mixes the letters, an affine layer gives 27 **logits**, and
# softmax makes probabilities of them. The layers are those of the lesson on layers, with tanh in the place of relu:

# %%
def affine(x, W, b):
    return x @ W + b

def affine_backward(dout, x, W):
    """Gradients of x, W and b."""
    return dout @ W.T, x.T @ dout, dout.sum(axis=0)

def tanh_backward(dout, out):
    """out : what tanh gave."""
    return dout * (1 - out * out)

def softmax_cross_entropy(logits, Y):
    """(loss, gradient of the logits): the mean over the rows of -ln p(Y)."""
    rows = np.arange(len(Y))
    shifted = logits - logits.max(axis=1, keepdims=True)  # so that exp cannot overflow
    p = np.exp(shifted)
    total = p.sum(axis=1, keepdims=True)
    loss = np.mean(np.log(total[:, 0]) - shifted[rows, Y])
    p /= total
    p[rows, Y] -= 1
    return float(loss), p / len(Y)

# %% exercise="m05-mlp-forward"
def mlp_forward(parameters, X, Y):
    """Logits and loss of the network.

    parameters : list [C (V, D), W1 (T*D, H), b1 (H,), W2 (H, V), b2 (V,)]
    X, Y       : (N, T) and (N,) ints
    returns logits (N, V) and loss, a float: the mean over the N rows

    The hidden layer has tanh, the last one has nothing behind it.
    """
    ### BEGIN SOLUTION
    table, W1, b1, W2, b2 = parameters
    hidden = np.tanh(affine(embed_forward(table, X), W1, b1))
    logits = affine(hidden, W2, b2)
    return logits, softmax_cross_entropy(logits, Y)[0]
    ### END SOLUTION

# %% check="m05-mlp-forward" points=2
check("m05-mlp-forward", mlp_forward)

# %% [markdown]
# The way back is your layers in the reverse order, your `embed_backward` last. It is given, and it is checked: the
# loss is a function of five arrays, and `gradcheck` measures its slopes.

# %%
def gradients(parameters, X, Y):
    """(loss, [dC, dW1, db1, dW2, db2])."""
    C, W1, b1, W2, b2 = parameters
    looked_up = embed_forward(C, X)
    hidden = np.tanh(affine(looked_up, W1, b1))
    loss, dlogits = softmax_cross_entropy(affine(hidden, W2, b2), Y)
    dhidden, dW2, db2 = affine_backward(dlogits, hidden, W2)
    dlooked_up, dW1, db1 = affine_backward(tanh_backward(dhidden, hidden), looked_up, W1)
    return loss, [embed_backward(dlooked_up, C, X), dW1, db1, dW2, db2]

rng = np.random.RandomState(0)
small = [rng.standard_normal(shape) for shape in [(27, 2), (6, 5), (5,), (5, 27), (27,)]]
twenty, next_letters = X[:20], Y[:20]

def loss_of_parameters(*parameters):
    return mlp_forward(parameters, twenty, next_letters)[1]

def slopes_of_parameters(dout, *parameters):
    return [dout * slope for slope in gradients(parameters, twenty, next_letters)[1]]

report = gradcheck(loss_of_parameters, slopes_of_parameters, small)
print("gradients of all five arrays agree with the measured slopes:", report.passed)

# %% [markdown]
# ## 5. A start that knows nothing
#
# Before training, no letter should be favoured: the loss should be that of an even guess, $\ln 27 = 3.2958$, as you
# predicted at the beginning. That is so when all logits are close to 0; hence the last layer starts small. `C` and
# `W1` must differ from unit to unit: units that start equal get equal gradients and stay equal.
#
# In the first layer, each unit adds up `context * width` products of random numbers. Their sum is about as large as
# the square root of their count, so the weights are divided by it. (Why that matters so much is the subject of the
# next lesson.)

# %% exercise="m05-init-loss"
def init_mlp(vocab, context, width, hidden, rng):
    """Start values of the five arrays.

    vocab   : V, how many letters there are;  context : T, letters in a window
    width   : D, numbers per letter;          hidden  : H, hidden units
    rng     : np.random.RandomState; every random number comes from it
    returns list [C (V, D), W1 (T*D, H), b1 (H,), W2 (H, V), b2 (V,)], float64

    The loss at the start is ln V, within 0.05, on any windows. W2 is random too: small, not 0.
    """
    ### BEGIN SOLUTION
    C = rng.standard_normal((vocab, width))
    W1 = rng.standard_normal((context * width, hidden)) / np.sqrt(context * width)
    W2 = 0.01 * rng.standard_normal((hidden, vocab))
    return [C, W1, np.zeros(hidden), W2, np.zeros(vocab)]
    ### END SOLUTION

# %% check="m05-init-loss" points=2
check("m05-init-loss", init_mlp)

# %%
WIDTH, HIDDEN = 10, 200
parameters = init_mlp(27, CONTEXT, WIDTH, HIDDEN, np.random.RandomState(1))
count = sum(p.size for p in parameters)
start = mlp_forward(parameters, X_dev, Y_dev)[1]
careless = [*parameters[:3], 100 * parameters[3], parameters[4]]
print(f"{count:,} parameters")
print(f"loss at the start {start:.4f}; an even guess has {np.log(27):.4f}")
sure = mlp_forward(careless, X_dev, Y_dev)[1]
print(f"with a last layer a hundred times as large: {sure:.1f}, sure of itself, and wrong")
# float32 has 7 digits, which is plenty for training, and is twice as fast
parameters = [p.astype(np.float32) for p in parameters]

# %% [markdown]
# ## 6. One batch by heart
#
# The next question of the Recipe takes a second: can the network learn **one batch by heart**? If not, something is
# broken, and more data would only hide it. The loss need not go to 0, though: where one window is followed by several
# letters, as `...` is by every first letter, no network can do better than know their shares.
#
# Your training functions get `gradients` as an argument: `loss, slopes = gradients(parameters, X, Y)`. They train
# copies, so that the parameters handed in can be used again.

# %% exercise="m05-overfit-batch"
def overfit_batch(gradients, parameters, X, Y):
    """Gradient descent on one batch until it is known by heart.

    gradients  : gradients(parameters, X, Y) gives (loss, list of slopes like parameters)
    parameters : list of arrays to start from; they stay as they are
    X, Y       : (N, T) and (N,) ints: a batch of at most 32 rows, all used in every step
    returns the trained parameters, a list of arrays

    At the end the loss is at most 0.1 above the lowest there can be.
    How many steps, and how long they are, is up to you.
    """
    ### BEGIN SOLUTION
    trained = [p.copy() for p in parameters]
    for _ in range(500):
        _, slopes = gradients(trained, X, Y)
        for p, slope in zip(trained, slopes):
            p -= 1.0 * slope
    return trained
    ### END SOLUTION

# %% check="m05-overfit-batch" points=2
check("m05-overfit-batch", overfit_batch)

# %%
batch = np.random.RandomState(5).randint(len(X), size=32)
by_heart = overfit_batch(gradients, parameters, X[batch], Y[batch])
before = mlp_forward(parameters, X[batch], Y[batch])[1]
after = mlp_forward(by_heart, X[batch], Y[batch])[1]

def lowest_loss(X, Y):
    """The loss of a model that knows, for each window, how often each letter followed it."""
    total = 0.0
    for window in np.unique(X, axis=0):
        followers = Y[(X == window).all(axis=1)]
        share = np.bincount(followers) / len(followers)
        total -= sum(np.log(share[y]) for y in followers)
    return total / len(Y)

different = len(np.unique(X[batch], axis=0))
print(f"{different} different windows in a batch of {len(batch)}", end=": ")
print(f"its loss can fall to {lowest_loss(X[batch], Y[batch]):.3f}")
print(f"loss of the batch {before:.3f} -> {after:.3f}")
print(f"loss of the dev windows {start:.3f} -> {mlp_forward(by_heart, X_dev, Y_dev)[1]:.3f}")

# %% [markdown]
# **A place to stop.** When you come back, click into the cell you want to go on from and choose *Run > Run All Above
# Selected Cell*.
#
# ## 7. Which learning rate?
#
# Too small a rate wastes your time, too large a rate ruins the parameters, and the two may lie a factor of 1,000
# apart. So measure: train with a rate that grows from step to step, and draw the loss over the rate. This is the
# **range test** (Smith, 2017). Where the curve is low, steps are long enough to get somewhere and short enough to do
# no harm; where it turns up, they are too long.
#
# The rates should grow by the same *factor*: between 0.001 and 0.01 there is as much to find out as between 1 and 10.
# With $n$ steps from $a$ to $b$, step $k = 0, 1, \dots, n - 1$ has the rate $a\,(b/a)^{k/(n-1)}$.

# %% exercise="m05-lr-finder"
def lr_finder(gradients, parameters, batches, low, high):
    """Range test: one step per batch, with rates that grow by the same factor.

    gradients  : gradients(parameters, X, Y) gives (loss, list of slopes)
    parameters : list of arrays to start from; they stay as they are
    batches    : list of n >= 2 pairs (X, Y)
    low, high  : the rates of the first and of the last step
    returns rates (n,) and losses (n,), arrays: the loss of each step before its move

    Example: 3 batches from 0.01 to 1 have the rates 0.01, 0.1, 1.
    """
    ### BEGIN SOLUTION
    trained = [p.copy() for p in parameters]
    n = len(batches)
    rates = low * (high / low) ** (np.arange(n) / (n - 1))
    losses = []
    for (X, Y), rate in zip(batches, rates.tolist()):
        loss, slopes = gradients(trained, X, Y)
        losses.append(loss)
        for p, slope in zip(trained, slopes):
            p -= rate * slope
    return rates, np.array(losses)
    ### END SOLUTION

# %% check="m05-lr-finder" points=3
check("m05-lr-finder", lr_finder)

# %% [markdown]
# The package has a range test as well, for any step of training: it also stops when the loss has left for good,
# smooths the curve and names the region in which the loss has made four fifths of its fall. Run both on the same
# batches.

# %%
rng = np.random.RandomState(2)
picks = [rng.randint(len(X), size=64) for _ in range(300)]
batches = [(X[rows], Y[rows]) for rows in picks]
rates, losses = lr_finder(gradients, parameters, batches, 0.001, 10.0)

on_trial, waiting = [p.copy() for p in parameters], iter(picks)

def step(rate):
    """One step of training at this rate; the loss before it."""
    rows = next(waiting)
    loss, slopes = gradients(on_trial, X[rows], Y[rows])
    for p, slope in zip(on_trial, slopes):
        p -= rate * slope
    return loss

found = lr_range_test(step, 0.001, 10.0, steps=300)
same = np.allclose(losses[: len(found.losses)], found.losses, rtol=1e-3)

range_curve(found)
print("package:", found)
print("your losses and the package's agree as far as it went:", same)

# %% [markdown]
# Left, nothing happens; in the shaded region the loss is low; right of it the curve turns up and leaves. The lowest
# point itself is noisy and moves with the batches, the walls of the valley hardly do. Take a rate from the right half
# of the region: you will make it smaller during training anyway.
#
# ## 8. Train
#
# Each step takes a **minibatch**: some rows, drawn anew. Its gradient is that of the whole set plus noise. A large
# rate gets far quickly but leaves the parameters trembling with the noise; so let the rate fall towards the end.

# %% exercise="m05-train-mlp"
def train_mlp(gradients, parameters, X, Y, steps, rng, rate=0.5):
    """Minibatch gradient descent.

    gradients  : gradients(parameters, X, Y) gives (loss, list of slopes)
    parameters : list of arrays to start from; they stay as they are
    X, Y       : (N, T) and (N,) ints, all training windows
    steps      : int, how many times gradients may be called
    rng        : np.random.RandomState that draws the rows of each batch
    rate       : the largest learning rate. Change the default if your range test says so
    returns the trained parameters, a list of arrays

    Batch size and how the rate falls are up to you. The check trains a small network
    on 1,500 names, for 1,000 steps; on other names it must beat a count of pairs of letters.
    """
    ### BEGIN SOLUTION
    trained = [p.copy() for p in parameters]
    for k in range(steps):
        rows = rng.randint(len(X), size=64)
        _, slopes = gradients(trained, X[rows], Y[rows])
        now = rate * (0.1 + 0.9 * (1 - k / steps))
        for p, slope in zip(trained, slopes):
            p -= now * slope
    return trained
    ### END SOLUTION

# %% check="m05-train-mlp" points=4
check("m05-train-mlp", train_mlp)

# %% [markdown]
# Now in earnest, with all train names. `watching` makes a `gradients` that also looks, every so many calls, at the
# loss of a fixed part of the train windows and at that of the dev windows: never one without the other.

# %%
def watching(curve, every, X, Y):
    """A gradients() that notes [call, train loss, dev loss] in curve every so many calls."""
    calls = {"made": 0}

    def watched(parameters, X_batch, Y_batch):
        if calls["made"] % every == 0:
            train_loss = mlp_forward(parameters, X, Y)[1]
            curve.append([calls["made"], train_loss, mlp_forward(parameters, X_dev, Y_dev)[1]])
        calls["made"] += 1
        return gradients(parameters, X_batch, Y_batch)

    return watched

STEPS = 15_000
curve = []
part = np.random.RandomState(3).permutation(len(X))[: len(X_dev)]
watch = watching(curve, 500, X[part], Y[part])
trained = train_mlp(watch, parameters, X, Y, STEPS, np.random.RandomState(4))
train_loss = mlp_forward(trained, X, Y)[1]
dev_loss = mlp_forward(trained, X_dev, Y_dev)[1]

calls, train_curve, dev_curve = np.array(curve).T
plt.figure(figsize=(7, 4))
plt.plot(calls, train_curve, color=BLUE, label="train")
plt.plot(calls, dev_curve, "--", color=ORANGE, label="dev")
plt.axhline(np.log(27), color="gray", linestyle=":", label="even guess, ln 27")
plt.gca().set(title="Loss of your network", ylim=(2, 3.4))
plt.gca().set(xlabel="step", ylabel="loss (nats per letter)")
plt.legend()
plt.show()
print(f"{STEPS:,} steps: train {train_loss:.3f}, dev {dev_loss:.3f}")

# %% [markdown]
# With 15,000 steps of 64 windows the dev loss ends between 2.16 and 2.18 (four starts tried). Pairs of letters gave
# 2.45. But the table of all windows of 3 gave 2.12: it is better still! It has 19,683 rows of 27 counts, half a
# million numbers, and your network 11,897. For short windows and much data, a table is hard to beat. The point of the
# network is what comes next.
#
# The optional cell below trains nearly seven times as long: set `LONG_RUN = True`. It takes a minute or two and ended
# at 2.14 on the dev names (three starts tried). The lecture from which this model is known reports about 2.17 for its
# network of the same 11,897 parameters.

# %%
LONG_RUN = False
if LONG_RUN:
    longer = train_mlp(gradients, parameters, X, Y, 100_000, np.random.RandomState(4))
    print(f"100,000 steps: train {mlp_forward(longer, X, Y)[1]:.3f}", end=", ")
    print(f"dev {mlp_forward(longer, X_dev, Y_dev)[1]:.3f}")
else:
    print("long run: skipped")

# %% [markdown]
# Now give it windows of 6, for which the table has 387 million rows. All that changes is the data and the size of
# `W1`.

# %%
LONGER = 6
X_longer, Y_longer = build_dataset(train_names, LONGER)
X_longer_dev, Y_longer_dev = build_dataset(dev_names, LONGER)
wide = init_mlp(27, LONGER, WIDTH, HIDDEN, np.random.RandomState(1))
wide = [p.astype(np.float32) for p in wide]
wide = train_mlp(gradients, wide, X_longer, Y_longer, STEPS, np.random.RandomState(4))
longer_loss = mlp_forward(wide, X_longer_dev, Y_longer_dev)[1]
size = sum(p.size for p in wide)
print(f"windows of 3: {count:,} parameters {dev_loss:.3f}, table {count_loss[2]:.3f}")
print(f"windows of 6: {size:,} parameters {longer_loss:.3f}, table {count_loss[5]:.3f}")

# %% [markdown]
# The table got worse with longer windows, the network gets better: with 15,000 steps it ends between 2.10 and 2.11
# (three starts tried), below the best of all tables. It does not need to have seen a window; it is enough to have
# seen one that is *like* it. In what sense letters are alike, it has found out by itself.

# %% [markdown]
# What has the first network made of the letters? Each is a row of 10 numbers in `C`. The picture shows the two
# directions in which the rows differ most (found by the singular value decomposition).

# %%
C = trained[0].astype(np.float64)
letters = [letter_of(number) for number in range(27)]
embedding(C, letters, ["vowel or y" if letter in "aeiouy" else "other" for letter in letters])

distance = np.sqrt(((C[:, None] - C[None, :]) ** 2).sum(axis=2))
np.fill_diagonal(distance, np.inf)
for letter in "eioukd":
    nearest = distance[number_of(letter)].argsort()[:3]
    print(f"nearest to {letter}:", " ".join(letter_of(k) for k in nearest))

# %% [markdown]
# Nobody told the network what a vowel is, and still some of them have found each other. How clear it is depends on
# the start: of e, i, o and u, at least two had a vowel or y as their nearest neighbour (four starts tried). Letters
# that are rare, such as q and x, lie anywhere: hardly any gradient ever reached their rows.
#
# ## 9. Read the gap
#
# Two numbers at the end of training, the train loss and the dev loss, say what to do next. Ask in this order; the
# first yes is the verdict:
#
# | question | verdict | what to do |
# |---|---|---|
# | dev loss below half of what you hoped for? | `"leak"` | find out where the answer gets into the input |
# | train loss not even 0.1 below the loss at the start? | `"not learning"` | one batch by heart; the range test |
# | dev more than 0.2 above train, or more than 0.05 above its own lowest value? | `"overfits"` | more data, a smaller network, or stop earlier |
# | dev loss above what you hoped for? | `"underfits"` | a larger network, more steps |
# | none of these | `"good"` | |

# %% exercise="m05-gap-reading"
def read_gap(train, dev, start, target):
    """The verdict on a training run: "leak", "not learning", "overfits", "underfits" or "good".

    train, dev : lists of losses, noted at the same moments; the last ones are the result
    start      : loss of an even guess, ln V
    target     : the dev loss you hope for
    returns the first verdict of the table above whose question is answered by yes
    """
    ### BEGIN SOLUTION
    if dev[-1] < target / 2:
        return "leak"
    if train[-1] > start - 0.1:
        return "not learning"
    if dev[-1] - train[-1] > 0.2 or dev[-1] - min(dev) > 0.05:
        return "overfits"
    return "underfits" if dev[-1] > target else "good"
    ### END SOLUTION

# %% check="m05-gap-reading" points=2
check("m05-gap-reading", read_gap)

# %% [markdown]
# Try it on real runs: only 1,000 names to learn from, and networks with 1 to 300 hidden units. Before you run the
# cell: which one will have the lowest train loss, and which the lowest dev loss?

# %%
X_few, Y_few = build_dataset(train_names[:1000], CONTEXT)
hidden_sizes, ends = [1, 3, 10, 50, 300], []
for hidden in hidden_sizes:
    begin = init_mlp(27, CONTEXT, WIDTH, hidden, np.random.RandomState(1))
    begin = [p.astype(np.float32) for p in begin]
    curve = []
    watch = watching(curve, 1000, X_few, Y_few)
    train_mlp(watch, begin, X_few, Y_few, 3001, np.random.RandomState(2))
    _, train_few, dev_few = np.array(curve).T.tolist()
    ends.append([train_few[-1], dev_few[-1]])
    verdict = read_gap(train_few, dev_few, np.log(27), 2.45)
    print(f"{hidden:3} hidden: train {train_few[-1]:.3f}, dev {dev_few[-1]:.3f}: {verdict}")

train_ends, dev_ends = np.array(ends).T
plt.figure(figsize=(7, 4))
plt.semilogx(hidden_sizes, train_ends, "o-", color=BLUE, label="train")
plt.semilogx(hidden_sizes, dev_ends, "s--", color=ORANGE, label="dev")
plt.fill_between(hidden_sizes, train_ends, dev_ends, color=ORANGE, alpha=0.12, label="gap")
plt.gca().set(title="1,000 names: capacity and gap")
plt.gca().set(xlabel="hidden units (log scale)", ylabel="loss at the end (nats per letter)")
plt.legend()
plt.show()

# %% [markdown]
# The train loss only falls with size; the dev loss falls and then rises, and the gap opens. The same network of 200
# units that was right for 24,000 names is far too large for 1,000: capacity is large or small only beside the data.
#
# ### Break it: too good to be true
#
# A friend has written a faster `build_dataset`, with no loop over letters. It trains at once, and how:

# %%
def build_dataset_fast(names, context):
    """All names as one long text, and a view of every stretch of context + 1 letters."""
    text = "." * context + ("." * context).join(names) + "." * context
    numbers = np.frombuffer(text.encode(), dtype=np.uint8).astype(np.int64)
    numbers = np.where(numbers == ord("."), 0, numbers - ord("a") + 1)
    stretches = np.lib.stride_tricks.sliding_window_view(numbers, context + 1)
    # a dot after a dot is no prediction: it only fills the place between two names
    stretches = stretches[(stretches[:, -1] != 0) | (stretches[:, -2] != 0)]
    return stretches[:, 1:], stretches[:, -1]

X_fast, Y_fast = build_dataset_fast(train_names, CONTEXT)
X_fast_dev, Y_fast_dev = build_dataset_fast(dev_names, CONTEXT)
print("as many rows as yours:", X_fast.shape == X.shape)
suspect = train_mlp(gradients, parameters, X_fast, Y_fast, 1000, np.random.RandomState(4))
train_fast = mlp_forward(suspect, X_fast[:20000], Y_fast[:20000])[1]
dev_fast = mlp_forward(suspect, X_fast_dev, Y_fast_dev)[1]
print(f"after 1,000 steps: train {train_fast:.3f}, dev {dev_fast:.3f}")

# %% [markdown]
# No error, the right shape, train and dev close together, and a loss next to 0. What does your `read_gap` say to
# that? The next cell asks it, prints a few rows, as you did in section 1, and compares them with yours. Find the one
# slice that is wrong, correct it above and run both cells again, before you read on.

# %%
print("verdict:", read_gap([np.log(27), train_fast], [np.log(27), dev_fast], np.log(27), 2.2))
for row in range(5):
    print(" ".join(letter_of(k) for k in X_fast[row]), "->", letter_of(Y_fast[row]))
print("the rows are yours:", np.array_equal(X_fast, X) and np.array_equal(Y_fast, Y))

# %% [markdown]
# The last letter of each window is the letter to predict: `stretches[:, 1:]` is to be `stretches[:, :-1]`. The
# network has learnt to copy it. As a model of names it is worthless: when a name is to be made, nobody can put the
# next letter into the window. A mistake in the data raises no error, so **read a loss that is too low as a bug
# report**.
#
# ## 10. Search at random
#
# Rate, start values, sizes: such settings, chosen before training, are called **hyperparameters**. Two ways to
# search: a **grid** of all combinations of a few values, or settings drawn **at random**. In most problems, one or
# two settings matter, and nobody knows beforehand which. Nine tries on a grid of 3 by 3 look at three rates only;
# nine random tries look at nine (Bergstra and Bengio, 2012).

# %% exercise="m05-random-search"
def random_search(loss, ranges, tries, dice):
    """The best of some settings drawn at random.

    loss   : loss(settings) gives a number; settings is a dict {name: value}
    ranges : dict {name: (low, high)}, 0 < low < high; it stays as it is
    tries  : int, how often loss is called
    dice   : dice.uniform() gives an even random number u, 0 <= u < 1
    returns (settings, loss) of the lowest loss

    Each setting is drawn evenly in powers: low * (high / low) ** u, with a new u each.
    """
    ### BEGIN SOLUTION
    best, lowest = None, np.inf
    for _ in range(tries):
        settings = {}
        for name, (low, high) in ranges.items():
            settings[name] = low * (high / low) ** dice.uniform()
        now = loss(settings)
        if best is None or now < lowest:
            best, lowest = settings, now
    return best, lowest
    ### END SOLUTION

# %% check="m05-random-search" points=2
check("m05-random-search", random_search)

# %% [markdown]
# An experiment: 250 steps with 50 hidden units and two settings, the rate and the size of the last layer's start
# values (`scale`). One of them will turn out to matter. Nine tries on a grid against nine random ones, and the random
# search five times over, because one may be lucky.

# %%
RANGES = {"rate": (0.003, 30.0), "scale": (0.001, 0.1)}
tried = []

def short_run(settings):
    """Dev loss after 250 steps with these settings; every try is noted in the list tried."""
    rate, scale = settings["rate"], settings["scale"]
    begin = init_mlp(27, CONTEXT, WIDTH, 50, np.random.RandomState(1))
    begin[3] *= scale / begin[3].std()
    begin = [p.astype(np.float32) for p in begin]
    end = train_mlp(gradients, begin, X, Y, 250, np.random.RandomState(2), rate=rate)
    dev = mlp_forward(end, X_dev[:5000], Y_dev[:5000])[1]
    tried.append([rate, scale, dev])
    return dev

for rate in np.geomspace(*RANGES["rate"], 3):
    for scale in np.geomspace(*RANGES["scale"], 3):
        short_run({"rate": rate, "scale": scale})
grid = np.array(tried)
searches = []
for seed in range(5):
    tried.clear()
    random_search(short_run, RANGES, 9, Dice(seed))
    searches.append(np.array(tried))

plt.figure(figsize=(10, 4), layout="constrained")
shown = [("Grid: 3 different rates", grid), ("Random: 9 different rates", searches[0])]
colours = {"s": 140, "cmap": "viridis_r", "vmin": 2.4, "vmax": 3.3, "edgecolor": "black"}
for place, (title, tries) in enumerate(shown, 1):
    plt.subplot(1, 2, place)
    rate, scale, dev = tries.T
    drawn = plt.scatter(rate, scale, c=dev, **colours)
    best = dev.argmin()
    plt.plot(rate[best], scale[best], "x", color="white", markersize=8, markeredgewidth=2)
    plt.gca().set(title=f"{title}, best {dev[best]:.3f} (x)", xscale="log", yscale="log")
    plt.gca().set(xlabel="rate", ylabel="scale", xlim=(0.002, 45), ylim=(0.0007, 0.14))
plt.colorbar(drawn, label="dev loss (nats per letter)")
plt.show()
print(f"best of the grid {grid[:, 2].min():.3f}; of five random searches", end=" ")
print(", ".join(f"{tries[:, 2].min():.3f}" for tries in searches))

# %% [markdown]
# The colours change from left to right and hardly from bottom to top: the rate matters, the scale does not. The grid
# spends nine tries on three rates. The random searches meet a good one in most cases, not in all: chance has no
# favourites.
#
# ## 11. New names
#
# Sampling is the walk of section 1 with dice in place of the next letter: the window starts with dots, the network
# gives 27 probabilities, the dice choose, the window moves on. `Dice` are our own random numbers, so a seed gives the
# same choices on every machine.

# %% exercise="m05-sample-names"
def sample_names(probabilities, context, count, dice):
    """New names, letter by letter.

    probabilities : probabilities(window) gives 27 numbers that sum to 1; window is a list
                    of ``context`` ints, the newest letter last
    count         : int, how many names
    dice          : dice.choice(p) gives a number k with probability p[k]; one call per letter
    returns list of strings. The dot (0) ends a name and is not part of it;
            a name of 30 letters ends there.
    """
    ### BEGIN SOLUTION
    names = []
    for _ in range(count):
        name, window = "", [0] * context
        while len(name) < 30:
            number = dice.choice(probabilities(window))
            if number == 0:
                break
            name += letter_of(number)
            window = window[1:] + [number]
        names.append(name)
    return names
    ### END SOLUTION

# %% check="m05-sample-names" points=2
check("m05-sample-names", sample_names)

# %%
def probabilities_of(parameters):
    """A function from a window to the probabilities of the next letter."""

    def probabilities(window):
        logits = mlp_forward(parameters, np.array([window]), np.array([0]))[0][0]
        p = np.exp((logits - logits.max()).astype(np.float64))
        return p / p.sum()

    return probabilities

print("before training:", *sample_names(probabilities_of(parameters), 3, 3, Dice(seed=7)))
print("windows of 3:", *sample_names(probabilities_of(trained), 3, 12, Dice(seed=7)))
print("windows of 6:", *sample_names(probabilities_of(wide), 6, 12, Dice(seed=7)))
known = set(names)
made = sample_names(probabilities_of(wide), 6, 500, Dice(seed=8))
print(f"of 500 new names, {sum(name in known for name in made)} are in the list already")
X_longer_test, Y_longer_test = build_dataset(test_names, LONGER)
test_loss = mlp_forward(wide, X_longer_test, Y_longer_test)[1]
print(f"windows of 6, for the first and last time the test loss: {test_loss:.3f}")

# %% [markdown]
# The dev names helped to choose (the rate, the length of the windows), so their loss is a little too kind. That of
# the test names, looked at once, is what you report.
#
# ## What is true now
#
# Your model reads windows that nobody has seen before, because it does not keep a row for each window but a row for
# each letter. And you have a routine for every training to come: loss at the start, one batch by heart, the range
# test, train and dev together, a verdict, and suspicion of results that are too good.
#
# Three questions to end with:
#
# 1. The network with windows of 3, 10 numbers per letter and 200 hidden units has 11,897 parameters. How many more
#    has it with windows of 4?

# %% predict="m05-predict-longer"
predict("m05-predict-longer", guess=None)

# %% [markdown]
# 2. A network for a text with 65 different characters has not been trained yet. What should its loss be?

# %% predict="m05-predict-start"
predict("m05-predict-start", guess=None)

# %% [markdown]
# 3. Row 5 of `C` is used 4 times in a batch, each time with the gradient 0.25. `dC` starts at 0, and one line is run:
#    `dC[X] += dout`. What is in row 5 now?

# %% predict="m05-predict-once"
predict("m05-predict-once", guess=None)

# %% [markdown]
# **Read on.** Bengio, Ducharme, Vincent and Jauvin, *A neural probabilistic language model* (2003); Smith, *Cyclical
# learning rates for training neural networks* (2017); Bergstra and Bengio, *Random search for hyper-parameter
# optimization* (2012); Andrej Karpathy, *Building makemore, part 2* (lecture) and *A recipe for training neural
# networks* (2019).
