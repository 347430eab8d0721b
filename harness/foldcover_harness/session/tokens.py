"""How many tokens a text of the session weighs, until a provider says better.

Rule: bytes by the class of the piece (the rates of replay, spec/replay.md), then corrected by the ratio of what the
provider reported for the last prompt to what was estimated for it. A report that cannot be true (more than the window,
or more than four times off) is not believed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import ceil

from foldcover_harness.replay.tokens import CALL, IMAGE, RATES
from foldcover_harness.session.wires.wire import Piece
from foldcover_harness.transcripts.model import Kind, utf8_size

Counter = Callable[[Piece], int]
"""Tokens of a piece: the estimate below, or a tokenizer of the caller's."""

BELIEVED = 4.0
"""How far a reported prompt may be from its estimate, either way."""


def estimate(piece: Piece) -> int:
    """Tokens of a piece by its class; a text that is not empty weighs at least 1."""
    flat = CALL if piece.kind is Kind.CALL else 0
    return ceil(utf8_size(piece.text) / RATES[piece.kind]) + flat + IMAGE * piece.images


def weigh_line(line: str, count: Counter) -> int:
    """Tokens of a line of the cover, with its line break."""
    return count(Piece(Kind.USER, line)) + 1


def weigh(pieces: Iterable[Piece], count: Counter) -> int:
    """Tokens of some pieces."""
    return sum(map(count, pieces))


def correction(reported: int, estimated: int, window: int) -> float | None:
    """What an estimate is to be multiplied by; None where the report is not believed."""
    if not 0 < reported <= window or estimated <= 0:
        return None
    ratio = reported / estimated
    return ratio if 1 / BELIEVED <= ratio <= BELIEVED else None
