"""Hidden cases of m03. The truth is measured by the judge; what is drawn here are other numbers and sizes."""

from zerohero.exercises import m03_arrays as arrays
from zerohero.exercises import m03_digits as digits
from zerohero.exercises import m03_leaks as leaks
from zerohero.gradcheck.design import PRIMES


def _unbroadcast(rng):
    def sizes(n):
        return tuple(rng.permutation(PRIMES[:5])[:n].tolist())

    a, b, c, d = sizes(4)
    cases = [
        ("the same shape", (a, b, c), (a, b, c)),
        ("the same shape", (a,), (a,)),
        ("an axis in front", (a, b, c), (b, c)),
        ("an axis in front", (a, b, c), (c,)),
        ("an axis of size one", (a, b, c), (a, 1, c)),
        ("an axis of size one", (a, b, c), (a, b, 1)),
        ("an axis of size one", (a, a), (1, a)),
        ("an axis of size one", (a, a), (a, 1)),
        ("several axes", (a, b, c, d), (b, 1, d)),
        ("several axes", (a, b, c), (1, b, 1)),
        ("several axes", (a, a, a), (1, a)),
        ("a single number", (a, b, c), ()),
        ("a single number", (), ()),
        ("size one before and after", (1, a, b), (1, a, 1)),
        ("size one before and after", (1, a, 1), (1,)),
        ("size one before and after", (1, 1), ()),
    ]
    return [arrays.unbroadcast_case(group, rng, stretched, shape) for group, stretched, shape in cases]


CASES = {
    "m03-unbroadcast": _unbroadcast,
    "m03-affine-forward": arrays.affine_forward.cases,
    "m03-affine-backward": arrays.affine_backward.cases,
    "m03-relu-forward": arrays.relu_forward.cases,
    "m03-relu-backward": arrays.relu_backward.cases,
    "m03-sigmoid-forward": arrays.sigmoid_forward.cases,
    "m03-sigmoid-backward": arrays.sigmoid_backward.cases,
    "m03-softmax-ce-forward": arrays.softmax_ce_forward.cases,
    "m03-softmax-ce-backward": arrays.softmax_ce_backward.cases,
    "m03-two-layer-loss": digits.two_layer_cases,
    "m03-train-digits": digits.training_cases,
    "m03-saturation": lambda rng: leaks.designed_saturation(rng) + leaks.designed_saturation(rng),
    "m03-dead-relu": lambda rng: leaks.designed_dead(rng) + leaks.designed_dead(rng),
    "m03-rnn-explosion": leaks.rnn.cases,
    "m03-clip-vs-huber": leaks.clip_vs_huber.cases,
    "m03-smooth-l1-backward": leaks.smooth_l1_backward.cases,
    "m03-focal-backward": leaks.focal_backward.cases,
    "m03-clip-by-norm": lambda rng: leaks.designed_clip(rng) + leaks.designed_clip(rng),
}
