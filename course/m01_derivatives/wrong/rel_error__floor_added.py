exercise = "m01-rel-error"
mistake = "FORMULA"
because = "floor is added to the size; it is to replace the size only when it is larger"
next = "make floor one of the numbers that max() chooses from"


def rel_error(x, y, floor=1.0):
    return abs(x - y) / (max(abs(x), abs(y)) + floor)


answer = rel_error
