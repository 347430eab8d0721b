"""The doctor: whether what is on the disk is what was written, and whether the rule was kept.

Rule: it reads and changes nothing. Damage is named by file, line or unit; everything that can be read stays readable.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import foldcover as fc
from foldcover import Block, Settled, View
from foldcover_harness.session import archive
from foldcover_harness.session.disk import Disk
from foldcover_harness.session.folding import ARCHIVES
from foldcover_harness.session.journal import Journal, JournalError
from foldcover_harness.session.replaying import CANNOT_FOLLOW, begun
from foldcover_harness.session.state import State, apply, leaving
from foldcover_harness.session.wires.wire import Message


class Examined(NamedTuple):
    """What was found: troubles, a line each; and how much was looked at."""

    troubles: tuple[str, ...]
    notes: tuple[str, ...]
    events: int
    archives: int
    units: int


def examine(folder: Path, journal_name: str) -> Examined:
    """Check a session's folder: the journal, the view it makes, every archive against its sha256 and the journal's
    words, and what the journal says that settle merged against the rule.
    """
    troubles: list[str] = []
    notes: list[str] = []
    try:
        journal = Journal.open(Disk(), folder / journal_name, read_only=True)
    except (JournalError, OSError) as error:
        return Examined((str(error),), (), 0, 0, 0)
    if journal.torn:
        notes.append(
            f"{journal.torn} bytes of an unfinished event stand behind the last whole line; a writer cuts them off"
        )
    events = archives = 0
    try:
        state, _ = begun(journal)
    except JournalError as error:
        return Examined((str(error),), tuple(notes), 0, 0, 0)
    try:
        for event in journal.events():
            try:
                said = _messages_before(state, event)
                apply(state, event)
                if event["e"] in ("fold", "compact"):
                    archives += 1
                    troubles += _archive(folder, event, said)
            except CANNOT_FOLLOW as error:
                troubles.append(f"{journal.path}, line {events + 2}: {type(error).__name__}: {error}")
                break
            events += 1
    except (JournalError, OSError) as error:
        troubles.append(str(error))
    if fc.units(state.view) != len(state.units) or not fc.aligned(state.view):
        troubles.append(f"the view covers {fc.units(state.view)} units, the journal folded {len(state.units)}")
    troubles += _strays(folder, state, notes)
    return Examined(tuple(troubles), tuple(notes), events, archives, len(state.units))


def _messages_before(state: State, event: dict[str, Any]) -> list[Message]:
    """The messages that an event archives, as the journal has them."""
    if event.get("e") not in ("fold", "compact"):
        return []
    return [entry.message for entry in leaving(state, event)]


def _archive(folder: Path, event: dict[str, Any], said: list[Message]) -> Iterator[str]:
    path = folder / ARCHIVES / event["archive"]
    wrong = archive.verify(path, event["sha256"])
    if wrong is not None:
        yield f"{path} (turns {event['first']} to {event['last']}): {wrong}"
    else:
        _, kept = archive.read(path)
        if [exact(message) for message in kept] != [exact(message) for message in said]:
            yield f"{path}: its messages are not those of turns {event['first']} to {event['last']} in the journal"


def _strays(folder: Path, state: State, notes: list[str]) -> Iterable[str]:
    named = {unit.archive for unit in state.units} | {name for done in state.compactions for name in done.archives}
    here = {path.name for path in (folder / ARCHIVES).glob("*")} if (folder / ARCHIVES).is_dir() else set[str]()
    for name in sorted(here - named):
        notes.append(f"{folder / ARCHIVES / name} belongs to no unit: left behind by a kill")
    return ()


def exact(message: Message) -> str:
    """A message as JSON, to be compared byte for byte."""
    return json.dumps(message, ensure_ascii=True, separators=(",", ":"))


def original(folder: Path, journal_name: str) -> Iterator[Message]:
    """Every message of the session as it came, in order. A line of the journal that is damaged ends it
    (JournalError).
    """
    for event in Journal.open(Disk(), folder / journal_name, read_only=True).events():
        if event["e"] == "message":
            yield event["message"]


class Keeps(Protocol):
    """The operations that change a view, performed and recorded (foldcover_harness.trace.Recorder)."""

    def close(self, view: View, weight: int = 1) -> View:
        """Append a unit."""
        ...

    def write(self, view: View, block: Block, weight: int = 1) -> View:
        """Note that a line exists."""
        ...

    def settle(self, view: View, budget: int) -> Settled:
        """Merge down to half the budget."""
        ...


def record(folder: Path, journal_name: str, recorder: Keeps) -> int:
    """Let the life of the cover pass through a recorder, so that the laws can judge it. How many operations."""
    view, count = fc.EMPTY, 0
    for event in Journal.open(Disk(), folder / journal_name, read_only=True).events():
        if event["e"] == "fold":
            view = recorder.close(view, event["weight"])
        elif event["e"] == "line":
            view = recorder.write(view, Block(event["start"], event["size"]), event["weight"])
        elif event["e"] == "settle":
            view = recorder.settle(view, event["budget"]).view
        else:
            continue
        count += 1
    return count
