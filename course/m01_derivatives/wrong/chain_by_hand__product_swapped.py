exercise = "m01-chain-by-hand"
mistake = "SWAPPED"
because = "a and b have each other's gradient: in a product each gets the other factor"
next = "e = a*b: nudge a alone, which number multiplies the nudge?"


def chain_by_hand(a, b, c, f):
    d = a * b + c
    return {"a": a * f, "b": b * f, "c": f, "e": f, "d": f, "f": d}


answer = chain_by_hand
