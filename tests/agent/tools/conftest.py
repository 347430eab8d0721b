"""What the tests of the tools share."""

from pathlib import Path

import pytest

from .bench import Bench


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """The tools over a fresh folder."""
    return Bench(tmp_path / "work")
