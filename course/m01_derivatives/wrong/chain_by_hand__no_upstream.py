exercise = "m01-chain-by-hand"
mistake = "NO_UPSTREAM"
because = "these are the local slopes of each operation; the gradient that comes from above is not multiplied in"
next = "multiply each local slope by the gradient of the output of its operation"


def chain_by_hand(a, b, c, f):
    d = a * b + c
    return {"a": b, "b": a, "c": 1.0, "e": 1.0, "d": f, "f": d}


answer = chain_by_hand
