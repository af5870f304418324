exercise = "m05-train-mlp"
mistake = "MISSING_PATH"
because = "the parameters do not move from one step to the next: the update is missing, or made on other arrays than the next step uses"
next = "`p = p - ...` makes a new array and forgets it; `p -= ...` changes the one in the list"

def train_mlp(gradients, parameters, X, Y, steps, rng, rate=0.5):
    trained = [p.copy() for p in parameters]
    for k in range(steps):
        rows = rng.randint(len(X), size=64)
        _, slopes = gradients(trained, X[rows], Y[rows])
        for p, slope in zip(trained, slopes):
            p = p - rate * slope
    return trained


answer = train_mlp
