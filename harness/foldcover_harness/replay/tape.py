"""A conversation as the schedules see it: what was added between one request and the next.

Rule: a step is one request. Its parts are what was added since the request before, in order, cut where a
turn closed. The flat weight of a request stands with what the model then wrote, so it is part of every
later prompt.
"""

from __future__ import annotations

from typing import NamedTuple

from foldcover_harness.replay.tokens import Estimator
from foldcover_harness.transcripts.model import Conversation, Item, Kind


class Part(NamedTuple):
    """Tokens and tool calls that were added; `closes` says that a user's message closed the turn before
    them.
    """

    closes: bool
    weight: int
    calls: int


class Step(NamedTuple):
    """One request: what was added before it, and the weight of the last message before it."""

    parts: tuple[Part, ...]
    last: int


class Tape(NamedTuple):
    """The whole conversation. `weights` holds the tokens of each item, `closed` how many turns closed in
    all.
    """

    steps: tuple[Step, ...]
    weights: list[int]
    closed: int


def record(conversation: Conversation, estimator: Estimator) -> Tape:
    """Return the tape of `conversation`, weighed by `estimator`."""
    items = conversation.items
    weights = estimator.weigh(items)
    # A turn opens with an item of its own, so it stands before a request exactly if it begins below the
    # request's place.
    borders = [turn.at for turn in conversation.turns[1:]]
    coming = 0
    steps: list[Step] = []
    start, flat = 0, 0
    for request in conversation.requests:
        parts: list[Part] = []
        closes = False
        while coming < len(borders) and borders[coming] < request.at:
            parts.append(_part(closes, items, weights, start, borders[coming], flat))
            closes, start, flat = True, borders[coming], 0
            coming += 1
        parts.append(_part(closes, items, weights, start, request.at, flat))
        steps.append(Step(tuple(parts), _last_message(items, weights, request.at)))
        start, flat = request.at, estimator.request
    return Tape(tuple(steps), weights, len(borders))


def _part(closes: bool, items: list[Item], weights: list[int], start: int, stop: int, flat: int) -> Part:
    calls = 0
    for kind, _, _, _, _ in items[start:stop]:
        calls += kind is Kind.CALL
    return Part(closes, sum(weights[start:stop]) + flat, calls)


def _last_message(items: list[Item], weights: list[int], at: int) -> int:
    """Return the weight of the last message in `items[:at]`: all its pieces that stand together at the
    end.
    """
    total = 0
    for index in range(at - 1, -1, -1):
        if items[index].message != items[at - 1].message:
            break
        total += weights[index]
    return total
