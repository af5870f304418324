exercise = "m01-one-step"
mistake = "FORMULA"
because = "this is what L would be if it were a straight line along the step; work L out anew from the moved numbers"
next = "move a, b, c and f, then compute (a*b + c)*f"


def one_step(values, grads, step):
    a, b, c, f = (values[k] for k in "abcf")
    return (a * b + c) * f + step * sum(grads[k] ** 2 for k in "abcf")


answer = one_step
