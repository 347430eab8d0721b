"""Where a transcript lies: a path of this machine, or a URL.

Rule: what holds `://` is a URL and goes through fsspec (`remote.py`); everything else is a path. A URL is kept as it
was written.
"""

from __future__ import annotations

import os
from pathlib import Path, PurePath


class Url(str):
    """A URL, as written."""

    __slots__ = ()

    @property
    def protocol(self) -> str:
        """What stands before `://`."""
        return self.partition("://")[0]


class Missing(Exception):
    """What a URL needs is not installed. The message says how to get it."""


Place = Path | Url


def place(text: str) -> Place:
    """Return what `text` names."""
    return Url(text) if "://" in text else Path(text)


def local(where: Place) -> Path | None:
    """Return the path on this machine, also of a `file://` URL; None of any other URL."""
    if isinstance(where, Path):
        return where
    return Path(where.partition("://")[2]) if where.protocol in ("file", "local") else None


def parts(where: Place) -> tuple[str, ...]:
    """Return its parts, those of a path from the root on."""
    return PurePath(where.absolute() if isinstance(where, Path) else where).parts


def text(where: Place) -> bytes:
    """Return it as bytes that no other place has."""
    return os.fsencode(where.absolute() if isinstance(where, Path) else where)
