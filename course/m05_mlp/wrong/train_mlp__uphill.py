exercise = "m05-train-mlp"
mistake = "SIGN_FLIP"
because = "the step goes uphill: the gradient is added, not subtracted"

def train_mlp(gradients, parameters, X, Y, steps, rng, rate=0.5):
    trained = [p.copy() for p in parameters]
    for k in range(steps):
        rows = rng.randint(len(X), size=64)
        _, slopes = gradients(trained, X[rows], Y[rows])
        for p, slope in zip(trained, slopes):
            p += 0.01 * slope
    return trained


answer = train_mlp
