"""How far our estimate is from the usage that the transcript reports.

Rule: compared are the reported prompts of one real segment: up to the next real compaction, or drop of the
reported prompt. A step is what was added between two reported prompts; its error is |estimated - reported|
/ reported. The accumulated error is that of the whole prompt, its standing part taken from the segment's
first request. A reported prompt that cannot be true (no token is shorter than a byte) is not believed: it
is counted as odd and begins a new segment.
"""

from __future__ import annotations

from array import array
from itertools import accumulate
from typing import Final, NamedTuple

from foldcover_harness.replay.tokens import IMAGE, Estimator
from foldcover_harness.transcripts.model import Conversation

HIDDEN: Final = 20_000
"""Tokens that a client may add unseen between two requests (reminders, instructions) before a jump counts
as odd."""


class Accuracy(NamedTuple):
    """Relative errors, one for each comparison. `compared` counts the requests whose reported prompt was
    compared, `odd` the reported prompts that were not believed, `reported` the requests that report one at
    all.
    """

    steps: array[float]
    prompts: array[float]
    compared: int
    odd: int
    reported: int


def measure(conversation: Conversation, weights: list[int], estimator: Estimator) -> Accuracy:
    """Return the errors of the estimate over the whole conversation."""
    tokens = [0, *accumulate(weights)]
    most = [0, *accumulate([size + 2 * IMAGE * images for _, size, _, images, _ in conversation.items])]
    breaks = sorted(conversation.breaks, reverse=True)
    steps, prompts = array("d"), array("d")
    compared = odd = known = 0
    previous: tuple[int, int, int] | None = None
    base = 0
    for number, request in enumerate(conversation.requests):
        cut = False
        while breaks and breaks[-1] <= number:
            breaks.pop()
            cut = True
        reported = request.reported
        if cut:
            previous = None
        if reported is None:
            continue
        known += 1
        estimate = tokens[request.at] + estimator.request * number
        too_much = _above(reported, conversation.window)
        if previous is not None:
            before, estimated_before, at = previous
            too_much = too_much or reported - before > most[request.at] - most[at] + HIDDEN
            if reported >= before and not too_much:
                step = reported - before
                if step:
                    steps.append(abs(estimate - estimated_before - step) / step)
                prompts.append(abs(base + estimate - reported) / reported)
                compared += 1
                previous = (reported, estimate, request.at)
                continue
        odd += too_much
        previous = (reported, estimate, request.at)
        base = reported - estimate
    return Accuracy(steps, prompts, compared, odd, known)


def _above(reported: int, window: int | None) -> bool:
    return window is not None and reported > window


def quantile(values: array[float] | array[int] | list[float], share: float) -> float | None:
    """Return the smallest value that at least `share` of `values` do not exceed; None of nothing."""
    if not values:
        return None
    ordered = sorted(values)
    return ordered[max(0, -(-int(share * 1000) * len(ordered) // 1000) - 1)]


def median(values: array[float] | array[int] | list[float]) -> float | None:
    """Return the middle value, or the mean of the two middle ones; None of nothing."""
    if not values:
        return None
    ordered = sorted(values)
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2
