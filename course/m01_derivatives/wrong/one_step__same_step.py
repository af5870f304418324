exercise = "m01-one-step"
mistake = "NO_UPSTREAM"
because = "all four move by the same amount; each is to move by step times its own gradient"
next = "multiply step by grads[...] of the same name"


def one_step(values, grads, step):
    a, b, c, f = (values[k] + step for k in "abcf")
    return (a * b + c) * f


answer = one_step
