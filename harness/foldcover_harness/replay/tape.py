"""A conversation as the schedules see it: what was added between one request and the next.

Rule: a step is one request. Its parts are what was added since the request before, in order, cut where a
unit closed. The flat weight of a request stands with what the model then wrote, so it is part of every
later prompt.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate, compress
from typing import Final, NamedTuple

from foldcover_harness.replay.tokens import Estimator
from foldcover_harness.transcripts.model import Conversation, Item, Kind, Turn


class Part(NamedTuple):
    """Tokens and tool calls that were added; `closes` says that a user's message closed the unit before
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
    """The whole conversation. `weights` holds the tokens of each item, `closed` how many units closed in
    all. A place is a number of tokens from the conversation's beginning: `messages` holds where each message
    begins, `results` the place and weight of each tool result; `messages_before` and `results_before` hold how
    many stand before each request. `compactions` are the requests before which the real client compacted.
    `answers` is what the model wrote, in tokens.

    So that many requests can be taken at once: `added` and `called` hold the tokens and the tool calls before each
    request, `plain_to` the first request from there on before which a unit closed. For whoever looks at single items:
    the items, before which of them the requests stand, where all units but the first begin, what a request weighs.
    """

    steps: tuple[Step, ...]
    weights: list[int]
    closed: int
    messages: Sequence[int] = ()
    messages_before: Sequence[int] = ()
    results: Sequence[tuple[int, int]] = ()
    results_before: Sequence[int] = ()
    compactions: frozenset[int] = frozenset()
    answers: int = 0
    added: Sequence[int] = ()
    called: Sequence[int] = ()
    plain_to: Sequence[int] = ()
    items: Sequence[Item] = ()
    asks: Sequence[int] = ()
    borders: Sequence[int] = ()
    flat: int = 0


def record(conversation: Conversation, estimator: Estimator, units: list[Turn] | None = None) -> Tape:
    """Return the tape of `conversation`, weighed by `estimator`; unless units are given each turn is one."""
    items = conversation.items
    weights = estimator.weigh(items)
    tokens = [0, *accumulate(weights)]
    calls = [0, *accumulate([item[0] is _CALL for item in items])]
    # A turn opens with an item of its own, so it stands before a request exactly if it begins below the
    # request's place.
    borders = [turn.at for turn in (conversation.turns if units is None else units)[1:]]
    coming = 0
    steps: list[Step] = []
    start, flat = 0, 0
    asks = [request.at for request in conversation.requests]
    first, messages, messages_before, results, results_before = _places(items, tokens, asks, estimator.request)
    for at, before in zip(asks, messages_before, strict=True):
        parts: list[Part] = []
        closes = False
        while coming < len(borders) and borders[coming] < at:
            border = borders[coming]
            parts.append(Part(closes, tokens[border] - tokens[start] + flat, calls[border] - calls[start]))
            closes, start, flat = True, border, 0
            coming += 1
        parts.append(Part(closes, tokens[at] - tokens[start] + flat, calls[at] - calls[start]))
        # The last message is all its pieces that stand together at the end.
        steps.append(Step(tuple(parts), tokens[at] - tokens[first[before - 1]] if before else 0))
        start, flat = at, estimator.request
    answers = sum(compress(weights, [item[0] in _WRITTEN for item in items]))
    return Tape(
        tuple(steps),
        weights,
        len(borders),
        messages,
        messages_before,
        results,
        results_before,
        frozenset(each.request for each in conversation.compactions),
        answers + estimator.request * len(steps),
        [tokens[at] + estimator.request * number for number, at in enumerate(asks)],
        [calls[at] for at in asks],
        _plain_to(steps),
        items,
        asks,
        borders,
        estimator.request,
    )


def _plain_to(steps: list[Step]) -> list[int]:
    """Return for each request the first one from there on before which a unit closed."""
    found = [len(steps)] * len(steps)
    stop = len(steps)
    for number in range(len(steps) - 1, -1, -1):
        if len(steps[number].parts) > 1:
            stop = number
        found[number] = stop
    return found


# Looked up once: a member of an enumeration costs more than the comparison with it.
_CALL: Final = Kind.CALL
_RESULT: Final = Kind.RESULT
_WRITTEN: Final = frozenset((Kind.TEXT, Kind.THINKING, Kind.CALL))


def _places(
    items: list[Item], tokens: list[int], asks: list[int], flat: int
) -> tuple[list[int], list[int], list[int], list[tuple[int, int]], list[int]]:
    """Return the first item of each message, where messages and tool results stand, and how many of each before every
    request. `tokens` are those before each item. What a request weighs beyond its text stands with its answer, so
    before that one's first item.
    """
    answered = [0] * (len(items) + 1)
    for at in asks:
        answered[at] += 1
    # Before item number n stand the answers to asked[n] requests, and its own request's if it is the first one.
    asked = [0, *accumulate(answered)]
    numbers = [item[4] for item in items]
    first = [index for index, (one, before) in enumerate(zip(numbers, [None, *numbers], strict=False)) if one != before]
    found = [index for index, item in enumerate(items) if item[0] >= _RESULT]
    messages = [tokens[index] + flat * asked[index] for index in first]
    results = [(tokens[index] + flat * asked[index + 1], tokens[index + 1] - tokens[index]) for index in found]
    return first, messages, [bisect_left(first, at) for at in asks], results, [bisect_left(found, at) for at in asks]
