exercise = "m01-central-difference"
mistake = "SIGN_FLIP"
because = "left minus right gives the slope with the wrong sign"


def central_difference(f, x, h):
    return (f(x - h) - f(x + h)) / (2 * h)


answer = central_difference
