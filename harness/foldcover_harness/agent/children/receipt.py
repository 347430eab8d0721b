"""The receipt of a subagent: what the host itself knows of it, and its last words.

Rule: everything is read from the child's own journal, so that a receipt is the same before and after a kill. Its words
stand behind bars, so that no line of them can look like the host's.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from foldcover_harness.agent.children.child import ENDED, SPENT, Ending, How
from foldcover_harness.agent.spent import NOT_REPORTED, Spent
from foldcover_harness.session.disk import Disk
from foldcover_harness.session.journal import Event, Journal, JournalError
from foldcover_harness.session.lines import one_line
from foldcover_harness.session.place import JOURNAL
from foldcover_harness.session.receipt import quoted, tool_calls
from foldcover_harness.session.wires import WIRES
from foldcover_harness.session.wires.wire import Wire

MOST_WORDS: Final = 20_000
"""Characters of the last words that are shown."""
MOST_WHY: Final = 300
_NAME: Final = 60
_SAID: Final[dict[How, str]] = {
    "done": "done",
    "time limit": "stopped at its time limit, before it was done",
    "token limit": "stopped at its token limit, before it was done",
    "crashed": "crashed",
    "cancelled": "cancelled when the session was closed, before it was done",
    "interrupted": "interrupted by the end of the process, before it was done",
}


class Seen(NamedTuple):
    """What a child's journal says."""

    calls: tuple[tuple[str, int], ...] = ()
    """Tool calls by name, the most frequent first."""
    words: str = ""
    """The model's last words."""
    spent: Spent = Spent()
    ending: Ending | None = None
    """None where it was ended from outside."""


def seen(wire: Wire, events: Iterable[Event]) -> Seen:
    """What the events of a child's session amount to."""
    requests, calls, words, kept = 0, Counter[str](), "", dict[str, object]()
    for event in events:
        if event["e"] == "keep":
            kept[event["name"]] = event["value"]
        elif event["e"] == "message" and event["role"] == "assistant":
            requests += 1
            calls.update(one_line(call.name, _NAME) for call in wire.calls(event["message"]))
            said = wire.said(event["message"])
            words = said if said.strip() else words
    spent = msgspec.convert(kept.get(SPENT, {}), Spent)
    if uncounted := requests - spent.requests:  # a kill came between an answer and its count
        spent = msgspec.structs.replace(spent, requests=requests, unreported=spent.unreported + uncounted)
    ending = msgspec.convert(kept[ENDED], Ending) if ENDED in kept else None
    return Seen(tuple(calls.most_common()), words, spent, ending)


def head(number: int) -> str:
    """How the receipt of a child begins."""
    return f"[foldcover receipt] Subagent {number}, "


def receipt(number: int, title: str, folder: Path, ending: Ending | None) -> str:
    """The receipt of a child that worked in the folder, or was to. `ending` is how it ended, where that is known
    without its journal.
    """
    path = folder / JOURNAL
    try:
        journal = Journal.open(Disk(), path, read_only=True)
        found, trouble = seen(WIRES[journal.header["wire"]], journal.events()), None
    except FileNotFoundError:
        found, trouble = Seen(), "none: it had not begun"
    except (JournalError, OSError, msgspec.ValidationError) as error:
        found, trouble = Seen(), f"{path} cannot be read: {one_line(str(error), MOST_WHY)}"
    ended = ending or found.ending or Ending("interrupted")
    return "\n".join(_lines(number, title, ended, found, trouble or str(path)))


def _lines(number: int, title: str, ended: Ending, found: Seen, transcript: str) -> Iterator[str]:
    why = f": {one_line(ended.why, MOST_WHY)}" if ended.why else ""
    yield f'{head(number)}"{title}": {_SAID[ended.how]}{why}.'
    yield f"requests: {found.spent.requests}; {tool_calls(found.calls)}"
    # What was asked and not answered may have cost something.
    yield f"spent: {found.spent.tokens if found.spent.requests else NOT_REPORTED}"
    yield f"transcript: {transcript}"
    if not found.words:
        yield "last words: none"
        return
    yield "last words:"
    yield from quoted(found.words[:MOST_WORDS])
    if len(found.words) > MOST_WORDS:
        yield f"(cut here; they have {len(found.words):,} characters, all in the transcript)"
