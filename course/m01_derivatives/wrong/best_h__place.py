exercise = "m01-best-h"
mistake = "INDEXING"
because = "this is the place of the best step in the list, not the step"
next = "look the step up: steps[place]"


def best_h(measure, steps, true_slope):
    errors = [abs(measure(h) - true_slope) for h in steps]
    return errors.index(min(errors))


answer = best_h
