exercise = "m01-rel-error"
mistake = "UNSTABLE"
because = "without the floor two zeros divide by zero, and a rounding error beside 0 counts as 1"
next = "floor is the third number to take the largest of"


def rel_error(x, y, floor=1.0):
    return abs(x - y) / max(abs(x), abs(y))


answer = rel_error
