exercise = "m01-best-h"
mistake = "WRONG_MASK"
because = "the comparison is the wrong way round: this is the step with the largest error"
next = "keep h when its error is smaller than the best so far"


def best_h(measure, steps, true_slope):
    best = steps[0]
    for h in steps:
        if abs(measure(h) - true_slope) > abs(measure(best) - true_slope):
            best = h
    return best


answer = best_h
