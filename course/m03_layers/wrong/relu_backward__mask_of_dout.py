exercise = "m03-relu-backward"
mistake = "WRONG_MASK"
because = "the gradient is blocked where dout is negative; it is to be blocked where x is"


def answer(dout, x):
    return dout * (dout > 0)
