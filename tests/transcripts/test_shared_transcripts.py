"""Real transcripts of every format, where there is a folder of them: what was counted when they were gathered."""

from __future__ import annotations

import csv
import os
from pathlib import Path

import pytest

from foldcover_harness.transcripts.recognise import read_file

FOLDER = Path(os.environ.get("FOLDCOVER_TRANSCRIPTS", Path(__file__).parents[3] / "shared" / "data" / "transcripts"))
INDEX = FOLDER.parent / "INDEX.tsv"
# What was counted otherwise there: calls in a logged response were not, and calls within side chains were.
CALLS = {
    "openai-chat/sdk-fncall.json": 1,
    "openai-chat/sdk-nonfncall.json": 1,
    "claude-code-array/templar-35fb9f9.json": -3,
}
SIDE_CHAINS = frozenset(["claude-code-array/templar-35fb9f9.json"])


def rows() -> list[dict[str, str]]:
    """Return what is known of each file; nothing where there is no folder."""
    if not INDEX.is_file():
        return []
    with open(INDEX, encoding="utf-8", newline="") as file:
        return [row for row in csv.DictReader(file, delimiter="\t") if (FOLDER / row["file"]).is_file()]


@pytest.mark.parametrize("row", rows(), ids=lambda row: row["file"])
def test_a_real_transcript_is_read_whole(row: dict[str, str]) -> None:
    """Turns (one for a run without a user's message), calls, compactions and cached tokens."""
    name = row["file"]
    found = read_file(FOLDER / name)
    assert len(found.turns) == max(1, int(row["human_turns"]))
    assert sum(turn.calls for turn in found.turns) == int(row["tool_calls"]) + CALLS.get(name, 0)
    assert len(found.compactions) == int(row["compactions"])
    if name not in SIDE_CHAINS:
        assert sum(request.cache_read or 0 for request in found.requests) == int(row["cache_read_tokens"])
    assert found.requests or found.found.notes
    assert not [kind for kind in found.found.unknown if "mended" not in kind]
