"""Typed decoding that never fails on a line.

Rule: a line is decoded into a Struct of just the needed fields. Where one of those fields has a type that
the format does not give it, that field alone is dropped and reported by its path; the rest of the line is
used.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator
from typing import Any, Final, TypeVar, get_args, get_type_hints

import msgspec

from foldcover_harness.transcripts import jsonlines

T = TypeVar("T", bound=msgspec.Struct)
FAULTS: Final = (ValueError, RecursionError, TypeError, OverflowError)
"""What msgspec raises on bytes that are not the JSON that was asked for (its own errors are ValueErrors)."""

UNREADABLE: Final = "text that is not JSON"
MENDED: Final = "a line that had to be mended or taken apart"


def rescue(line: bytes, kind: type[T], complain: Callable[[str], None]) -> Iterator[T]:
    """Yield what can be read of a line that did not decode; report every fault once through `complain`."""
    if not line.strip(b" \t\r\n\0\xef\xbb\xbf"):
        return
    # Most such lines are two good objects: mending every character is for the others.
    objects, stray = jsonlines.whole_objects(line)
    if stray or not objects:
        objects, stray = jsonlines.whole_objects(jsonlines.repaired(line))
        complain(UNREADABLE if stray else MENDED)
    elif len(objects) > 1:
        complain(MENDED)
    for each in objects:
        found: T | None
        try:
            found = msgspec.json.decode(each, type=kind)
        except FAULTS:
            found = _mended(each, kind, complain)
        if found is not None:
            yield found


def _mended(text: bytes, kind: type[T], complain: Callable[[str], None]) -> T | None:
    mended = jsonlines.repaired(text)
    if mended.split() != text.split():
        complain(MENDED)
    try:
        return msgspec.json.decode(mended, type=kind)
    except FAULTS:
        return _piecewise(mended, kind, complain, "")


def _piecewise(text: bytes | msgspec.Raw, kind: type[T], complain: Callable[[str], None], path: str) -> T | None:
    try:
        fields = msgspec.json.decode(text, type=dict[str, msgspec.Raw])
    except FAULTS:
        complain(UNREADABLE if not path else f"{path} of another type")
        return None
    kept: dict[str, Any] = {}
    hints = _hints(kind)
    for name in kind.__struct_fields__:
        if name not in fields:
            continue
        where = f"{path}.{name}" if path else name
        try:
            kept[name] = msgspec.json.decode(fields[name], type=hints[name])
        except FAULTS:
            value = _nested(fields[name], hints[name], complain, where)
            if value is not None:
                kept[name] = value
    return kind(**kept)


def _nested(text: msgspec.Raw, hint: Any, complain: Callable[[str], None], path: str) -> Any:
    """Decode what can be decoded of a field: its parts, where it holds Structs."""
    for struct, many in _structs(hint):
        first = bytes(text).lstrip()[:1]
        if not many and first == b"{":
            return _piecewise(text, struct, complain, path)
        if many and first == b"[":
            try:
                parts = msgspec.json.decode(text, type=list[msgspec.Raw])
            except FAULTS:
                break
            found = (_piecewise(part, struct, complain, f"{path}[]") for part in parts)
            return [each for each in found if each is not None]
    complain(f"{path} of another type")
    return None


def _structs(hint: Any) -> Iterator[tuple[type[msgspec.Struct], bool]]:
    """Yield the Structs that a field may hold, and whether it holds a list of them."""
    options = get_args(hint) if isinstance(hint, types.UnionType) else (hint,)
    for option in options:
        inner = get_args(option)
        if inner and isinstance(inner[0], type) and issubclass(inner[0], msgspec.Struct):
            yield inner[0], True
        elif isinstance(option, type) and not inner and issubclass(option, msgspec.Struct):
            yield option, False


_KNOWN: dict[type[msgspec.Struct], dict[str, Any]] = {}


def _hints(kind: type[msgspec.Struct]) -> dict[str, Any]:
    if kind not in _KNOWN:
        _KNOWN[kind] = get_type_hints(kind)
    return _KNOWN[kind]


def compact_size(raw: msgspec.Raw) -> int:
    """Return the UTF-8 bytes of a JSON value written compactly: no spaces, characters outside ASCII as
    themselves.
    """
    text = bytes(raw)
    if not text:
        return 0
    try:
        if b"\\u" in text or b"\\/" in text:
            return len(msgspec.json.encode(msgspec.json.decode(text)))
        return len(msgspec.json.format(text, indent=-1))
    except FAULTS:
        return len(text)
