"""JSON values, as the wires handle them.

Rule: total on every JSON value, and nothing is changed in place. A value that needs no change comes back as the very
same object, so what a caller handed over goes out as it came.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable
from typing import Any, Final, TypeGuard

DEEPEST: Final = 100
"""Levels of lists and objects within a message: more could not be written or read back without recursion errors."""
_BITS: Final = 4096
"""Bits of a whole number: Python refuses to print much longer ones."""
_SURROGATE = re.compile("[\ud800-\udfff]")


def is_object(value: Any) -> TypeGuard[dict[str, Any]]:
    """Whether it is an object of JSON."""
    return isinstance(value, dict)


def is_list(value: Any) -> TypeGuard[list[Any]]:
    """Whether it is a list of JSON."""
    return isinstance(value, list)


def number(value: Any) -> int:
    """The whole number that it is; 0 for anything else."""
    return value if isinstance(value, int) else 0


def not_json(value: Any) -> str | None:
    """Why this is not a JSON value that can be kept, in a few words; None if it is one."""
    waiting: list[tuple[Any, int]] = [(value, 0)]
    while waiting:
        each, depth = waiting.pop()
        if is_object(each) or is_list(each):
            if depth == DEEPEST:
                return f"nested more than {DEEPEST} deep"
            if is_object(each) and not all(isinstance(key, str) for key in each):
                return "a key that is not a text"
            inner: Iterable[Any] = each.values() if is_object(each) else each
            waiting += [(one, depth + 1) for one in inner if type(one) is not str]
        elif isinstance(each, int):
            if each.bit_length() > _BITS:
                return "a number of too many digits"
        elif isinstance(each, float):
            if not math.isfinite(each):
                return "a number that JSON does not have"
        elif each is not None and not isinstance(each, str):
            return f"a value of type {type(each).__name__}, which is not JSON"
    return None


def copied(value: Any) -> Any:
    """A value that `not_json` passed, as it is now: later changes of its lists and objects are not seen in the copy."""
    if is_object(value):
        return {key: copied(each) for key, each in value.items()}
    return [copied(each) for each in value] if is_list(value) else value


def compact(value: Any) -> str:
    """The value as JSON without spaces, characters outside ASCII as themselves."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def parsed(arguments: str) -> Any:
    """The object that a call's arguments are, or the text itself where it is not one."""
    try:
        found = json.loads(arguments)
    except (ValueError, RecursionError):
        return arguments
    return found if is_object(found) and not_json(found) is None else arguments


def well_formed(value: Any) -> Any:
    """The value with every lone surrogate replaced by U+FFFD: no provider reads a body that holds one.

    Two surrogates that make a pair become the character that they stand for.
    """
    if isinstance(value, str):
        if value.isascii() or not _SURROGATE.search(value):
            return value
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    if is_list(value):
        kept = [well_formed(each) for each in value]
        return value if all(new is old for new, old in zip(kept, value, strict=True)) else kept
    if is_object(value):
        pairs = [(well_formed(key), well_formed(each)) for key, each in value.items()]
        same = all(a is key and b is each for (a, b), (key, each) in zip(pairs, value.items(), strict=True))
        return value if same else dict(pairs)
    return value


def blank(text: Any) -> bool:
    """Whether this is no text, or one of white space only."""
    return not isinstance(text, str) or not text.strip()


def without(fields: dict[str, Any], *names: str) -> dict[str, Any]:
    """The fields less those names: the same object where there are none of them."""
    if not any(name in fields for name in names):
        return fields
    return {key: value for key, value in fields.items() if key not in names}


def looks_failed(text: str) -> bool:
    """Whether a result's text says that the call failed, on wires that have no field for it.

    It begins with the word error, or it is an object with an error in it or an exit code that is not 0.
    """
    begins = text.lstrip()[:6].lower()
    if begins.startswith("error") and not begins[5:6].isalnum():
        return True
    if not begins.startswith("{") or len(text) > 100_000:
        return False
    found = parsed(text)
    if not is_object(found):
        return False
    more = found.get("metadata")
    code = found.get("exit_code", more.get("exit_code") if is_object(more) else None)
    return bool(found.get("error")) or found.get("is_error") is True or (isinstance(code, int) and code != 0)
