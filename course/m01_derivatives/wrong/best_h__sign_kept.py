exercise = "m01-best-h"
mistake = "FORMULA"
because = "the error keeps its sign, so the slope that is most too small counts as the best"
next = "take the size of the error with abs()"


def best_h(measure, steps, true_slope):
    return min(steps, key=lambda h: measure(h) - true_slope)


answer = best_h
