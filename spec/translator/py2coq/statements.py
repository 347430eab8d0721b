"""Statements: a body becomes one expression; every path ends in a return; a loop becomes a fold."""

from __future__ import annotations

import ast

from py2coq import calls, comparisons, expressions, patterns
from py2coq.scope import Scope
from py2coq.shapes import INT, Pair, Shape, coq_type, settled
from py2coq.world import read_type


def block(statements: list[ast.stmt], scope: Scope, gives: Shape) -> str:
    """The value that these statements return."""
    if not statements:
        raise scope.source.refused(scope.place, "a path ends without a return")
    first, rest = statements[0], statements[1:]
    match first:
        case ast.Expr(value=ast.Constant(value=str())) | ast.Pass():
            return block(rest, scope, gives)
        case ast.Return(value=ast.expr() as value):
            return expressions.emit(value, scope, gives)
        case ast.If(test=test, body=body, orelse=orelse):
            _check_ends(body, scope)
            _check_ends(orelse, scope)
            return comparisons.choose(
                test,
                scope,
                lambda s: block(_then(body, rest), s, gives),
                lambda s: "\n  " + block(_then(orelse, rest), s, gives),
            )
        case ast.Match(subject=subject, cases=cases):
            return _match(first, subject, cases, rest, scope, gives)
        case ast.For():
            text, inner = _loop(first, scope)
            return text + block(rest, inner, gives)
        case ast.Assign() | ast.AnnAssign():
            text, inner = assign(first, scope)
            return text + block(rest, inner, gives)
        case _:
            raise scope.source.refused(first, "this statement is outside the subset")


def _then(body: list[ast.stmt], rest: list[ast.stmt]) -> list[ast.stmt]:
    """A branch and what follows it; nothing follows a return."""
    return body if body and isinstance(body[-1], ast.Return) else [*body, *rest]


def _check_ends(body: list[ast.stmt], scope: Scope) -> None:
    for statement in body[:-1]:
        if isinstance(statement, ast.Return):
            raise scope.source.refused(statement, "something follows this return")


def _match(
    node: ast.Match, subject: ast.expr, cases: list[ast.match_case], rest: list[ast.stmt], scope: Scope, gives: Shape
) -> str:
    shape = expressions.infer(subject, scope)
    text = expressions.emit(subject, scope, shape)
    patterns.check_exhaustive(node, [case.pattern for case in cases], shape, scope)
    arms: list[str] = []
    for case in cases:
        if case.guard is not None:
            raise scope.source.refused(case.guard, "a guard is outside the subset")
        _check_ends(case.body, scope)
        pattern, bound = patterns.pattern(case.pattern, shape, scope)
        arms.append(f"  | {pattern} =>\n    {block(_then(case.body, rest), scope.bind(bound), gives)}\n")
    return f"match {text} with\n{''.join(arms)}  end"


def assign(node: ast.Assign | ast.AnnAssign, scope: Scope) -> tuple[str, Scope]:
    """`let ... in`, and the scope after it. The parts of a tuple are all computed before any is assigned."""
    match node:
        case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation, value=ast.expr() as value):
            shape = read_type(annotation, scope.world, set(scope.visible), scope.source)
            text = expressions.emit(value, scope, shape)
            return f"let {name}' : {coq_type(shape)} := {text} in\n  ", scope.bind({name: shape})
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            text, shape = expressions.emit_open(value, scope, scope.values.get(name))
            return f"let {name}' := {text} in\n  ", _bind(node, {name: shape}, scope)
        case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)) if len(targets) == len(values):
            names = _names(node, targets, scope)
            parts = [expressions.emit_open(v, scope, scope.values.get(n)) for n, v in zip(names, values, strict=True)]
            bound = {name: shape for name, (_, shape) in zip(names, parts, strict=True)}
            right = ", ".join(text for text, _ in parts)
            return f"let {_tuple(names)} := ({right}) in\n  ", _bind(node, bound, scope)
        case ast.Assign(targets=[ast.Tuple(elts=[_, _] as targets)], value=value):
            names = _names(node, targets, scope)
            shape = expressions.infer(value, scope)
            match shape:
                case Pair(first, second):
                    text = expressions.emit(value, scope, shape)
                    bound = {names[0]: first, names[1]: second}
                    for name, part in bound.items():
                        if scope.values.get(name, part) != part:
                            raise scope.source.refused(node, f"{name} changes its type")
                    return f"let {_tuple(names)} := {text} in\n  ", _bind(node, bound, scope)
                case _:
                    raise scope.source.refused(node, "this is not a pair")
        case _:
            raise scope.source.refused(node, "this assignment is outside the subset")


def _names(node: ast.stmt, targets: list[ast.expr], scope: Scope) -> list[str]:
    names = [target.id for target in targets if isinstance(target, ast.Name)]
    if len(names) != len(targets) or len(set(names)) != len(names):
        raise scope.source.refused(node, "assignments go to distinct names")
    return names


def _bind(node: ast.stmt, bound: dict[str, Shape], scope: Scope) -> Scope:
    for name, shape in bound.items():
        if not settled(shape):
            raise scope.source.refused(node, f"the type of {name} is open: annotate it")
    return scope.bind(bound)


def _tuple(names: list[str]) -> str:
    return names[0] + "'" if len(names) == 1 else "'(" + ", ".join(name + "'" for name in names) + ")"


def _binder(names: list[str], scope: Scope) -> str:
    """The accumulators with their types."""
    types = " * ".join(coq_type(scope.values[name]) for name in names)
    inner = ", ".join(name + "'" for name in names)
    return f"({inner} : {types})" if len(names) == 1 else f"'(({inner}) : {types})"


def _loop(node: ast.For, scope: Scope) -> tuple[str, Scope]:
    """A fold. Its accumulators are the names the body assigns that had a value before; other names end with a round."""
    if node.orelse or not isinstance(node.target, ast.Name):
        raise scope.source.refused(node, "a loop has one name and no else")
    assigned: list[str] = []
    for statement in node.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)]):
                assigned.append(name)
            case ast.Assign(targets=[ast.Tuple(elts=targets)]):
                assigned.extend(_names(statement, targets, scope))
            case _:
                raise scope.source.refused(statement, "a loop's body is assignments only")
    carried = [name for name in scope.values if name in assigned]
    name = node.target.id
    if not carried or name in scope.values or name in assigned:
        raise scope.source.refused(node, "a loop changes names that had a value before, and not its own")
    start = ", ".join(item + "'" for item in carried)
    start = f"({start})" if len(carried) > 1 else start
    match node.iter:
        case ast.Call(func=ast.Name(id="range"), args=[count], keywords=[]) if calls.builtin("range", node, scope):
            if name != "_":
                raise scope.source.refused(node, "a counting loop does not look at its number")
            rounds = f"(Z.to_nat {expressions.emit(count, scope, INT)})"
            text = f"Nat.iter {rounds} (fun {_binder(carried, scope)} =>\n  {_round(node, carried, scope)}) {start}"
        case ast.Call(func=ast.Name(id="reversed"), args=[items], keywords=[]) if calls.builtin(
            "reversed", node, scope
        ):
            walked, of = calls.iterated(items, scope)
            body = _round(node, carried, scope.bind({name: of}))
            text = (
                f"fold_right (fun ({name}' : {coq_type(of)}) {_binder(carried, scope)} =>\n  {body}) {start} {walked}"
            )
        case items:
            walked, of = calls.iterated(items, scope)
            body = _round(node, carried, scope.bind({name: of}))
            binders = f"{_binder(carried, scope)} ({name}' : {coq_type(of)})"
            text = f"fold_left (fun {binders} =>\n  {body}) {walked} {start}"
    return f"let {_tuple(carried)} := {text} in\n  ", scope


def _round(node: ast.For, carried: list[str], scope: Scope) -> str:
    """One round: the assignments, then the accumulators."""
    text, part = "", ""
    last = ", ".join(name + "'" for name in carried)
    last = f"({last})" if len(carried) > 1 else last
    for statement in node.body:
        if not isinstance(statement, ast.Assign):
            raise scope.source.refused(statement, "a loop's body is assignments only")
        before = scope.values
        part, scope = assign(statement, scope)
        text += part
        for name in carried:
            if scope.values[name] != before[name]:
                raise scope.source.refused(statement, f"{name} changes its type, {coq_type(before[name])}")
    opening = f"let {_tuple(carried)} := "
    if part.startswith(opening) and part.endswith(" in\n  "):
        return text.removesuffix(part) + part.removeprefix(opening).removesuffix(" in\n  ")
    return text + last
