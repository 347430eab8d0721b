"""JSON lines that come back as they were.

Rule: a value is written so that reading gives the same value (key order, integers of any size up to Python's 4,300
digits, floats to the last bit, -0.0, lone surrogates), or it is refused before anything is written. Text stands as it
is, so that grep finds it in any script; only what no UTF-8 text file can hold or no terminal should get is escaped.
Two things change: a tuple comes back as a list, and a high and a low surrogate side by side are one character, as in
all JSON.
"""

from __future__ import annotations

import contextlib
import json
import math
import re
from typing import Any, NoReturn, cast

import msgspec

MOST_DEEP = 256
"""Levels of lists and objects: more could not be read again from within a deep call."""
_ENCODE = json.JSONEncoder(ensure_ascii=False, allow_nan=False, check_circular=False, separators=(",", ":")).encode
_CONTROLS = "".join(map(chr, [*range(0x7F, 0xA0), 0x2028, 0x2029]))
"""Controls that JSON does not escape by itself: a terminal obeys some, and some tools take others for a line's end."""
_UNSHOWN = re.compile(f"[{_CONTROLS}]")
_PLAIN = {str, int, bool, type(None)}
"""Most of what there is, and nothing in it to look at."""
_Pair = tuple[Any, int]


class NotJson(ValueError):
    """A value that JSON cannot hold, or bytes that are no JSON; the text says which and where it can."""


def json_line(value: object) -> bytes:
    """The value as one line of compact JSON in UTF-8, its newline included. NotJson if it would not come back."""
    _check(value)
    # Most lines are plain ASCII and quickly written; what msgspec refuses is written by the standard library.
    with contextlib.suppress(ValueError, TypeError, OverflowError, RecursionError):
        line = msgspec.json.encode(value)
        if line.isascii() and b"\x7f" not in line:
            return line + b"\n"
    try:
        text = _ENCODE(value)
    except (ValueError, TypeError, RecursionError) as error:
        raise NotJson(str(error)) from error
    # Thirty searches for one character each are many times as fast as one for all of them.
    if any(each in text for each in _CONTROLS):
        text = _UNSHOWN.sub(escaped, text)
    try:
        return text.encode() + b"\n"
    except UnicodeEncodeError:
        # Surrogates stand in strings only, where Python's way to write a lone one is JSON's way too.
        joined = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
        return joined.encode("utf-8", "backslashreplace") + b"\n"


def json_value(line: bytes) -> Any:
    """The value that one line of JSON holds. NotJson for what `json_line` would not write: NaN, 1e400, bad UTF-8."""
    try:
        return _DECODE(line.decode())
    except (ValueError, RecursionError) as error:
        raise NotJson(str(error)) from error


def _check(value: object) -> None:
    waiting: list[_Pair] = [(value, 0)]
    while waiting:
        part, depth = waiting.pop()
        if depth > MOST_DEEP:
            raise NotJson(f"nested more than {MOST_DEEP} deep")
        if isinstance(part, dict):
            for key, each in cast(dict[object, object], part).items():
                if not isinstance(key, str):
                    raise NotJson(f"a key is {type(key).__name__}, not text: {key!r:.60}")
                if type(each) not in _PLAIN:
                    waiting.append((each, depth + 1))
        elif isinstance(part, (list, tuple)):
            waiting += [(each, depth + 1) for each in cast(list[object], part) if type(each) not in _PLAIN]
        elif isinstance(part, float) and not math.isfinite(part):
            raise NotJson(f"{part} is no JSON number")
        elif not (part is None or isinstance(part, (str, int, float))):
            raise NotJson(f"{type(part).__name__} is no JSON value")


def escaped(match: re.Match[str]) -> str:
    """The character that was matched, as JSON escapes it."""
    return f"\\u{ord(match.group()):04x}"


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text:.60} is too large a number")
    return number


def _no_constant(text: str) -> NoReturn:
    raise ValueError(f"{text} is no JSON number")


_DECODE = json.JSONDecoder(parse_float=_finite, parse_constant=_no_constant).decode
