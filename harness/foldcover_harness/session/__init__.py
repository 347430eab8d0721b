"""The harness library: a session that folds finished work, keeps the cover, and loses nothing.

Read in this order: session (what a loop talks to), state, prompt, legality, card, receipt, titles, folding, keeper,
writers, compacting; then what is below: wires, place, journal, archive, disk, lock, search.
"""

from foldcover_harness.session.reports import SessionError, TurnReport
from foldcover_harness.session.session import Session
from foldcover_harness.session.settings import Settings
from foldcover_harness.session.wires.wire import Call
from foldcover_harness.session.writers import Inputs, Writer, command, index

__all__ = ["Call", "Inputs", "Session", "SessionError", "Settings", "TurnReport", "Writer", "command", "index"]
