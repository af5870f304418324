exercise = "m03-affine-forward"
mistake = "EXTRA_MEAN"
because = "the products are averaged; they are only added up"


def answer(x, w, b):
    return x @ w / x.shape[-1] + b
