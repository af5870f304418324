exercise = "m04-normalise"
mistake = "FORMULA"
because = "each row is divided by its largest number, not by its sum"


def normalise(counts):
    return counts / counts.max(axis=1, keepdims=True)


answer = normalise
