exercise = "m04-vocab"
mistake = "INDEXING"
because = "the letters are numbered as they are met, not in the order of the alphabet"
next = "sort the letters, or two lists of the same names may get two numberings"


def build_vocab(names):
    chars = ["."]
    for name in names:
        for letter in name:
            if letter not in chars:
                chars.append(letter)
    return chars, {symbol: i for i, symbol in enumerate(chars)}


answer = build_vocab
