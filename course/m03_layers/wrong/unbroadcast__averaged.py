exercise = "m03-unbroadcast"
mistake = "EXTRA_MEAN"
because = "the gradients of all uses are averaged; they add up"


def answer(dout, shape):
    while dout.ndim > len(shape):
        dout = dout.mean(0)
    for axis, size in enumerate(shape):
        if size == 1:
            dout = dout.mean(axis, keepdims=True)
    return dout
