exercise = "m05-overfit-batch"
mistake = "MUTATES"
because = "`parameters` was changed by the call: the arrays that were handed in are trained, not copies"

def overfit_batch(gradients, parameters, X, Y):
    trained = parameters
    for _ in range(500):
        _, slopes = gradients(trained, X, Y)
        for p, slope in zip(trained, slopes):
            p -= 1.0 * slope
    return trained


answer = overfit_batch
