"""The score of mutmut: each change has one fate, time-outs are no kills, stale arguments fail, the numbers add up."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from foldcover_mutants import lines as gate
from foldcover_mutants.lines import Argued, Change, NotRun, Trial, change_of, judge, lines_of, read_equivalents

DIFF = """\
# foldcover.settling.x_settle__mutmut_21: survived
--- foldcover/settling.py
+++ foldcover/settling.py
@@ -7,7 +7,7 @@
     if weight(view) <= budget:
         return Settled(view, (), Outcome.FITS)
-    low = budget // 2
+    low = budget / 2
     done = walk(view, low, Terms(units(view), rank, False))
"""
CHANGE = Change("settling.settle", "low = budget // 2", "low = budget / 2")
KILLED = Trial("a", "killed")
SURVIVED = Trial("b", "survived", CHANGE)
LATE = Trial("c", "timeout", CHANGE)
ARGUED = Argued(CHANGE, "because")


def test_a_diff_is_read_as_the_change_of_a_function() -> None:
    """Without file names, line numbers and indentation: it survives edits elsewhere."""
    assert change_of("foldcover.settling.x_settle__mutmut_21", DIFF) == CHANGE
    assert change_of("foldcover.impl.xǁCloseǁ__call____mutmut_1", DIFF).function == "impl.Close.__call__"


def test_each_change_has_one_fate_and_the_numbers_add_up() -> None:
    """Killed, argued, survived."""
    score = judge([KILLED, SURVIVED], [ARGUED], total=2)
    assert [fate for _, fate in score.fates] == ["killed", "equivalent"]
    assert score.exit_code == 0
    assert lines_of(score)[-1].startswith(
        "1 killed + 1 equivalent (argued) + 0 survived + 0 timed out + 0 undecided = 2 changes in all"
    )
    assert judge([KILLED, SURVIVED], [], total=2).exit_code == 1
    assert judge([KILLED, Trial("d", "no tests", CHANGE)], [], total=2).exit_code == 1


def test_a_time_out_is_never_a_kill() -> None:
    """It is reported as one, unless it is argued; other words of mutmut are undecided."""
    score = judge([KILLED, LATE], [], total=2)
    assert (score.count("killed"), score.count("timed out"), score.exit_code) == (1, 1, 3)
    assert judge([KILLED, LATE], [ARGUED], total=2).exit_code == 0
    for status in ("suspicious", "segfault", "skipped", "not checked", "caught by type check"):
        assert judge([Trial("d", status, CHANGE)], [], total=1).exit_code == 3


def test_a_stale_argument_fails_also_when_its_change_is_killed_now() -> None:
    """An argument must be about something that nothing sees."""
    assert judge([KILLED], [ARGUED], total=1).exit_code == 1
    assert judge([Trial("b", "killed", CHANGE)], [ARGUED], total=1).exit_code == 1
    assert "stale" in lines_of(judge([KILLED], [ARGUED], total=1))[0]


def test_a_count_that_does_not_add_up_is_undecided() -> None:
    """A change without a fate, or no change at all."""
    assert judge([KILLED], [], total=2).exit_code == 3
    assert judge([], [], total=0).exit_code == 3


def test_the_committed_list_has_an_argument_for_each() -> None:
    """And it is read without a complaint."""
    argued = read_equivalents()
    assert argued
    assert all(len(one.why) > 40 for one in argued)


def test_an_entry_without_argument_or_listed_twice_is_refused(tmp_path: Path) -> None:
    """The list is an argument, not a switch."""
    file = tmp_path / "equivalent.toml"
    entry = '[[equivalent]]\nfunction = "f"\nold = "a"\nnew = "b"\nwhy = "{why}"\n'
    for text in (entry.format(why=""), 2 * entry.format(why="because")):
        file.write_text(text, "utf-8")
        with pytest.raises(NotRun, match="equivalent"):
            read_equivalents(file)


def test_without_mutmut_there_is_one_clear_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """Exit code 2, and how to install it."""
    monkeypatch.setattr(gate, "is_installed", lambda: False)
    done = CliRunner().invoke(gate.lines, [])
    assert done.exit_code == 2
    assert done.output.strip() == "mutmut is not installed: pip install mutmut"
