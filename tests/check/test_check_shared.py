"""What the doctor says of real transcripts whose oddities are known, where there is a folder of them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from foldcover_harness.check.examine import examine

FOLDER = Path(os.environ.get("FOLDCOVER_TRANSCRIPTS", Path(__file__).parents[3] / "shared" / "data" / "transcripts"))

# Every finding of the file: kind and how often.
KNOWN = {
    "claude-code/long-ent-b0-dc55b3a1dc-1.jsonl": {},
    "claude-code/long-ent-b8-e9234b1b70-0.jsonl": {},
    "claude-code/long-ent-cd-95adddad32-0.jsonl": {},
    "claude-code/odd-ent-00-c9e2351016-2.jsonl": {"orphan-result": 1, "broken-chain": 2, "first-role": 1},
    "claude-code/odd-ent-37-995ebed6e4-2.jsonl": {"glued": 1, "repeated-id": 1},
    "claude-code/odd-ent-8c-fa910f8ef9-0.jsonl": {"glued": 2, "repeated-id": 2, "unanswered-call": 1},
    "claude-code/odd-ent-ec-38b74f08e3-3.jsonl": {
        "orphan-result": 1,
        "unanswered-call": 1,
        "broken-chain": 2,
        "first-role": 1,
    },
    "claude-code/odd-ent-f8-10e13fce67-0.jsonl": {},
    "codex/long-opk-1031.jsonl": {},
    "codex/empty-opk-1031.jsonl": {"no-request": 1},
    "pi/long-large-session.jsonl": {"unanswered-call": 18, "answers-in-a-row": 1},
    "gemini-cli/contents-agentteams.json": {"orphan-result": 1},
    "gemini-cli/session-ent-12-cbfeaa512b-0.json": {},
    "openhands-v1/bench-resumes-reject.json": {"first-role": 1},
    "openhands-v1/bench-unauth-discount.json": {"unanswered-call": 1},
    "swe-agent/replay-mm-function-calling-install-1-mm-traj.traj": {"repeated-call-id": 5},
}


@pytest.mark.parametrize("name", [name for name in KNOWN if (FOLDER / name).is_file()])
def test_what_is_known_is_found_and_nothing_else(name: str) -> None:
    """Glued lines, calls that were aborted, heads that were cut, results of no call, ids that came again."""
    one = examine(FOLDER / name)
    assert {each.kind: each.times for each in one.findings} == KNOWN[name]
    if not KNOWN[name] and "cd-95adddad32" not in name:
        assert not one.refusals
