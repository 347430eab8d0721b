"""What the commands say where there is no Coq, and that their lists of laws are the catalogue's."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from foldcover_mutants.catalogue import LAW_MUTANTS, PIN_MUTANTS
from foldcover_mutants.proofs import FAILED, LATE, LAWS, PASSED, Result, Row

ROOT = Path(__file__).resolve().parents[2]
PROOFS = ROOT / "spec" / "proofs"


def without_coq(*command: str) -> subprocess.CompletedProcess[str]:
    """Run Python where nothing is on the path."""
    paths = {"PATH": "", "PYTHONPATH": ":".join(path for path in sys.path if path)}
    return subprocess.run([sys.executable, *command], capture_output=True, text=True, check=False, env=paths)


def test_without_coq_the_check_says_so() -> None:
    """One clear line, exit code 2."""
    done = without_coq(str(PROOFS / "check.py"))
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "no coqc" in done.stderr


def test_without_coq_the_gate_says_so() -> None:
    """The same for mutants against proofs."""
    done = without_coq("-m", "foldcover_mutants.proofs")
    assert done.returncode == 2
    assert "no coqc" in done.stderr


def test_an_unknown_mutant_is_a_mistake_of_the_caller() -> None:
    """A slug that no law has."""
    assert without_coq("-m", "foldcover_mutants.proofs", "nonsense").returncode == 2


def test_every_law_and_pin_has_its_theorem() -> None:
    """A file for each, with a theorem of that name; a refutation for each law."""
    for mutant in (*LAW_MUTANTS, *PIN_MUTANTS):
        text = (PROOFS / f"P_{mutant.breaks}.v").read_text(encoding="utf-8")
        assert re.search(rf"^Theorem {mutant.breaks} :", text, re.MULTILINE)
    assert {path.stem for path in PROOFS.glob("R_*.v")} == {f"R_{mutant.breaks}" for mutant in LAW_MUTANTS}
    assert "Admitted" not in "".join(path.read_text(encoding="utf-8") for path in PROOFS.glob("*.v"))


def row(mutant: str, **other: str) -> Row:
    """A row as it should be, but for `other`."""
    proofs = {law: FAILED if law == mutant else PASSED for law in LAWS}
    return Row(mutant, {**proofs, **other}, PASSED)


def test_exit_codes_of_the_gate() -> None:
    """0 exactly the diagonal; 1 off the diagonal, missed or not applied; 3 undecided."""
    assert Result((row("quiet"), row("budget"))).code == 0
    assert Result(()).code == 1
    assert Result((row("quiet", budget=FAILED),)).code == 1
    assert Result((row("quiet", quiet=PASSED),)).code == 1
    assert Result((row("quiet"),), "the core itself fails").code == 1
    assert Result((Row("quiet", {}, FAILED, "the place occurs 0 times"),)).code == 1
    assert Result((row("quiet", budget=LATE),)).code == 3
