"""How a model's call of one of our tools is answered: fold_unit, zoom, search.

Rule: an answer is a text, and for a legal fold what is to be done when the turn ends. A wrong call gets one clear
sentence and changes nothing. Never raises on what a model may send.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from foldcover import Block
from foldcover_harness.session.legality import FOLD_UNIT, SEARCH, ZOOM, asked_of, whole
from foldcover_harness.session.search import Entry, Found
from foldcover_harness.session.state import Asked, State
from foldcover_harness.session.wires.values import is_object
from foldcover_harness.session.wires.wire import Call

MOST_TITLES: Final = 256
"""Titles that one zoom shows."""


class Answer(NamedTuple):
    """The answer to a call. `asked` is a legal fold, `failed` says that the call was refused."""

    text: str
    failed: bool = False
    asked: Asked | None = None


def answer(state: State, call: Call, search: Callable[[str], Found]) -> Answer:
    """The answer to a call of one of our tools."""
    if call.name == FOLD_UNIT.name:
        return _fold(state, call)
    return _zoom(state, call) if call.name == ZOOM.name else _search(call, search)


def titles(state: State, block: Block) -> list[str]:
    """The titles of a block's units, in order; [] where it is no block of this session."""
    inside = block.size >= 1 and block.start >= 0 and block.stop <= len(state.units)
    return [unit.title for unit in state.units[block.start : block.stop]] if inside else []


def searched(state: State) -> list[Entry]:
    """Everything that a search looks through, oldest first: the units, then what was compacted."""
    units = [Entry(number, unit.title, unit.archive) for number, unit in enumerate(state.units)]
    return units + [Entry(None, "compacted", name) for done in state.compactions for name in done.archives]


def _fold(state: State, call: Call) -> Answer:
    asked = asked_of(state, call.input)
    if isinstance(asked, str):
        return Answer(asked, failed=True)
    return Answer(f"Turns {asked.first} to {asked.last} will be folded when this turn ends.", asked=asked)


def _zoom(state: State, call: Call) -> Answer:
    given = call.input if is_object(call.input) else {}
    first, last = whole(given.get("from")), whole(given.get("to"))
    known = len(state.units)
    if first is None or last is None or not 0 <= first <= last < known:
        there = f"units 0 to {known - 1}" if known else "no unit yet"
        return Answer(f"{ZOOM.name} takes `from` and `to`, numbers of units; there is {there}.", failed=True)
    shown = state.units[first : min(last + 1, first + MOST_TITLES)]
    lines = [f"{first + at}: {unit.title} (archives/{unit.archive})" for at, unit in enumerate(shown)]
    left = last + 1 - first - len(shown)
    return Answer("\n".join([*lines, *([f"and {left} more"] if left else [])]))


def _search(call: Call, search: Callable[[str], Found]) -> Answer:
    text = call.input.get("text") if is_object(call.input) else None
    if not isinstance(text, str) or not text:
        return Answer(f"{SEARCH.name} takes `text`, the literal text to find.", failed=True)
    found = search(text)
    lines = [
        f"unit {hit.unit}, title: {hit.text}"
        if hit.line == 0
        else f"{hit.title if hit.unit is None else f'unit {hit.unit}'}, {hit.path}:{hit.line}: {hit.text}"
        for hit in found.hits
    ]
    lines += ["There is more; ask for a longer text."] if found.more else []
    lines += [f"could not be read: {name}" for name in found.missing]
    return Answer("\n".join(lines) or "Nothing was found.")
