exercise = "m03-relu-backward"
mistake = "WRONG_MASK"
because = "the gradient gets through exactly where it should not"


def answer(dout, x):
    return dout * (x < 0)
