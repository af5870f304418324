exercise = "m04-trigram-nll"
mistake = "INDEXING"
because = "what is scored is names, not scored"
next = "count in names, then score the others"

import numpy as np


def trigram_nll(names, scored, index, k, pad=".."):
    size = len(index)

    def table(some):
        found = np.zeros((size * size, size))
        for name in some:
            text = [index[symbol] for symbol in pad + name + "."]
            for a, b, c in zip(text, text[1:], text[2:]):
                found[a * size + b, c] += 1
        return found

    P, asked = table(names) + k, table(names)
    with np.errstate(invalid="ignore", divide="ignore"):
        P = P / P.sum(axis=1, keepdims=True)
        cost = -np.where(asked > 0, asked * np.log(P), 0).sum()
    return float(cost / asked.sum())


answer = trigram_nll
