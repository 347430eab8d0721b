"""Intervals: they hold the estimate, go by transcripts, and by the seed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from foldcover_harness.measure.estimates import Clusters

ROWS = st.lists(st.tuples(st.integers(0, 4), *[st.booleans()] * 6), min_size=1, max_size=30)


@given(ROWS, st.integers(0, 5))
def test_an_interval_holds_its_estimate(rows: list[tuple[int, ...]], seed: int) -> None:
    """And lies between 0 and 1; the same again for the same seed."""
    table = np.array(rows)
    hits, asked = table[:, 1:4].astype(bool), table[:, 4:].astype(bool)
    clusters = Clusters(table[:, 0], seed)
    found = clusters.rate(hits, asked)
    assert found == Clusters(table[:, 0], seed).rate(hits, asked)
    assert found.answers == asked.sum()
    if not asked.any():
        assert (found.rate, found.low, found.high) == (None, None, None)
        return
    assert found.rate is not None
    seen = asked.any(axis=0)
    assert found.rate == pytest.approx(((hits & asked).sum(axis=0)[seen] / asked.sum(axis=0)[seen]).mean())
    if len(set(table[asked.any(axis=1), 0])) < 2:
        assert (found.low, found.high) == (None, None)
    else:
        assert found.low is not None
        assert found.high is not None
        assert 0 <= found.low <= found.rate <= found.high <= 1


def test_the_interval_is_as_wide_as_transcripts_differ() -> None:
    """Ten transcripts all right or all wrong leave a wide interval, ten alike a narrow one, with as many answers."""
    of = np.repeat(np.arange(10), 20)
    asked = np.ones((200, 1), bool)
    apart, alike = (of % 2 == 0)[:, None], (np.arange(200) % 2 == 0)[:, None]
    wide, narrow = (Clusters(of, 0).rate(hits, asked) for hits in (apart, alike))
    assert wide.rate == narrow.rate == 0.5
    assert wide.low is not None and wide.high is not None and narrow.low is not None and narrow.high is not None  # noqa: PT018
    assert wide.high - wide.low > 0.4
    assert narrow.high - narrow.low == 0


def test_a_gain_is_of_the_same_questions() -> None:
    """Nothing is gained over oneself; everything over nothing."""
    of = np.repeat(np.arange(4), 5)
    asked, hits = np.ones((20, 3), bool), np.ones((20, 3), bool)
    clusters = Clusters(of, 0)
    assert (clusters.gain(hits, hits, asked).rate, clusters.gain(hits, ~hits, asked).low) == (0, 1)
