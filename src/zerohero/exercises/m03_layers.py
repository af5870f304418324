"""m03: layers of arrays, and where gradients get lost. The exercises in lesson order, and the questions.

``m03_arrays`` holds those on broadcasting and single layers, ``m03_digits`` the network and its training, ``m03_leaks``
those on where gradients get lost; ``m03_stand_ins`` is what takes the place of a student's earlier layers.
"""

import numpy as np

from ..exercise import Question
from . import m03_arrays as arrays
from . import m03_digits as digits
from . import m03_leaks as leaks

EXERCISES = [
    arrays.unbroadcast,
    arrays.affine_forward,
    arrays.affine_backward,
    arrays.relu_forward,
    arrays.relu_backward,
    arrays.sigmoid_forward,
    arrays.sigmoid_backward,
    arrays.softmax_ce_forward,
    arrays.softmax_ce_backward,
    digits.two_layer_loss,
    digits.train_digits,
    leaks.saturation,
    leaks.dead_relu,
    leaks.rnn,
    leaks.clip_vs_huber,
    leaks.smooth_l1_backward,
    leaks.focal_backward,
    leaks.clip_by_norm,
]

QUESTIONS = [
    Question(
        "m03-predict-stretched",
        "x of shape (3, 1) is added to y of shape (1, 4), and each number of the sum has the upstream gradient 1. What is the gradient of x[0, 0]?",
        4.0,
        "x[0, 0] is used in four sums, one for each column of y. Each use hands back 1, and gradients add up.",
    ),
    Question(
        "m03-predict-ten-classes",
        "A network that knows nothing gives each of 10 classes the same probability. Its loss is -ln(probability of the right class). How much is that?",
        float(np.log(10)),
        "-ln(1/10) = ln 10 = 2.303. A loss far above that at the start says that the network is confidently wrong.",
        tolerance=0.006,
    ),
    Question(
        "m03-predict-four-sigmoids",
        "The slope of a sigmoid is 0.25 where it is steepest. A gradient of 1 goes back through four sigmoids in a row. How much is left of it at most?",
        0.25**4,
        "0.25 * 0.25 * 0.25 * 0.25 = 0.0039, and that is the best case: away from 0 the slope is smaller still.",
        tolerance=6e-5,
    ),
    Question(
        "m03-predict-one-row",
        "The borrowed backward pass returns three gradients. It is checked on an input of one row. How many of the three does the check find wrong?",
        0.0,
        "On one row all three are right. What happens along the batch does not show on a batch of one: there a mean is a sum.",
    ),
    *leaks.QUESTIONS,
    Question(
        "m03-predict-stretched-again",
        "x of shape (5, 1, 3) is added to y of shape (4, 3), and each number of the sum has the upstream gradient 2. What is the gradient of x[0, 0, 0]?",
        8.0,
        "The sum has the shape (5, 4, 3): x[0, 0, 0] is used four times, and each use hands back 2.",
    ),
    Question(
        "m03-predict-letters",
        "A network that has learnt nothing yet is to predict the next of 27 characters. Which loss should it start with?",
        float(np.log(27)),
        "-ln(1/27) = ln 27 = 3.296. You will meet this number in the next lessons.",
        tolerance=0.006,
    ),
    Question(
        "m03-predict-lost",
        "A gradient of 1 goes back through a relu whose input was -0.3. How much of it is left?",
        0.0,
        "The slope of relu is 0 for every negative input: nothing gets through, however close to 0 the input is.",
    ),
]
