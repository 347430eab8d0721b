"""The gate sees what it must see, and tells apart the ways in which a trial can fail."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from foldcover_laws import LAWS, PINS, THIRTEEN, Scope
from foldcover_mutants import LAW_MUTANTS, MUTANTS, PIN_MUTANTS, NotApplied
from foldcover_mutants.command import exit_code, failures, matrix
from foldcover_mutants.gate import FORCED, UNMUTATED, Baseline, Finding, Settings, Trial, judge, trial
from foldcover_mutants.overlay import core_source

QUICK = Settings(Scope(units=2, closes=6, stride=60, lives=0), timeout=120)
BY_SLUG = {mutant.breaks: mutant for mutant in MUTANTS}


def test_there_is_one_mutant_for_each_law_and_each_pin() -> None:
    """In the order of the laws."""
    assert [mutant.breaks for mutant in LAW_MUTANTS] == [law.slug for law in THIRTEEN]
    assert [mutant.breaks for mutant in PIN_MUTANTS] == [law.slug for law in PINS]
    assert [mutant.breaks for mutant in MUTANTS] == [law.slug for law in LAWS]


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.breaks)
def test_a_mutant_is_one_change_that_applies_exactly_once(mutant: object) -> None:
    """Its place occurs once in the source of today, and the changed source is still Python."""
    one = BY_SLUG[mutant.breaks]  # type: ignore[attr-defined]
    source = (core_source() / f"{one.module}.py").read_text("utf-8")
    changed = one.apply(source)
    assert changed != source
    compile(changed, one.module, "exec")


def test_a_place_that_is_gone_or_occurs_twice_is_refused() -> None:
    """The mutant does not apply itself somewhere else."""
    mutant = BY_SLUG["quiet"]
    for source in ("", mutant.old * 2):
        with pytest.raises(NotApplied, match="quiet"):
            mutant.apply(source)


def test_a_mutant_is_caught_by_its_own_law() -> None:
    """A real trial: the changed core in a process of its own."""
    ended = trial(BY_SLUG["coarsen_write"], QUICK)
    assert (ended.finding, ended.note) == (Finding.CAUGHT, "")
    assert set(ended.broken) >= {"coarsen_write"}


def test_the_forced_failure_is_seen() -> None:
    """A close that forgets everything breaks what it must: the changed copy is what runs."""
    assert "covers_close" in trial(FORCED, QUICK).broken


def test_the_core_as_it_is_holds() -> None:
    """The baseline is a real run of every law."""
    assert trial(UNMUTATED, QUICK).finding is Finding.HOLDS


def test_a_mutant_that_no_law_sees_is_missed() -> None:
    """A change of a comment."""
    harmless = replace(BY_SLUG["quiet"], old='"""close, write and zoom:', new='"""close, write and zoom, all:')
    assert trial(harmless, QUICK).finding is Finding.MISSED


def test_a_mutant_that_cannot_be_applied_is_its_own_finding() -> None:
    """Not missed, not caught."""
    assert trial(replace(FORCED, old="no such line"), QUICK).finding is Finding.NOT_APPLIED


def test_a_mutant_that_hangs_is_undecided() -> None:
    """Time runs out: never a catch, never a pass."""
    loop = replace(FORCED, new="    while True:\n        pass\n")
    ended = trial(loop, replace(QUICK, timeout=3))
    assert (ended.finding, ended.note) == (Finding.UNDECIDED, "no answer within 3 s")


def test_a_mutant_that_does_not_even_start_is_undecided() -> None:
    """A core that cannot be imported proves nothing."""
    ended = trial(replace(FORCED, new="    return (\n"), QUICK)
    assert ended.finding is Finding.UNDECIDED
    assert "SyntaxError" in ended.note


@pytest.mark.parametrize(
    ("breaks", "broken", "finding"),
    [
        ("quiet", ("quiet",), Finding.CAUGHT),
        ("quiet", ("quiet", "weighs", "shape"), Finding.CAUGHT),
        ("quiet", ("quiet", "budget"), Finding.OFF_DIAGONAL),
        ("quiet", ("budget",), Finding.MISSED),
        ("quiet", (), Finding.MISSED),
        ("weighs", ("weighs",), Finding.CAUGHT),
        ("weighs", ("weighs", "shape"), Finding.OFF_DIAGONAL),
        ("weighs", ("weighs", "quiet"), Finding.OFF_DIAGONAL),
    ],
)
def test_a_law_mutant_may_break_pins_and_a_pin_mutant_nothing_else(
    breaks: str, broken: tuple[str, ...], finding: Finding
) -> None:
    """The diagonal, as it is defined."""
    assert judge(breaks, broken)[0] is finding


@pytest.mark.parametrize(
    ("finding", "code"),
    [
        (Finding.CAUGHT, 0),
        (Finding.MISSED, 1),
        (Finding.OFF_DIAGONAL, 1),
        (Finding.NOT_APPLIED, 2),
        (Finding.UNDECIDED, 3),
    ],
)
def test_each_kind_of_failure_has_its_word_and_exit_code(finding: Finding, code: int) -> None:
    """0 to 3, and a line that names the mutant."""
    fine = [Trial(mutant, (mutant.breaks,), Finding.CAUGHT) for mutant in MUTANTS]
    tried = [replace(fine[0], finding=finding, note="why"), *fine[1:]]
    first = Baseline(Trial(UNMUTATED, (), Finding.HOLDS), Trial(FORCED, ("covers_close",), Finding.MISSED))
    assert exit_code(first, tried) == code
    told = "\n".join((*matrix(tried), *failures(tried)))
    assert finding is Finding.CAUGHT or f"{finding.value}: covers_close" in told


def test_the_matrix_fits_a_terminal() -> None:
    """Twenty-two columns in eighty characters."""
    tried = [Trial(mutant, (mutant.breaks,), Finding.OFF_DIAGONAL) for mutant in MUTANTS]
    assert max(len(line) for line in matrix(tried)) <= 80


def test_a_gate_whose_baseline_fails_tries_no_mutant(tmp_path: Path) -> None:
    """A broken core in front of the installed one: exit code 1, and the matrix is not printed."""
    text = (core_source() / "operations.py").read_text("utf-8")
    copy = tmp_path / "foldcover"
    copy.mkdir()
    for file in core_source().glob("*.py"):
        (copy / file.name).write_text(file.read_text("utf-8"))
    (copy / "operations.py").write_text(BY_SLUG["write_sets"].apply(text))
    command = [sys.executable, "-m", "foldcover_mutants.command", "--json", "--units=2", "--closes=4", "--stride=60"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env={"PYTHONPATH": str(tmp_path)})
    answer = json.loads(done.stdout)
    assert done.returncode == 1
    assert answer["unmutated"]["broken"] == ["write_sets"]
    assert answer["mutants"] == []
