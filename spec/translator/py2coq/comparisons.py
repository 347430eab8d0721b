"""Truth, comparison, and choices that know more in one branch than in the other (`x is None`)."""

from __future__ import annotations

import ast
from collections.abc import Callable

from py2coq import expressions
from py2coq.scope import Scope
from py2coq.shapes import BOOL, INT, KEY, Items, Named, Option

Branch = Callable[[Scope], str]

_ON_NUMBERS: dict[type[ast.cmpop], str] = {
    ast.Eq: "({0} =? {1})",
    ast.NotEq: "(negb ({0} =? {1}))",
    ast.Lt: "({0} <? {1})",
    ast.LtE: "({0} <=? {1})",
    ast.Gt: "({1} <? {0})",
    ast.GtE: "({1} <=? {0})",
}


def choose(test: ast.expr, scope: Scope, yes: Branch, no: Branch) -> str:
    """A choice. Where the test says whether a local name is None, the branches know."""
    match test:
        case ast.Compare(left=ast.Name(id=name), ops=[ast.Is()], comparators=[ast.Constant(value=None)]) if (
            name in scope.values
        ):
            return _open(name, test, scope, yes, no)
        case ast.Compare(left=ast.Name(id=name), ops=[ast.IsNot()], comparators=[ast.Constant(value=None)]) if (
            name in scope.values
        ):
            return _open(name, test, scope, no, yes)
        case ast.BoolOp(op=ast.Or(), values=[first, *rest]) if _asks_for_none(first):
            return choose(first, scope, yes, lambda s: choose(_joined(ast.Or(), rest), s, yes, no))
        case ast.BoolOp(op=ast.And(), values=[first, *rest]) if _asks_for_none(first):
            return choose(first, scope, lambda s: choose(_joined(ast.And(), rest), s, yes, no), no)
        case _:
            return f"if {condition(test, scope)} then {yes(scope)} else {no(scope)}"


def _asks_for_none(test: ast.expr) -> bool:
    match test:
        case ast.Compare(left=ast.Name(), ops=[ast.Is() | ast.IsNot()], comparators=[ast.Constant(value=None)]):
            return True
        case _:
            return False


def _joined(op: ast.boolop, values: list[ast.expr]) -> ast.expr:
    return values[0] if len(values) == 1 else ast.copy_location(ast.BoolOp(op, values), values[0])


def _open(name: str, test: ast.expr, scope: Scope, none: Branch, some: Branch) -> str:
    """A match on an option; in the second branch the name stands for what is inside."""
    shape = scope.values[name]
    if not isinstance(shape, Option):
        raise scope.source.refused(test, f"{name} is never None here")
    inner = scope.bind({name: shape.of})
    return f"match {name}' with None => {none(scope)} | Some {name}' => {some(inner)} end"


def condition(test: ast.expr, scope: Scope) -> str:
    """The test of a choice: a boolean, or a sequence (true unless empty)."""
    match test:
        case ast.BoolOp() | ast.Compare() | ast.UnaryOp():
            return truth(test, scope)
        case _:
            shape = expressions.infer(test, scope)
    if isinstance(shape, Items):
        return f"(negb (is_nil {expressions.emit(test, scope, shape)}))"
    return expressions.emit(test, scope, BOOL)


def truth(node: ast.expr, scope: Scope) -> str:
    """A boolean expression. `and`, `or`, `not` take booleans only, so they are the booleans' own."""
    match node:
        case ast.BoolOp(op=op, values=values):
            sign = " && " if isinstance(op, ast.And) else " || "
            return "(" + sign.join(truth(value, scope) for value in values) + ")"
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return f"(negb {truth(operand, scope)})"
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            return _compare(node, left, op, right, scope)
        case ast.Compare():
            raise scope.source.refused(node, "a chain of comparisons is outside the subset")
        case ast.Name() | ast.Attribute() | ast.Call() | ast.Constant() | ast.IfExp():
            return expressions.emit(node, scope, BOOL)
        case _:
            raise scope.source.refused(node, "not a boolean of the subset")


def _compare(node: ast.expr, left: ast.expr, op: ast.cmpop, right: ast.expr, scope: Scope) -> str:
    have = expressions.infer(left, scope)
    match op, right:
        case ((ast.Is() | ast.IsNot()), ast.Constant(value=None)):
            if not isinstance(have, Option):
                raise scope.source.refused(node, "this is never None")
            test = "is_none" if isinstance(op, ast.Is) else "is_some"
            return f"({test} {expressions.emit(left, scope, have)})"
        case _:
            if expressions.infer(right, scope) != have:
                raise scope.source.refused(node, "the two sides have different types")
    a, b = expressions.emit(left, scope, have), expressions.emit(right, scope, have)
    if have == INT and type(op) in _ON_NUMBERS:
        return _ON_NUMBERS[type(op)].format(a, b)
    if have == KEY and isinstance(op, ast.Lt):
        return f"(less {a} {b})"
    if (
        isinstance(have, Named)
        and isinstance(op, ast.Eq)
        and all(field == INT for field in scope.world.records.get(have.name, {"": BOOL}).values())
    ):
        return f"({have.name}_eqb {a} {b})"
    raise scope.source.refused(node, "this comparison is outside the subset")
