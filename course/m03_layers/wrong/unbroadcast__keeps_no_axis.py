exercise = "m03-unbroadcast"
mistake = "SHAPE"
because = "an axis of size one is lost when it is summed"
next = "sum with keepdims=True where the shape holds a 1"


def answer(dout, shape):
    while dout.ndim > len(shape):
        dout = dout.sum(0)
    return dout.sum(tuple(i for i, n in enumerate(shape) if n == 1))
