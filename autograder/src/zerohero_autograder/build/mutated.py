"""The mutants of a lesson's own solutions, run where the lesson has got to, as entries of the atlas.

Of a lesson only what its exercises may need is executed: imports, functions, classes and what is put into a class; no
plot and no training. A mutated cell is executed in place of the original one, which is executed again at the end.
"""

import ast
from typing import Any

from zerohero.atlas import parts_of, prints_of
from zerohero.exercise import Case, Exercise, load, passes, run_probe

from ..mutants.bank import TooSlow, entries_of, limited
from ..mutants.mutate import Mutant, mutants

SURE = frozenset({"SIGN_FLIP", "SWAPPED"})
"""Kinds that are what they are in any function. The names of the others are those of mistakes in a backward pass."""
ALSO = {
    "m01-local-derivatives": {"PRE_POST", "WRONG_MASK", "UNSTABLE"},
    "m02-topo-sort": {"MISSING_PATH", "DOUBLE_COUNT"},
    "m02-backward": {"MISSING_PATH", "DOUBLE_COUNT", "WRONG_CONSTANT"},
    "m02-accumulate": {"OVERWRITE", "MISSING_PATH", "DOUBLE_COUNT", "NO_UPSTREAM", "DROPPED_LOCAL"},
    "m02-value-mul": {"PRE_POST"},
    "m02-value-ops": {"PRE_POST", "WRONG_CONSTANT"},
    "m02-value-tanh": {"PRE_POST", "UNSTABLE"},
    "m02-value-relu": {"WRONG_MASK"},
    "m02-legendre-function": {"NO_UPSTREAM", "WRONG_CONSTANT"},
}
"""Further kinds that are right for exercises that are no backward pass of arrays."""
LEFT_OUT = frozenset({"m03-train-digits"})
"""Training: a mutant takes a second, and after hundreds of steps its numbers are those of one machine. Names come from the judge and from wrong/."""
MOST = 1500
"""Mutants of one exercise that are run."""
SECONDS = 1.5
"""Processor time for all cases of one mutant."""


def mutated_entries(notebook: dict[str, Any], module: str) -> dict[str, list[dict[str, Any]]]:
    """{exercise id: entries} of the lesson ``module``, given as its source notebook.

    Exercises that need a library which is not installed are left out, with everything else that fails without it.
    """
    exercises, _ = load(module)
    found = {}
    for exercise, source, checked, names in _exercise_cells(notebook, exercises):
        if exercise.id in LEFT_OUT:
            exec(compile(source, "<lesson>", "exec"), names)
            continue
        try:
            found[exercise.id] = _entries(exercise, source, checked, names)
        except ModuleNotFoundError:
            continue
    return {id: entries for id, entries in found.items() if entries}


def reference_prints(notebook: dict[str, Any], module: str) -> dict[str, dict[str, Any]]:
    """{exercise id: {part: fingerprint}} of the lesson's own solutions, for the exercises that have parts. They never leave the instructor's machine."""
    exercises, _ = load(module)
    wanted = {id for id, exercise in exercises.items() if exercise.parts}
    found = {}
    if wanted:
        for exercise, source, checked, names in _exercise_cells(notebook, exercises):
            outputs = _outputs(exercise, exercise.visible_cases(), source, checked, names)
            if exercise.id in wanted:
                found[exercise.id] = prints_of(outputs, exercise.parts)
    return found


def _exercise_cells(notebook, exercises):
    """(exercise, source of its solution, what its check cell hands to check(), the names there are at that point) of each exercise, in order.

    Whoever is handed one executes it, or the next ones will not find it.
    """
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    calls = {cell["metadata"]["zerohero"]["check"]: _text(cell) for cell in code if "check" in cell["metadata"]["zerohero"]}
    names: dict[str, Any] = {"__name__": "__lesson__"}
    for cell in code:
        marks = cell["metadata"]["zerohero"]
        if "exercise" in marks:
            yield exercises[marks["exercise"]], _text(cell), _checked(calls[marks["exercise"]]), names
        elif marks.get("given"):
            _define(_text(cell), names)


def _text(cell):
    return "".join(cell["source"])


def _checked(source):
    """What the check cell hands to check(), as text."""
    calls = [n for n in ast.walk(ast.parse(source)) if isinstance(n, ast.Call) and getattr(n.func, "id", "") == "check" and len(n.args) > 1]
    return ast.unparse(calls[0].args[1])


def _define(source, names):
    for statement in ast.parse(source).body:
        attached = isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Attribute) and isinstance(statement.targets[0].value, ast.Name)
        if isinstance(statement, (ast.FunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)) or (
            attached and isinstance(names.get(statement.targets[0].value.id), type)
        ):
            try:
                exec(compile(ast.Module([statement], []), "<lesson>", "exec"), names)
            except ModuleNotFoundError:
                continue  # torch: the exercises that need it cannot be done here


def _entries(exercise: Exercise, source: str, checked: str, names: dict[str, Any]):
    cases = exercise.visible_cases()
    reference = parts_of(_outputs(exercise, cases, source, checked, names), exercise.parts)
    kinds = None if exercise.parts else SURE | ALSO.get(exercise.id, set())
    found: dict[Any, dict[str, Any]] = {}
    for mutant in [m for m in mutants(source) if kinds is None or m.kind in kinds][:MOST]:
        outputs = _outputs_of_mutant(exercise, cases, mutant, checked, names)
        if outputs is None or all(o["status"] == "raised" for o in outputs):
            continue
        made = entries_of(mutant, parts_of(outputs, exercise.parts), reference)
        if made and not passes(exercise, cases, outputs):  # another right answer, such as another slope at a corner, has no name
            for entry in made:
                found.setdefault((entry["mistake"], repr(entry["parts"])), entry)
    exec(compile(source, "<lesson>", "exec"), names)
    return list(found.values())


def _outputs(exercise: Exercise, cases: list[Case], source: str, checked: str, names: dict[str, Any]):
    exec(compile(source, "<lesson>", "exec"), names)
    answer = eval(checked, names)
    return [run_probe(exercise, answer, case.inputs) for case in cases]


def _outputs_of_mutant(exercise, cases, mutant: Mutant, checked, names):
    """Probe outputs, or None when the mutated cell raises or takes too long."""
    try:
        with limited(SECONDS):
            return _outputs(exercise, cases, mutant.source, checked, names)
    except (Exception, TooSlow):
        return None
