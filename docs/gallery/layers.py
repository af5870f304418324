# %% [markdown]
# ## Inside the layers
#
# `activations` shows what each layer puts out, here of a deep net of tanh layers whose weights grow too large, at three steps.
# Watch the values gather at -1 and 1, where a tanh passes no gradient on.

# %%
import numpy as np

from zerohero.viz import activations, saturation

draw = np.random.RandomState(0)
examples = draw.normal(size=(64, 50))


def tanh_layers(gain):
    """What four tanh layers put out, by name."""
    layers, h = {}, examples
    for n in range(1, 5):
        h = np.tanh(h @ draw.normal(size=(50, 50)) * gain / 50**0.5)
        layers[f"tanh {n}"] = h
    return layers


activations([tanh_layers(1.0), tanh_layers(5 / 3), tanh_layers(8.0)], steps=[0, 100, 200])

# %% [markdown]
# `saturation` shows which unit is saturated on which example. A full column is a dead unit: no example teaches it anything.

# %%
too_large = examples @ draw.normal(size=(50, 30)) / 50**0.5 + 5 * (np.arange(30) % 9 == 4)  # three units with a bias of 5
saturation({"tanh 1": np.tanh(too_large), "relu 1": np.maximum(0, -too_large)})

# %% [markdown]
# `LayerRecorder` sees the same in a torch model while it runs, by hooks that are gone at the end; `gradients` shows what comes back.

# %%
import torch

from zerohero.viz import LayerRecorder, gradients

torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(2, 16), torch.nn.Tanh(), torch.nn.Linear(16, 16), torch.nn.ReLU(), torch.nn.Linear(16, 1))
with LayerRecorder(net) as recorder:
    for _ in range(5):
        loss = net(torch.randn(32, 2)).square().mean()
        net.zero_grad()
        loss.backward()
gradients(recorder)

# %% [markdown]
# `gradient_flow` compares the gradients of all parameters. A parameter that got none, or only zeros, stands out.

# %%
from zerohero.viz import gradient_flow

net[4].bias.grad = None
gradient_flow(net)

# %% [markdown]
# `update_to_data` shows how far each step moves a parameter, compared with the parameter itself: about -3 is a good size.

# %%
from zerohero.viz import UpdateRatios, update_to_data

ratios, W, b = UpdateRatios(), draw.normal(size=(20, 20)), np.ones(20)
for step in range(500):
    steps = {"W": (draw.normal(size=W.shape) * 2e-3, W), "b": (draw.normal(size=b.shape) * 1e-4 * 0.99**step, b)}
    ratios.log(steps)
    W, b = W + steps["W"][0], b + steps["b"][0]
update_to_data(ratios)

# %% [markdown]
# ## Where a classifier decides
#
# `decision_boundary` asks your function at every cell of the plane. Points on the wrong side have a box around them.

# %%
from zerohero.data import moons
from zerohero.viz import decision_boundary

X, y = moons(100)


def score(points):
    """Positive above a wave."""
    return points[:, 1] - 0.25 - 0.5 * np.cos(1.5 * points[:, 0] + 0.5)


decision_boundary(score, X, y)

# %% [markdown]
# `BoundaryMovie` does so while you train. The output is live while the loop runs, and can be stepped through afterwards.

# %%
import time

from zerohero.widgets import BoundaryMovie

features = np.stack([X[:, 0], X[:, 1], X[:, 0] ** 2, X[:, 0] ** 3], axis=1)
weights = np.zeros(4)


def cubic(points):
    """Score of a linear classifier on x0, x1, x0 squared and x0 cubed."""
    return points[:, 0] * weights[0] + points[:, 1] * weights[1] + points[:, 0] ** 2 * weights[2] + points[:, 0] ** 3 * weights[3]


with BoundaryMovie(cubic, X, y) as movie:
    for step in range(300):
        time.sleep(0.005)  # a larger model takes its time
        wrong = y * cubic(X) < 1
        weights = weights + 0.1 * (features * (y * wrong)[:, None]).mean(axis=0)
        movie.frame(step)
