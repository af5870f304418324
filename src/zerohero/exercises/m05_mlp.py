"""m05: a character model with an embedding (Bengio and others, 2003). The exercises in lesson order, and the questions.

``m05_windows`` holds the one on data, ``m05_network`` those on the network, ``m05_training`` those that train, ``m05_reading``
those on curves and settings, ``m05_sampling`` the one that makes names.
"""

import math

from ..exercise import Question
from . import m05_network as network
from . import m05_reading as reading
from . import m05_sampling as sampling
from . import m05_training as training
from . import m05_windows as data

EXERCISES = [
    data.build_dataset,
    network.embed_forward,
    network.embed_backward,
    network.mlp_forward,
    network.init_loss,
    training.overfit_batch,
    training.lr_finder,
    training.train_mlp,
    reading.gap_reading,
    reading.random_search,
    sampling.sample_names,
]

QUESTIONS = [
    Question(
        "m05-predict-table",
        "A table of counts has one row for each possible window of 3 letters, out of 27. How many rows?",
        19683.0,
        "27 * 27 * 27. For 8 letters it is 282 billion: no list of names can fill that.",
    ),
    Question(
        "m05-predict-guess",
        "A model says that all 27 letters are equally likely, always. What is its loss, the mean of -ln p?",
        math.log(27),
        "p is 1/27 whatever comes, and -ln(1/27) = ln 27 = 3.2958. A network that knows nothing yet should start there.",
        0.005,
    ),
    Question(
        "m05-predict-repeated",
        "The letter e stands in three places of a batch, and each place hands a gradient of 0.5 back to the same number of its row. What is the gradient of that number?",
        1.5,
        "A nudge of that number moves all three places, so their gradients add up: 3 * 0.5. It is the rule of b = a + a again.",
    ),
    Question(
        "m05-predict-longer",
        "The network has 27 letters, windows of 3, 10 numbers per letter and 200 hidden units: 11,897 parameters. How many more has it with windows of 4?",
        2000.0,
        "Only W1 grows: 10 more inputs for each of 200 hidden units. A table of counts would grow 27-fold.",
    ),
    Question(
        "m05-predict-start",
        "A network for a text with 65 different characters has not been trained yet. What should its loss be?",
        math.log(65),
        "Nothing is known, so every character should get 1/65: ln 65 = 4.174. A first loss far above that is a mistake in the start values.",
        0.005,
    ),
    Question(
        "m05-predict-once",
        "Row 5 of C is used 4 times in a batch, each time with the gradient 0.25. dC starts at 0, and one line is run: dC[X] += dout. What is in row 5 now?",
        0.25,
        "With repeated ids in brackets, NumPy adds to the old row four times and keeps the last result: 0 + 0.25. np.add.at gives 1.0, which is right.",
    ),
]
