exercise = "m01-one-step"
mistake = "WRONG_CONSTANT"
because = "each number moves by its whole gradient; the step does not multiply it"
next = "multiply each gradient by step"


def one_step(values, grads, step):
    a, b, c, f = (values[k] + grads[k] for k in "abcf")
    return (a * b + c) * f


answer = one_step
