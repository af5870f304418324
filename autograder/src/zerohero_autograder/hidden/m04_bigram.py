"""Hidden cases of m04: other alphabets, tables, chains and names, drawn by the designers of the visible ones."""

from zerohero.exercises import m04_counts as counts
from zerohero.exercises import m04_net as net

CASES = {
    "m04-vocab": counts.designed_alphabets,
    "m04-count-bigrams": counts.designed_pairs,
    "m04-nll": counts.designed_scores,
    "m04-normalise": counts.designed_counts,
    "m04-sample": counts.designed_walks,
    "m04-smooth": counts.designed_smoothing,
    "m04-trigram-nll": counts.designed_trigrams,
    "m04-split": counts.designed_splits,
    "m04-onehot-forward": net.designed_forward,
    "m04-onehot-backward": net.onehot_backward.cases,
    "m04-train-net": net.designed_training,
}
