exercise = "m01-partials"
mistake = "WRONG_CONSTANT"
because = "these are the changes that a nudge makes, not yet divided by the nudge"


def partials(a, b, c):
    h = 0.001
    d = a * b + c
    return {"a": (a + h) * b + c - d, "b": a * (b + h) + c - d, "c": a * b + c + h - d}


answer = partials
