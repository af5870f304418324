exercise = "m01-best-h"
mistake = "FORMULA"
because = "the search stops when the error rises for the first time, and a better step may come later in the list"
next = "go through all the steps; their order means nothing"


def best_h(measure, steps, true_slope):
    best = steps[0]
    for h in steps[1:]:
        if abs(measure(h) - true_slope) >= abs(measure(best) - true_slope):
            break
        best = h
    return best


answer = best_h
