exercise = "m05-sample-names"
mistake = "FORMULA"
because = "the most likely letter is taken each time; it is to be drawn, with its probability"

def sample_names(probabilities, context, count, dice):
    names = []
    for _ in range(count):
        window = [0] * context
        name = ""
        while len(name) < 30:
            number = int(probabilities(window).argmax())
            if number == 0:
                break
            name += ".abcdefghijklmnopqrstuvwxyz"[number]
            window = window[1:] + [number]
        names.append(name)
    return names


answer = sample_names
