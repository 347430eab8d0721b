"""With Coq: the translated core compiles, a law is proved of it, and a wrong example is noticed.

The whole is checked by `python spec/proofs/check.py`; these few seconds are for everyday runs.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

PROOFS = Path(__file__).resolve().parents[2] / "spec" / "proofs"


def coqc(folder: Path, name: str) -> subprocess.CompletedProcess[str]:
    """Compile one file."""
    return subprocess.run(["coqc", "-q", f"{name}.v"], cwd=folder, capture_output=True, text=True, check=False)


def test_a_law_is_proved_of_the_committed_core(tmp_path: Path) -> None:
    """Core.v and what law 1 needs, in order."""
    for name in ("Core", "Words", "Laws", "Lib", "LibClose", "P_covers_close"):
        shutil.copy(PROOFS / f"{name}.v", tmp_path)
        done = coqc(tmp_path, name)
        assert done.returncode == 0, done.stderr
    text = "Require P_covers_close.\nPrint Assumptions P_covers_close.covers_close.\n"
    (tmp_path / "Audit.v").write_text(text, encoding="utf-8")
    assert "Closed under the global context" in coqc(tmp_path, "Audit").stdout


def test_an_example_that_is_wrong_does_not_compile(tmp_path: Path) -> None:
    """The form of the examples: the kernel evaluates, so a wrong answer fails."""
    shutil.copy(PROOFS / "Core.v", tmp_path)
    assert coqc(tmp_path, "Core").returncode == 0
    head = "Require Import List ZArith Core.\nImport ListNotations.\nOpen Scope Z_scope.\n"
    for answer, code in ((1, 0), (2, 1)):
        text = f"{head}Example e : units [Leaf 7] = {answer}.\nProof. vm_compute. reflexivity. Qed.\n"
        (tmp_path / "E.v").write_text(text, encoding="utf-8")
        assert coqc(tmp_path, "E").returncode == code


def test_a_proof_that_takes_too_long_is_undecided() -> None:
    """Exit code 3 and the file's name: never a pass, never a broken proof."""
    command = [sys.executable, str(PROOFS / "check.py"), "--limit", "0.01"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 3, done.stderr
    assert "undecided: Core.v" in done.stdout
