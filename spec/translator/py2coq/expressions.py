"""Expressions: first their type, then their text in Coq, with `Some` put where an option is expected.

Everything in the subset is total and pure, so the order of evaluation does not matter. Local names get a prime:
no Python name has one, so no local can hide a name of Coq or of the program.
"""

from __future__ import annotations

import ast

from py2coq import calls, comparisons
from py2coq.scope import Scope
from py2coq.shapes import BOOL, INT, Items, Named, Nothing, Option, Pair, Shape, Unknown, common, fits

_SIGNS: dict[type[ast.operator], str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*"}


def infer(node: ast.expr, scope: Scope) -> Shape:
    """The type of an expression."""
    world = scope.world
    match node:
        case ast.Constant(value=None):
            return Nothing()
        case ast.Constant(value=bool()):
            return BOOL
        case ast.Constant(value=int()):
            return INT
        case ast.Name(id=name) if name in scope.values:
            return scope.values[name]
        case ast.Name(id=name) if scope.sees(name, node) and name in world.constants:
            return world.constants[name]
        case ast.Attribute():
            return _attribute(node, scope)[0]
        case ast.Call():
            return calls.infer_call(node, scope)
        case ast.Tuple(elts=elements):
            return _infer_tuple(node, elements, scope)
        case ast.Subscript():
            return calls.infer_slice(node, scope)
        case ast.BinOp(left=left, op=ast.Add()):
            return Items(Unknown()) if (shape := infer(left, scope)) == Items(Unknown()) else shape
        case ast.BinOp() | ast.UnaryOp(op=ast.USub()):
            return INT
        case ast.BoolOp() | ast.Compare() | ast.UnaryOp(op=ast.Not()):
            return BOOL
        case ast.IfExp():
            return _infer_choice(node, scope)
        case _:
            raise scope.source.refused(node, "this expression is outside the subset")


def emit(node: ast.expr, scope: Scope, want: Shape) -> str:
    """The expression in Coq, as a value of type `want`."""
    match node:
        case ast.IfExp(test=test, body=body, orelse=orelse):
            chosen = comparisons.choose(test, scope, lambda s: emit(body, s, want), lambda s: emit(orelse, s, want))
            return f"({chosen})"
        case ast.Constant(value=None) if isinstance(want, Option):
            return "None"
        case ast.Tuple(elts=elements) if isinstance(want, Items):
            return _list(elements, scope, want)
        case ast.Tuple(elts=[first, second]) if isinstance(want, Pair):
            return f"({emit(first, scope, want.first)}, {emit(second, scope, want.second)})"
        case _:
            have = infer(node, scope)
    if isinstance(want, Option) and have == want.of:
        return f"(Some {_plain(node, scope, have)})"
    if have != want:
        raise scope.source.refused(node, f"expected {want}, found {have}")
    return _plain(node, scope, have)


def _plain(node: ast.expr, scope: Scope, have: Shape) -> str:
    """The text of an expression whose type is known and needs no wrapping."""
    match node:
        case ast.Constant(value=bool(value)):
            return str(value).lower()
        case ast.Constant(value=int(number)):
            return str(number) if number >= 0 else f"({number})"
        case ast.Name(id=name):
            return name + "'" if name in scope.values else name
        case ast.Attribute():
            return _attribute(node, scope)[1]
        case ast.Call():
            return calls.emit_call(node, scope)
        case ast.Subscript(value=value, slice=ast.Slice(lower=lower)):
            return f"({'rev' if lower is None else 'tl'} {emit(value, scope, have)})"
        case ast.Tuple():
            return emit(node, scope, have)
        case ast.BinOp(left=left, op=op, right=right):
            return _arithmetic(node, left, op, right, scope, have)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return f"(- {emit(operand, scope, INT)})"
        case _:
            return comparisons.truth(node, scope)


def _arithmetic(node: ast.expr, left: ast.expr, op: ast.operator, right: ast.expr, scope: Scope, have: Shape) -> str:
    if isinstance(op, ast.Add) and isinstance(have, Items):
        return f"({emit(left, scope, have)} ++ {emit(right, scope, have)})"
    sign = _SIGNS.get(type(op))
    a, b = emit(left, scope, INT), emit(right, scope, INT)
    if sign is not None:
        return f"({a} {sign} {b})"
    if isinstance(op, ast.BitAnd):
        return f"(Z.land {a} {b})"
    if isinstance(op, ast.FloorDiv):
        # Both round down, and both are total for a divisor that is a positive number in the source.
        match right:
            case ast.Constant(value=int(number)) if number > 0 and not isinstance(number, bool):
                return f"({a} / {b})"
            case _:
                raise scope.source.refused(node, "only division by a positive number written out is in the subset")
    raise scope.source.refused(node, "this operator is outside the subset")


def _attribute(node: ast.Attribute, scope: Scope) -> tuple[Shape, str]:
    """Type and text of a record's field, a record's property, or an enum's member."""
    world = scope.world
    match node.value:
        case ast.Name(id=enum) if enum not in scope.values and scope.sees(enum, node) and enum in world.enums:
            if node.attr in world.enums[enum]:
                return Named(enum), node.attr
            raise scope.source.refused(node, f"{enum} has no such member")
        case _:
            shape = infer(node.value, scope)
    if isinstance(shape, Named):
        fields = world.records.get(shape.name, {})
        field = fields.get(node.attr) or world.properties.get((shape.name, node.attr))
        if field is not None:
            return field, f"({shape.name}_{node.attr} {emit(node.value, scope, shape)})"
    raise scope.source.refused(node, f"{shape} has no such field")


def _infer_tuple(node: ast.expr, elements: list[ast.expr], scope: Scope) -> Shape:
    starred = any(isinstance(element, ast.Starred) for element in elements)
    if len(elements) == 2 and not starred:
        return Pair(infer(elements[0], scope), infer(elements[1], scope))
    if len(elements) > 2 and not starred:
        raise scope.source.refused(node, "a tuple has two parts, or is a sequence with a star")
    shape: Shape = Items(Unknown())
    for element in elements:
        match element:
            case ast.Starred(value=value):
                part = infer(value, scope)
            case _:
                part = Items(infer(element, scope))
        both = common(shape, part)
        if not isinstance(both, Items):
            raise scope.source.refused(node, "the parts of this tuple have different types")
        shape = both
    return shape


def _list(elements: list[ast.expr], scope: Scope, want: Items) -> str:
    """A tuple as a list: single elements by `::` at the front, the rest joined by `++`."""
    parts: list[str] = []
    for element in elements:
        match element:
            case ast.Starred(value=value):
                parts.append(emit(value, scope, want))
            case _:
                parts.append(f"[{emit(element, scope, want.of)}]")
    return "[]" if not parts else parts[0] if len(parts) == 1 else "(" + " ++ ".join(parts) + ")"


def _infer_choice(node: ast.IfExp, scope: Scope) -> Shape:
    shapes: list[Shape] = []

    def note(branch: ast.expr, inner: Scope) -> str:
        shapes.append(infer(branch, inner))
        return ""

    comparisons.choose(node.test, scope, lambda s: note(node.body, s), lambda s: note(node.orelse, s))
    shape = shapes[0]
    for other in shapes[1:]:
        both = common(shape, other)
        if both is None:
            raise scope.source.refused(node, f"one branch is {shape}, the other {other}")
        shape = both
    return shape


def emit_open(node: ast.expr, scope: Scope, want: Shape | None) -> tuple[str, Shape]:
    """Text and type of an expression that is assigned to a name, whose type may be known already."""
    shape = infer(node, scope)
    if want is not None:
        if not fits(shape, want):
            raise scope.source.refused(node, f"expected {want}, found {shape}")
        shape = want
    return emit(node, scope, shape), shape
