"""The contracts: one function for each law and n, generated from one template, judged by the law's own relation.

    def budget_settle_3(bits: tuple[bool, bool], weights: tuple[int, int, int, int], ...) -> bool:
        post: _
        return holds('budget', 'settle', 3, True, bits, weights, ...)

What is unknown in every contract: which blocks are split, whose line is written, the weight of every line, negative
ones included (not in `reads`: zoom is about units, so there lines are written and weigh 1). Beside that: close's
weight; write's block and weight; settle's and wanted's budget and rank (in `asks`, where every pair may merge, the rank
is unknown for n up to ASKS_RANKS_UP_TO and smallest_first above); zoom's range; the weights of two titles and the
budget of `quiet`, whose rank is smallest_first: nothing merges in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import repeat

from foldcover import smallest_first
from foldcover_laws.catalogue import LAWS, Law
from foldcover_laws.events import Asked, Closed, Event, Run, Settling, Wrote, Zoomed
from foldcover_laws.reading import Reading
from foldcover_laws.subject import core
from foldcover_laws.symbolic.encoding import INNER, block_of, plain_view_of, range_of, rank_of, view_of

ASKS_RANKS_UP_TO = 5
TITLES = 2

BY_SLUG = {law.slug: law for law in LAWS}


@dataclass(frozen=True, slots=True)
class Contract:
    """A law or pin on one operation, on views of `units` units; `ranks`: for every rank, else smallest first."""

    law: Law
    event: type[Event]
    units: int
    ranks: bool

    @property
    def name(self) -> str:
        """The name of the generated function."""
        return f"{self.law.slug}_{OPERATIONS[self.event]}_{self.units}"

    def parameters(self) -> dict[str, tuple[str, int | None]]:
        """The unknowns: a name, its type, and how many of them (None: one plain value)."""
        inner = len(INNER[self.units])
        lined = self.event is not Zoomed
        view = {"bits": ("bool", inner * (2 if lined else 1)), "weights": ("int", self.units + inner if lined else 0)}
        keys = {"keys": ("int", inner if self.ranks else 0)}
        one = ("int", None)
        match OPERATIONS[self.event]:
            case "close":
                return {**view, "weight": one}
            case "write":
                return {**view, "start": one, "size": one, "weight": one}
            case "zoom":
                return {**view, "start": one, "size": one}
            case "run":
                return {**view, "titles": ("int", TITLES), "budget": one}
            case _:
                return {**view, **keys, "budget": one}

    def source(self) -> str:
        """The function, as Python source."""
        unknown = self.parameters()
        signature = [f"{name}: {_type(*kind)}" for name, kind in unknown.items() if kind[1] != 0]
        arguments = [name if kind[1] != 0 else "()" for name, kind in unknown.items()]
        head = f"{self.law.slug!r}, {OPERATIONS[self.event]!r}, {self.units}, {self.ranks}"
        return (
            f"def {self.name}({', '.join(signature)}) -> bool:\n"
            f'    """\n    post: _\n    """\n'
            f"    return holds({head}, {', '.join(arguments)})\n"
        )

    def arguments(self, values: Sequence[object]) -> list[object]:
        """The arguments of `perform` from those of the generated function: what is not there is ()."""
        given = iter(values)
        return [next(given) if kind[1] != 0 else () for kind in self.parameters().values()]


def _type(name: str, count: int | None) -> str:
    return name if count is None else f"tuple[{', '.join(repeat(name, count))}]"


def contracts(slugs: Sequence[str], units: Sequence[int]) -> Iterator[Contract]:
    """The contracts of these laws for these n."""
    for slug in slugs:
        law = BY_SLUG[slug]
        for event in law.relations:
            for count in units:
                yield Contract(law, event, count, slug != "asks" or count <= ASKS_RANKS_UP_TO)


def holds(slug: str, operation: str, units: int, ranks: bool, *arguments: object) -> bool:
    """Perform the operation on the view that the arguments spell, and ask the law. What it does not speak of holds."""
    event = EVENTS[operation]
    if not is_premise(slug, units, arguments):
        return True
    return BY_SLUG[slug].relations[event](PERFORM[operation](units, ranks, *arguments)) is not False


def is_premise(slug: str, units: int, arguments: Sequence[object]) -> bool:
    """Whether the law may speak of these arguments. Where this is false it says None: a test demands it.

    Only to keep paths out of the operation whose result the law would not look at.
    """
    premise = PREMISES.get(slug)
    return premise is None or premise(units, *arguments)


def _budget(units: int, bits: Sequence[bool], weights: Sequence[int], keys: Sequence[int], budget: int) -> bool:
    return budget >= 0


def _fits(units: int, bits: Sequence[bool], weights: Sequence[int], keys: Sequence[int], budget: int) -> bool:
    return Reading(view_of(units, bits, weights)).weight <= budget


def _outgrew(units: int, bits: Sequence[bool], weights: Sequence[int], keys: Sequence[int], budget: int) -> bool:
    return not _fits(units, bits, weights, keys, budget)


def _quiet(units: int, bits: Sequence[bool], weights: Sequence[int], titles: Sequence[int], budget: int) -> bool:
    light = titles[0] >= 0 and titles[1] >= 0
    return light and Reading(view_of(units, bits, weights)).weight + titles[0] + titles[1] <= budget


PREMISES: dict[str, Callable[..., bool]] = {
    "budget": _budget,
    "fit_stable": _fits,
    "target": _outgrew,
    "quiet": _quiet,
}


def close(units: int, ranks: bool, bits: Sequence[bool], weights: Sequence[int], weight: int) -> Closed:
    """Close a unit of unknown weight."""
    return core().close(Reading(view_of(units, bits, weights)), weight)


def write(
    units: int, ranks: bool, bits: Sequence[bool], weights: Sequence[int], start: int, size: int, weight: int
) -> Wrote:
    """Write a line of unknown weight for an unknown block."""
    return core().write(Reading(view_of(units, bits, weights)), block_of(units, start, size), weight)


def settle(
    units: int, ranks: bool, bits: Sequence[bool], weights: Sequence[int], keys: Sequence[int], budget: int
) -> Settling:
    """Settle to an unknown budget."""
    rank = rank_of(units, keys) if ranks else smallest_first
    return core().settle(Reading(view_of(units, bits, weights)), budget, rank)


def wanted(
    units: int, ranks: bool, bits: Sequence[bool], weights: Sequence[int], keys: Sequence[int], budget: int
) -> Asked:
    """Ask what is wanted for an unknown budget."""
    rank = rank_of(units, keys) if ranks else smallest_first
    return core().ask(Reading(view_of(units, bits, weights)), budget, rank)


def zoom(units: int, ranks: bool, bits: Sequence[bool], weights: Sequence[int], start: int, size: int) -> Zoomed:
    """Zoom into an unknown range; every line is written and weighs 1."""
    return core().zoom(Reading(plain_view_of(units, bits)), range_of(units, start, size))


def run(
    units: int, ranks: bool, bits: Sequence[bool], weights: Sequence[int], titles: Sequence[int], budget: int
) -> Run:
    """Close two titles of unknown weight, with a settle after each."""
    return core().run(Reading(view_of(units, bits, weights)), tuple(titles), budget, smallest_first)


PERFORM: dict[str, Callable[..., Event]] = {
    "close": close,
    "write": write,
    "settle": settle,
    "wanted": wanted,
    "zoom": zoom,
    "run": run,
}
EVENTS: dict[str, type[Event]] = {
    "close": Closed,
    "write": Wrote,
    "settle": Settling,
    "wanted": Asked,
    "zoom": Zoomed,
    "run": Run,
}
OPERATIONS: dict[type[Event], str] = {event: operation for operation, event in EVENTS.items()}
