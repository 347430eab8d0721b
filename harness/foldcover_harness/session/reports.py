"""What the session tells its caller.

Rule: a report says what was done and what could not be, in plain words; nothing is papered over.
"""

from __future__ import annotations

from typing import NamedTuple

from foldcover import Block, Outcome
from foldcover_harness.session.prompt import Load


class SessionError(Exception):
    """A call that the session cannot take, with one clear line. Nothing was changed."""


class TurnReport(NamedTuple):
    """What the end of a turn came to."""

    folded: tuple[str, ...]
    """The titles of the units that were folded, in order."""
    written: tuple[Block, ...]
    """Blocks whose line was written."""
    merged: tuple[Block, ...]
    """Blocks that were merged, in order."""
    outcome: Outcome
    """How the cover's settle ended; FITS also where nothing closed."""
    compacted: bool
    """Whether a summary took the place of the tail."""
    load: Load
    """What the next request weighs, by estimate."""
    said: tuple[str, ...]
    """What could not be done, or what the user should know: a line each. Nothing is said twice in a row."""
