exercise = "m04-split"
mistake = "INDEXING"
because = "the names are cut in the order they came in"


def split(names, dice):
    one, two = 8 * len(names) // 10, 9 * len(names) // 10
    return names[:one], names[one:two], names[two:]


answer = split
