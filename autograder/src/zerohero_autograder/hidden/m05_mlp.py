"""Hidden cases of m05. Other numbers, sizes and names; where a network is trained, the letters have changed places, so that only training helps."""

from zerohero.data import names
from zerohero.exercises import m05_network as network
from zerohero.exercises import m05_sampling as sampling
from zerohero.exercises import m05_training as training
from zerohero.exercises.m05_reading import reading_cases, search_case
from zerohero.exercises.m05_windows import made_up, windows_case


def _windows(rng):
    pool = names()

    def drawn(count):
        return [pool[int(k)] for k in rng.randint(len(pool), size=count)]

    cases = [windows_case("three letters", drawn(n), 3) for n in (1, 7)] + [windows_case("three letters", made_up(rng, (9, 2, 5)), 3)]
    cases += [windows_case("other lengths", drawn(3), int(n)) for n in (1, 2, rng.randint(4, 9))]
    return [*cases, windows_case("names shorter than the window", made_up(rng, (1, 3, 2)), int(rng.randint(5, 9)))]


def _lookups(rng):
    sizes = [("values", 7, 3, 5, 3), ("values", 29, 2, 11, 3), ("other windows", 13, 5, 3, 2), ("other windows", 5, 3, 7, 11), ("a window of one", 11, 2, 7, 1)]
    sizes += [("one row", 7, 5, 1, 3), ("one row", 3, 2, 1, 1)]
    return [network.lookup_case(group, rng, *rest) for group, *rest in sizes]


def _forwards(rng):
    cases = [network.forward_case("values", rng, 7, 11, 3, 2, 5), network.forward_case("values", rng, 11, 5, 3, 7, 3)]
    cases += [network.forward_case("other windows", rng, 3, 7, int(rng.randint(4, 8)), 2, 5), network.forward_case("other windows", rng, 5, 3, 1, 4, 7)]
    cases += [network.forward_case("one row", rng, 1, 5, 2, 3, 4)]
    return [*cases, network.forward_case(network.LARGE, rng, 7, 5, 3, 2, 11, 30_000.0)]


def _starts(rng):
    cases = [network.init_case("loss at the start", *(int(rng.randint(*span)) for span in ((20, 99), (2, 9), (2, 24), (30, 250), (0, 9999)))) for _ in range(3)]
    return cases + [network.init_case("random", *(int(rng.randint(*span)) for span in ((3, 40), (1, 5), (2, 9), (2, 50), (0, 9999)))) for _ in range(2)]


def _ranges(rng):
    cases = [training.range_case("two steps", rng, 2, int(rng.randint(1, 7)), round(float(rng.uniform(0.01, 0.1)), 3), 0.7) for _ in range(2)]
    return cases + [training.range_case("many steps", rng, int(n), 6, 10.0 ** -int(rng.randint(2, 5)), 2.0) for n in rng.randint(5, 20, 2)]


def _searches(rng):
    cases = [search_case("the best of all", rng, int(rng.randint(2, 20)), keys) for keys in (("rate",), ("width", "rate"), ("a", "b", "c"))]
    return [*cases, search_case("spread", rng, 300, ("scale", "rate"))]


def _samples(rng):
    cases = [sampling.sample_case("one name", rng, int(rng.randint(1, 6)), 1, 0.15) for _ in range(2)]
    cases += [sampling.sample_case("several names", rng, 3, int(rng.randint(4, 9)), 0.12), sampling.sample_case("several names", rng, 5, 4, 0.3)]
    return [*cases, sampling.sample_case("names that do not end", rng, 2, 3, 0.0)]


CASES = {
    "m05-build-dataset": _windows,
    "m05-embed-forward": _lookups,
    "m05-embed-backward": network.embed_backward.cases,
    "m05-mlp-forward": _forwards,
    "m05-init-loss": _starts,
    "m05-overfit-batch": lambda rng: [
        training.batch_case("every window once", rng, int(rng.randint(12, 33))),
        training.batch_case("one window, several letters", rng, 24, dots=int(rng.randint(6, 14))),
    ],
    "m05-lr-finder": _ranges,
    "m05-train-mlp": lambda rng: [
        training.training_case("better than single letters", rng, 400, permuted=True),
        training.training_case("better than pairs of letters", rng, 1000, permuted=True),
    ],
    "m05-gap-reading": reading_cases,
    "m05-random-search": _searches,
    "m05-sample-names": _samples,
}
