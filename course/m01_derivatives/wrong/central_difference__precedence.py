exercise = "m01-central-difference"
mistake = "FORMULA"
because = "`/ 2 * h` divides by 2 and then multiplies by h"
next = "put the divisor in parentheses"


def central_difference(f, x, h):
    return (f(x + h) - f(x - h)) / 2 * h


answer = central_difference
