exercise = "m01-chain-by-hand"
mistake = "UNSTABLE"
because = "the gradients are measured by nudging, and digits are lost when the numbers are of very different size"
next = "multiply local slopes; nothing has to be subtracted"


def chain_by_hand(a, b, c, f):
    h = 0.001

    e = a * b
    d = e + c
    return {
        "a": (((a + h) * b + c) * f - ((a - h) * b + c) * f) / (2 * h),
        "b": ((a * (b + h) + c) * f - (a * (b - h) + c) * f) / (2 * h),
        "c": ((e + c + h) * f - (e + c - h) * f) / (2 * h),
        "e": ((e + h + c) * f - (e - h + c) * f) / (2 * h),
        "d": ((d + h) * f - (d - h) * f) / (2 * h),
        "f": (d * (f + h) - d * (f - h)) / (2 * h),
    }


answer = chain_by_hand
