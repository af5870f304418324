exercise = "m04-split"
mistake = "MUTATES"
because = "the list of names itself is shuffled"


def split(names, dice):
    names[:] = dice.shuffled(names)
    one, two = 8 * len(names) // 10, 9 * len(names) // 10
    return names[:one], names[one:two], names[two:]


answer = split
