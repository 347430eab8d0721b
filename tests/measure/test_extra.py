"""The libraries of the extra `measure`: what the other tests of this room need."""

import pytest


@pytest.mark.parametrize("name", ["bm25s", "numpy"])
def test_the_extra_is_installed(name: str) -> None:
    """Skipped, and so told of, where it is not: the other tests are then left out."""
    pytest.importorskip(name)
