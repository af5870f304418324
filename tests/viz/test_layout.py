"""The layout in the browser (labext/src/view/layout.ts) is the one here: both are held to tests/examples/layouts.json.

labext/tests/layout.test.ts is the other half. After a change of the rules: ``python tests/viz/test_layout.py`` writes the file anew.
"""

import json
import random
from pathlib import Path

import pytest

from zerohero.viz.layout import place

EXAMPLES = Path(__file__).parents[1] / "examples" / "layouts.json"


def drawn_at_random(seed, count):
    """Every node but the last is used; some twice by one node, some from far away."""
    rng = random.Random(seed)
    inputs = [[] if n < 3 or rng.random() < 0.2 else [rng.randrange(n) for _ in range(rng.choice((1, 2, 2, 3)))] for n in range(count - 1)]
    used = {source for sources in inputs for source in sources}
    inputs.append([n for n in range(count - 1) if n not in used])
    return [(round(rng.uniform(60, 200)), max(59, (len(sources) + 1) * 14)) for sources in inputs], inputs


def network(widths):
    """The graph of a scalar multilayer perceptron on one point, with a squared error."""
    inputs = [[] for _ in range(widths[0])]

    def add(*sources):
        inputs.append([*sources])
        return len(inputs) - 1

    activations = [*range(widths[0])]
    for width in widths[1:]:
        following = []
        for _ in range(width):
            total = add()
            for x in activations:
                total = add(total, add(add(), x))
            following.append(add(total))
        activations = following
    difference = add(activations[0], add())
    add(difference, difference)
    return [(110, 59)] * len(inputs), inputs


def cases():
    yield from (drawn_at_random(seed, count) for seed, count in ((0, 12), (1, 20), (2, 30), (3, 45), (4, 60)))
    yield network([2, 4, 1])
    yield network([3, 4, 4, 1])
    yield [(100, 59), (100, 59)], [[], [0, 0]]
    yield [(100, 59)], [[]]


def described(sizes, inputs):
    layout = place(sizes, inputs)
    return {
        "sizes": [px for size in sizes for px in size],
        "inputs": inputs,
        "boxes": [round(px, 2) for box in layout.boxes for px in (box.x, box.y, box.width, box.height)],
        "heights": [round(y, 2) for node in range(len(inputs)) for k in range(len(inputs[node])) for _, y in layout.routes[node, k]],
        "width": round(layout.width, 2),
        "height": round(layout.height, 2),
    }


def test_the_layout_is_the_one_of_the_examples():
    made = [described(*case) for case in cases()]
    stored = json.loads(EXAMPLES.read_text(encoding="utf-8"))
    assert [one["inputs"] for one in stored] == [one["inputs"] for one in made]
    for ours, theirs in zip(made, stored, strict=True):
        for name in ("sizes", "boxes", "heights", "width", "height"):
            assert ours[name] == pytest.approx(theirs[name], abs=0.5)


if __name__ == "__main__":
    EXAMPLES.write_text("[\n" + ",\n".join(json.dumps(described(*case), separators=(",", ":")) for case in cases()) + "\n]\n", encoding="utf-8")
