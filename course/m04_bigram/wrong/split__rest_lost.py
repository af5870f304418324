exercise = "m04-split"
mistake = "MISSING_PATH"
because = "dev and test are a tenth each, rounded down, and what is left over is lost"


def split(names, dice):
    shuffled = dice.shuffled(names)
    one, tenth = 8 * len(names) // 10, len(names) // 10
    return shuffled[:one], shuffled[one : one + tenth], shuffled[one + tenth : one + 2 * tenth]


answer = split
