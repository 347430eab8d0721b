"""Calls: constructors, functions of the program, `sum`, `tuple` and `range`; slices."""

from __future__ import annotations

import ast

from py2coq import comparisons, expressions
from py2coq.scope import Scope
from py2coq.shapes import INT, Function, Items, Named, Shape, coq_type


def _callee(node: ast.Call, scope: Scope) -> tuple[str, Function]:
    """Text and type of what is called."""
    world = scope.world
    if node.keywords:
        raise scope.source.refused(node, "arguments are given by position")
    match node.func:
        case ast.Name(id=name) if name in scope.values:
            shape, text = scope.values[name], name + "'"
        case ast.Name(id=name) if not scope.sees(name, node):
            raise scope.source.refused(node, f"{name} is neither declared nor imported before")
        case ast.Name(id=name) if name in world.records:
            shape, text = Function(tuple(world.records[name].values()), Named(name)), f"mk{name}"
        case ast.Name(id=name) if (union := world.union_of(name)) is not None:
            shape, text = Function(tuple(world.constructors[name].values()), Named(union)), name
        case ast.Name(id=name) if name in world.functions:
            shape, text = world.functions[name], name
        case ast.Attribute():
            shape, text = expressions.infer(node.func, scope), ""
        case _:
            raise scope.source.refused(node, "this call is outside the subset")
    if not isinstance(shape, Function):
        raise scope.source.refused(node, "this is not a function")
    return text or expressions.emit(node.func, scope, shape), shape


def _walked(node: ast.Call, scope: Scope) -> tuple[ast.expr, str, str, Scope] | None:
    """The parts of `f(body for name in items [if test])`: body, name, items in Coq, the scope of the body."""
    match node.args:
        case [ast.GeneratorExp(elt=body, generators=[ast.comprehension(ast.Name(id=name), items, tests, 0)])]:
            text, of = iterated(items, scope)
            if name in scope.values or len(tests) > 1:
                raise scope.source.refused(node, f"the name {name} is taken, or there is more than one test")
            inner = scope.bind({name: of})
            for test in tests:
                text = f"(filter (fun {name}' => {comparisons.condition(test, inner)}) {text})"
            return body, name, text, inner
        case _:
            return None


def iterated(items: ast.expr, scope: Scope) -> tuple[str, Shape]:
    """What is walked over, as a list, and the type of its elements."""
    match items:
        case ast.Call(func=ast.Name(id="reversed"), args=[of], keywords=[]) if builtin("reversed", items, scope):
            text, shape = iterated(of, scope)
            return f"(rev {text})", shape
        case ast.Call(func=ast.Name(id="range"), args=[low, high], keywords=[]) if builtin("range", items, scope):
            return f"(zrange {expressions.emit(low, scope, INT)} {expressions.emit(high, scope, INT)})", INT
        case _:
            shape = expressions.infer(items, scope)
    if not isinstance(shape, Items):
        raise scope.source.refused(items, "only tuples, reversed tuples and ranges are walked over")
    return expressions.emit(items, scope, shape), shape.of


def builtin(name: str, node: ast.AST, scope: Scope) -> bool:
    """Whether `name` means Python's own function here: refused where the module has given it another meaning."""
    if name in scope.values or scope.sees(name, node):
        raise scope.source.refused(node, f"{name} does not mean Python's own here")
    return True


def infer_call(node: ast.Call, scope: Scope) -> Shape:
    """The type of a call's result."""
    match node.func:
        case ast.Name(id="sum") if builtin("sum", node, scope):
            return INT
        case ast.Name(id="tuple") if builtin("tuple", node, scope):
            walked = _walked(node, scope)
            if walked is None:
                raise scope.source.refused(node, "tuple takes a generator here")
            return Items(expressions.infer(walked[0], walked[3]))
        case _:
            return _callee(node, scope)[1].gives


def emit_call(node: ast.Call, scope: Scope) -> str:
    """The text of a call. Every argument must be given: defaults are the caller's convenience, not the rule's."""
    match node.func:
        case ast.Name(id=("sum" | "tuple") as name) if name not in scope.values:
            walked = _walked(node, scope)
            if walked is None or node.keywords:
                raise scope.source.refused(node, f"{name} takes one generator here")
            body, variable, items, inner = walked
            shape = INT if name == "sum" else expressions.infer(body, inner)
            how = "sum_by" if name == "sum" else "map"
            return f"({how} (fun {variable}' => {expressions.emit(body, inner, shape)}) {items})"
        case _:
            text, shape = _callee(node, scope)
    if len(node.args) != len(shape.takes) or any(isinstance(argument, ast.Starred) for argument in node.args):
        raise scope.source.refused(node, f"takes {len(shape.takes)} arguments, all to be given")
    arguments = [expressions.emit(a, scope, s) for a, s in zip(node.args, shape.takes, strict=True)]
    return "(" + " ".join([text, *arguments]) + ")"


def infer_slice(node: ast.Subscript, scope: Scope) -> Shape:
    """The type of `items[1:]` or `items[::-1]`; every other subscript is refused."""
    match node.slice:
        case ast.Slice(lower=ast.Constant(value=1), upper=None, step=None):
            pass
        case ast.Slice(lower=None, upper=None, step=ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=1))):
            pass
        case _:
            raise scope.source.refused(node, "of subscripts only [1:] and [::-1] are in the subset")
    shape = expressions.infer(node.value, scope)
    if not isinstance(shape, Items):
        raise scope.source.refused(node, f"{coq_type(shape)} is not a sequence")
    return shape
