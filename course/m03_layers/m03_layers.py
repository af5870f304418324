# %% [markdown]
# # Layers: backprop on arrays, and where it leaks

# %%
import numpy as np

from zerohero import check, hint, predict

# %% predict="m03-predict-stretched"
predict("m03-predict-stretched", guess=None)

# %% predict="m03-predict-ten-classes"
predict("m03-predict-ten-classes", guess=None)

# %% predict="m03-predict-four-sigmoids"
predict("m03-predict-four-sigmoids", guess=None)

# %% [markdown]
# ## 1. A number that is used many times

# %% exercise="m03-unbroadcast"
def unbroadcast(dout, shape):
    """The gradient towards an operand that was stretched from `shape` to the shape of dout.

    dout  : float64 array, the upstream gradient
    shape : tuple of ints, the shape the operand had: each axis as long as that of dout, or 1,
            or missing in front
    returns float64 array of this shape. dout stays as it is.

    Example: dout = [[1, 2, 3], [4, 5, 6]]: shape (3,) gives [5, 7, 9], (2, 1) gives [[6], [15]].
    """
    ### BEGIN SOLUTION
    while dout.ndim > len(shape):
        dout = dout.sum(axis=0)
    for axis, size in enumerate(shape):
        if size == 1:
            dout = dout.sum(axis=axis, keepdims=True)
    return dout
    ### END SOLUTION

# %% check="m03-unbroadcast" points=2
check("m03-unbroadcast", unbroadcast)

# %% [markdown]
# Break it.

# %% [markdown]
# (leaks)

# %% predict="m03-predict-stretched-again"
predict("m03-predict-stretched-again", guess=None)

# %% predict="m03-predict-letters"
predict("m03-predict-letters", guess=None)

# %% predict="m03-predict-lost"
predict("m03-predict-lost", guess=None)
