"""A rule makes changes to an answer, each a single mistake; ``@rule`` adds it to the list of all rules."""

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from .answer import Answer

RULES: list[Callable[[Answer], Iterator["Change"]]] = []


@dataclass(frozen=True)
class Change:
    """One mistake: what is put in whose place."""

    kind: str
    because: str
    edits: tuple[tuple[ast.AST, Any], ...]
    """(node of the answer's tree, what stands there instead): an expression; for a statement, a list of statements."""
    alike: Any = None
    """Changes that are alike are also made all together, as by a student who misunderstood one thing in every place."""
    weak: bool = False
    """Says little: names an answer only if no other change explains it."""


def rule(function: Callable[[Answer], Iterator[Change]]) -> Callable[[Answer], Iterator[Change]]:
    """Adds a rule. It yields Changes, in an order that depends on the source only."""
    RULES.append(function)
    return function


def change(kind: str, because: str, node: ast.AST, new: Any, alike: Any = None, weak: bool = False) -> Change:
    """A Change at one place."""
    return Change(kind, because, ((node, new),), alike, weak)


def write(text: str, **names: ast.AST | str) -> ast.expr:
    """The expression ``text`` with whole names replaced: write("A / B", A=node, B=other)."""
    return _Fill(names).visit(ast.parse(text, mode="eval").body)


def write_lines(text: str, **names: ast.AST | str) -> list[ast.stmt]:
    """The statements ``text`` with whole names replaced."""
    return [_Fill(names).visit(statement) for statement in ast.parse(text).body]


class _Fill(ast.NodeTransformer):
    def __init__(self, names):
        self.names = names

    def visit_Name(self, node):
        new = self.names.get(node.id, node)
        return ast.Name(new, node.ctx) if isinstance(new, str) else new

    def visit_Attribute(self, node):
        new = self.names.get(node.attr)
        self.generic_visit(node)
        return ast.Attribute(node.value, new, node.ctx) if isinstance(new, str) else node


def product(parts: list[tuple[ast.AST, bool]]) -> ast.expr:
    """The inverse of answer.factors: a * b / c. An empty product is 1.0."""
    above = [node for node, divides in parts if not divides]
    result: Any = above[0] if above else ast.Constant(1.0)
    for node in above[1:]:
        result = ast.BinOp(result, ast.Mult(), node)
    for node, divides in parts:
        if divides:
            result = ast.BinOp(result, ast.Div(), node)
    return result


def total(parts: list[tuple[ast.AST, int]]) -> ast.expr:
    """The inverse of answer.terms: a - b + c. An empty sum is 0.0."""
    if not parts:
        return ast.Constant(0.0)
    (first, sign), *rest = parts
    result: Any = first if sign > 0 else ast.UnaryOp(ast.USub(), first)
    for node, sign in rest:
        result = ast.BinOp(result, ast.Add() if sign > 0 else ast.Sub(), node)
    return result
