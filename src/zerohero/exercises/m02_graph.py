"""m02, the graph: an order of it, backward over it, gradients that add up.

Objects of the student's are told apart by ``id`` only: they may be unhashable, and comparing them may mean anything.
backward() is tried on the student's own Values, on stand-ins whose slopes are right, and with the right order handed to
it; being right in one of these is being right, because the other parts are judged by their own exercises.
"""

import math
import time
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

import numpy as np

from ..exercise import Case, Exercise
from ..gradcheck import difference
from ..gradcheck.arguments import signed
from ..gradcheck.expressions import Expression, apply, graph, inputs_of_each, itself, run, slopes, tree
from ..mistakes import MISTAKES
from ..report import Finding
from .m02_stand_ins import STEP, Node, NotOpen, globals_of, patched, raised, refuse_ours

RTOL, ATOL = 1e-9, 1e-12  # the slopes below are exact; an engine in float32 is off by 3e-8
DEEP = 100_000
TRIAL = 20_000
"""A chain of this length is tried first; an order found in quadratic time would keep the student waiting for minutes."""
TRIAL_SECONDS = 0.4
"""CPU time. A linear walk takes about 0.02 s, one that looks through a list for each node more than 1 s."""


# ---------------------------------------------------------------- an order of the graph


def _graph_case(group, inputs_of):
    return Case(group, {"inputs of each node": inputs_of, "root": len(inputs_of) - 1})


TOPO_BY_HAND = [
    _graph_case("chains and trees", [[]]),
    _graph_case("chains and trees", [[], [0], [1], [2]]),
    _graph_case("chains and trees", [[], [], [0, 1], [], [2, 3]]),
    _graph_case("a node used twice", [[], [0, 0]]),
    _graph_case("a node used twice", [[], [], [0, 1], [2, 2], [3, 2]]),
    _graph_case("diamonds", [[], [], [0, 1], [0, 2]]),
    _graph_case("diamonds", [[], [], [0, 1], [0, 1], [2, 3]]),
    _graph_case("diamonds", [[], [0], [1], [2], [0, 3], [4, 1]]),
]


def designed_graphs(rng: np.random.RandomState, deep: int = DEEP) -> list[Case]:
    """Trees, nodes used twice, results that reach the root on several paths, and a chain of ``deep`` nodes."""
    cases = [_graph_case("chains and trees", inputs_of_each(tree(rng, n))) for n in (3, 6)]
    cases += [_graph_case("a node used twice", inputs_of_each(itself(rng, sign))) for sign in "+*"]
    cases += [_graph_case("diamonds", inputs_of_each(graph(rng, *size))) for size in ((1, 4), (2, 6), (3, 9), (4, 12))]
    ladder = [[], [], *[[n - 1, n - 2] for n in range(2, int(rng.randint(8, 12)))]]
    part = Case("diamonds", {"inputs of each node": inputs_of_each(graph(rng, 3, 8)), "root": 8})  # what is made of the root is not in its order
    return [*cases, _graph_case("diamonds", ladder), part, Case("deep graph", {"length of the chain": deep})]


def _probe_topo(topo_sort, inputs):
    if "inputs of each node" in inputs:
        return _probe_small_graph(topo_sort, inputs["inputs of each node"], inputs["root"])
    length, own = inputs["length of the chain"], globals_of(topo_sort).get("Value")
    start = time.process_time()
    order = _chain_order(topo_sort, _Link, min(length, TRIAL))
    if time.process_time() - start > TRIAL_SECONDS:
        return {"slow": True}
    if len(order) < min(length, TRIAL) and isinstance(own, type):  # a walk that takes no other nodes than Values
        return {"order": _chain_order(topo_sort, lambda prev: _own_value(own, prev), length)}
    return {"order": _chain_order(topo_sort, _Link, length)}


class _Link:
    """A Node of a long chain: all but its inputs is the same for all, and kept once."""

    data, grad, _local, _op = 0.0, 0.0, (), ""

    def __init__(self, prev):
        self._prev = prev


def _chain_order(topo_sort, make, length):
    """Node 2n + 2 is made of node 2n and a new one, 2n + 1: so the order fills up on the way down and on the way up."""
    nodes = [make(())]
    while len(nodes) < length:
        before = nodes[-1]
        nodes.append(make(()))
        nodes.append(make((before, nodes[-1])))
    place = {id(node): number for number, node in enumerate(nodes)}
    return np.array([place.get(id(one), -1) for one in islice(topo_sort(nodes[-1]), 2 * length)], dtype=np.int64)


def _probe_small_graph(topo_sort, graph, root):
    """The places of the nodes in the order that came back: of stand-ins, and of the student's own Values given the same inputs."""
    orders, raised = {}, None
    for kind, make in (("nodes", _stand_ins), ("values", lambda graph: _own_values(globals_of(topo_sort)["Value"], graph))):
        try:
            orders[kind] = _order_of(topo_sort, make, graph, root)
        except Exception as error:  # no class Value, or one that keeps its inputs elsewhere, or nodes that cannot be written on
            raised = raised or error
    if not orders:
        raise raised
    return {"orders": orders}


def _stand_ins(graph):
    nodes = []
    for inputs in graph:
        nodes.append(Node(0.0, tuple(nodes[one] for one in inputs), (1.0,) * len(inputs)))
    return nodes


def _own_values(cls, graph):
    values = []
    for inputs in graph:
        values.append(_own_value(cls, tuple(values[one] for one in inputs)))
    return values


def _own_value(cls, prev):
    value = cls(0.0)
    value._prev = prev
    return value


def _order_of(topo_sort, make, graph, root):
    earlier, nodes = make([[], [0]]), make(graph)
    place = {id(node): number for number, node in enumerate(nodes)} | {id(node): -1 for node in earlier}
    inputs = [[id(one) for one in node._prev] for node in nodes]
    topo_sort(earlier[-1])
    seen = {}
    for call in ("first", "again"):
        order = topo_sort(nodes[root])
        if order is None or not _runs_backwards(order):
            seen[call] = None if order is None else "no list"
            continue
        # -1: a node of another graph, -2: none of the nodes handed in
        seen[call] = [place.get(id(one), -2) for one in islice(order, 50 * len(graph))]
    seen["unchanged"] = inputs == [[id(one) for one in node._prev] for node in nodes]
    return seen


def _runs_backwards(order):
    try:
        return reversed(order) is not None
    except TypeError:
        return False


def _judge_topo(case, seen):
    if "length of the chain" in case.inputs:
        return _judge_chain(case, seen)
    graph, root = case.inputs["inputs of each node"], case.inputs["root"]
    where = f"root n{root}; " + ", ".join(f"n{number} from {' '.join(f'n{one}' for one in inputs)}" for number, inputs in enumerate(graph) if inputs)
    findings = [_judge_order(order, graph, root, where) for order in seen["orders"].values()]
    return [] if None in findings else [findings[0]]


def _judge_chain(case, seen):
    where = f"a chain of {case.inputs['length of the chain']:,} nodes"
    if "slow" in seen:
        return [Finding("the order of a long chain takes minutes", where=f"a chain of {TRIAL:,} nodes", expected="about 0.02 s", actual=f"more than {TRIAL_SECONDS} s",
                        next="`in` on a list looks at every entry: keep the nodes already seen in a set")]  # fmt: skip
    order = seen["order"] if isinstance(seen["order"], np.ndarray) else np.empty(0)
    return (
        []
        if _is_chain_order(order, case.inputs["length of the chain"])
        else [Finding("the order of a long chain is wrong", where=where, expected="inputs first, each node once")]
    )


def _is_chain_order(order, length):
    """Whether it holds every node of _chain_order once, each after its inputs."""
    size = length + 1 - length % 2
    if order.shape != (size,) or order.dtype.kind != "i" or not np.array_equal(np.sort(order), np.arange(size)):
        return False
    at = np.empty(size, dtype=np.int64)
    at[order] = np.arange(size)
    return bool((at[2::2] > at[1::2]).all() and (at[2::2] > at[:-2:2]).all())


def _judge_order(order, graph, root, where):
    first = order["first"]
    if first is None:
        return Finding("nothing came back", where=where, expected="a list of nodes", actual="None", next="return the list")
    if first == "no list":
        return Finding("what came back is no list", where=where, expected="a list of nodes", next="backward() walks it from its end: return the list itself")
    if order["unchanged"] is not True:
        return Finding(
            "the inputs of a node were changed", where=where, mistake="MUTATES", next="only read _prev; keep what you need in lists and sets of your own"
        )
    ancestors = _ancestors(graph, root)
    shown = "[" + ", ".join(f"n{int(one)}" if one >= 0 else "another object" for one in first[:20]) + "]"
    at = {one: place for place, one in enumerate(first)}
    if -1 in at:
        return Finding("the order holds a node of another graph", where=where, actual=shown, mistake="STATE_LEAK",
                       because="nodes of an earlier call are still there", next="make the list and the set inside the function, not in the def line")  # fmt: skip
    if -2 in at:
        return Finding("the order holds something that is none of the nodes", where=where, expected="the nodes themselves, no copies", actual=shown)
    if len(at) != len(first):
        met_twice = {one for one in at if first.count(one) > 1} <= _on_two_paths(graph, root)
        return Finding("a node is listed more than once", where=where, expected="each node once", actual=shown, mistake="DOUBLE_COUNT" if met_twice else "",
                       because="a node that is reached on two paths is listed twice" if met_twice else "", next="remember which nodes have been seen, and pass over them")  # fmt: skip
    if set(at) != ancestors:
        absent = sorted(ancestors - set(at))
        what = "a node is missing from the order" if absent else "the order holds something the root is not made of"
        return Finding(what, where=where, expected=f"{len(ancestors)} nodes", actual=shown)
    if any(at[one] > at[number] for number in at for one in graph[number]):
        if all(at[one] > at[number] for number in at for one in graph[number]):
            return Finding("the order runs the wrong way", where=where, expected=f"n{root} last", actual=shown, mistake="SWAPPED",
                           because="the root stands first; inputs are to stand before what is made of them", next="turn the list round, or append a node after its inputs")  # fmt: skip
        return Finding("a node stands before one of its inputs", where=where, expected="inputs first", actual=shown,
                       next="append a node only when all its inputs are in the list")  # fmt: skip
    if order["again"] is None or order["again"] != first:
        return Finding(
            "a second call gives another list",
            where=where,
            mistake="STATE_LEAK",
            next="let nothing stay behind: lists and sets are made inside the function, and no marks are left on the nodes",
        )
    return None


def _ancestors(graph, root):
    found, waiting = set(), [root]
    while waiting:
        number = waiting.pop()
        if number not in found:
            found.add(number)
            waiting += graph[number]
    return found


def _on_two_paths(graph, root):
    """The nodes to which more than one path leads from the root."""
    paths = [0] * len(graph)
    paths[root] = 1
    for number in range(root, -1, -1):
        for one in graph[number]:
            paths[one] += paths[number]
    return {number for number, count in enumerate(paths) if count > 1}


topo_sort = Exercise(
    "m02-topo-sort", "Inputs before what is made of them", "topo_sort(root)", lambda rng: [*TOPO_BY_HAND, *designed_graphs(rng)], _probe_topo, _judge_topo,
    (
        "Nobody may stand in the list before the nodes it is made of. So a node is not written down when you meet it, but when you are done with its inputs.",
        "Keep a list of nodes still to deal with. Look at its last node: met for the first time, put its inputs on the list; met again, its inputs are done.",
        "One set tells which nodes have been opened, one which are in the order. A node opened before and not yet in the order goes into it now; one already in it is only taken off.",
    ),
)  # fmt: skip


# ---------------------------------------------------------------- backward on expressions of + and *


def program_case(group: str, leaves: Sequence[float], steps: Sequence[Sequence[Any]]) -> Case:
    """An expression as plain data: ``steps`` holds [sign, place, place]; places count the leaves first, then the results."""
    return Case(group, {"leaves": list(leaves), "steps": [list(step) for step in steps]})


def _designed(group: str, one: Expression) -> Case:
    return program_case(group, one.leaves, one.steps)


def shares(leaves: Sequence[float], steps: Sequence[Sequence[Any]]) -> list[list[float]]:
    """For every place, the gradient that arrives by each single use of it; they add up to its gradient."""
    values, gradients = run(leaves, steps), slopes(leaves, steps)
    found: list[list[float]] = [[] for _ in values]
    for place, (sign, left, right) in enumerate(steps, len(leaves)):
        for side, used in ((0, left), (1, right)):
            pair = [complex(values[left]), complex(values[right])]
            pair[side] += STEP * 1j
            found[used].append(gradients[place] * apply(sign, *pair).imag / STEP)
    return found


def program_text(inputs: Mapping[str, Any]) -> str:
    """ "d = a * b, e = a + b, f = d * e; a = -2.0, b = 3.0"."""
    names = [_letter(place) for place in range(len(inputs["leaves"]) + len(inputs["steps"]))]
    made = [f"{names[len(inputs['leaves']) + i]} = {names[left]} {sign} {names[right]}" for i, (sign, left, right) in enumerate(inputs["steps"])]
    return ", ".join(made) + "; " + ", ".join(f"{name} = {x!r}" for name, x in zip(names, inputs["leaves"], strict=False))


def _letter(place):
    return "abcdefghijklmnopqrstuvwxyz"[place] if place < 26 else f"v{place}"


def _run_own(cls, inputs):
    leaves = [cls(x) for x in inputs["leaves"]]
    for _ in range(2):  # an earlier graph on the same leaves must leave nothing behind but gradients
        values = run(leaves, inputs["steps"])
        for leaf in leaves:
            leaf.grad = 0.0
        values[-1].backward()
    return values


def _run_nodes(cls, inputs, *, order_given=False):
    """backward() of the class on stand-ins whose slopes are right; with the order handed to it when it asks for topo_sort."""
    leaves = [Node(x) for x in inputs["leaves"]]
    for _ in range(2):  # an earlier graph on the same leaves must leave nothing behind but gradients
        nodes = _nodes_of(leaves, inputs["steps"])
        for leaf in leaves:
            leaf.grad = 0.0
        _backward_on(cls, nodes, order_given)
    return nodes


def _nodes_of(leaves, steps):
    nodes = list(leaves)
    for sign, left, right in steps:
        x, y = nodes[left], nodes[right]
        nodes.append(Node(apply(sign, x.data, y.data), (x, y), (1.0, 1.0) if sign == "+" else (y.data, x.data), sign))
    return nodes


def _backward_on(cls, nodes, order_given):
    if not order_given:
        cls.backward(nodes[-1])
    elif "topo_sort" in globals_of(cls.backward):
        with patched(cls.backward, topo_sort=lambda root: list(nodes)):
            cls.backward(nodes[-1])
    else:
        raise NotOpen


RUNS = {
    "own": _run_own,
    "stand-ins": _run_nodes,
    "order given": lambda cls, inputs: _run_nodes(cls, inputs, order_given=True),
}


def _probe_backward(cls, inputs):
    refuse_ours(cls)
    if not hasattr(cls, "backward"):
        raise NotImplementedError
    if "length of the chain" in inputs:
        return _probe_deep(cls, inputs)
    return _grads_by_way(RUNS, cls, inputs)


def _grads_by_way(ways, cls, inputs):
    """{way: {"grads": [...]} or {"raised", "message"}}, without the ways the class does not open; NotImplementedError when all that is there is unwritten."""
    seen, unwritten = {}, 0
    for way, build in ways.items():
        try:
            seen[way] = {"grads": [value.grad for value in build(cls, inputs)]}
        except NotImplementedError:
            unwritten += 1
        except NotOpen:
            pass
        except Exception as error:
            seen[way] = {"raised": type(error).__name__, "message": str(error)[:200]}
    if unwritten and not any("grads" in way for way in seen.values()):
        raise NotImplementedError
    return seen


def _probe_deep(cls, inputs):
    """A long chain y = (((a + c) + c) + ... ) * k. Ways are tried until one gives numbers that may be right: each costs time."""
    seen, unwritten = {}, 0
    for way in ("stand-ins", "own", "order given"):
        for length in (TRIAL, inputs["length of the chain"]):
            start = time.process_time()
            try:
                leaves = _deep_chain(cls, way, length, inputs)
                seen[way] = {"grads": [leaf.grad for leaf in leaves]}
            except NotImplementedError:
                unwritten += 1
                break
            except NotOpen:
                break
            except Exception as error:
                seen[way] = {"raised": type(error).__name__, "message": str(error)[:200]}
                break
            if length == TRIAL and time.process_time() - start > TRIAL_SECONDS:
                seen[way] = {"slow": True}
                break
        if np.allclose(seen.get(way, {}).get("grads", math.nan), deep_truth(inputs), rtol=RTOL):
            break
    if unwritten and not seen:
        raise NotImplementedError
    return seen


def _deep_chain(cls, way, length, inputs):
    make = cls if way == "own" else Node
    a, c, k = (make(inputs[name]) for name in "ack")
    x, nodes = a, [a, c, k]
    if way == "own":
        for _ in range(length - 1):
            x = x + c
        (x * k).backward()
        return a, c, k
    for _ in range(length - 1):
        x = _Sum(x.data + c.data, (x, c))
        nodes.append(x)
    nodes.append(Node(x.data * k.data, (x, k), (k.data, x.data), "*"))
    _backward_on(cls, nodes, way == "order given")
    return a, c, k


class _Sum(Node):
    """A Node of a long chain of additions: what is the same for all is kept once."""

    grad, _local, _op = 0.0, (1.0, 1.0), "+"

    def __init__(self, data, prev):
        self.data, self._prev = data, prev

    def _backward(self):
        x, y = self._prev
        x.grad, y.grad = x.grad + self.grad, y.grad + self.grad

    pass_back = _backward


def deep_truth(inputs: Mapping[str, Any]) -> list[float]:
    """Gradients of a, c and k: a arrives once, c length - 1 times, k meets the whole sum."""
    adds = inputs["length of the chain"] - 1
    return [inputs["k"], adds * inputs["k"], inputs["a"] + adds * inputs["c"]]


def _judge_backward(case, seen):
    """Right in one of the ways is right: the others need parts that are judged by their own exercises."""
    if "length of the chain" in case.inputs:
        names, true = ["a", "c", "k"], deep_truth(case.inputs)
        where = f"a chain of {case.inputs['length of the chain']:,} additions and multiplications"
        return _best(seen, lambda given: _compare_grads(names, true, given, where, 3))
    true = slopes(case.inputs["leaves"], case.inputs["steps"])
    names = [_letter(place) for place in range(len(true))]
    judged = len(true) if case.group == "values in between" else len(case.inputs["leaves"])
    return _best(seen, lambda given: _compare_grads(names, true, given, program_text(case.inputs), judged))


def _compare_grads(names, true, given, where, judged):
    if not isinstance(given, list) or len(given) != len(true):
        return Finding("there is not one gradient per value", where=where)
    for name, expected, actual in list(zip(names, true, given, strict=True))[:judged]:
        found = difference(f"{name}.grad", expected, actual, where=where, rtol=RTOL, atol=ATOL)
        if found:
            return found
    return None


def _best(seen, compare):
    findings = []
    for way in seen.values():
        if "grads" in way:
            found = compare(way["grads"])
            if not found:
                return []
        elif "slow" in way:
            found = Finding("backward() of a long chain takes minutes", where=f"a chain of {TRIAL:,} nodes", actual=f"more than {TRIAL_SECONDS} s",
                            next="`in` on a list looks at every entry: keep the nodes already seen in a set")  # fmt: skip
        elif way["raised"] == "RecursionError":
            because, step = MISTAKES["RECURSION"]
            found = Finding(
                "backward() of a deep graph raises RecursionError",
                expected="gradients",
                actual="RecursionError",
                mistake="RECURSION",
                because=because,
                next=step,
            )
        else:
            found = raised(way, "run it on a * b in a cell of its own and read the traceback", "backward()")
        findings.append(found)
    # numbers say more than an exception of a way that this engine does not offer
    return [min(findings, key=lambda f: (f.mistake != "RECURSION", "raised" in f.what))] if findings else [Finding("backward() gave no gradients")]


TREE = [["*", 0, 1], ["+", 4, 2], ["*", 5, 3]]
WORKED = [["*", 0, 1], ["+", 0, 1], ["*", 2, 3]]
LADDER = [["*", 0, 1], ["+", 2, 0], ["*", 3, 2], ["+", 4, 3], ["*", 5, 4]]


BACKWARD_BY_HAND = [
    program_case("trees", [2.0, -3.0], [["*", 0, 1]]),
    program_case("trees", [2.0, -3.0, 10.0, -2.0], TREE),
    program_case("values used more than once", [-2.0, 3.0], WORKED),
    program_case("values used more than once", [1.5, -0.7], LADDER),
    program_case("values in between", [2.0, -3.0, 10.0, -2.0], TREE),
]


def designed_programs(rng: np.random.RandomState, deep: int = DEEP) -> list[Case]:
    """Trees, values that are used again, and a chain of ``deep`` nodes."""
    cases = [_designed("trees", tree(rng, n, "+*")) for n in (3, 5, 7)]
    cases += [_designed(group, graph(rng, *size, "+*")) for group in ("values used more than once", "values in between") for size in ((2, 4), (3, 6))]
    end = {"a": signed(rng), "c": round(float(rng.uniform(1e-4, 1e-3)), 6), "k": signed(rng)}
    return [*cases, Case("deep graph", {"length of the chain": deep, **end})]


backward = Exercise(
    "m02-backward", "The chain rule over a whole graph", "class Value", lambda rng: [*BACKWARD_BY_HAND, *designed_programs(rng)], _probe_backward, _judge_backward,
    (
        "Who may hand on a gradient? Only a node that has already received all of its own. Which order of the nodes makes sure of that?",
        "The gradient of the last value towards itself is 1. From there, walk the topological order from its end to its beginning.",
        "Three lines: find the order, set the gradient of self, and in a loop over reversed(order) let each node pass its gradient back.",
    ),
)  # fmt: skip


# ---------------------------------------------------------------- gradients add up


def _probe_accumulate(cls, inputs):
    refuse_ours(cls)
    if not hasattr(cls, "backward"):
        raise NotImplementedError
    return _grads_by_way({"own": _run_own, "step alone": _run_step_alone}, cls, inputs)


def _run_step_alone(cls, inputs):
    """The class's pass_back() on stand-ins whose slopes are right, from the last node to the first."""
    step = getattr(cls, "pass_back", None)
    if step is None:
        raise NotOpen
    nodes = _nodes_of([Node(x) for x in inputs["leaves"]], inputs["steps"])
    nodes[-1].grad = 1.0
    for node in reversed(nodes):
        step(node)
    return nodes


def _judge_accumulate(case, seen):
    true = slopes(case.inputs["leaves"], case.inputs["steps"])
    where, names, leaves = program_text(case.inputs), [_letter(place) for place in range(len(true))], len(case.inputs["leaves"])
    return _best(seen, lambda given: _compare_grads(names, true, given, where, leaves))


def _name_accumulate(cases, outputs):
    """OVERWRITE when, in every short expression, each wrong gradient is what one single use of the value hands back."""
    overwritten = False
    for case, output in zip(cases, outputs, strict=True):
        leaves, steps = case.inputs["leaves"], case.inputs["steps"]
        seen = output["value"].get("step alone", output["value"]["own"])
        given, true, parts = seen["grads"], slopes(leaves, steps), shares(leaves, steps)
        if len(steps) > 3:
            continue  # the values in between are wrong as well, and hand on what is wrong
        if not _close(given[-1], 1.0):
            return None
        for place in range(len(leaves)):
            if not _close(given[place], true[place]):
                if not any(_close(given[place], part) for part in parts[place]):
                    return None
                overwritten = True
    return ("OVERWRITE", "the second use of a value replaced the gradient of the first; gradients add up") if overwritten else None


def _close(a, b):
    return difference("number", b, a, rtol=RTOL, atol=ATOL) is None


ACCUMULATE_BY_HAND = [
    program_case("added to itself", [3.0], [["+", 0, 0]]),
    program_case("multiplied by itself", [3.0], [["*", 0, 0]]),
    program_case("multiplied by itself", [-1.3], [["*", 0, 0], ["*", 1, 0]]),
    program_case("used in two places", [-2.0, 3.0], WORKED),
    program_case("used in two places", [1.4, -0.6], LADDER),
]


def designed_uses(rng: np.random.RandomState) -> list[Case]:
    """Values that are used more than once."""
    cases = [_designed("added to itself", itself(rng, "+")), _designed("multiplied by itself", itself(rng, "*"))]
    return cases + [_designed("used in two places", graph(rng, 2, n, "+*")) for n in (2, 3, 5)]


accumulate = Exercise(
    "m02-accumulate", "A value used more than once", "class Value", lambda rng: [*ACCUMULATE_BY_HAND, *designed_uses(rng)], _probe_accumulate, _judge_accumulate,
    (
        "In b = a + a there are two arrows from a to b. If a grows by 0.001, by how much does b grow?",
        "What comes back on the second arrow must not wipe out what came back on the first.",
        "Compare `x = 5` and `x += 5`: which of the two should happen to the gradient of an input?",
    ),
    _name_accumulate, by_formula=True,
)  # fmt: skip
