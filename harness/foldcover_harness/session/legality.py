"""Which folds are legal, and the tools by which the model asks.

Rule: a fold is legal if its turns exist and are all open, and the turn in progress, the last one, is not among them. An
illegal call changes nothing and is answered with one sentence and the turns that can be folded. The tools never change:
they are a part of the standing prompt. (First post, "How a fold works".)
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, Final

from foldcover_harness.session.state import Asked, State
from foldcover_harness.session.wires.values import is_object
from foldcover_harness.session.wires.wire import Message, Role, Tool

FOLD_UNIT: Final = Tool(
    "fold_unit",
    "Close a finished piece of work: the turns `from` to `to` leave the prompt when the present turn ends, and one "
    "title line stays. Their messages are kept word for word in an archive file that the line names. Use the "
    "turn numbers "
    "printed on the card. The present turn cannot be folded. A turn that settles a design is finished only when its "
    "decisions stand in a file or in the title.",
    {
        "type": "object",
        "properties": {
            "from": {"type": "integer", "description": "the first turn"},
            "to": {"type": "integer", "description": "the last turn, included"},
            "title": {
                "type": "string",
                "description": "one line: what was done, what was decided, the names needed to find it again",
            },
        },
        "required": ["from", "to"],
    },
)
ZOOM: Final = Tool(
    "zoom",
    "Show what a line of the cover stands for: the titles of the units `from` to `to`, each with its archive. The "
    "archives are plain files: read or grep them for the messages themselves.",
    {
        "type": "object",
        "properties": {
            "from": {"type": "integer", "description": "the first unit"},
            "to": {"type": "integer", "description": "the last unit, included"},
        },
        "required": ["from", "to"],
    },
)
SEARCH: Final = Tool(
    "search",
    "Find a literal text in folded work: titles first, then the archives, with file and line.",
    {
        "type": "object",
        "properties": {"text": {"type": "string", "description": "the text, as it stands there"}},
        "required": ["text"],
    },
)
OURS: Final = (FOLD_UNIT, ZOOM, SEARCH)
_WHOLE = re.compile(r"\s*([+-]?[0-9]{1,9})(?:\.0{1,9})?\s*")


def whole(value: Any) -> int | None:
    """The whole number that a model meant by a value: 3, 3.0, "3"; None for anything else, true and false too."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    found = _WHOLE.fullmatch(value) if isinstance(value, str) else None
    return int(found[1]) if found else None


def foldable(state: State, present: int) -> list[int]:
    """The numbers of the turns before the present one that can be folded now."""
    return [number for number in range(present) if _trouble(state, number) is None]


def asked_of(state: State, given: Any) -> Asked | str:
    """What a call of fold_unit asks for, or why it is refused. Reading it changes nothing."""
    if not is_object(given):
        return "fold_unit takes an object with from, to and, if you like, a title."
    first, last, title = whole(given.get("from")), whole(given.get("to")), given.get("title")
    present = _users(state)
    for name, number in (("from", first), ("to", last)):
        if number is None:
            return f"`{name}` must be the number of a turn. {_choice(state, present)}"
    if first is None or last is None:
        return f"`from` and `to` must be numbers of turns. {_choice(state, present)}"
    if title is not None and not isinstance(title, str):
        return f"`title` must be a text. {_choice(state, present)}"
    refused = _refused(state, first, last, present)
    return refused or Asked(first, last, title if title and title.strip() else None)


def refuse_message(state: State, role: Role, message: Message) -> str | None:
    """Why a message cannot be noted now; None if it can."""
    refused = state.wire.refuse(role, message)
    if refused is not None:
        return f"not a {role} message for {state.wire.name}: {refused}"
    if role != "user" and (not state.turns or not state.turns[-1].open):
        return f"a {role} message needs a user message before it"
    return None


def refuse_fold(state: State, first: int, last: int) -> str | None:
    """Why the host cannot fold the turns; None if it can. The model can fold no turn from the user's last one on: what
    the host opened behind it belongs to the same work.
    """
    return _refused(state, first, last, len(state.turns) - 1)


def _users(state: State) -> int:
    """The last open turn that a user opened; the last of all if there is none."""
    last = len(state.turns) - 1
    opened = (at for at in range(last, -1, -1) if (there := state.turns[at].entries) and not there[0].host)
    return next(opened, last)


def _refused(state: State, first: int, last: int, present: int) -> str | None:
    why = _illegal(state, first, last, present)
    return why and f"{why} {_choice(state, present)}"


def _illegal(state: State, first: int, last: int, present: int) -> str | None:
    for number in (first, last):
        if not 0 <= number < len(state.turns):
            shown = number if abs(number) < 10**9 else "of that number"
            return f"There is no turn {shown}."
    if first > last:
        return f"The range is reversed: {first} comes after {last}."
    if last >= present:
        return f"Turn {last} is in progress and cannot be folded before it is over."
    return next((why for number in range(first, last + 1) if (why := _trouble(state, number))), None)


def _trouble(state: State, number: int) -> str | None:
    turn = state.turns[number]
    if turn.unit is not None:
        return f"Turn {number} is folded already, in unit {turn.unit}; folds do not nest."
    if turn.compacted or not turn.open:
        return f"Turn {number} was compacted: a summary stands for it."
    if any(asked.first <= number <= asked.last for asked in state.asked):
        return f"Turn {number} will be folded when the present turn ends, as was asked already."
    return None


def _choice(state: State, present: int) -> str:
    numbers = foldable(state, present)
    return f"Turns that can be folded: {', '.join(ranges(numbers))}." if numbers else "No turn can be folded now."


def ranges(numbers: Sequence[int]) -> Iterable[str]:
    """Ascending numbers as ranges, "3-5"."""
    start = 0
    for at, number in enumerate(numbers):
        if at + 1 == len(numbers) or numbers[at + 1] != number + 1:
            yield f"{numbers[start]}-{number}" if at > start else str(number)
            start = at + 1
