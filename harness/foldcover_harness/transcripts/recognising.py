"""What the outermost keys of an object tell.

Rule: a reader says by the keys of one object, and by few small values, whether its client wrote it.
"""

from __future__ import annotations

from typing import TypeAlias

import msgspec
from msgspec import Raw

from foldcover_harness.transcripts.tolerant import FAULTS

Keys: TypeAlias = dict[str, Raw]
"""The keys of an object with their undecoded values."""


def kind_of(keys: Keys) -> str:
    """Return the object's type; "" where it has none that is a text."""
    return text_of(keys, "type")


def text_of(keys: Keys, name: str) -> str:
    """Return the text under a key; "" where there is none."""
    try:
        return msgspec.json.decode(keys.get(name, b'""'), type=str)
    except FAULTS:
        return ""


def has(keys: Keys, name: str, first: bytes) -> bool:
    """Whether the value under a key begins with that byte: `{` an object, `[` a list, `"` a text."""
    return bytes(memoryview(keys.get(name, b""))[:1]) == first
