exercise = "m05-overfit-batch"
mistake = "SIGN_FLIP"
because = "the step goes uphill: the gradient is added, not subtracted"

def overfit_batch(gradients, parameters, X, Y):
    trained = [p.copy() for p in parameters]
    for _ in range(500):
        _, slopes = gradients(trained, X, Y)
        for p, slope in zip(trained, slopes):
            p += 0.1 * slope
    return trained


answer = overfit_batch
