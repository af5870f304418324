exercise = "m04-trigram-nll"
mistake = "WRONG_AXIS"
because = "probabilities sum to 1 over the contexts, not over the next symbol"

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

    P, asked = table(names) + k, table(scored)
    with np.errstate(invalid="ignore", divide="ignore"):
        P = P / P.sum(axis=0)
        cost = -np.where(asked > 0, asked * np.log(P), 0).sum()
    return float(cost / asked.sum())


answer = trigram_nll
