exercise = "m03-sigmoid-backward"
mistake = "PRE_POST"
because = "the slope is written with x; s is to be what came out, sigmoid(x)"


def answer(dout, x):
    return dout * x * (1 - x)
