exercise = "m04-vocab"
mistake = "INDEXING"
because = "the boundary comes after the letters; it is to have number 0"
next = "put the dot in front of the sorted letters"


def build_vocab(names):
    chars = [*sorted(set("".join(names))), "."]
    return chars, {symbol: i for i, symbol in enumerate(chars)}


answer = build_vocab
