exercise = "m01-central-difference"
mistake = "FORMULA"
because = "the two values are added; a slope is made of their difference"
next = "subtract the value on the left from the value on the right"


def central_difference(f, x, h):
    return (f(x + h) + f(x - h)) / (2 * h)


answer = central_difference
