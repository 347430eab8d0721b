"""The types of the subset and how they are written in Coq."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Named:
    """A type known by name: Z, bool, Key, a record, a union or an enum."""

    name: str


@dataclass(frozen=True)
class Nothing:
    """The type of None, before it is known what is missing."""


@dataclass(frozen=True)
class Unknown:
    """The element type of an empty tuple."""


@dataclass(frozen=True)
class Option:
    """`X | None`."""

    of: Shape


@dataclass(frozen=True)
class Items:
    """`tuple[X, ...]`: a list."""

    of: Shape


@dataclass(frozen=True)
class Pair:
    """`tuple[X, Y]`: a pair."""

    first: Shape
    second: Shape


@dataclass(frozen=True)
class Function:
    """`Callable[[X, Y], Z]`."""

    takes: tuple[Shape, ...]
    gives: Shape


Shape = Named | Nothing | Unknown | Option | Items | Pair | Function

INT, BOOL, KEY = Named("Z"), Named("bool"), Named("Key")


def coq_type(shape: Shape) -> str:
    """The type in Coq's words; anything but a name stands in parentheses."""
    match shape:
        case Named(name):
            return name
        case Option(of):
            return f"(option {coq_type(of)})"
        case Items(of):
            return f"(list {coq_type(of)})"
        case Pair(first, second):
            return f"({coq_type(first)} * {coq_type(second)})"
        case Function(takes, gives):
            return "(" + " -> ".join(coq_type(x) for x in (*takes, gives)) + ")"
        case Nothing() | Unknown():
            return "_"


def fits(have: Shape, want: Shape) -> bool:
    """Whether a value of type `have` may stand where `want` is expected (perhaps wrapped in Some)."""
    if have == want or isinstance(have, Unknown):
        return True
    match have, want:
        case Nothing(), Option(_):
            return True
        case Option(a), Option(b):
            return fits(a, b)
        case _, Option(b):
            return fits(have, b)
        case Items(a), Items(b):
            return fits(a, b)
        case Pair(a, b), Pair(c, d):
            return fits(a, c) and fits(b, d)
        case Pair(a, b), Items(c):
            return fits(a, c) and fits(b, c)
        case _:
            return False


def common(a: Shape, b: Shape) -> Shape | None:
    """The type of a value that is either an `a` or a `b`; None if there is none in the subset."""
    if isinstance(a, Nothing) and not isinstance(b, Nothing | Option):
        return Option(b)
    if isinstance(b, Nothing) and not isinstance(a, Nothing | Option):
        return Option(a)
    match a, b:
        case Pair(p, q), Pair(r, s):
            first, second = common(p, r), common(q, s)
            return None if first is None or second is None else Pair(first, second)
        case _:
            pass
    return b if fits(a, b) else a if fits(b, a) else None


def settled(shape: Shape) -> bool:
    """Whether nothing in the type is left open."""
    match shape:
        case Nothing() | Unknown():
            return False
        case Option(of) | Items(of):
            return settled(of)
        case Pair(first, second):
            return settled(first) and settled(second)
        case Named() | Function():
            return True
