exercise = "m04-split"
mistake = "DOUBLE_COUNT"
because = "each part begins with the last name of the one before"


def split(names, dice):
    shuffled = dice.shuffled(names)
    one, two = 8 * len(names) // 10, 9 * len(names) // 10
    return shuffled[:one], shuffled[one - 1 : two], shuffled[two - 1 :]


answer = split
