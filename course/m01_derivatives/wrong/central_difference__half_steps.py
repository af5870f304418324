exercise = "m01-central-difference"
mistake = "FORMULA"
because = "the nudge goes h/2 to either side; it is to go h to either side"
next = "use x + h and x - h, and divide by the distance between them"


def central_difference(f, x, h):
    return (f(x + h / 2) - f(x - h / 2)) / h


answer = central_difference
