"""The plots of `foldcover replay`, by themselves and in a terminal."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys

import pytest

from foldcover_harness.replay.plots import bar, sparkline
from foldcover_harness.replay.sources import SAMPLE


def test_a_sparkline_by_hand() -> None:
    """Eighths of the largest value, which fills its column."""
    assert sparkline([0, 1, 2, 4, 7, 8], 8, 10) == "▁▂▃▅██"
    assert sparkline([], 8, 10) == ""
    assert sparkline([0, 0], 0, 10) == "▁▁"


def test_a_long_series_keeps_its_peaks() -> None:
    """Each column is as high as its highest value."""
    assert sparkline([0] * 50 + [8] + [0] * 49, 8, 10) == "▁▁▁▁▁█▁▁▁▁"


@pytest.mark.parametrize(("value", "row"), [(0, ""), (8, "████"), (4, "██"), (3, "█▌"), (0.001, "▏"), (1.25, "▋")])
def test_a_bar_by_hand(value: float, row: str) -> None:
    """Eighths of a column; what is not nothing can be seen."""
    assert bar(value, 8, 4) == row


def in_a_terminal(encoding: str) -> str:
    """Replay the sample in a pseudo-terminal and return what it shows."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "PYTHONIOENCODING": encoding, "COLUMNS": "80", "TERM": "xterm", "HOME": "/nonexistent"}
    code = "from foldcover_harness.cli import main; main()"
    with subprocess.Popen(
        [sys.executable, "-c", code, "replay", str(SAMPLE)], stdout=theirs, env=environment
    ) as process:
        os.close(theirs)
        shown = b""
        while True:
            try:
                more = os.read(ours, 1 << 16)
            except OSError:  # the other end is closed
                break
            if not more:
                break
            shown += more
        os.close(ours)
        assert process.wait(timeout=60) == 0
    return re.sub(r"\x1b\[[0-9;]*m", "", shown.decode(encoding))


def test_a_terminal_shows_plots_within_80_columns() -> None:
    """A row for each schedule: prompts and cost; the dearest bar is the longest."""
    lines = in_a_terminal("utf-8").splitlines()
    rows = {line.split()[0]: line for line in lines if "▁" in line}
    assert {"none", "compaction", "rule", "trim"} <= rows.keys()
    assert all(len(line) <= 80 for line in lines)
    assert rows["oldest"].count("█") > rows["rule"].count("█")
    assert any("cost, up to 744,941" in line for line in lines)
    bars = {line.split()[0]: line for line in lines if "█" in line and "▁" not in line}
    assert list(bars) == list(rows)
    assert bars["oldest"].count("█") == 57


def test_a_terminal_that_cannot_show_blocks_has_none() -> None:
    """And no question marks in their place."""
    shown = in_a_terminal("ascii")
    assert "compaction" in shown
    assert "up to 744,941" not in shown
