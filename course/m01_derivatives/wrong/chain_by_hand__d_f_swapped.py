exercise = "m01-chain-by-hand"
mistake = "SWAPPED"
because = "d and f have each other's gradient: in a product each gets the other factor"
next = "L = d*f: nudge f alone, which number multiplies the nudge?"


def chain_by_hand(a, b, c, f):
    e = a * b
    d = e + c
    return {"a": b * d, "b": a * d, "c": d, "e": d, "d": d, "f": f}


answer = chain_by_hand
