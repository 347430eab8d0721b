"""The receipt of a fold: what the host itself knows of the folded turns.

Rule: no model is asked. Calls, paths, commands and failures are counted, so they cannot be wrong; every message of
the user and the model's closing message stand word for word, each line of theirs behind a bar. Lines of the host's
own never begin with a bar, so nothing that was said or called can look like them. (First post, "How a fold works".)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from foldcover_harness.session.lines import counted, one_line
from foldcover_harness.session.state import Entry, Said
from foldcover_harness.session.touched import is_shell, paths_of
from foldcover_harness.session.wires.values import compact
from foldcover_harness.session.wires.wire import Call, Wire

BAR: Final = "| "
"""Begins every line that is quoted."""
MOST_PATHS: Final = 200
MOST_CALLS: Final = 50
"""Failed and unanswered calls that are shown, of each kind; all are counted."""
MOST_NAMES: Final = 40
_CALL: Final = 160
_NAME: Final = 60


class Receipt(NamedTuple):
    """What is known of a range of turns."""

    first: int
    last: int
    calls: tuple[tuple[str, int], ...]
    """Tool calls by name, the most frequent first."""
    commands: int
    """Calls of shell tools."""
    paths: tuple[str, ...]
    """Every path that a call names, in the order of first naming."""
    failed: tuple[str, ...]
    """The calls that failed, in the order in which they did, each as one line."""
    unanswered: tuple[str, ...]
    """The calls that have no result."""
    users: tuple[Said, ...]
    """Every message of the user, and every one of the host's in its place."""
    closing: str
    """The model's last words."""
    elsewhere: tuple[str, ...] = ()
    """Archives of messages that a compaction took out of these turns while they were in progress; nothing of them is
    counted here.
    """

    @property
    def total(self) -> int:
        """The number of tool calls."""
        return sum(count for _, count in self.calls)

    @property
    def text(self) -> str:
        """The receipt as a text for people and grep."""
        return "\n".join(_lines(self))


def receipt_of(wire: Wire, entries: Sequence[Entry], first: int, last: int, elsewhere: tuple[str, ...] = ()) -> Receipt:
    """The receipt of the turns `first` to `last`: their messages are `entries`, and those in archives `elsewhere`."""
    calls: list[Call] = []
    waiting: list[Call] = []
    answered: dict[str, Call] = {}
    failed: list[str] = []
    users: list[Said] = []
    closing = ""
    for entry in entries:
        if entry.role == "user":
            users.append(Said(first + len(users), wire.said(entry.message), entry.host))
        elif entry.role == "assistant":
            made = wire.calls(entry.message)
            calls += made
            waiting += made
            said = wire.said(entry.message)
            closing = said if said.strip() else closing
        else:
            failures = Counter(wire.failures(entry.message))
            for id_ in wire.answers(entry.message):
                call = next((each for each in waiting if each.id == id_), None)
                if call is not None:
                    waiting.remove(call)
                    answered[id_] = call
                if failures[id_] > 0:
                    failures[id_] -= 1
                    failed.append(_shown(answered.get(id_), id_))
    names = Counter(one_line(call.name, _NAME) for call in calls)
    unanswered = tuple(_shown(call, call.id) for call in waiting)
    commands = sum(map(is_shell, calls))
    paths = tuple(paths_of(calls))
    return Receipt(
        first,
        last,
        tuple(names.most_common()),
        commands,
        paths,
        tuple(failed),
        unanswered,
        tuple(users),
        closing,
        elsewhere,
    )


def turns_of(first: int, last: int) -> str:
    """How a range of turns is written."""
    return f"turn {first}" if first == last else f"turns {first}-{last}"


def tool_calls(calls: Sequence[tuple[str, int]]) -> str:
    """How many tool calls there were, in all and by name."""
    names = ", ".join(f"{name} {count}" for name, count in calls[:MOST_NAMES])
    more = len(calls) - MOST_NAMES
    others = f", and {counted(more, 'other tool')}" if more > 0 else ""
    total = sum(count for _, count in calls)
    return f"tool calls: {total}" + (f" ({names}{others})" if names else "")


def quoted(text: str) -> Iterator[str]:
    """The lines of a text, each behind a bar; one empty line for an empty text."""
    for line in text.splitlines() or [""]:
        yield BAR + line


def _shown(call: Call | None, id_: str) -> str:
    if call is None:
        return one_line(f"a call that is not in these turns, id {id_}", _CALL)
    given = call.input if isinstance(call.input, str) else compact(call.input)
    return one_line(f"{call.name} {given}", _CALL)


def _lines(receipt: Receipt) -> Iterator[str]:
    yield turns_of(receipt.first, receipt.last)
    for name in receipt.elsewhere:
        yield f"compacted earlier, and not counted here: the messages in archives/{name}"
    yield tool_calls(receipt.calls)
    yield f"shell commands: {receipt.commands}"
    yield from _list("failed calls", receipt.failed, MOST_CALLS)
    yield from _list("unanswered calls", receipt.unanswered, MOST_CALLS)
    yield from _list("paths", receipt.paths, MOST_PATHS)
    for said in receipt.users:
        yield f"{said.who}:"
        yield from quoted(said.words)
    yield "closing message:" if receipt.closing else "closing message: none"
    if receipt.closing:
        yield from quoted(receipt.closing)


def _list(name: str, items: Sequence[str], most: int) -> Iterator[str]:
    hidden = len(items) - most
    yield f"{name}: {len(items)}" + (f" (the first {most} are shown)" if hidden > 0 else "")
    for item in items[:most]:
        yield BAR + item
