exercise = "m01-best-h"
mistake = "MUTATES"
because = "sorting or removing changes the list that was handed in"
next = "use sorted() or min(), which leave the list alone"


def best_h(measure, steps, true_slope):
    steps.sort(key=lambda h: abs(measure(h) - true_slope))
    return steps[0]


answer = best_h
