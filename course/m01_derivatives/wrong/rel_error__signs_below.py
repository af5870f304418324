exercise = "m01-rel-error"
mistake = "FORMULA"
because = "the sizes keep their signs, so negative numbers count as small"
next = "take abs() of x and y before max()"


def rel_error(x, y, floor=1.0):
    return abs(x - y) / max(x, y, floor)


answer = rel_error
