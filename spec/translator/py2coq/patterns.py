"""Patterns: classes that name every field, numbers, sequences with a rest, and `_`."""

from __future__ import annotations

import ast

from py2coq.scope import Scope
from py2coq.shapes import INT, Items, Named, Shape


def pattern(node: ast.pattern, shape: Shape, scope: Scope) -> tuple[str, dict[str, Shape]]:
    """A pattern in Coq, and the names it binds with their types."""
    match node:
        case ast.MatchAs(pattern=None, name=None):
            return "_", {}
        case ast.MatchAs(pattern=None, name=str(name)):
            if name in scope.values:
                raise scope.source.refused(node, f"the pattern rebinds {name}")
            return name + "'", {name: shape}
        case ast.MatchValue(value=ast.Constant(value=int(number))) if shape == INT and not isinstance(number, bool):
            return str(number), {}
        case ast.MatchClass(cls=ast.Name(id=name), patterns=[], kwd_attrs=names, kwd_patterns=parts):
            return _class(node, name, dict(zip(names, parts, strict=True)), shape, scope)
        case ast.MatchSequence(patterns=[head, ast.MatchStar(name=rest)]) if isinstance(shape, Items):
            text, bound = pattern(head, shape.of, scope)
            if rest is None:
                return f"({text} :: _)", bound
            if rest in scope.values or rest in bound:
                raise scope.source.refused(node, f"the pattern rebinds {rest}")
            return f"({text} :: {rest}')", {**bound, rest: shape}
        case _:
            raise scope.source.refused(node, "this pattern is outside the subset")


def _class(
    node: ast.pattern, name: str, parts: dict[str, ast.pattern], shape: Shape, scope: Scope
) -> tuple[str, dict[str, Shape]]:
    union = scope.world.union_of(name)
    if union is None or not scope.sees(name, node) or shape != Named(union):
        raise scope.source.refused(node, f"{name} is not a case of what is matched")
    fields = scope.world.constructors[name]
    if set(parts) != set(fields):
        raise scope.source.refused(node, f"the pattern must name every field of {name}")
    texts: list[str] = []
    bound: dict[str, Shape] = {}
    for field, of in fields.items():
        text, more = pattern(parts[field], of, scope)
        if set(more) & set(bound):
            raise scope.source.refused(node, "the pattern binds a name twice")
        texts.append(text)
        bound.update(more)
    return "(" + " ".join([name, *texts]) + ")", bound


def check_exhaustive(node: ast.Match, patterns: list[ast.pattern], shape: Shape, scope: Scope) -> None:
    """Refuse a match that some value falls through: in Python that is a silent step, in Coq an error."""
    covered: set[str] = set()
    for position, case in enumerate(patterns):
        match case:
            case ast.MatchAs(pattern=None):
                if position + 1 != len(patterns):
                    raise scope.source.refused(case, "a case follows that catches everything")
                return
            case ast.MatchClass(cls=ast.Name(id=name), kwd_patterns=parts) if all(
                isinstance(part, ast.MatchAs) and part.pattern is None for part in parts
            ):
                covered.add(name)
            case _:
                pass
    cases = scope.world.unions.get(shape.name, ()) if isinstance(shape, Named) else ()
    if not cases or not covered >= set(cases):
        raise scope.source.refused(node, "the match does not cover every case")
