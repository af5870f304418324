exercise = "m01-partials"
mistake = "FORMULA"
because = "c is added, not multiplied: d moves exactly as much as c does"
next = "nudge c by 1 and see how much d moves"


def partials(a, b, c):
    return {"a": b, "b": a, "c": c}


answer = partials
