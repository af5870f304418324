exercise = "m03-affine-backward"
mistake = "EXTRA_MEAN"
because = "db is a mean over the rows; the 1/N of the loss is in dout already"
next = "add the rows up, without dividing"


def answer(dout, x, w, b):
    rows, dout_rows = x.reshape(-1, x.shape[-1]), dout.reshape(-1, dout.shape[-1])
    return dout @ w.T, rows.T @ dout_rows, dout_rows.mean(0)
