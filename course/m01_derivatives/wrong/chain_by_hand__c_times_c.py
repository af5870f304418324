exercise = "m01-chain-by-hand"
mistake = "FORMULA"
because = "c is added, so it gets the gradient of d as it is; nothing multiplies it"
next = "d = e + c: nudge c by 1, by how much does d move?"


def chain_by_hand(a, b, c, f):
    d = a * b + c
    return {"a": b * f, "b": a * f, "c": c * f, "e": f, "d": f, "f": d}


answer = chain_by_hand
