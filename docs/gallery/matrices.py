# %% [markdown]
# ## Matrices: gradients, pairs of letters, attention
#
# `error_map` holds a gradient against the true one: yours, the truth, and the error, on which each power of ten has its own
# shade. It steps through the worst elements. Here a row was counted twice, and one number is not finite.

# %%
import numpy as np

from zerohero.viz import error_map

true = np.random.RandomState(0).standard_normal((12, 9))
mine = true.copy()
mine[4] *= 2
mine[9, 1] = np.inf
error_map(mine, true, "dW")

# %% [markdown]
# Of an array of more axes the last runs across, and the matrices stand below each other, each with its index. This is the
# gradient of a convolution whose kernel `[1, 0]` was transposed.

# %%
kernels = np.random.RandomState(1).standard_normal((3, 2, 4, 4))
turned = kernels.copy()
turned[1, 0] = kernels[1, 0].T
error_map(turned, kernels, "dk")

# %% [markdown]
# A report of the gradient checker holds errors, no numbers; `view` shows its map. To see the numbers beside it, hand your
# gradient and `zerohero.gradcheck.numerical_gradient` to `error_map`.

# %%
from zerohero import view
from zerohero.gradcheck import gradcheck

report = gradcheck(np.matmul, lambda dout, x, w: (dout @ w.T, x.T @ np.abs(dout)), [np.ones((4, 3)), np.ones((3, 5))])
view(report)

# %% [markdown]
# `bigram` shows how often each letter follows each other one. Choose a row for its distribution; the second sequence, "walk",
# draws a name letter by letter. The pairs are those of the names that come with zerohero.

# %%
from zerohero import data
from zerohero.viz import bigram

names = data.names()
chars = [".", *sorted(set("".join(names)))]
index = {char: n for n, char in enumerate(chars)}
counts = np.zeros((len(chars), len(chars)), int)
for name in names:
    for first, second in zip("." + name, name + ".", strict=True):
        counts[index[first], index[second]] += 1
bigram(counts, chars, seed=7)

# %% [markdown]
# `attention` shows which token looks at which: one frame for each head, one sequence for each layer. A row that does not sum
# to 1, or a look ahead through a hole in the mask, is said: here in head 1.

# %%
from zerohero.viz import attention

tokens = ["the", " cat", " sat", " on", " the", " mat", ".", "\n"]
scores = np.random.RandomState(2).standard_normal((3, 8, 8)) * 1.5
weights = np.exp(scores) * np.tri(8)
weights[1, 2, 6] = 0.4
weights /= weights.sum(axis=2, keepdims=True)
attention(weights, tokens)

# %% [markdown]
# `backward_walk` goes through a backward pass that was written by hand, one tensor at a time. What is right, what is wrong and
# what is still to be written stands in the list, from which a tensor can be chosen. The mean over the batch is forgotten in one.

# %%
from zerohero.viz import backward_walk

draw = np.random.RandomState(3).standard_normal
x, W1, W2, dlogits = draw((16, 10)), draw((10, 12)), draw((12, 5)), draw((16, 5)) / 16
h = np.tanh(x @ W1)
dh = dlogits @ W2.T
dz = dh * (1 - h**2)
backward_walk(
    [
        ("dlogits", dlogits, dlogits, "(probs - onehot) / N"),
        ("dW2", h.T @ dlogits, h.T @ dlogits, "h.T @ dlogits"),
        ("db2", 16 * dlogits.sum(axis=0), dlogits.sum(axis=0), "dlogits.sum(axis=0)"),
        ("dh", dh, dh, "dlogits @ W2.T"),
        ("dz", dh * (1 - h), dz, "dh * (1 - h**2)"),
        ("dW1", None, x.T @ dz, "x.T @ dz"),
    ]
)
