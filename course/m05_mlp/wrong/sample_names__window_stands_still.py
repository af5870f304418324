exercise = "m05-sample-names"
mistake = "MISSING_PATH"
because = "the window never moves: every letter is drawn as if it were the first"

def sample_names(probabilities, context, count, dice):
    names = []
    for _ in range(count):
        window = [0] * context
        name = ""
        while len(name) < 30:
            number = dice.choice(probabilities(window))
            if number == 0:
                break
            name += ".abcdefghijklmnopqrstuvwxyz"[number]
        names.append(name)
    return names


answer = sample_names
