"""Data sets that are drawn when asked for."""

import numpy as np


def moons(n: int = 100, noise: float = 0.1, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Two interleaved half circles: points X float64 (n, 2), labels y float64 (n,), 1.0 and -1.0 in turn.

    noise : standard deviation of what is added to each coordinate
    seed  : the same seed gives the same points, those of make_moons in the lesson m02
    """
    rng = np.random.RandomState(seed)
    angle = np.pi * rng.rand(n)
    y = np.where(np.arange(n) % 2 == 0, 1.0, -1.0)
    upper = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    lower = np.stack([1 - np.cos(angle), 0.5 - np.sin(angle)], axis=1)
    return np.where(y[:, None] > 0, upper, lower) + noise * rng.randn(n, 2), y
