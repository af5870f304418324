exercise = "m01-forward-difference"
mistake = "FORMULA"
because = "this looks to both sides of x; the forward difference looks from x to x + h only"
next = "the second place is x itself"


def forward_difference(f, x, h):
    return (f(x + h) - f(x - h)) / (2 * h)


answer = forward_difference
