exercise = "m04-split"
mistake = "DOUBLE_COUNT"
because = "each part is cut from another order"


def split(names, dice):
    one, two = 8 * len(names) // 10, 9 * len(names) // 10
    return dice.shuffled(names)[:one], dice.shuffled(names)[one:two], dice.shuffled(names)[two:]


answer = split
