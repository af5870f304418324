exercise = "m04-sample"
mistake = "INDEXING"
because = "the boundary stands at the end of the name: it is where the name is over, not a letter of it"
next = "look at the number before you append the letter"


def sample_name(P, chars, dice):
    name, place = "", 0
    while True:
        place = dice.choice(P[place])
        name += chars[place]
        if place == 0:
            return name


answer = sample_name
