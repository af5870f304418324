exercise = "m01-one-step"
mistake = "MUTATES"
because = "the dict that was handed in has been changed"
next = "put the moved numbers into new variables"


def one_step(values, grads, step):
    for k in "abcf":
        values[k] += step * grads[k]
    return (values["a"] * values["b"] + values["c"]) * values["f"]


answer = one_step
