"""m04: counts and a one-layer net say the same thing. The exercises in lesson order, and the questions.

``m04_counts`` holds those on what is counted, ``m04_net`` those on the net.
"""

import math

from ..exercise import Question
from . import m04_counts as counts
from . import m04_net as net

EXERCISES = [
    counts.vocab,
    counts.count_bigrams,
    counts.nll,
    counts.normalise,
    counts.sample,
    counts.smooth,
    counts.trigram_nll,
    counts.split,
    net.onehot_forward,
    net.onehot_backward,
    net.train_net,
]

QUESTIONS = [
    Question(
        "m04-predict-uniform",
        "A model gives each of 27 symbols the same probability, whatever came before. What is -ln of the probability of a symbol, on average? (ln is the natural logarithm.)",
        math.log(27),
        "Every symbol has probability 1/27, and -ln(1/27) = ln 27. A model that scores worse than this knows less than nothing: it is sure of wrong things.",
        tolerance=0.01,
    ),
    Question(
        "m04-predict-axis",
        'C is an array of 3 rows and 3 columns, and s = C.sum(axis=1) holds its three row sums. In C / s, what is C[0, 2] divided by: "s[0]" or "s[2]"?',
        "s[2]",
        "NumPy lines shapes up from the right, so s is taken for a row: one number for each column. Section 4 is about what that does.",
    ),
    Question(
        "m04-predict-plus-one",
        "Of four symbols, one came next 3 times, one once, and two never. You add 1 to all four counts. What is the probability of a symbol that never came?",
        1 / 8,
        "The counts 3, 1, 0, 0 become 4, 2, 1, 1. Their sum is 8, so each of the two gets 1/8.",
        tolerance=0.01,
    ),
    Question(
        "m04-predict-repaired",
        'The table is repaired: its rows sum to 1. Its score was 2.4541 before. Is it now "lower", "higher" or "the same"?',
        "the same",
        "To the last digit. The wrong table is a good model of another question; read on.",
    ),
    Question(
        "m04-predict-by-heart",
        'A net of one layer learns only two names by heart, "ab" and "ac". The six symbols to be predicted are a, b, dot, a, c, dot.'
        " How low can the mean of -ln of their probabilities get?",
        math.log(2) / 3,
        "After a, b and c are equally frequent, so each can have at most 1/2: ln 2 twice in six symbols, 0 for the others. One symbol of context does not tell more.",
        tolerance=0.01,
    ),
    Question(
        "m04-predict-shakespeare",
        "Another text has 65 different symbols. What is the loss of a net that has learnt nothing yet and gives all the same probability?",
        math.log(65),
        "ln 65. Know this number before you train: a first loss far above it means that the start is wrong.",
        tolerance=0.01,
    ),
    Question(
        "m04-predict-shape",
        'X has 3 rows and 5 columns. What does X - X.mean(axis=1) do: take the mean of each row off its "rows", off its "columns", or give an "error"?',
        "error",
        "Shapes (3, 5) and (3,) do not fit: from the right, 5 meets 3. With 5 rows they would fit, and be silently wrong. keepdims=True is right for both.",
    ),
    Question(
        "m04-predict-plus-half",
        "Of four symbols, one came next 5 times, one once, and two never. You add 0.5 to all four counts. What is the probability of a symbol that never came?",
        0.5 / 8,
        "5.5, 1.5, 0.5 and 0.5 sum to 8, so each of the two gets 0.5/8 = 0.0625.",
        tolerance=0.01,
    ),
]
