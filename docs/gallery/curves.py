# %% [markdown]
# ## Slopes and learning rates
#
# `slope_explorer` draws the secant of your function beside its tangent. While a kernel runs, drag the point or $h$; else step
# through $h$.

# %%
import math

from zerohero.widgets import slope_explorer

slope_explorer(math.sin, x=1.0, h=1.0, low=-4, high=4)

# %% [markdown]
# `v_curve` shows how the error of a measured slope depends on the step, in float64 and float32: too large, and the curve bends;
# too small, and the numbers are rounded.

# %%
import numpy as np

from zerohero.viz import v_curve

v_curve(np.sin, np.cos, x=1.0)

# %% [markdown]
# `range_curve` shows a learning-rate range test, here of a line fitted to noisy points, with the rates worth trying.

# %%
from zerohero.recipe import lr_range_test
from zerohero.viz import range_curve

noise = np.random.RandomState(0)
inputs = noise.normal(size=(400, 8))
targets = inputs @ np.arange(8.0) + noise.normal(size=400)
weights = np.zeros(8)


def one_step(rate):
    """One step at this rate, on 32 of the points; the loss before it."""
    rows = noise.randint(400, size=32)
    error = inputs[rows] @ weights - targets[rows]
    weights[:] -= rate * 2 * error @ inputs[rows] / 32
    return float((error**2).mean())


range_curve(lr_range_test(one_step, 1e-4, 10.0, steps=150))

# %% [markdown]
# `TrainingMonitor` watches a training loop: loss, learning rate, the size of the updates beside the size of the weights, speed and
# time left. Stop ends the loop while the cell runs; so does the interrupt button of the notebook.

# %%
from zerohero.widgets import TrainingMonitor

weights = np.zeros(8)
with TrainingMonitor(steps=600) as monitor:
    for step in monitor:
        rate = 0.02 if step < 400 else 0.002
        rows = noise.randint(400, size=16)
        error = inputs[rows] @ weights - targets[rows]
        update = rate * 2 * error @ inputs[rows] / 16
        ratio = np.linalg.norm(update) / (np.linalg.norm(weights) + 1e-12)
        weights -= update
        dev = ((inputs @ weights - targets) ** 2).mean() if step % 50 == 0 else None
        monitor.log(loss=(error**2).mean(), dev=dev, lr=rate, update_ratio={"weights": ratio})
