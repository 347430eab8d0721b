"""Where an agent's sessions are kept unless it is told: one folder a working folder, one below it a session.

Rule: outside of the working folder, which belongs to the user; named so that a person finds them, the newest last.
"""

from __future__ import annotations

import hashlib
import os
from datetime import datetime
from pathlib import Path

from foldcover_harness.session import SessionError
from foldcover_harness.session.place import JOURNAL


def here() -> Path:
    """The working folder. SessionError where it was deleted."""
    try:
        return Path.cwd()
    except FileNotFoundError as error:
        raise SessionError("the working folder is gone") from error


def sessions(root: Path) -> Path:
    """The folder of all sessions of a working folder. SessionError where nothing says where a user's files are."""
    digest = hashlib.sha256(os.fsencode(root)).hexdigest()[:8]
    return _state() / "foldcover" / f"{root.name or 'root'}-{digest}"


def fresh(root: Path, now: datetime) -> Path:
    """A folder for a new session that is not there yet."""
    wanted = sessions(root) / now.strftime("%Y-%m-%d-%H%M%S")
    folder, number = wanted, 1
    while folder.exists():
        number += 1
        folder = wanted.with_name(f"{wanted.name}-{number}")
    return folder


def newest(root: Path) -> Path | None:
    """The folder of the session that was begun last; None if there is none."""
    found = [each.parent for each in sessions(root).glob(f"*/{JOURNAL}")]
    return max(found, key=lambda each: each.name, default=None)


def _state() -> Path:
    state = os.environ.get("XDG_STATE_HOME", "")
    if os.path.isabs(state):
        return Path(state)
    try:
        return Path.home() / ".local" / "state"
    except RuntimeError as error:
        raise SessionError("there is no home folder; set XDG_STATE_HOME, or name a folder with --dir") from error
