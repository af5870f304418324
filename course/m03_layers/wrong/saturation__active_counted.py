exercise = "m03-saturation"
mistake = "WRONG_MASK"
because = "what is counted are the units that are not saturated"
next = "saturated means a slope below the limit: turn the comparison round"

import numpy as np


def sigmoid(z):
    small = np.exp(-np.abs(z))
    return np.where(z >= 0, 1, small) / (1 + small)


def answer(z, limit):
    s = sigmoid(z)
    return (s * (1 - s) >= limit).mean(axis=0)
