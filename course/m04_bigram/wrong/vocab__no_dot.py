exercise = "m04-vocab"
mistake = "MISSING_PATH"
because = "the boundary has no number"
next = "put the dot in front of the sorted letters"


def build_vocab(names):
    chars = sorted(set("".join(names)))
    return chars, {symbol: i for i, symbol in enumerate(chars)}


answer = build_vocab
