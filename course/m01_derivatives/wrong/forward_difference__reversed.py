exercise = "m01-forward-difference"
mistake = "SIGN_FLIP"
because = "the old value minus the new one gives the slope with the wrong sign"


def forward_difference(f, x, h):
    return (f(x) - f(x + h)) / h


answer = forward_difference
