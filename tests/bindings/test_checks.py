"""The checks of the C core can fail: a planted difference, a planted fault, a mutant that no longer fits."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

import foldcover as fc
from foldcover_mutants import MUTANTS, Mutant, NotApplied
from foldcover_mutants.gate import Finding

CHECKS = Path(__file__).parents[2] / "bindings" / "checks"


@pytest.fixture(autouse=True)
def beside(monkeypatch: pytest.MonkeyPatch) -> None:
    """The checks import one another as scripts do: from their own folder."""
    monkeypatch.setattr(sys, "path", [str(CHECKS), *sys.path])


def loaded(name: str) -> ModuleType:
    """A script of bindings/checks as a module."""
    spec = importlib.util.spec_from_file_location(name, CHECKS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def test_every_mutant_of_the_core_has_its_twin_in_c() -> None:
    """The same laws and pins, in the same order, and each change applies to the source as it is."""
    twins = loaded("c_mutants").MUTANTS
    source = (CHECKS.parent / "c" / "foldcover.c").read_text("utf-8")
    assert [twin.breaks for twin in twins] == [mutant.breaks for mutant in MUTANTS]
    for twin in twins:
        assert twin.apply(source) != source


def test_a_mutant_is_caught_by_its_law_and_one_that_does_not_fit_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    """One of the twenty-two, for speed, and one whose place is not there."""
    gate = loaded("mutants")
    (budget,) = [twin for twin in loaded("c_mutants").MUTANTS if twin.breaks == "budget"]
    assert gate.trial(budget).finding is Finding.CAUGHT
    gone = gate.trial(Mutant("budget", "foldcover", "no such place", "", "gone"))
    assert gone.finding is Finding.NOT_APPLIED
    broken = gate.trial(Mutant("budget", "foldcover", "#define NONE SIZE_MAX", "#error", "does not compile"))
    assert broken.finding is Finding.UNDECIDED
    assert gate.main(["nonsense"]) == 2
    assert "nonsense" in capsys.readouterr().err


def test_equality_sees_a_planted_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    """Against a Python core that settles one merge too far."""
    equal = loaded("equal")
    assert equal.do(equal.Work((), range(2))) == 1000
    right = equal.fc.settle

    def too_far(view: fc.View, budget: int, rank: fc.Rank) -> fc.Settled:
        settled: fc.Settled = right(view, budget - 1, rank)
        return settled

    monkeypatch.setattr(equal.fc, "settle", too_far)
    assert "C says" in str(equal.do(equal.Work((), range(20))))


def test_equality_sees_a_view_that_should_be_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is not aligned counts as one comparison; a view that C takes must be aligned."""
    equal = loaded("equal")
    unit, pair = fc.Leaf(), fc.Merged(2)
    assert equal.do(equal.Work([(pair, unit), (unit, unit)], ())) == 2
    assert equal.do(equal.Work([(unit, pair)], ())) > 2
    assert equal.do(equal.Work([(fc.Split(unit, fc.Merged(1)),)], ())) > 2

    def never(view: fc.View) -> bool:
        return False

    monkeypatch.setattr(equal.fc, "aligned", never)
    assert "C takes" in str(equal.do(equal.Work([(unit, pair)], ())))


@pytest.mark.parametrize(
    ("target", "right", "wrong"),
    [
        ("operations", "    doing->weight = weight;\n", "    doing->weight = weight + 1;\n"),
        ("load", "    return so_far->due == 0 ? FC_OK : FC_BAD_VIEW;\n", "    return FC_OK;\n"),
    ],
    ids=["operations", "load"],
)
def test_the_fuzzer_finds_a_planted_fault(
    target: str, right: str, wrong: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A merge that counts wrong, half a tree taken: found in a few runs, and nothing in as many of the real core."""
    fuzz = loaded("fuzz")
    fine, said = fuzz.fuzz(target, 300, tmp_path)
    assert fine, said
    source = (CHECKS.parent / "c" / "foldcover.c").read_text("utf-8")
    planted = tmp_path / "c"
    planted.mkdir()
    (planted / "foldcover.h").write_text((CHECKS.parent / "c" / "foldcover.h").read_text("utf-8"), "utf-8")
    (planted / "foldcover.c").write_text(Mutant("fault", "foldcover", right, wrong, "planted").apply(source), "utf-8")
    monkeypatch.setattr(fuzz, "C", planted)
    second = tmp_path / "second"
    second.mkdir()
    fine, said = fuzz.fuzz(target, 20_000, second)
    assert not fine
    assert "FOUND" in said


def test_a_change_that_does_not_occur_once_is_refused() -> None:
    """The gate never runs the source as it is in place of a mutant."""
    with pytest.raises(NotApplied):
        Mutant("x", "foldcover", "return", "", "many places").apply("return return")
