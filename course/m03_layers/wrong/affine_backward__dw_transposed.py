exercise = "m03-affine-backward"
mistake = "TRANSPOSED"
because = "dw has the right values with rows and columns exchanged"


def answer(dout, x, w, b):
    rows, dout_rows = x.reshape(-1, x.shape[-1]), dout.reshape(-1, dout.shape[-1])
    return dout @ w.T, dout_rows.T @ rows, dout_rows.sum(0)
