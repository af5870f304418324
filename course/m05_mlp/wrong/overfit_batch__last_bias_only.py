exercise = "m05-overfit-batch"
mistake = "MISSING_PATH"
because = "not every parameter moves; still are C, W1, b1, W2"

def overfit_batch(gradients, parameters, X, Y):
    trained = [p.copy() for p in parameters]
    for _ in range(500):
        _, slopes = gradients(trained, X, Y)
        for p, slope in zip(trained[4:], slopes[4:]):
            p -= 1.0 * slope
    return trained


answer = overfit_batch
