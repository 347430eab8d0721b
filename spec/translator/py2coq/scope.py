"""What one function may refer to, and what it must not."""

from __future__ import annotations

import ast
from dataclasses import dataclass, replace

from py2coq.refusal import Source
from py2coq.shapes import Shape
from py2coq.world import World


@dataclass(frozen=True)
class Scope:
    """The names in sight at one point of a function: values with their types, functions and constants of the module."""

    world: World
    source: Source
    visible: frozenset[str]
    own_names: frozenset[str]
    values: dict[str, Shape]
    place: ast.AST

    def bind(self, names: dict[str, Shape]) -> Scope:
        """The scope after an assignment."""
        return replace(self, values={**self.values, **names})

    def sees(self, name: str, node: ast.AST) -> bool:
        """Whether `name` is a module-level name here; refuses a local one that may not have a value yet."""
        if name in self.own_names:
            raise self.source.refused(node, f"the local name {name} may not have a value here")
        return name in self.visible


def names_bound(function: ast.FunctionDef) -> frozenset[str]:
    """Every name that Python treats as local to the function."""
    found = {argument.arg for argument in function.args.args}
    for node in ast.walk(function):
        match node:
            case ast.Name(id=name, ctx=ast.Store()):
                found.add(name)
            case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                found.add(name)
            case _:
                pass
    inside = {name.id for comprehension in _comprehensions(function) for name in _targets(comprehension)}
    outside = {
        node.id
        for node in ast.walk(function)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and not _is_target(node, function)
    }
    return frozenset((found - inside) | (found & outside) | {argument.arg for argument in function.args.args})


def _comprehensions(function: ast.FunctionDef) -> list[ast.comprehension]:
    return [node for node in ast.walk(function) if isinstance(node, ast.comprehension)]


def _targets(comprehension: ast.comprehension) -> list[ast.Name]:
    return [node for node in ast.walk(comprehension.target) if isinstance(node, ast.Name)]


def _is_target(name: ast.Name, function: ast.FunctionDef) -> bool:
    return any(name is target for comprehension in _comprehensions(function) for target in _targets(comprehension))
