exercise = "m03-affine-backward"
mistake = "SWAPPED"
because = "dx and dw are returned in each other's place"
next = "the order is dx, dw, db"


def answer(dout, x, w, b):
    rows, dout_rows = x.reshape(-1, x.shape[-1]), dout.reshape(-1, dout.shape[-1])
    return rows.T @ dout_rows, dout @ w.T, dout_rows.sum(0)
