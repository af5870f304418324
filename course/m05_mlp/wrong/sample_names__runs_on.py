exercise = "m05-sample-names"
mistake = "INDEXING"
because = "a name starts from the window in which the one before ended; each starts from dots"

def sample_names(probabilities, context, count, dice):
    names = []
    window = [0] * context
    for _ in range(count):
        name = ""
        while len(name) < 30:
            number = dice.choice(probabilities(window))
            window = window[1:] + [number]
            if number == 0:
                break
            name += ".abcdefghijklmnopqrstuvwxyz"[number]
        names.append(name)
    return names


answer = sample_names
