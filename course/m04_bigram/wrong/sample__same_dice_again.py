exercise = "m04-sample"
mistake = "STATE_LEAK"
because = "every name is the same: new dice are made in each call"
next = "use the dice that are handed in: they remember where they are"


def sample_name(P, chars, dice):
    from zerohero.dice import Dice

    mine, name, place = Dice(1), "", 0
    while True:
        place = mine.choice(P[place])
        if place == 0:
            return name
        name += chars[place]


answer = sample_name
