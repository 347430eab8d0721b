"""What requests came to: sums of what was reported, and a word on what was not."""

from __future__ import annotations

from foldcover_harness.agent.spent import Spent
from foldcover_harness.models.model import Usage


def test_what_was_reported_is_summed() -> None:
    """Prompts, cached tokens, answers."""
    spent = Spent().plus(Usage(1_000, 600, 10)).plus(Usage(200, 0, 5))
    assert (spent.requests, spent.usage) == (2, Usage(1_200, 600, 15))
    assert spent.tokens == "1,200 tokens in, 600 of them from the cache; 15 out"


def test_what_was_not_reported_is_no_zero() -> None:
    """Nor does a sum look whole that is not."""
    spent = Spent().plus(None)
    assert (spent.usage, spent.tokens) == (None, "tokens not reported")
    spent = spent.plus(Usage(7, 0, 1))
    assert spent.usage == Usage(7, 0, 1)
    assert spent.tokens == "7 tokens in, 0 of them from the cache; 1 out; 1 request without a report"
