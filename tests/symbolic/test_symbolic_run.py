"""CrossHair confirms small contracts, refutes broken ones, and nothing else is ever a pass."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from foldcover_laws.symbolic import command as laws_command
from foldcover_laws.symbolic.contracts import contracts
from foldcover_laws.symbolic.crosshair import Answer, Verdict, check, contracts_in
from foldcover_laws.symbolic.run import Finding, Report, Settings, replayed, run
from foldcover_mutants import MUTANTS, Mutant
from foldcover_mutants import symbolic as mutants_command
from foldcover_mutants.symbolic import Hunt, exit_code, hunt, judge

BY_SLUG = {mutant.breaks: mutant for mutant in MUTANTS}


def test_small_contracts_are_confirmed() -> None:
    """Two laws and a pin, n = 1 and 2."""
    report = run(Settings(units=2, least=1, slugs=("coarsen_close", "fit_stable", "ranked"), steps=False))
    assert [one.answer.verdict for one in report.findings] == [Verdict.CONFIRMED] * 6
    assert report.exit_code == 0


def test_a_mutant_is_refuted_with_a_picture_at_the_smallest_n() -> None:
    """The core that writes nothing is found at n = 2, the first n that has a Split."""
    found = hunt(BY_SLUG["write_sets"], units=3)
    assert (found.finding, found.units) == (mutants_command.Finding.FOUND, 2)
    assert any("write([0-1]" in line for line in found.witness)


def test_a_mutant_that_is_not_there_is_missed_or_not_applied() -> None:
    """A change that changes nothing is missed; one without its place is not applied."""
    same = Mutant("coarsen_close", "operations", "    return after\n", "    return (*after,)\n", "nothing")
    assert hunt(same, units=1).finding is mutants_command.Finding.MISSED
    gone = Mutant("coarsen_close", "operations", "no such place", "", "nothing")
    assert hunt(gone).finding is mutants_command.Finding.NOT_APPLIED


def test_a_wrong_contract_is_refuted_and_one_without_end_is_undecided(tmp_path: Path) -> None:
    """From a file as CrossHair sees it; a recursive type, a premise that is never met, and a string search."""
    file = tmp_path / "contracts.py"
    head = "import re\n\n\n"
    wrong = 'def wrong(x: int) -> bool:\n    """\n    post: _\n    """\n    return x * 2 != 8\n'
    never = 'def never(x: int) -> bool:\n    """\n    pre: x > x\n    post: _\n    """\n    return True\n'
    right = 'def right(x: int) -> bool:\n    """\n    post: _\n    """\n    return x + 1 > x\n'
    file.write_text(head + "\n\n".join((wrong, never, right)), "utf-8")
    names = contracts_in(file.read_text("utf-8"))
    answers = check(file, [*names, "not there"], timeout=10)
    assert [answer.verdict for answer in answers] == [
        Verdict.REFUTED,
        Verdict.UNDECIDED,
        Verdict.CONFIRMED,
        Verdict.UNDECIDED,
    ]


def test_nothing_to_check_is_undecided() -> None:
    """A run without a contract ends with exit code 3, steps or not."""
    done = CliRunner().invoke(laws_command.symbolic, ["--least", "3", "--units", "2", "--law", "pair"])
    assert done.exit_code == 3
    assert "no contract was checked" in done.output
    confirmed = Answer("step", Verdict.CONFIRMED, "")
    assert Report(Settings(), (), (confirmed,), 0.0).exit_code == 3


def test_a_refuted_contract_is_exit_code_1_and_undecided_is_3() -> None:
    """The worst decides."""
    one = next(contracts(["pair"], [2]))
    findings = {verdict: Finding(one, Answer(one.name, verdict, "")) for verdict in Verdict}
    confirmed, refuted, undecided = (findings[verdict] for verdict in Verdict)
    assert Report(Settings(), (confirmed,), (), 0.0).exit_code == 0
    assert Report(Settings(), (confirmed, undecided), (), 0.0).exit_code == 3
    assert Report(Settings(), (confirmed, undecided, refuted), (), 0.0).exit_code == 1
    assert Report(Settings(), (confirmed,), (refuted.answer,), 0.0).exit_code == 1
    assert Report(Settings(), (confirmed,), (undecided.answer,), 0.0).exit_code == 3


def test_a_counterexample_that_does_not_replay_is_undecided() -> None:
    """The core is not broken: what was printed is an artefact. One that cannot be read stays refuted."""
    one = next(contracts(["coarsen_close"], [1]))
    answer = Answer(one.name, Verdict.REFUTED, f"false when calling {one.name}((0,), 0) (which returns False)")
    assert replayed(one, answer).answer.verdict is Verdict.UNDECIDED
    unread = Answer(one.name, Verdict.REFUTED, f"false when calling {one.name}(<symbolic>) (which returns False)")
    assert replayed(one, unread).answer.verdict is Verdict.REFUTED


def test_without_crosshair_there_is_one_clear_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """Exit code 2, and how to install it."""
    for module, command in ((laws_command, laws_command.symbolic), (mutants_command, mutants_command.symbolic)):
        monkeypatch.setattr(module, "is_installed", lambda: False)
        done = CliRunner().invoke(command, [])
        assert done.exit_code == 2
        assert done.output.strip() == "CrossHair is not installed: pip install crosshair-tool"


def test_what_the_contracts_say_of_a_mutant() -> None:
    """Refuted is found; all confirmed is missed; a doubt, or nothing, is undecided."""
    mutant = BY_SLUG["pair"]
    base = {"name": "pair_settle_2", "units": 2, "words": "", "witness": None}

    def ended(*verdicts: str) -> Hunt:
        return judge(mutant, [{**base, "verdict": verdict} for verdict in verdicts], 0.0)

    assert exit_code([ended("confirmed", "refuted")]) == 0
    assert exit_code([ended("confirmed", "confirmed")]) == 1
    assert exit_code([ended("confirmed", "undecided")]) == 3
    assert exit_code([ended()]) == 3
    assert exit_code([]) == 3
    assert exit_code([ended("refuted"), hunt(Mutant("pair", "settling", "?", "", ""))]) == 2
