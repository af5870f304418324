exercise = "m01-chain-by-hand"
mistake = "DROPPED_LOCAL"
because = "a and b get the gradient of e as it is; the local slope of the product is missing"
next = "multiply the gradient of e by the local slope of a*b"


def chain_by_hand(a, b, c, f):
    d = a * b + c
    return {"a": f, "b": f, "c": f, "e": f, "d": f, "f": d}


answer = chain_by_hand
