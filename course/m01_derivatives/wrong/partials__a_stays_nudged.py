exercise = "m01-partials"
mistake = "DOUBLE_COUNT"
because = "the nudge of one input is still in place when the next one is nudged, so its change is counted again"
next = "start again from (a, b, c) for each of the three"


def partials(a, b, c):
    h = 0.001
    d = a * b + c
    a = a + h
    da = (a * b + c - d) / h
    b = b + h
    db = (a * b + c - d) / h
    c = c + h
    dc = (a * b + c - d) / h
    return {"a": da, "b": db, "c": dc}


answer = partials
