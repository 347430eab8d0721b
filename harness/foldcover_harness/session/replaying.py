"""A session's state from its journal.

Rule: what cannot be read or cannot follow is a JournalError that names the line; nothing is skipped or guessed.
"""

from __future__ import annotations

from foldcover_harness.session.journal import Journal, JournalDamaged
from foldcover_harness.session.settings import Settings, settings_of
from foldcover_harness.session.state import State, apply
from foldcover_harness.session.wires import WIRES
from foldcover_harness.session.wires.values import is_object

CANNOT_FOLLOW = (ValueError, KeyError, TypeError, IndexError, AttributeError)
"""What `apply` raises on an event that nobody could have noted here."""


def begun(journal: Journal) -> tuple[State, Settings]:
    """The empty state and the settings that a journal's header chooses. JournalDamaged."""
    header = journal.header
    wire = header.get("wire")
    if not isinstance(wire, str) or wire not in WIRES:
        raise JournalDamaged(journal.path, 1, f"no wire {wire!r:.40}: one of {', '.join(WIRES)}")
    settings, standing = header.get("settings"), header.get("standing")
    if not is_object(settings) or not is_object(standing):
        raise JournalDamaged(journal.path, 1, "no settings or no standing part")
    try:
        return State(WIRES[wire]), settings_of(settings)
    except (ValueError, TypeError) as error:
        raise JournalDamaged(journal.path, 1, str(error)) from error


def replay(journal: Journal) -> tuple[State, Settings]:
    """The state after all events, and the settings. JournalDamaged, OSError."""
    state, settings = begun(journal)
    for number, event in enumerate(journal.events(), 2):
        try:
            apply(state, event)
        except CANNOT_FOLLOW as error:
            raise JournalDamaged(journal.path, number, f"{type(error).__name__}: {error}") from error
    return state, settings
