exercise = "m03-relu-backward"
mistake = "MUTATES"
because = "your code writes into one of its arguments"


def answer(dout, x):
    dout[x < 0] = 0
    return dout
