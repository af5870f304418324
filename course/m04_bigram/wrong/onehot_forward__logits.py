exercise = "m04-onehot-forward"
mistake = "DROPPED_LOCAL"
because = "these are the logits; softmax is missing"
next = "exp of each number, over the sum of its row"


def onehot_forward(W, xs):
    return W[xs]


answer = onehot_forward
