exercise = "m03-unbroadcast"
mistake = "MISSING_BROADCAST_SUM"
because = "the axes in front are summed, those of size one are not"


def answer(dout, shape):
    return dout.sum(tuple(range(dout.ndim - len(shape))))
