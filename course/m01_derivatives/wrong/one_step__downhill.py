exercise = "m01-one-step"
mistake = "SIGN_FLIP"
because = "this moves against the gradient, so L goes down"
next = "add step times the gradient"


def one_step(values, grads, step):
    a, b, c, f = (values[k] - step * grads[k] for k in "abcf")
    return (a * b + c) * f


answer = one_step
