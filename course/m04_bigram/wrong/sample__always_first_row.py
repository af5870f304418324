exercise = "m04-sample"
mistake = "INDEXING"
because = "every letter is drawn from the row of the boundary: the walk does not move on"
next = "draw from the row of the symbol that was drawn last"


def sample_name(P, chars, dice):
    name = ""
    for _ in range(200):
        place = dice.choice(P[0])
        if place == 0:
            break
        name += chars[place]
        if P[0, 0] == 0 and len(name) > 50:
            break
    return name


answer = sample_name
