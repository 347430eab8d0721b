"""The schedules of spec/replay.md, each a small machine over the same tape.

Rule: `machine.py` pays, `folding.py` folds, `others.py` does as other agents do, `own.py` runs a function of the
user's. A schedule is priced only when it is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from foldcover_harness.replay.schedules import folding, machine, others
from foldcover_harness.replay.schedules import own as owns
from foldcover_harness.replay.schedules.machine import SUMMARY, Bill, Schedule, Setting
from foldcover_harness.replay.schedules.own import Own, OwnScheduleError, Piece
from foldcover_harness.replay.tape import Tape

__all__ = [
    "DEFAULT",
    "RECORDED",
    "SCHEDULES",
    "SUMMARY",
    "Bill",
    "Own",
    "OwnScheduleError",
    "Piece",
    "Setting",
    "price",
]

RECORDED: Final = "as recorded"
"""The schedule that a transcript without recorded compactions or usage does not have."""

SCHEDULES: Final[dict[str, Callable[[Setting, Tape], Schedule]]] = {
    "none": Schedule,
    "compaction": machine.Compaction,
    "close": folding.Close,
    "close+merge4": folding.Merge4,
    "rule": folding.Rule,
    "card": folding.Card,
    "oldest": folding.Oldest,
    "trim": others.Trim,
    "clear-tool-results": others.Clear,
    "half": others.Half,
    "sliding": others.Sliding,
    RECORDED: others.Recorded,
}

DEFAULT: Final = tuple(name for name in SCHEDULES if name not in ("half", "sliding"))
"""The schedules that are priced unless others are asked for."""


NONE: Final[Mapping[str, Own]] = {}


def price(tape: Tape, name: str, setting: Setting, own: Mapping[str, Own] = NONE) -> Bill:
    """Return what the schedule called `name` comes to on `tape`: one of `own`, or of SCHEDULES. Raises KeyError for
    another name, OwnScheduleError where one of the user's fails.
    """
    if name in own:
        return owns.price(tape, own[name], setting)
    schedule = SCHEDULES[name](setting, tape)
    grow, close, request = schedule.grow, schedule.close, schedule.request
    plain_to = tape.plain_to
    number, count = 0, len(tape.steps)
    while number < count:
        end = 0 if not number or not plain_to else plain_to[number] if schedule.folds else count
        if end >= number + WORTH:
            stop = schedule.reach(number, end)
            if stop > number:
                schedule.grew(number, stop)
                number = stop
                continue
        parts, last = tape.steps[number]
        for closes, weight, calls in parts:
            if closes:
                close()
            grow(weight, calls)
        request(last)
        number += 1
    return schedule.bill()


WORTH: Final = 3
"""Requests before which nothing closes, from which on it pays to take them at once."""
