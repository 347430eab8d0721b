"""One history of several files: order, copies, whose words they are, projects."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from foldcover import Block
from foldcover_harness.measure.experiment import Experiment
from foldcover_harness.measure.history import history, load
from foldcover_harness.measure.lines import Bound
from foldcover_harness.measure.readers import Bm25
from foldcover_harness.measure.views import uniform
from foldcover_harness.session.importing import Unknown

from .made import name_of, transcript

FOLDER = Path(os.environ.get("FOLDCOVER_TRANSCRIPTS", Path(__file__).parents[3] / "shared" / "data" / "transcripts"))


def test_transcripts_stand_in_the_order_of_their_time_stamps(tmp_path: Path) -> None:
    """Whatever their names, and in whatever order they are given; those without a time come last."""
    later = load(transcript(tmp_path, range(2), "a.jsonl", day=2))
    first = load(transcript(tmp_path, range(2, 4), "b.jsonl", day=1))
    timeless = tmp_path / "c.json"
    chat = [{"role": "user", "content": "hello"}, {"role": "assistant", "content": "good day"}]
    timeless.write_text(json.dumps({"messages": chat}))
    units = history([load(timeless), later, first]).units
    assert [unit.said("user") for unit in units] == [*(f"{name_of(at)} please" for at in (2, 3, 0, 1)), "hello"]
    assert [unit.transcript for unit in units] == [0, 0, 1, 1, 2]


def test_the_last_words_are_the_closing_message_and_a_client_opens_no_turn(tmp_path: Path) -> None:
    """A note of the client in the user's place belongs to the turn before it, and is not the user's words."""
    path = tmp_path / "t.json"
    path.write_text(
        json.dumps(
            [
                {"role": "user", "content": "build the harbour"},
                {"role": "assistant", "content": [{"type": "text", "text": "first"}]},
                {"role": "user", "content": "<local-command-stdout>noise</local-command-stdout>"},
                {"role": "assistant", "content": [{"type": "text", "text": "last"}]},
                {"role": "user", "content": "never answered"},
            ]
        )
    )
    (turn,) = load(path).turns
    assert turn == (("user", "build the harbour"), ("text", "first"), ("closing", "last"))


@pytest.mark.parametrize(
    ("folder", "project"),
    [("/home/me/port", "port"), ("/a/cli/.worktrees/1", "cli"), ("C:\\work\\quay", "quay"), ("/", "/"), ("", "")],
)
def test_the_project_is_the_working_folder(tmp_path: Path, folder: str, project: str) -> None:
    """A worktree belongs to its checkout."""
    assert load(transcript(tmp_path, range(1), cwd=folder)).project == project


def test_a_unit_that_repeats_an_earlier_one_is_left_out_and_counted(tmp_path: Path) -> None:
    """Spaces aside."""
    files = [load(transcript(tmp_path, range(3), name, day=2)) for name in ("a.jsonl", "b.jsonl")]
    found = history(files)
    assert (len(found.units), found.copies) == (3, 3)


@pytest.mark.parametrize("content", [b"", b"\x00\xff", b"{}", b"[1, 2]", b"[[" * 5000, b"null\n"])
def test_what_is_no_transcript_is_refused(tmp_path: Path, content: bytes) -> None:
    """By name, never with another exception."""
    path = tmp_path / "x.jsonl"
    path.write_bytes(content)
    with pytest.raises(Unknown, match=r"x\.jsonl"):
        load(path)


def test_hostile_transcripts_are_measured(tmp_path: Path) -> None:
    """Escape sequences, lone surrogates, line separators, long lines."""
    hostile = ["\x1b[31mred\x1b[0m `x_y` \u2028 one two three four five six", "\ud800 " * 40, "[x] " * 9000, "\u202e?"]
    chat = [
        {"role": role, "content": f"{text} number {at}"}
        for at, text in enumerate(hostile)
        for role in ("user", "assistant")
    ]
    path = tmp_path / "h.json"
    path.write_text(json.dumps({"messages": chat}))
    units = history([load(path)]).units
    assert len(units) == 4
    found = Experiment(units, "index", Bound(60), Bm25(), 0, 5)
    assert all("\n" not in line and "\x1b" not in line for line in (found.lines[block] for block in _blocks()))


def _blocks() -> list[Block]:
    return [*uniform(4, 1), *uniform(4, 2), *uniform(4, 4)]


@pytest.mark.skipif(not (FOLDER / "claude-code").is_dir(), reason="no folder of real transcripts")
def test_on_real_transcripts_an_index_tells_more_than_titles() -> None:
    """At 16 units a line, on all questions; the ceiling is above chance."""
    files = sorted((FOLDER / "claude-code").glob("long-*.jsonl"))[:2]
    units = history([load(path) for path in files]).units
    found = Experiment(units, "index", Bound(60), Bm25(), 0, 5)
    blocks = uniform(len(units), 16)
    ours, theirs = (
        found.over(found.lines_by(recipe, Bound(60)), blocks, "uniform 16", 16) for recipe in ("index", "titles")
    )
    assert ours.all.mean.rate is not None
    assert theirs.all.mean.rate is not None
    assert ours.ceiling is not None
    assert ours.ceiling.rate is not None
    assert ours.all.mean.rate > theirs.all.mean.rate
    assert ours.ceiling.rate > (ours.chance or 0)
