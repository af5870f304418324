"""Scalar engines: the order of the walk, nodes visited twice or too early, where the gradient starts."""

import ast

from .answer import GRADIENTS, called, number
from .rule import Change, change, rule, write, write_lines

BEFORE_CONSUMERS = "a node hands its gradient on before all that is made of it has handed down"


@rule
def no_visited_set(answer):
    """if node not in seen: ... always, where the walk ends all the same."""
    for node in answer.of(ast.If):
        test = node.test
        if isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.NotIn) and len(test.ops) == 1:
            yield change("DOUBLE_COUNT", "a node that is reached on two paths is visited twice", node, node.body)
        if (
            isinstance(test, ast.Compare)
            and isinstance(test.ops[0], ast.In)
            and node.body
            and isinstance(node.body[0], (ast.Return, ast.Continue))
            and not node.orelse
        ):
            yield change("DOUBLE_COUNT", "a node that is reached on two paths is visited twice", node, [ast.Pass()])


@rule
def listed_before_its_inputs(answer):
    """order.append(node) moved in front of the walk over the node's inputs."""
    for function in answer.of(ast.FunctionDef):
        for body in (n.body for n in ast.walk(function) if isinstance(getattr(n, "body", None), list)):
            loops = [s for s in body if isinstance(s, ast.For) or (isinstance(s, ast.Expr) and isinstance(s.value, ast.ListComp))]
            listed = [s for s in body if isinstance(s, ast.Expr) and isinstance(s.value, ast.Call) and called(s.value) in ("append", "insert")]
            if loops and listed and body.index(loops[0]) < body.index(listed[-1]):
                for loop in loops[:1]:
                    yield change("MISSING_PATH", BEFORE_CONSUMERS, loop, [listed[-1], loop], alike=("early", function))
                    yield change("MISSING_PATH", BEFORE_CONSUMERS, listed[-1], [ast.Pass()], alike=("early", function))


@rule
def no_order(answer):
    """Each node hands on as soon as it is reached, by a function that calls itself."""
    for function in answer.of(ast.FunctionDef):
        loop = next((s for s in function.body if isinstance(s, ast.For) and _calls_step(s)), None)
        children = _children(answer)
        if loop is None or children is None or not function.args.args:
            continue
        step = _calls_step(loop)
        root = function.args.args[0].arg
        walk = write_lines("def go(node):\n    node.STEP()\n    for one in node.CHILDREN:\n        go(one)", STEP=step, CHILDREN=children)
        because = "a node hands on each time it is reached, and again what it has handed on before"
        yield change("DOUBLE_COUNT", because, loop, [*walk, *write_lines("go(ROOT)", ROOT=root)])
        once = write_lines(
            "seen = set()\ndef go(node):\n    if id(node) not in seen:\n        seen.add(id(node))\n        node.STEP()\n        for one in node.CHILDREN:\n            go(one)",
            STEP=step,
            CHILDREN=children,
        )
        yield change("MISSING_PATH", BEFORE_CONSUMERS, loop, [*once, *write_lines("go(ROOT)", ROOT=root)])


@rule
def breadth_first(answer):
    """Nodes listed level by level from the result, or each where it is first reached, and walked in that order."""
    for loop in answer.of(ast.For):
        children = _children(answer)
        function = answer.inner(loop)
        walks = isinstance(loop.iter, ast.Call) and called(loop.iter) == "reversed" and isinstance(loop.target, ast.Name)
        if walks and children and isinstance(function, ast.FunctionDef) and function.args.args:
            for take, inputs in (
                ("pop(0)", "one.CHILDREN"),
                ("pop()", "one.CHILDREN"),
                ("pop(0)", "reversed(one.CHILDREN)"),
                ("pop()", "reversed(one.CHILDREN)"),
            ):
                lines = (
                    f"_order, _waiting, _seen = [], [ROOT], {{id(ROOT)}}\nwhile _waiting:\n    one = _waiting.{take}\n    _order.append(one)\n"
                    f"    for _child in {inputs}:\n        if id(_child) not in _seen:\n            _seen.add(id(_child))\n            _waiting.append(_child)"
                )
                walk = write_lines(lines, ROOT=function.args.args[0].arg, CHILDREN=children)
                again = ast.For(loop.target, ast.Name("_order", ast.Load()), loop.body, [], lineno=loop.lineno)
                yield change("MISSING_PATH", BEFORE_CONSUMERS, loop, [*walk, again])


def _children(answer):
    names = ("_prev", "prev", "children", "_children", "parents", "inputs", "ch", "_inputs")
    return next((n.attr for n in answer.nodes if isinstance(n, ast.Attribute) and n.attr in names), None)


@rule
def assigned_in_another_order(answer):
    """grad = where += is due, in an engine that walks the operands of a node from the last to the first: another one is the last to be stored."""
    walks = [n for n in answer.of(ast.For) if isinstance(n.iter, ast.Attribute) and n.iter.attr == _children(answer)]
    stores = [n for n in answer.of(ast.AugAssign) if isinstance(n.op, ast.Add) and isinstance(n.target, ast.Attribute) and n.target.attr in GRADIENTS]
    if walks and stores:
        turned = tuple((n.iter, write("reversed(tuple(A))", A=n.iter)) for n in walks)
        because = "the second use of a value replaced the first; gradients add up"
        yield Change("OVERWRITE", because, (*turned, *((n, [ast.Assign([n.target], n.value, lineno=n.lineno)]) for n in stores)))


def _calls_step(loop):
    """The name of the method that the loop calls on its node, with nothing else in it."""
    if len(loop.body) == 1 and isinstance(loop.body[0], ast.Expr) and isinstance(loop.body[0].value, ast.Call):
        function = loop.body[0].value.func
        if (
            isinstance(function, ast.Attribute)
            and isinstance(function.value, ast.Name)
            and isinstance(loop.target, ast.Name)
            and function.value.id == loop.target.id
        ):
            return function.attr
    return ""


@rule
def start_of_the_gradient(answer):
    """self.grad = 1.0 left out, or another number."""
    for node in answer.of(ast.Assign):
        target = node.targets[0]
        if not isinstance(target, ast.Attribute) or target.attr not in GRADIENTS:
            continue
        if number(node.value) == 1:
            yield change("WRONG_CONSTANT", "the gradient of the result itself is never set", node, [ast.Pass()])
        elif number(node.value) == 0 and answer.inner(node) is not answer.tree and not _constructs(answer, node):
            yield change("STATE_LEAK", "the gradients of earlier passes are still there: they are not set to zero", node, [ast.Pass()])


def _constructs(answer, node):
    return getattr(answer.inner(node), "name", "") == "__init__"


@rule
def call_of_accumulate(answer):
    """Engines that add through a method: the gradient of one operand set, not added, or not given at all."""
    adders = [f.name for f in answer.of(ast.FunctionDef) if len(f.body) <= 2 and len(f.args.args) >= 2 and any(_adds(s) for s in f.body)]
    for node in answer.of(ast.Expr):
        call = node.value
        if isinstance(call, ast.Call) and called(call) in adders and isinstance(call.func, ast.Attribute) and call.args:
            operand, attribute = call.func.value, _grad_of(answer, adders)
            new = ast.Assign([ast.Attribute(operand, attribute, ast.Store())], call.args[0], lineno=node.lineno)
            yield change("OVERWRITE", "the second use of a value replaced the first; gradients add up", node, [new], alike=("set", answer.outer(node)))
            yield change("MISSING_PATH", "one operand gets no gradient", node, [ast.Pass()])


def _adds(statement):
    if isinstance(statement, ast.AugAssign):
        return isinstance(statement.target, ast.Attribute) and statement.target.attr in GRADIENTS
    return (
        isinstance(statement, ast.Assign)
        and isinstance(statement.targets[0], ast.Attribute)
        and statement.targets[0].attr in GRADIENTS
        and isinstance(statement.value, ast.BinOp)
    )


def _grad_of(answer, adders):
    for function in answer.of(ast.FunctionDef):
        if function.name in adders:
            for statement in function.body:
                target = statement.target if isinstance(statement, ast.AugAssign) else statement.targets[0] if isinstance(statement, ast.Assign) else None
                if isinstance(target, ast.Attribute):
                    return target.attr
    return "grad"
