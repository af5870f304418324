exercise = "m03-affine-forward"
mistake = "SIGN_FLIP"
because = "the bias is taken away; it is added"


def answer(x, w, b):
    return x @ w - b
