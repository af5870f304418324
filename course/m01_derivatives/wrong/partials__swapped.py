exercise = "m01-partials"
mistake = "SWAPPED"
because = "the slopes of a and b are in each other's place: in a product each moves by the other factor"
next = "nudge a alone: which number is the change multiplied by?"


def partials(a, b, c):
    return {"a": a, "b": b, "c": 1.0}


answer = partials
