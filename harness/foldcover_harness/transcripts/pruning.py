"""Branches that were abandoned, taken out of a conversation that was read whole.

Rule: a stretch of the file is a stretch of each list. What is taken out is gone from all of them, and every
number that pointed behind it moves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from foldcover_harness.transcripts.model import Conversation, Mark

Span = tuple[int, int]


def prune(found: Conversation, said: list[tuple[int, str]], dropped: list[tuple[Mark, Mark]]) -> None:
    """Take what lies between each two marks out of every list of `found`, and out of `said` (items and words);
    let what points into a list point anew.
    """
    items, requests, turns, breaks, compactions, words = (
        _merged([(start[field_], end[field_]) for start, end in dropped]) for field_ in range(6)
    )
    _cut(found.items, items)
    _cut(found.requests, requests)
    _cut(found.turns, turns)
    _cut(found.breaks, breaks)
    _cut(found.compactions, compactions)
    _cut(said, words)
    for request in found.requests:
        request.at = _moved(request.at, items)
    for turn in found.turns:
        turn.at = _moved(turn.at, items)
    found.breaks[:] = [_moved(number, requests) for number in found.breaks]
    for one in found.compactions:
        one.request = _moved(one.request, requests)
    said[:] = [(_moved(at, items), text) for at, text in said]


def _merged(spans: list[Span]) -> list[Span]:
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _cut(values: list[Any], spans: list[Span]) -> None:
    for start, end in reversed(spans):
        del values[start:end]


def _moved(at: int, spans: list[Span]) -> int:
    return at - sum(min(at, end) - start for start, end in spans if start < at)
