"""Typed decoding that never fails on a line.

Rule: a line is decoded into a Struct of just the needed fields. Where one of those fields has a type that
the format does not give it, that field alone is dropped and reported by its path; the rest of the line is
used.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final, TypeVar, get_args, get_type_hints

import msgspec

from foldcover_harness.transcripts import jsonlines
from foldcover_harness.transcripts.measures import utf8_size

if TYPE_CHECKING:
    from foldcover_harness.transcripts.model import Builder

T = TypeVar("T", bound=msgspec.Struct)
V = TypeVar("V")
FAULTS: Final = (ValueError, RecursionError, TypeError, OverflowError)
"""What msgspec raises on bytes that are not the JSON that was asked for (its own errors are ValueErrors)."""

CUT: Final = "a line that is cut off, or longer than 64 MiB"
UNREADABLE: Final = "text that is not JSON"
MENDED: Final = "JSON that had to be mended or taken apart"


def structs(texts: Iterable[bytes | None], kind: type[T], builder: Builder) -> Iterator[T]:
    """Yield what the objects in `texts` hold of `kind`; every fault is counted in `builder`."""
    decode = msgspec.json.Decoder(kind).decode
    for text in texts:
        if text is None:
            builder.unknown(CUT)
            continue
        try:
            found = decode(text)
        except FAULTS:
            yield from rescue(text, kind, builder.unknown)
        else:
            yield found


def rescue(line: bytes, kind: type[T], complain: Callable[[str], None]) -> Iterator[T]:
    """Yield what can be read of a line that did not decode; report every fault once through `complain`."""
    if not line.strip(b" \t\r\n\0\xef\xbb\xbf"):
        return
    mended = jsonlines.repaired(line)
    try:
        found = msgspec.json.decode(mended, type=kind)
    except FAULTS:
        yield from _taken_apart(line, mended, kind, complain)
    else:
        complain(MENDED)
        yield found


def _taken_apart(line: bytes, mended: bytes, kind: type[T], complain: Callable[[str], None]) -> Iterator[T]:
    # Most such lines are two good objects: what was mended is for the others.
    objects, stray = jsonlines.whole_objects(line)
    if stray or not objects:
        objects, stray = jsonlines.whole_objects(mended)
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
    for name, written in zip(kind.__struct_fields__, kind.__struct_encode_fields__, strict=True):
        if written not in fields:
            continue
        where = f"{path}.{written}" if path else written
        try:
            kept[name] = msgspec.json.decode(fields[written], type=hints[name])
        except FAULTS:
            value = _nested(fields[written], hints[name], complain, where)
            if value is not None:
                kept[name] = value
    return kind(**kept)


def _nested(text: msgspec.Raw, hint: Any, complain: Callable[[str], None], path: str) -> Any:
    """Decode what can be decoded of a field: its parts, where it holds Structs."""
    first = bytes(text).lstrip()[:1]
    for option in get_args(hint) if isinstance(hint, types.UnionType) else (hint,):
        inner = get_args(option)
        if first == b"{" and not inner and isinstance(option, type) and issubclass(option, msgspec.Struct):
            return _piecewise(text, option, complain, path)
        if first == b"[" and inner:
            try:
                parts = msgspec.json.decode(text, type=list[msgspec.Raw])
            except FAULTS:
                break
            found = (_element(part, inner[0], complain, f"{path}[]") for part in parts)
            return [each for each in found if each is not None]
    complain(f"{path} of another type")
    return None


def _element(text: msgspec.Raw, hint: Any, complain: Callable[[str], None], path: str) -> Any:
    try:
        return msgspec.json.decode(text, type=hint)
    except FAULTS:
        return _nested(text, hint, complain, path)


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


def arguments_size(arguments: str) -> int:
    """Return the size of a call's arguments as compact JSON, or as they stand where they are none."""
    try:
        text = arguments.encode()
        return len(msgspec.json.encode(msgspec.json.decode(text)))
    except FAULTS:
        return utf8_size(arguments)


def any_size(raw: msgspec.Raw) -> int:
    """Return the size of arguments or of a result that may be a text or any other JSON value."""
    if bytes(raw)[:1] == b'"':
        try:
            return arguments_size(msgspec.json.decode(raw, type=str))
        except FAULTS:
            return len(bytes(raw))
    return compact_size(raw)


def raw_as(raw: msgspec.Raw, kind: type[V]) -> V | None:
    """Return a value that was left undecoded as `kind`; None where it is not one."""
    try:
        return msgspec.json.decode(raw, type=kind)
    except FAULTS:
        return None
