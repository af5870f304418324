"""What a person should look at in the code of a submission. Evidence, no verdict: it is easily evaded, and costs no points.

The code is read as a syntax tree, never run, in a child process with limits, because parsing what a stranger wrote can
take minutes, gigabytes, or Python itself down.

- everywhere          parts of the checker that are named; code that is put together while it runs
- answers             libraries that differentiate by themselves, where the exercise does not allow them
- answers by formula  measured slopes and complex numbers, in the answer or in a function of the notebook that it calls by name

Not seen: a function reached through an attribute, a list or another function's argument; a copy of such a library in the
notebook; derivatives carried along with the values; text that is turned into code by a hook of IPython's.
"""

import ast
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from zerohero.exercise import Exercise

from ..child import lines_from_child
from ..flags import Flag
from ..graded_module import GradedModule
from ..rebuild import Rebuilt, RebuiltCell
from .slopes import measured_slopes, nodes_of

REACHES = re.compile(
    r"zerohero\s*\.\s*(?:exercises?|grading|gradcheck\.directional)\b|from\s+zerohero\s+import[^\n]{0,200}\b(?:exercises?|grading)\b|ZEROHERO_GRADING|/grading/"
)
"""The package measures truth with code that a student has too; calling it is no answer, and no judge can tell."""
FRAMEWORKS = frozenset(
    [
        "torch",
        "functorch",
        "jax",
        "jaxlib",
        "flax",
        "equinox",
        "optax",
        "tensorflow",
        "keras",
        "autograd",
        "mxnet",
        "paddle",
        "theano",
        "aesara",
        "pytensor",
        "chainer",
        "tinygrad",
        "micrograd",
        "minitorch",
        "sympy",
        "symengine",
        "numdifftools",
        "casadi",
        "algopy",
        "uncertainties",
        "mlx",
        "mindspore",
        "dezero",
        "autodiff",
    ]
)
"""Packages that differentiate by themselves."""
MEASURING = frozenset({"approx_fprime", "approx_derivative", "check_grad", "numdifftools"})
"""Functions of SciPy that measure slopes."""
MOST_CHARACTERS = 100_000
"""Of one cell. A whole lesson with its solutions has 40,000."""
SECONDS, WALL = 10.0, 60.0
"""Processor and wall time for looking through one submission; an honest one takes a twentieth of a second."""
MOST_FLAGS = 50
SHOWN = 3
"""Pieces of code shown of one kind in one place."""
DEEPEST = 3
"""Code in a string in code: how far it is followed."""


def worth_a_look(module: GradedModule, rebuilt: Rebuilt, exercises: Mapping[str, Exercise]) -> list[Flag]:
    """The flags of one submission's code, in the order of its cells. Never raises for anything in it."""

    def work(say, allow):
        allow(SECONDS)
        try:
            for flag in _Reader(module, rebuilt, exercises).flags():
                say(json.dumps(flag.to_json()).encode("ascii"))
        except (RecursionError, MemoryError, ValueError) as error:
            say(json.dumps(Flag("UNREAD", "the notebook", f"reading it ended with {type(error).__name__}").to_json()).encode("ascii"))
        say(b"null")

    said, _ = lines_from_child(work, WALL)
    lines = [json.loads(line) for line in said]
    flags = [Flag.from_json(line) for line in lines if line]
    if not lines or lines[-1] is not None:
        flags.append(Flag("UNREAD", "the notebook", f"reading it took too long, or ended Python (limits: {SECONDS:g} s of processor time, {WALL:g} s in all)"))
    return flags[:MOST_FLAGS]


@dataclass
class _Code:
    """One cell, or one piece of code in a string of it."""

    cell: RebuiltCell
    theirs: bool
    """Whether the student wrote it, or changed what the lesson gives."""
    tree: ast.Module
    lines: list[str] = field(default_factory=list)


class _Reader:
    def __init__(self, module, rebuilt, exercises):
        given = {cell.name: cell.source.strip() for cell in module.cells}
        self.exercises, self.rebuilt, self.unread = exercises, rebuilt, []
        self.allowed = frozenset().union(*(exercise.allows for exercise in exercises.values()))
        self.codes: list[_Code] = []
        self.order = {id(cell): place for place, cell in enumerate(rebuilt.cells)}
        for cell in rebuilt.cells:
            if cell.runs:
                theirs = cell.number is not None and given.get(cell.name) != cell.source.strip()
                self.codes += self._parsed(cell, theirs, cell.source)
        self.defined: dict[str, list[tuple[_Code, ast.AST]]] = {}
        self.aliases: dict[str, str] = {}
        for code in self.codes:
            for name, node in _definitions(code.tree.body):
                self.defined.setdefault(name, []).append((code, node))
            # an import where it is not allowed is a flag of its own; a name that every cell may have is one where an answer uses it
            self.aliases |= {
                name: package for name, package in _imports(code.tree) if package in FRAMEWORKS and not (code.theirs and package not in self.allowed_in(code))
            }
        self.values = {name: found[0][1] for name, found in self.defined.items() if len(found) == 1 and isinstance(found[0][1], ast.expr)}

    def _parsed(self, cell, theirs, source, depth=DEEPEST):
        if theirs and len(source) > MOST_CHARACTERS:
            self.unread.append(Flag("UNREAD", _place(cell), f"it holds {len(source):,} characters; at most {MOST_CHARACTERS:,} are looked through"))
            return
        try:
            tree = _parse(source)
        except SyntaxError:
            return  # it does not run either
        except (RecursionError, MemoryError, ValueError) as error:
            self.unread += [Flag("UNREAD", _place(cell), f"reading it ended with {type(error).__name__}")] if theirs else []
            return
        code = _Code(cell, theirs, tree, source.split("\n"))
        yield code
        for inner in _code_in_strings(tree) if depth and theirs else ():
            yield from self._parsed(cell, theirs, inner, depth - 1)

    def allowed_in(self, code):
        """The libraries that the exercise of an answer allows; in any other cell those that some exercise allows."""
        answer = self.exercises.get(code.cell.exercise) if code.cell.role == "answer" else None
        return answer.allows if answer else self.allowed

    def flags(self) -> Iterator[Flag]:
        """All flags, each kind and place once."""
        for cell in self.rebuilt.cells:  # as text: it is found in code that does not compile, too
            if cell.number is not None and cell.runs and (found := REACHES.search(cell.source)):
                yield Flag("REACHES_CHECKER", _place(cell), _one_line(found[0]))
        yield from self.unread
        seen: dict[tuple[str, str], dict[str, None]] = {}
        told: set[int] = set()
        for kind, where, code, node in self._found():
            if id(node) not in told:
                told.add(id(node))
                seen.setdefault((kind, where), {})[_shown(code, node)] = None
        for (kind, where), pieces in seen.items():
            more = f"; and {len(pieces) - SHOWN} more" if len(pieces) > SHOWN else ""
            yield Flag(kind, where, "; ".join(list(pieces)[:SHOWN]) + more)

    def _found(self):
        for code in self.codes:
            if code.theirs:
                where = _place(code.cell)
                yield from (("HIDDEN_CODE", where, code, node) for node in _hidden(code.tree, self.values))
                yield from (("OTHER_FRAMEWORK", where, code, node) for node in _frameworks(code.tree, self.values, self.allowed_in(code)))
        for cell in self.rebuilt.cells:
            if cell.role == "check" and cell.exercise in self.exercises:
                yield from self._found_in_answer(self.exercises[cell.exercise], cell)

    def _found_in_answer(self, exercise, check):
        for code, node in self._reached(exercise, check):
            rebound = _bound(node)
            for name in nodes_of(node):
                if isinstance(name, ast.Name) and self.aliases.get(name.id, "") not in exercise.allows | {""} and name.id not in rebound:
                    yield "OTHER_FRAMEWORK", exercise.id, code, name
            if exercise.by_formula:
                yield from (("NUMERICAL_SLOPE", exercise.id, code, found) for found in (*measured_slopes(node, self.values), *_ready_made(node)))
                yield from (("COMPLEX_STEP", exercise.id, code, found) for found in _complex(node))

    def _reached(self, exercise, check):
        """(code, definition) of the answer, and of the notebook's functions that it calls by name, each once."""
        waiting = []
        for name in _checked(check.source):
            waiting += [found for found in self.defined.get(name, ()) if found[0].theirs and found[0].cell.exercise in ("", exercise.id)]
        for code in self.codes:
            if code.theirs and code.cell.role == "answer" and code.cell.exercise == exercise.id:
                for name, node in _attached(code.tree):
                    waiting += [(code, node)] if name is None else [found for found in self.defined.get(name, ()) if found[0] is code]
        seen: set[int] = set()
        while waiting:
            code, node = waiting.pop(0)
            if id(node) in seen:
                continue
            seen.add(id(node))
            yield code, node
            bound = _bound(node)
            for name in nodes_of(node):
                if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Load) and name.id not in bound:
                    waiting += self._meant(name.id, code)

    def _meant(self, name, code):
        """What a global name most likely stands for in the code of a cell: what that cell defines, else the cell nearest before it, else any."""
        found = self.defined.get(name, [])
        here = [one for one in found if one[0].cell is code.cell]
        before = [one for one in found if self.order[id(one[0].cell)] < self.order[id(code.cell)]]
        return here or before[-1:] or found


def _place(cell):
    return cell.exercise if cell.role == "answer" else f"cell {cell.number}"


def _parse(source):
    try:
        return ast.parse(source)
    except SyntaxError:
        from IPython.core.inputtransformer2 import TransformerManager  # magics and ! lines, as the notebook itself turns them into Python

        return ast.parse(TransformerManager().transform_cell(source))


def _code_in_strings(tree) -> Iterator[str]:
    """The code that exec, eval and the magics of IPython are handed as a text that stands there."""
    for call in _calls(tree):
        name = _called(call)
        texts = [a.value for a in call.args if isinstance(a, ast.Constant) and isinstance(a.value, str)]
        if name in ("exec", "eval", "compile") and texts:
            yield texts[0]
        elif name in ("run_cell_magic", "run_line_magic", "run_cell") and texts:
            yield texts[-1]


def _hidden(tree, values):
    for call in _calls(tree):
        name = _called(call)
        if (isinstance(call.func, ast.Name) and name in ("exec", "eval", "compile") and call.args and not isinstance(call.args[0], ast.Constant)) or (
            name in ("import_module", "__import__") and call.args and _text(call.args[0], values) is None
        ):
            yield call
    for node in nodes_of(tree):
        if (isinstance(node, ast.Name) and node.id in ("__builtins__", "__loader__")) or (
            isinstance(node, ast.Attribute) and node.attr in ("input_transformers_cleanup", "input_transformers_post", "ast_transformers", "__subclasses__")
        ):
            yield node


def _frameworks(tree, values, allowed):
    """Imports of packages that differentiate, in the ways that show their name."""
    for node in nodes_of(tree):
        packages: list[str | None] = []
        if isinstance(node, ast.Import):
            packages = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            packages = [node.module]
        elif isinstance(node, ast.Call) and _called(node) in ("import_module", "__import__", "find_spec") and node.args:
            packages = [_text(node.args[0], values)]
        elif isinstance(node, ast.Subscript) and isinstance(node.value, ast.Attribute) and node.value.attr == "modules":
            packages = [_text(node.slice, values)]
        if any(package and package.split(".")[0] in FRAMEWORKS - allowed for package in packages):
            yield node


def _imports(tree):
    """(name, package) of each name that an import binds."""
    for node in nodes_of(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.asname or alias.name.split(".")[0], alias.name.split(".")[0]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                yield alias.asname or alias.name, node.module.split(".")[0]
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and _called(node.value) in ("import_module", "__import__") and node.value.args:
            package = _text(node.value.args[0], {})
            for target in node.targets:
                if package and isinstance(target, ast.Name):
                    yield target.id, package.split(".")[0]


def _text(expression, values, depth=8):
    """The text that the expression gives when it is made of texts that stand there, or None."""
    if isinstance(expression, ast.Constant):
        return expression.value if isinstance(expression.value, str) else None
    if not depth:
        return None
    parts: list[ast.expr] | None = None
    if isinstance(expression, ast.Name) and expression.id in values:
        return _text(values[expression.id], values, depth - 1)
    if isinstance(expression, ast.BinOp) and isinstance(expression.op, ast.Add):
        parts = [expression.left, expression.right]
    elif isinstance(expression, ast.JoinedStr):
        parts = [part.value if isinstance(part, ast.FormattedValue) else part for part in expression.values]
    elif (
        isinstance(expression, ast.Call)
        and _called(expression) == "join"
        and len(expression.args) == 1
        and isinstance(expression.args[0], (ast.List, ast.Tuple))
    ):
        parts = expression.args[0].elts if _text(getattr(expression.func, "value", None), values, 1) == "" else None
    elif isinstance(expression, ast.Subscript) and isinstance(expression.slice, ast.Slice) and ast.unparse(expression.slice).strip() == "::-1":
        text = _text(expression.value, values, depth - 1)
        return text[::-1] if text else None
    texts = [_text(part, values, depth - 1) for part in parts[:50]] if parts else [None]
    return None if None in texts else "".join(texts)[:200]


def _ready_made(node):
    for name in nodes_of(node):
        if (
            (isinstance(name, ast.Attribute) and name.attr in MEASURING)
            or (isinstance(name, ast.Name) and name.id in MEASURING)
            or (isinstance(name, ast.Attribute) and name.attr == "gradient" and isinstance(name.value, ast.Name) and name.value.id in ("np", "numpy"))
        ):
            yield name


def _complex(node):
    for one in nodes_of(node):
        if (
            (isinstance(one, ast.Constant) and isinstance(one.value, complex))
            or (isinstance(one, ast.Attribute) and one.attr in ("imag", "complex64", "complex128", "csingle", "cdouble"))
            or (isinstance(one, ast.Name) and one.id in ("complex", "cmath") and isinstance(one.ctx, ast.Load))
        ):
            yield one


def _calls(tree):
    return (node for node in nodes_of(tree) if isinstance(node, ast.Call))


def _called(call):
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def _definitions(statements) -> Iterator[tuple[str, ast.AST]]:
    """(name, what it stands for) of each global function, class and name, also of one in an ``if``, a loop or a ``try``."""
    waiting = list(statements)
    for statement in waiting:
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield statement.name, statement
        elif isinstance(statement, ast.Assign):
            for target in statement.targets:
                for one in target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]:
                    if isinstance(one, ast.Name):
                        yield one.id, statement.value
        elif isinstance(statement, ast.AnnAssign) and statement.value is not None and isinstance(statement.target, ast.Name):
            yield statement.target.id, statement.value
        else:
            waiting += [inner for inner in ast.iter_child_nodes(statement) if isinstance(inner, (ast.stmt, ast.ExceptHandler))]


def _attached(tree) -> Iterator[tuple[str | None, ast.AST]]:
    """(name, expression) of what is put into a class or an object, as in ``Value.__mul__ = value_mul``; no name where a function stands there."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and any(isinstance(target, ast.Attribute) for target in node.targets):
            yield (node.value.id if isinstance(node.value, ast.Name) else None), node.value


def _bound(node):
    """Names that a piece of code has of its own: they are no global ones there."""
    arguments = {one.arg for one in nodes_of(node) if isinstance(one, ast.arg)}
    return arguments | {one.id for one in nodes_of(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}


def _checked(source):
    """The names in what a check cell hands to check()."""
    return [
        node.id for call in _calls(ast.parse(source)) if _called(call) == "check" for a in call.args[1:] for node in ast.walk(a) if isinstance(node, ast.Name)
    ]


def _shown(code, node):
    """Where a piece of code stands, and its line."""
    number = getattr(node, "lineno", 0)
    line = code.lines[number - 1] if 0 < number <= len(code.lines) else ""
    return f"cell {code.cell.number}, line {number}: {_one_line(line)}" if code.cell.number else f"a cell of the lesson: {_one_line(line)}"


def _one_line(text):
    return " ".join(text.split())[:120]
