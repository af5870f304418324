exercise = "m01-forward-difference"
mistake = "FORMULA"
because = "the step that was handed in is not used; a fixed one is"
next = "use h as it comes"


def forward_difference(f, x, h):
    h = 0.0001
    return (f(x + h) - f(x)) / h


answer = forward_difference
