exercise = "m03-affine-backward"
mistake = "WRONG_AXIS"
because = "db is summed over all axes to one number; only the rows should vanish"

import numpy as np


def answer(dout, x, w, b):
    rows, dout_rows = x.reshape(-1, x.shape[-1]), dout.reshape(-1, dout.shape[-1])
    return dout @ w.T, rows.T @ dout_rows, np.full_like(b, dout.sum())
