"""Places a directed graph in layers, left to right, so that no edge crosses a box.

Longest-path layers; an edge over several layers bends through a slot of its own in each layer between; a few
barycentre sweeps choose the order with the fewest crossings; heights are the least-squares fit to the neighbours.
Deterministic, no recursion. For up to a few hundred nodes.
"""

from bisect import bisect_right, insort
from dataclasses import dataclass
from itertools import pairwise

LAYER_GAP = 56.0  # px between columns, where the edges bend
ROW_GAP = 16.0
BEND_GAP = 9.0  # around an edge that passes a column
PORT_GAP = 14.0  # between two arrows into one box
SWEEPS = 8
STRAIGHT = 8.0  # how much more an edge between two bends pulls than one at a box
TIE = 1e-6  # makes the order of the arrows into one box count only between equals


@dataclass(frozen=True)
class Box:
    """x, y of the upper left corner, width, height, in px."""

    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True)
class Layout:
    boxes: tuple[Box, ...]
    """One per node."""
    routes: dict[tuple[int, int], tuple[tuple[float, float], ...]]
    """(node, k) -> points of the edge from its k-th input: alternately across a gap and straight past a column."""
    width: float
    height: float


def place(sizes: list[tuple[float, float]], inputs: list[list[int]]) -> Layout:
    """sizes: (width, height) of each node; inputs: for each node the nodes it is made of, all with smaller numbers."""
    count = len(sizes)
    layer = _layers(inputs)
    columns: list[list[int]] = [[] for _ in range(max(layer) + 1)]
    for node in range(count):
        columns[layer[node]].append(node)
    # bends: one per source and layer passed, shared by all edges of that source, so a value used often is one line that forks
    reach = layer[:]
    for node in range(count):
        for source in inputs[node]:
            reach[source] = max(reach[source], layer[node] - 1)
    slot = {}  # (source, layer) -> the item that carries the source's value there
    for source in range(count):
        for level in range(layer[source], reach[source] + 1):
            slot[source, level] = source if level == layer[source] else count + len(slot)
            if level > layer[source]:
                columns[level].append(slot[source, level])
    links = []  # (left item, right item, height on the right side relative to its middle)
    for source in range(count):
        links += [(slot[source, level - 1], slot[source, level], 0.0) for level in range(layer[source] + 1, reach[source] + 1)]
    for node in range(count):
        links += [(slot[source, layer[node] - 1], node, _port(k, len(inputs[node]))) for k, source in enumerate(inputs[node])]

    columns = _ordered(columns, links)
    y = _heights(columns, links, count, lambda item: sizes[item][1] / 2 + ROW_GAP / 2 if item < count else BEND_GAP)
    top = min(y[node] - sizes[node][1] / 2 for node in range(count))
    y = {item: value - min(top, min(y.values())) for item, value in y.items()}

    left, right, x = [], [], 0.0
    for column in columns:
        left.append(x)
        right.append(x + max(sizes[item][0] for item in column if item < count))
        x = right[-1] + LAYER_GAP
    # every box is as wide as its column: the gaps between columns hold nothing but edges
    boxes = tuple(Box(left[layer[n]], y[n] - sizes[n][1] / 2, right[layer[n]] - left[layer[n]], sizes[n][1]) for n in range(count))
    routes = {}
    for node in range(count):
        for k, source in enumerate(inputs[node]):
            twice = _port(k, len(inputs[node])) / 2 if inputs[node].count(source) > 1 and layer[node] == layer[source] + 1 else 0.0
            points = [(right[layer[source]], y[source] + twice)]
            for level in range(layer[source] + 1, layer[node]):
                points += [(left[level], y[slot[source, level]]), (right[level], y[slot[source, level]])]
            routes[node, k] = (*points, (left[layer[node]], y[node] + _port(k, len(inputs[node]))))
    height = max(*(box.y + box.height for box in boxes), *y.values())
    return Layout(boxes, routes, right[-1], height)


def _port(k, count):
    return (k - (count - 1) / 2) * PORT_GAP


def _layers(inputs):
    """Longest path from the leaves; then each leaf moves right, next to its first use."""
    layer = [0] * len(inputs)
    first_use = {}
    for node, sources in enumerate(inputs):
        layer[node] = 1 + max((layer[source] for source in sources), default=-1)
        for source in sources:
            first_use[source] = min(first_use.get(source, layer[node]), layer[node])
    return [layer[n] if inputs[n] or n not in first_use else first_use[n] - 1 for n in range(len(inputs))]


def _ordered(columns, links):
    """Columns in the order with the fewest crossings seen in SWEEPS barycentre sweeps, to the right and back."""
    before, after = {}, {}
    for a, b, port in links:
        before.setdefault(b, []).append((a, 0.0))
        after.setdefault(a, []).append((b, port))
    best, fewest = columns, _crossings(columns, links)
    for sweep in range(SWEEPS):
        if not fewest:
            break
        forward = sweep % 2 == 0
        neighbours = before if forward else after
        columns = [list(column) for column in columns]
        for index in range(1, len(columns)) if forward else range(len(columns) - 2, -1, -1):
            place = {item: i for i, item in enumerate(columns[index - 1 if forward else index + 1])}
            rank = {item: i for i, item in enumerate(columns[index])}
            for item, near in ((item, neighbours.get(item)) for item in columns[index]):
                if near:
                    rank[item] = sum(place[other] + port * TIE for other, port in near) / len(near)
            columns[index].sort(key=rank.__getitem__)
        crossings = _crossings(columns, links)
        if crossings < fewest:
            best, fewest = columns, crossings
    return best


def _crossings(columns, links):
    """How many pairs of edges cross."""
    column_of = {item: index for index, column in enumerate(columns) for item in column}
    place = {item: i for column in columns for i, item in enumerate(column)}
    gaps = [[] for _ in columns]
    for a, b, port in links:
        gaps[column_of[a]].append((place[a], place[b] + port * TIE))
    total = 0
    for gap in gaps:
        seen = []
        for _, end in sorted(gap):
            total += len(seen) - bisect_right(seen, end)
            insort(seen, end)
    return total


def _heights(columns, links, count, half):
    """The middle of each item: near the mean of its neighbours, in the order given, no two closer than their halves."""
    near, y = {}, {}
    for a, b, port in links:
        weight = STRAIGHT if a >= count and b >= count else 1.0
        near.setdefault(a, []).append((b, port, weight))
        near.setdefault(b, []).append((a, -port, weight))
    for column in columns:
        y.update(zip(column, _apart([0.0] * len(column), [half(item) for item in column]), strict=True))
    for sweep in range(2 * SWEEPS):
        for column in columns if sweep % 2 else reversed(columns):
            wanted = [sum((y[b] + port) * w for b, port, w in near[item]) / sum(w for _, _, w in near[item]) if item in near else y[item] for item in column]
            y.update(zip(column, _apart(wanted, [half(item) for item in column]), strict=True))
    return y


def _apart(wanted, halves):
    """The positions nearest to ``wanted`` (least squares) in this order and apart: pooled adjacent violators."""
    offsets = [0.0]
    for a, b in pairwise(halves):
        offsets.append(offsets[-1] + a + b)
    pools = []  # (mean, number of items)
    for target, offset in zip(wanted, offsets, strict=True):
        mean, size = target - offset, 1
        while pools and pools[-1][0] > mean:
            other, n = pools.pop()
            mean, size = (mean * size + other * n) / (size + n), size + n
        pools.append((mean, size))
    flat = [mean for mean, size in pools for _ in range(size)]
    return [value + offset for value, offset in zip(flat, offsets, strict=True)]
