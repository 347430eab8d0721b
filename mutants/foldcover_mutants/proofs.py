"""The gate between mutants and proofs: a law's mutant fails that law's proof, and no other.

For each of the thirteen law mutants the changed source is translated to Coq; then the twelve proofs of the other
laws compile unchanged, the thirteenth does not, and the negation of its law is proved (R_<slug>.v). First the
core as it is must pass all thirteen, else a failing proof would mean nothing.

`python -m foldcover_mutants.proofs [slug ...]` works from a checkout only: the proofs are not installed.
Exit codes: 0 exactly the diagonal, 1 anything else, 2 no coqc or no spec folder, 3 a file took too long.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from foldcover_mutants.catalogue import LAW_MUTANTS, Mutant, NotApplied

LAWS = tuple(mutant.breaks for mutant in LAW_MUTANTS)
PASSED, FAILED, LATE = "passed", "failed", "late"
_REQUIRE = re.compile(r"^Require Import ([\w ]+)\.$", re.MULTILINE)


class Unavailable(Exception):
    """Coq or the checkout is missing: nothing can be said."""


@dataclass(frozen=True)
class Row:
    """One mutant: what became of each law's proof and of its own refutation; `trouble` if it never got that far."""

    mutant: str
    proofs: dict[str, str]
    refutation: str
    trouble: str = ""

    @property
    def diagonal(self) -> bool:
        """Whether exactly the mutant's own law fails, and its negation is proved."""
        wanted = {law: FAILED if law == self.mutant else PASSED for law in LAWS}
        return not self.trouble and self.proofs == wanted and self.refutation == PASSED

    @property
    def late(self) -> bool:
        """Whether a file took too long, so that nothing is decided."""
        return LATE in self.proofs.values() or self.refutation == LATE


@dataclass(frozen=True)
class Result:
    """All rows. `baseline` is empty if the core itself passes, else what is wrong with it."""

    rows: tuple[Row, ...]
    baseline: str = ""

    @property
    def code(self) -> int:
        """The exit code."""
        if any(row.late for row in self.rows):
            return 3
        return 0 if self.rows and not self.baseline and all(row.diagonal for row in self.rows) else 1

    def matrix(self) -> str:
        """A line for each mutant, a column for each law: `.` passes, `X` fails, `?` too late."""
        marks = {PASSED: ".", FAILED: "X", LATE: "?"}
        lines = [f"{'':16}{' '.join(f'{number:>2}' for number in range(1, len(LAWS) + 1))}  negation proved"]
        for row in self.rows:
            cells = " ".join(f"{marks.get(row.proofs.get(law, ''), '-'):>2}" for law in LAWS)
            lines.append(f"{row.mutant:16}{cells}  {row.refutation}{'  ' + row.trouble if row.trouble else ''}")
        return "\n".join(lines)


class Checkout:
    """The folders of the repository that the gate needs."""

    def __init__(self) -> None:
        root = Path(__file__).resolve().parents[2]
        self.core = root / "core" / "foldcover"
        self.proofs = root / "spec" / "proofs"
        self.translator = root / "spec" / "translator" / "translate.py"
        if not self.translator.is_file() or not self.core.is_dir():
            raise Unavailable("no spec folder beside this package: the gate of the proofs runs from a checkout only")
        if shutil.which("coqc") is None:
            raise Unavailable("no coqc here: install Coq 8.16 or later (Debian: coq)")

    def required(self, name: str) -> list[str]:
        """A file of the proofs and all that it requires, those first."""
        order: list[str] = []
        for line in _REQUIRE.findall((self.proofs / f"{name}.v").read_text(encoding="utf-8")):
            for other in line.split():
                order.extend(needed for needed in self.required(other) if needed not in order)
        return [*order, name]

    def translate(self, mutant: Mutant | None, folder: Path) -> str:
        """Translate the core, changed by `mutant`, into `folder`; the answer is what went wrong, or ''."""
        source = folder / "core"
        shutil.copytree(self.core, source, ignore=shutil.ignore_patterns("__pycache__"))
        if mutant is not None:
            path = source / f"{mutant.module}.py"
            try:
                path.write_text(mutant.apply(path.read_text(encoding="utf-8")), encoding="utf-8")
            except NotApplied as reason:
                return str(reason)
        command = [sys.executable, str(self.translator), "--core", str(source), "--out", str(folder / "Core.v")]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return "" if done.returncode == 0 else done.stderr.strip()


def compile_file(folder: Path, name: str, limit: float) -> str:
    """How compiling one file goes."""
    command = ["coqc", "-q", f"{name}.v"]
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, timeout=limit, check=False)
    except subprocess.TimeoutExpired:
        return LATE
    return PASSED if done.returncode == 0 else FAILED


def judge(checkout: Checkout, mutant: Mutant | None, limit: float) -> Row:
    """Translate, then compile the thirteen proofs and the mutant's refutation. No mutant: the core as it is."""
    name = "core" if mutant is None else mutant.breaks
    with tempfile.TemporaryDirectory() as where:
        folder = Path(where)
        if trouble := checkout.translate(mutant, folder):
            return Row(name, {}, FAILED, trouble)
        tops = [f"P_{law}" for law in LAWS] + ([f"R_{name}"] if mutant is not None else [])
        order = list(dict.fromkeys(needed for top in tops for needed in checkout.required(top)))
        for file in order:
            if file != "Core":
                shutil.copy(checkout.proofs / f"{file}.v", folder)
        verdicts: dict[str, str] = {}
        for file in order:
            # A file fares no better than what it requires.
            bad = [verdicts[other] for other in checkout.required(file)[:-1] if verdicts[other] != PASSED]
            verdicts[file] = bad[0] if bad else compile_file(folder, file, limit)
    broken = [file for file in order if file not in tops and verdicts[file] != PASSED]
    trouble = f"the lemmas fail before any law: {', '.join(broken)}" if broken else ""
    refutation = PASSED if mutant is None else verdicts[f"R_{name}"]
    return Row(name, {law: verdicts[f"P_{law}"] for law in LAWS}, refutation, trouble)


def run(slugs: tuple[str, ...] = (), limit: float = 300) -> Result:
    """Judge the mutants called `slugs`, or all thirteen. Raises Unavailable without Coq or outside a checkout."""
    checkout = Checkout()
    chosen = tuple(mutant for mutant in LAW_MUTANTS if not slugs or mutant.breaks in slugs)
    with ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
        waiting = [pool.submit(judge, checkout, mutant, limit) for mutant in (None, *chosen)]
        core, *rows = [one.result() for one in waiting]
    failing = [law for law in LAWS if core.proofs.get(law) != PASSED]
    return Result(tuple(rows), f"the core itself fails: {', '.join(failing)} {core.trouble}" if failing else "")


def main(arguments: list[str]) -> int:
    """Run the gate and print the matrix; the exit code is its answer."""
    if unknown := [slug for slug in arguments if slug not in LAWS]:
        print(f"no law mutant is called {', '.join(unknown)}", file=sys.stderr)
        return 2
    try:
        result = run(tuple(arguments))
    except Unavailable as reason:
        print(reason, file=sys.stderr)
        return 2
    if result.baseline:
        print(result.baseline)
    print(result.matrix())
    exact = sum(row.diagonal for row in result.rows)
    print(f"{exact} of {len(result.rows)} mutants fail exactly the proof of their law, and refute it")
    return result.code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
