exercise = "m05-sample-names"
mistake = "INDEXING"
because = "the dot is part of your names; it ends a name and does not belong to it"

def sample_names(probabilities, context, count, dice):
    names = []
    for _ in range(count):
        window = [0] * context
        name = ""
        while len(name) < 30:
            number = dice.choice(probabilities(window))
            name += ".abcdefghijklmnopqrstuvwxyz"[number]
            if number == 0:
                break
            window = window[1:] + [number]
        names.append(name)
    return names


answer = sample_names
