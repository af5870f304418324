exercise = "m04-trigram-nll"
mistake = "MISSING_PATH"
because = "one dot stands before each name, whatever pad says: with two, the first letter is predicted too"
next = "put pad in front of each name"

import numpy as np


def trigram_nll(names, scored, index, k, pad=".."):
    size = len(index)

    def table(some):
        found = np.zeros((size * size, size))
        for name in some:
            text = [index[symbol] for symbol in "." + name + "."]
            for a, b, c in zip(text, text[1:], text[2:]):
                found[a * size + b, c] += 1
        return found

    P, asked = table(names) + k, table(scored)
    with np.errstate(invalid="ignore", divide="ignore"):
        P = P / P.sum(axis=1, keepdims=True)
        cost = -np.where(asked > 0, asked * np.log(P), 0).sum()
    return float(cost / asked.sum())


answer = trigram_nll
