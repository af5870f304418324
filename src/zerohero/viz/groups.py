"""Which nodes of an expression graph belong together, by structure alone: neurons, layers, and parts without a name.

A part is a node and all that is used for it only: its root is the last node, a node with consumers in several parts, or one of
several of the same shape that go into the same part, each multiplied by a weight, or each a term of a sum. So a part has one way
out, its root, and parts never take values from each other in a circle. Parts of the same shape with the same consumers lie side
by side; they are the neurons of a layer when each holds products with leaves that are mostly its own. No classes, no labels.
"""

import heapq
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

DRAWN = 300  # boxes that make a readable picture
STRETCHES = 60  # boxes made of a graph that has no other structure
SUMS = {"+", "-", "add", "sub", "sum", "neg"}
TERM = 2  # operations that make a term of a sum a part of its own
BENDS = {"tanh", "relu", "sigmoid", "gelu", "elu", "softplus", "leaky_relu", "leakyrelu"}
ROUNDS = 50  # nested cuts; each round goes over the whole graph


@dataclass(frozen=True)
class Group:
    name: str
    parent: int
    """Number of the group around it, larger than its own, or -1."""
    closed: bool


@dataclass(frozen=True)
class Groups:
    group: tuple[int, ...]
    """Innermost group of each node, or -1."""
    groups: tuple[Group, ...]

    def boxes(self) -> list[int]:
        """For each node its outermost closed group, or -1: the node is a box by itself."""
        top = [-1] * len(self.groups)
        for n in range(len(self.groups) - 1, -1, -1):
            parent = self.groups[n].parent
            top[n] = top[parent] if parent >= 0 and top[parent] >= 0 else n if self.groups[n].closed else -1
        return [top[n] if n >= 0 else -1 for n in self.group]


def find(ops: Sequence[str], inputs: Sequence[Sequence[int]]) -> Groups:
    """ops: "" for a leaf. inputs: numbers of earlier nodes; the last node is the result.

    Up to DRAWN nodes, layers and their neurons only, all open. Above, parts as well, and closed until at most DRAWN boxes are
    left (neurons; else layers; else all passes of a layer): where structure does not do that, stretches of the graph by depth.
    """
    found = _Finder(ops, inputs)
    found.layers(parts=len(ops) > DRAWN)
    if len(ops) <= DRAWN:
        return found.groups(closed=0)
    for closed in (1, 2, 3):
        groups = found.groups(closed)
        if _count(groups.boxes()) <= DRAWN:
            return groups
    found.take_inputs()
    groups = found.groups(closed=3)
    return groups if _count(groups.boxes()) <= DRAWN else _stretched(inputs, groups)


def _count(boxes):
    return boxes.count(-1) + len(set(boxes) - {-1})


@dataclass(frozen=True)
class _Row:
    """Parts of the same shape and depth with the same consumers."""

    depth: int
    shape: int
    roots: list[int]
    neurons: bool


class _Finder:
    def __init__(self, ops, inputs):
        self.ops, self.inputs, self.count = ops, inputs, len(ops)
        self.users: list[list[int]] = [[] for _ in ops]
        for node, sources in enumerate(inputs):
            for source in set(sources):
                self.users[source].append(node)
        self.inner = [[source for source in sources if inputs[source]] for sources in inputs]  # without leaves
        self.is_product = [ops[node] not in SUMS and len(self.inner[node]) < len(inputs[node]) for node in range(self.count)]
        """Whether a node multiplies with a weight: an operation other than a sum that takes a leaf."""
        self.made: list[tuple[str, int, int]] = []  # (name, parent, level): 1 part or neuron, 2 layer, 3 all passes of a layer
        self.of = [-1] * self.count
        self._parts()

    # ---- parts ----

    def _parts(self):
        """Cuts until nothing more is repeated; then weighted sums off what is done with their results, such as a loss."""
        cut: set[int] = set()
        part = self._partition(cut)
        for _ in range(ROUNDS):
            more = self._repeated(part)
            if not more:
                break
            cut |= more
            part = self._partition(cut)
        self._describe(part)
        heads = {self._head(root) for row in self.rows if not row.neurons for root in row.roots} if len(self.members) > 1 else set()
        if heads - {-1}:
            self._describe(self._partition(cut | (heads - {-1})))

    def _partition(self, cut):
        part = [-1] * self.count
        for node in range(self.count - 1, -1, -1):
            if self.inputs[node]:
                users = self.users[node]
                owners = {part[users[0]]} if len(users) == 1 else {part[user] for user in users}
                part[node] = owners.pop() if len(owners) == 1 and node not in cut else node
        return part

    def _repeated(self, part):
        """Outermost nodes of which there are several of one shape in the same part: factors of a weight, or terms of a sum."""
        shape, size = self._shapes(part)
        alike: dict[tuple, list[int]] = {}
        for node in range(self.count):
            if self.inputs[node] and part[node] != node and len(self.users[node]) == 1:
                user = self.users[node][0]
                term = self.ops[user] in SUMS and self.ops[node] not in SUMS and size[node] >= TERM and not self.is_product[node]
                if term or self.is_product[user]:
                    alike.setdefault((part[node], shape[node], term), []).append(node)
        several = {node for nodes in alike.values() if len(nodes) > 1 for node in nodes}
        below = [False] * self.count  # a node of ``several``
        for node in range(self.count - 1, -1, -1):
            below[node] = any((below[user] or user in several) and part[user] == part[node] for user in self.users[node])
        return {node for node in several if not below[node]}

    def _shapes(self, part):
        """(a number for each node, equal for equal operations on equal shapes within the part; operations within the part, as a tree, at most TERM)."""
        numbers: dict[tuple, int] = {}
        shape, size = [0] * self.count, [0] * self.count
        for node, sources in enumerate(self.inputs):
            if not sources:
                continue
            inner = self.inner[node]
            within = [source for source in inner if part[source] == part[node]]
            key = (self.ops[node], len(sources) - len(inner), len(inner) - len(within), *sorted([shape[source] for source in within]))
            shape[node] = numbers.setdefault(key, len(numbers) + 1)
            size[node] = min(TERM, 1 + sum([size[source] for source in within]))
        return shape, size

    def _head(self, root):
        """In a part that is no neuron: the end of the weighted sum with which it takes the values of other parts, or -1.

        Each of its products sends out one unit, which nodes share among their users: the first node that gets all is passed by all.
        """
        members = [node for node in self.members[root] if self.inputs[node]]
        taking = [node for node in members if self.is_product[node] and any(self.part[source] != root for source in self.inner[node])]
        flow = dict.fromkeys(members, 0.0)
        for node in taking:
            flow[node] = 1.0
        for node in members:
            if abs(flow[node] - len(taking)) < 1e-6 and taking:
                bend = self.users[node][0] if node != root else root
                node = bend if self._is_bend(bend) else node
                return -1 if node == root else node
            for user in self.users[node]:
                if user in flow:
                    flow[user] += flow[node] / len(self.users[node])
        return -1

    def _is_bend(self, node):
        return len(self.inputs[node]) == 1 and self.ops[node].lower() in BENDS

    # ---- layers ----

    def _describe(self, part):
        """What follows from the parts: their nodes and leaves, how deep they are, and which lie side by side."""
        for node in range(self.count):
            if not self.inputs[node]:
                owners = {part[user] for user in self.users[node]}
                part[node] = owners.pop() if len(owners) == 1 else -1
        self.part = part
        roots = [node for node in range(self.count) if self.inputs[node] and part[node] == node]
        self.members: dict[int, list[int]] = {root: [] for root in roots}
        self.leaves: dict[int, set[int]] = {root: set() for root in roots}
        sources: dict[int, set[int]] = {root: set() for root in roots}
        for node in range(self.count):
            own = part[node]
            if own >= 0:
                self.members[own].append(node)
            if len(self.inner[node]) < len(self.inputs[node]):
                self.leaves[own].update([source for source in self.inputs[node] if not self.inputs[source]])
            if self.inputs[node]:
                sources[own].update([part[source] for source in self.inner[node] if part[source] != own])
        self.depth: dict[int, int] = {}
        for root in roots:
            self.depth[root] = 1 + max((self.depth[source] for source in sources[root]), default=0)
        shape, _ = self._shapes(part)
        side: dict[tuple, list[int]] = {}
        for root in roots:
            users = frozenset(part[user] for user in self.users[root])
            side.setdefault((self.depth[root], shape[root], users), []).append(root)
        self.rows = [_Row(key[0], key[1], row, self._are_neurons(row)) for key, row in side.items()]

    def layers(self, parts):
        """Makes the groups. parts: also those that are no neurons."""
        if len(self.members) == 1:
            return  # one group around everything says nothing
        level = {at: n for n, at in enumerate(sorted({row.depth for row in self.rows if row.neurons}), 1)}
        passes = self._passes()
        together: dict[int, tuple[int, list[int]]] = {}  # the first of several passes: its depth, and the groups of all
        running = 0
        for row in self.rows:
            if not row.neurons and not parts:
                continue
            first, running = running + 1, running + (0 if row.neurons else len(row.roots))
            around = row.neurons or len(row.roots) > 1
            inner = []
            for number, root in enumerate(row.roots, 1 if row.neurons else first):
                if len(self.members[root]) > 1:
                    inner.append(self._make(f"neuron {number}" if row.neurons else f"part {number}", self.members[root], 1))
                elif not around:
                    running -= 1
            if around:
                name = f"layer {level[row.depth]}" if row.neurons else f"parts {first} to {running}"
                outer = self._make(
                    name + (f", pass {passes[id(row)][0]}" if id(row) in passes else ""), [root for root in row.roots if len(self.members[root]) == 1], 2
                )
                self._put(inner, outer)
                if id(row) in passes:
                    together.setdefault(passes[id(row)][1], (row.depth, []))[1].append(outer)
        for depth, layers in together.values():
            self._put(layers, self._make(f"layer {level[depth]}, {len(layers)} passes", [], 3))
        self._leaves()

    def _make(self, name, nodes, level):
        for node in nodes:
            self.of[node] = len(self.made)
        self.made.append((name, -1, level))
        return len(self.made) - 1

    def _put(self, groups, around):
        for group in groups:
            self.made[group] = (self.made[group][0], around, self.made[group][2])

    def _are_neurons(self, row):
        """Parts side by side, each with products with leaves, mostly its own; a single one must be a weighted sum and no more."""
        if len(row) == 1:
            return self._is_weighted_sum(row[0])
        if not all(any(self.inputs[node] and self.is_product[node] for node in self.members[root]) for root in row):
            return False
        uses = Counter(leaf for root in row for leaf in self.leaves[root])
        return all(2 * sum(uses[leaf] == 1 for leaf in self.leaves[root]) > len(self.leaves[root]) for root in row)

    def _is_weighted_sum(self, root):
        operations = [node for node in self.members[root] if self.inputs[node]]
        if self._is_bend(root):
            operations.remove(root)
        products = [node for node in operations if self.ops[node] not in SUMS]
        sums = [node for node in operations if self.ops[node] in SUMS]
        return (
            bool(products)
            and len(self.leaves[root]) > 1
            and all(self.is_product[node] and (len(self.inputs[node]) > 2 or self.ops[node] in ("*", "mul")) for node in products)
            and all(len(self.inputs[node]) > 1 or not self.inputs[self.inputs[node][0]] for node in sums)
        )

    def _passes(self):
        """{id of a row: (number of the pass, id of the first)} for layers that share leaves with others of their depth and shape: the network ran several times."""
        uses = Counter(leaf for row in self.rows for leaf in set().union(*(self.leaves[root] for root in row.roots)))
        alike: dict[tuple, list[_Row]] = {}
        for row in self.rows:
            shared = frozenset(leaf for root in row.roots for leaf in self.leaves[root] if uses[leaf] > 1)
            if row.neurons and shared:
                alike.setdefault((row.depth, row.shape, shared), []).append(row)
        return {id(row): (n, id(rows[0])) for rows in alike.values() if len(rows) > 1 for n, row in enumerate(rows, 1)}

    # ---- leaves ----

    def _leaves(self):
        """A weight used in one neuron, or in several passes of one layer, lies in that group, also when something deeper uses it too, such as a penalty."""
        neurons = {root for row in self.rows if row.neurons for root in row.roots}
        for node in range(self.count):
            if self.inputs[node] or self.of[node] >= 0:
                continue
            within = [user for user in self.users[node] if self.part[user] in neurons]
            others = [self.depth[self.part[user]] for user in self.users[node] if self.part[user] not in neurons]
            around = self._around(within)
            if around >= 0 and self.made[around][2] != 2 and min(others, default=self.count) > max(self.depth[self.part[user]] for user in within):
                self.of[node] = around

    def take_inputs(self):
        """A leaf used in one layer only, such as an input of the network, lies in its group."""
        for node in range(self.count):
            if not self.inputs[node] and self.of[node] < 0:
                self.of[node] = self._around(self.users[node])

    def _around(self, users):
        """The innermost group that holds all these nodes, or -1."""
        common: list[int] | None = None
        for group in {self.of[user] for user in users}:
            chain = []
            while group >= 0:
                chain.append(group)
                group = self.made[group][1]
            common = chain if common is None else [one for one in common if one in chain]
            if not common:
                return -1
        return common[0] if common else -1

    def groups(self, closed):
        """closed: up to which level groups are closed."""
        return Groups(tuple(self.of), tuple(Group(name, parent, level <= closed) for name, parent, level in self.made))


# ---- without structure ------------------------------------------------------------------------------------------------


def _stretched(inputs, groups):
    """The boxes of ``groups``, put together by depth into about STRETCHES closed groups."""
    boxes = numbered(groups.boxes())
    count = max(boxes) + 1
    sources: list[set[int]] = [set() for _ in range(count)]
    for node, box in enumerate(boxes):
        sources[box] |= {boxes[source] for source in inputs[node]} - {box}
    order = ordered(sources)
    depth = [0] * count
    for box in order:
        depth[box] = 1 + max((depth[source] for source in sources[box]), default=-1)
    first = {}
    for box in range(count):
        for source in sources[box]:
            first[source] = min(first.get(source, depth[box]), depth[box])
    # what has no inputs lies beside its first use
    depth = [first.get(box, 0) if not sources[box] else depth[box] for box in range(count)]
    stretches: list[list[int]] = [[]]  # levels
    full = 0
    for level, many in sorted(Counter(depth).items()):
        if full >= count / STRETCHES:
            stretches.append([])
            full = 0
        stretches[-1].append(level)
        full += many
    made = [*groups.groups]
    start = len(made)
    made += [Group(f"depth {levels[0]}" + (f" to {levels[-1]}" if len(levels) > 1 else ""), -1, True) for levels in stretches]
    stretch_of = {level: start + n for n, levels in enumerate(stretches) for level in levels}
    group = list(groups.group)
    top = _outermost(groups)
    for node, box in enumerate(boxes):
        around = stretch_of[depth[box]]
        if group[node] < 0:
            group[node] = around
        else:
            made[top[group[node]]] = replace(made[top[group[node]]], parent=around)
    return Groups(tuple(group), tuple(made))


def _outermost(groups):
    top = list(range(len(groups.groups)))
    for n in range(len(top) - 1, -1, -1):
        if groups.groups[n].parent >= 0:
            top[n] = top[groups.groups[n].parent]
    return top


def numbered(boxes: Iterable[int]) -> list[int]:
    """Group numbers, -1 for a node by itself, as numbers from 0 in order of appearance."""
    seen: dict[tuple[int, int], int] = {}
    return [seen.setdefault((box, node if box < 0 else -1), len(seen)) for node, box in enumerate(boxes)]


def ordered(sources: Sequence[set[int]]) -> list[int]:
    """All numbers, each after its sources, else in order. For sources without a circle."""
    users: list[list[int]] = [[] for _ in sources]
    for box, of in enumerate(sources):
        for source in of:
            users[source].append(box)
    waits = [len(of) for of in sources]
    free = [box for box, wait in enumerate(waits) if wait == 0]
    order = []
    while free:
        box = heapq.heappop(free)
        order.append(box)
        for user in users[box]:
            waits[user] -= 1
            if waits[user] == 0:
                heapq.heappush(free, user)
    return order
