"""Writers that fail, and what the cover is then: over its budget and said so once, never heavier than the pairs."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import foldcover as fc
from foldcover import Block, Outcome
from foldcover_harness.session import Inputs, Session, TurnReport, Writer, command, index
from foldcover_harness.session.commands import session as cli
from foldcover_harness.session.keeper import budget
from foldcover_harness.session.place import JOURNAL
from foldcover_harness.session.state import labelled
from foldcover_harness.session.tokens import estimate, weigh_line

from .scripted import Made, Quick, created, folds, problems, reads, text, turn


def life(session: Session, units: int) -> list[TurnReport]:
    """Turns each of which folds the one before."""
    begun = len(session.state.turns)
    reports: list[TurnReport] = []
    for number in range(begun, begun + units):
        calls: list[Made] = [reads(f"c{number}", f"src/part{number}.py")]
        if number:
            calls.append(folds(f"f{number}", number - 1, number - 1, f"part {number - 1} done, see kubectl{number}"))
        reports.append(turn(session, f"task {number}", calls))
    return reports


def fails(inputs: Inputs) -> str | None:
    """No line."""


def raises(inputs: Inputs) -> str | None:
    """An exception."""
    raise RuntimeError("no model today\nsecond line")


def blank(inputs: Inputs) -> str:
    """White space."""
    return " \n\t"


def number(inputs: Inputs) -> Any:
    """No text."""
    return 7


def halves_only(inputs: Inputs) -> str | None:
    """A line for blocks of two, none for others."""
    return "two " * 12 if inputs.block.size == 2 else None


def judged(folder: Path) -> None:
    """The doctor judges the recorded life by the laws."""
    done = CliRunner().invoke(cli, ["doctor", str(folder)])
    assert done.exit_code == 0, done.output
    assert "0 troubles" in done.output


@pytest.mark.parametrize(
    ("writer", "why"),
    [
        (fails, "returned nothing"),
        (raises, "the writer raised RuntimeError: no model today second line"),
        (blank, "an empty line"),
        (number, "returned int, not text"),
        (command(["false"]), "false"),
        (command(["printf", "a\\nb\\n"]), "2 lines instead of one"),
    ],
    ids=["None", "raises", "blank", "a number", "a program that fails", "two lines of a program"],
)
def test_a_writer_without_lines(tmp_path: Path, writer: Any, why: str) -> None:
    """The cover stays over its budget; a block's trouble is said once; each close tries again; nothing is lost."""
    asked: list[Block] = []

    def counted(inputs: Inputs) -> Any:
        asked.append(inputs.block)
        return writer(inputs)

    chosen: Writer = writer if hasattr(writer, "explain") else counted
    with created(tmp_path, window=3_000, line=20, writer=chosen) as session:
        reports = life(session, 16)
        said = [line for report in reports for line in report.said]
        assert any(why in line for line in said), said
        missing = [line for line in said if line.startswith("no line for units")]
        assert len(missing) == len(set(missing)) > 0
        assert sum("above its budget" in line for line in said) == 1
        assert reports[-1].outcome is Outcome.STUCK
        assert (reports[-1].written, reports[-1].merged) == ((), ())
        assert len(session.cover()) == 15
        assert problems(session) == []
        if chosen is counted:
            assert Counter(asked)[Block(0, 2)] >= 2
    judged(tmp_path)
    with Session.open(tmp_path, disk=Quick(), writer=index) as session:
        (report,) = life(session, 1)
        assert Block(0, 2) in report.written
        assert report.outcome is Outcome.SETTLED
        assert fc.weight(session.state.view) <= budget(session.state, session.settings)
    judged(tmp_path)


def test_said_again_when_it_comes_again(tmp_path: Path) -> None:
    """Trouble that went away and came back is news; a turn without a close is no close."""
    broken = [True]

    def writer(inputs: Inputs) -> str | None:
        return None if broken[0] else index(inputs)

    with created(tmp_path, window=3_000, line=20, writer=writer) as session:
        first = [report.said for report in life(session, 16)]
        assert sum("above its budget" in line for said in first for line in said) == 1
        assert not session.state.lines
        assert turn(session, "no fold here").said == ()
        assert session.end_turn().said == ()
        broken[0] = False
        assert not any("above its budget" in line for line in turn(session, "x", [folds("h", 15, 15)]).said)
        broken[0] = True
        later = [line for report in life(session, 16) for line in report.said]
        assert sum("above its budget" in line for line in later) == 1


@pytest.mark.parametrize("line", ["heavy words " * 400, "two\nlines " * 50, "x" * 10_000, "字" * 3_000])
def test_lines_are_never_heavier_than_their_pair(tmp_path: Path, line: str) -> None:
    """Cut, counted and said; one line each."""
    weights: list[tuple[int, int]] = []

    def writer(inputs: Inputs) -> str:
        return line

    with created(tmp_path, window=100, title=60, writer=writer) as session:
        reports = life(session, 70)
        state = session.state
        for block, written in state.lines.items():
            half = block.size // 2
            parts = (Block(block.start, half), Block(block.start + half, half))
            pair = [state.units[part.start].title if half == 1 else state.lines[part] for part in parts]
            whole = sum(weigh_line(labelled(part, each), estimate) for part, each in zip(parts, pair, strict=True))
            weights.append((weigh_line(labelled(block, written), estimate), whole))
            assert len(written.splitlines()) == 1
        assert weights
        assert all(mine <= theirs for mine, theirs in weights)
        assert any("were cut" in each for report in reports for each in report.said)
    judged(tmp_path)


def test_none_for_some_blocks(tmp_path: Path) -> None:
    """What can be merged is merged; the parents wait; nothing is written twice in the session's life."""
    with created(tmp_path, window=100, line=20, writer=halves_only) as session:
        reports = life(session, 30)
        assert {block.size for block in session.state.lines} == {2}
        assert any("no line for units 0 to 3" in line for report in reports for line in report.said)
    written = events(tmp_path, "line")
    assert len({(each["start"], each["size"]) for each in written}) == len(written) > 0
    judged(tmp_path)


def events(folder: Path, kind: str) -> list[dict[str, Any]]:
    """The journal's events of a kind."""
    found = [json.loads(line) for line in (folder / JOURNAL).read_text().split("\n")[1:-1]]
    return [each for each in found if each["e"] == kind]


def test_inputs_are_titles_up_to_sixteen_units_and_two_lines_above(tmp_path: Path) -> None:
    """Never more; and the same inputs for a block whenever it is asked for."""
    given: dict[Block, set[tuple[str, ...]]] = {}

    def writer(inputs: Inputs) -> str | None:
        given.setdefault(inputs.block, set()).add(inputs.lines)
        return f"line of {inputs.block.start} " * 9 if len(given[inputs.block]) + inputs.block.start % 3 else None

    with created(tmp_path, window=100, line=12, title=60, writer=writer) as session:
        life(session, 130)
        for block, lines in given.items():
            assert len(lines) == 1
            expected = 2 if block.size > 16 else block.size
            assert len(next(iter(lines))) == expected
        assert max(block.size for block in given) >= 32
        assert given[Block(0, 2)] == {tuple(session.zoom(Block(0, 2)))}


def within_budget(session: Session, said: Callable[[], bool]) -> None:
    """The cover is within its budget, or that was said."""
    weight = sum(weigh_line(line, estimate) for line in session.cover())
    assert weight == fc.weight(session.state.view)
    assert weight <= budget(session.state, session.settings) or said()


def test_six_hundred_units_in_a_tiny_window(tmp_path: Path) -> None:
    """The cover keeps its budget through a long life; lines are written once; the laws hold in all of it."""
    with created(tmp_path, window=3_000) as session:
        lines = 0
        for number in range(601):
            turn(session, f"task {number}: module{number % 37} needs flag{number}", [reads(f"c{number}")])
            if number:
                session.fold(number - 1, number - 1)
                lines = max(lines, len(session.cover()))
            if number % 50 == 0:
                within_budget(session, lambda: False)
        assert len(session.state.units) == 600
        assert lines < 60
        assert [unit for unit in session.zoom(Block(0, 600)) if "turn" not in unit] == []
        assert len(text(session.request())) < 20_000
        assert problems(session) == []
    written = events(tmp_path, "line")
    assert len({(each["start"], each["size"]) for each in written}) == len(written)
    assert len(written) < 600
    judged(tmp_path)


def test_the_writer_of_a_program_keeps_its_name() -> None:
    """No module of the command line may take the place of a name that the library offers."""
    import foldcover_harness.session as library

    offered = {name: getattr(library, name) for name in library.__all__}
    assert all(callable(each) for each in offered.values()), offered


def test_a_line_waits_for_the_lines_of_its_halves(tmp_path: Path) -> None:
    """Before they are written nobody knows what the block's own line may weigh."""
    sizes: set[int] = set()

    def writer(inputs: Inputs) -> str | None:
        sizes.add(inputs.block.size)
        return None if inputs.block.start % 4 == 2 else "long " * 60

    with created(tmp_path, window=100, writer=writer) as session:
        life(session, 41)
        assert sizes == {2}
        assert all(block.start % 4 == 0 for block in session.state.lines)
        assert len(session.state.lines) > 5
