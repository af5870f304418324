exercise = "m01-partials"
mistake = "FORMULA"
because = "the slope in c is 0 only if d does not depend on c, and it does"
next = "nudge c by 1 and see how much d moves"


def partials(a, b, c):
    return {"a": b, "b": a, "c": 0.0}


answer = partials
