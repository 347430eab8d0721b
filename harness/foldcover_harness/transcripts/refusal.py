"""The one way in which a file is refused.

Rule: a reader raises on a whole file only, never on a line of it.
"""

from __future__ import annotations


class RefusedError(Exception):
    """A file cannot be read as a transcript. The message is the reason, in words for the user."""
