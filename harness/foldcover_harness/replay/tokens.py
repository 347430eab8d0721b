"""How many tokens a piece weighs.

Rule (spec/replay.md, Tokens): `bytes4` is ceil(UTF-8 bytes / 4) for each text piece; `calibrated` divides
bytes by a rate for the class of the piece and adds 80 for each tool call and 10 for each request. An image
weighs 1,500 in both. Weights are whole tokens, so that every figure that follows from them is exact.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from foldcover_harness.transcripts.model import Conversation, Item, Kind

IMAGE: Final = 1500
"""Tokens of an image."""
CALL: Final = 80
"""Tokens of a tool call beyond its text (calibrated)."""
REQUEST: Final = 10
"""Tokens of a request beyond its text (calibrated)."""
RATES: Final = {
    Kind.USER: 3.9,
    Kind.TEXT: 3.9,
    Kind.THINKING: 3.6,
    Kind.CALL: 3.2,
    Kind.RESULT: 3.1,
    Kind.SHELL: 2.75,
}
"""Bytes per token (calibrated). Fitted mostly on one Go project and two model generations."""


class Estimator(NamedTuple):
    """A way of weighing. `name` is the value of --tokens; `request` is added once for each request."""

    name: str
    weigh: Callable[[list[Item]], list[int]]
    request: int


_PER_BYTE = tuple(1 / RATES[kind] for kind in Kind)
_FLAT = tuple(CALL if kind is Kind.CALL else 0 for kind in Kind)


def _calibrated(items: list[Item]) -> list[int]:
    return [int(size * _PER_BYTE[kind] + 0.5) + _FLAT[kind] + IMAGE * images for kind, size, _, images, _ in items]


def _bytes4(items: list[Item]) -> list[int]:
    return [quarters + IMAGE * images for _, _, quarters, images, _ in items]


CALIBRATED: Final = Estimator("calibrated", _calibrated, REQUEST)
BYTES4: Final = Estimator("bytes4", _bytes4, 0)
ESTIMATORS: Final = {each.name: each for each in (CALIBRATED, BYTES4)}


def measured_standing(conversation: Conversation, estimator: Estimator) -> int | None:
    """Return the tokens of the standing part as far as the first reported prompt tells: that prompt less
    our estimate of what stands before its request. None where no prompt was reported; never negative.
    """
    for number, request in enumerate(conversation.requests):
        if request.reported is not None:
            before = sum(estimator.weigh(conversation.items[: request.at])) + estimator.request * number
            return max(request.reported - before, 0)
    return None
