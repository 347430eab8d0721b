"""What the translator knows of the program so far: its types, its functions, the names a module may use."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from py2coq.refusal import Source
from py2coq.shapes import BOOL, INT, KEY, Function, Items, Named, Option, Pair, Shape

_WORDS = """
    Arguments Axiom Bool Check Cofixpoint Context Definition End Eval Example Fixpoint Goal Import Inductive
    Key Lemma List Module Nat None Notation Order Prop Record Require Section Set Some Theorem Type Variable Z
    age_over_size andb app as at bool cofix cons else end eq exists existsb false filter fix fold_left
    fold_right for forall fst fun if in is_nil is_none is_some less let list map match mod nat negb nil option
    orb return rev seq smallest_first snd some sum_by then tl true unit using where with zrange
"""
COQ_WORDS = frozenset(_WORDS.split())


@dataclass
class World:
    """Everything declared so far, over all modules: names are flat in Coq, so each may be declared only once."""

    records: dict[str, dict[str, Shape]] = field(default_factory=dict[str, dict[str, Shape]])
    constructors: dict[str, dict[str, Shape]] = field(default_factory=dict[str, dict[str, Shape]])
    unions: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    enums: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    aliases: dict[str, Shape] = field(default_factory=dict[str, Shape])
    constants: dict[str, Shape] = field(default_factory=dict[str, Shape])
    functions: dict[str, Function] = field(default_factory=dict[str, Function])
    properties: dict[tuple[str, str], Shape] = field(default_factory=dict[tuple[str, str], Shape])
    pending: dict[str, ast.ClassDef] = field(default_factory=dict[str, ast.ClassDef])
    declared: set[str] = field(default_factory=set[str])
    ordered: bool = False

    def declare(self, name: str, node: ast.AST, source: Source) -> None:
        """Take `name` for good; refuse it if it is taken, or means something in Coq."""
        if name in self.declared:
            raise source.refused(node, f"the name {name} is declared twice")
        if name in COQ_WORDS or not name.isascii() or name.startswith("mk"):
            raise source.refused(node, f"the name {name} is taken in Coq")
        self.declared.add(name)

    def union_of(self, constructor: str) -> str | None:
        """The union that a dataclass belongs to."""
        return next((union for union, members in self.unions.items() if constructor in members), None)


def read_type(node: ast.expr, world: World, visible: set[str], source: Source) -> Shape:
    """The meaning of an annotation."""

    def read(inner: ast.expr) -> Shape:
        return read_type(inner, world, visible, source)

    match node:
        case ast.Name(id="int"):
            return INT
        case ast.Name(id="bool"):
            return BOOL
        case ast.Name(id=name) if name not in visible:
            raise source.refused(node, f"the type {name} is neither declared nor imported before")
        case ast.Name(id="Key") if world.ordered:
            return KEY
        case ast.Name(id="Rank") if world.ordered:
            return Function((Named("Block"), INT), KEY)
        case ast.Name(id=name) if name in world.aliases:
            return world.aliases[name]
        case ast.Name(id=name) if name in world.records or name in world.unions or name in world.enums:
            return Named(name)
        case ast.Name(id=name) if world.union_of(name) is not None:
            raise source.refused(node, f"{name} is one case of a union, not a type of its own")
        case ast.BinOp(left=left, op=ast.BitOr(), right=ast.Constant(value=None)):
            return Option(read(left))
        case ast.Subscript(value=ast.Name(id="tuple"), slice=ast.Tuple(elts=[of, ast.Constant(value=dots)])) if (
            dots is ...
        ):
            return Items(read(of))
        case ast.Subscript(value=ast.Name(id="tuple"), slice=ast.Tuple(elts=[first, second])):
            return Pair(read(first), read(second))
        case _:
            raise source.refused(node, "this type is outside the subset")
