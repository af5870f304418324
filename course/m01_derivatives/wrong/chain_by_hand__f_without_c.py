exercise = "m01-chain-by-hand"
mistake = "MISSING_PATH"
because = "the other factor beside f is d = e + c, and here c is left out of it"
next = "L = d*f, and d is all of a*b + c"


def chain_by_hand(a, b, c, f):
    e = a * b
    return {"a": b * f, "b": a * f, "c": f, "e": f, "d": f, "f": e}


answer = chain_by_hand
