exercise = "m01-forward-difference"
mistake = "FORMULA"
because = "only the second value is divided by h, because Python divides before it subtracts"
next = "put the subtraction in parentheses"


def forward_difference(f, x, h):
    return f(x + h) - f(x) / h


answer = forward_difference
