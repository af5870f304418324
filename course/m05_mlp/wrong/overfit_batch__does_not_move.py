exercise = "m05-overfit-batch"
mistake = "MISSING_PATH"
because = "the parameters do not move from one step to the next: the update is missing, or made on other arrays than the next step uses"
next = "`p = p - ...` makes a new array and forgets it; `p -= ...` changes the one in the list"

def overfit_batch(gradients, parameters, X, Y):
    trained = [p.copy() for p in parameters]
    for _ in range(500):
        _, slopes = gradients(trained, X, Y)
        for p, slope in zip(trained, slopes):
            p = p - 1.0 * slope
    return trained


answer = overfit_batch
