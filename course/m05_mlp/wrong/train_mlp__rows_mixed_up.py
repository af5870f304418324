exercise = "m05-train-mlp"
mistake = "INDEXING"
because = "a batch holds windows together with letters that do not follow them: X and Y are not picked with the same rows"

def train_mlp(gradients, parameters, X, Y, steps, rng, rate=0.5):
    trained = [p.copy() for p in parameters]
    for k in range(steps):
        rows = rng.randint(len(X), size=64)
        others = rng.randint(len(X), size=64)
        _, slopes = gradients(trained, X[rows], Y[others])
        for p, slope in zip(trained, slopes):
            p -= rate * (1 - 0.9 * k / steps) * slope
    return trained


answer = train_mlp
