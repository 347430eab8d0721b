"""The mutation gate of the C core: every break of foldcover.c must be seen by its own law or pin.

    python bindings/checks/mutants.py            all of them, a process each
    python bindings/checks/mutants.py budget     the break of one law

Each trial compiles a changed copy of the binding in a folder of its own and runs the laws on it there, as on any port:
one view lives in C all the time, and malformed views, which C refuses, are not judged. Two come first: the unchanged
copy must hold everywhere, and a forced failure (a close that forgets all units) must be seen. What counts as seen is
what the gate of the Python core says. Exit codes: 0 all caught · 1 missed, or another law is broken · 2 not applied, or
no compiler · 3 undecided.
"""

from __future__ import annotations

import json
import os
import shlex
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

from c_mutants import MUTANTS
from overlay import NoAnswer, imported, last_line, lay, run

from foldcover_mutants import Mutant, NotApplied
from foldcover_mutants.gate import Finding, judge

UNCHANGED = Mutant("nothing", "foldcover", "", "", "the C core as it is")
FORCED = Mutant(
    "forced failure",
    "foldcover",
    "    append(view, weight, left);\n",
    "    fc_reset(view);\n",
    "close forgets all units",
)
SCOPE = ("--units=5", "--closes=16", "--stride=8", "--lives=2")


class Trial(NamedTuple):
    """A break of the C core, the laws and pins that saw it, and how it ended."""

    mutant: Mutant
    broken: tuple[str, ...]
    finding: Finding
    note: str


def trial(mutant: Mutant) -> Trial:
    """Build a copy with the mutant's change and run the laws on it."""
    try:
        with tempfile.TemporaryDirectory(prefix="foldcover-") as name:
            answer = _ask(Path(name), mutant)
    except NotApplied as error:
        return Trial(mutant, (), Finding.NOT_APPLIED, str(error))
    except NoAnswer as error:
        return Trial(mutant, (), Finding.UNDECIDED, str(error))
    broken = tuple(law["slug"] for law in answer["laws"] if law["verdict"] == "broken")
    idle = [law["slug"] for law in answer["laws"] if law["verdict"] not in ("broken", "holds")]
    if idle or answer["not_answered"]:
        return Trial(mutant, broken, Finding.UNDECIDED, f"no case, or calls not answered: {' '.join(idle)}")
    if mutant is UNCHANGED:
        return Trial(mutant, broken, Finding.OFF_DIAGONAL if broken else Finding.HOLDS, "")
    if mutant is FORCED:
        return Trial(mutant, broken, Finding.CAUGHT if broken else Finding.MISSED, "")
    return Trial(mutant, broken, *judge(mutant.breaks, broken))


def _ask(folder: Path, mutant: Mutant) -> dict[str, Any]:
    """What the laws say of the copy in `folder`."""
    lay(folder, None if mutant is UNCHANGED else mutant, "-O1 -w")
    if not imported(folder):
        raise NotApplied("another binding would be run")
    port = f"{shlex.quote(sys.executable)} -m foldcover_native.port"
    done = run(folder, ["-m", "foldcover_laws.command", "--json", "--port", port, *SCOPE], {}, may_fail=True)
    try:
        answer: dict[str, Any] = json.loads(done.stdout)
    except json.JSONDecodeError as error:
        raise NoAnswer(f"the law checker: {last_line(done)}") from error
    return answer


def _row(ended: Trial) -> str:
    seen = ", ".join(ended.broken) or "none"
    return f"{ended.mutant.breaks:<15}{ended.finding.value:<13}{ended.mutant.story}; broken: {seen} {ended.note}"


def main(names: list[str]) -> int:
    """Try the mutants called so, all of them by default."""
    chosen = [mutant for mutant in MUTANTS if not names or mutant.breaks in names]
    if unknown := set(names) - {mutant.breaks for mutant in MUTANTS}:
        print(f"no mutant is called {', '.join(sorted(unknown))}", file=sys.stderr)
        return 2
    first = [trial(UNCHANGED), trial(FORCED)]
    print(*map(_row, first), sep="\n", flush=True)
    if first[0].finding is not Finding.HOLDS or not first[1].broken:
        print("the gate cannot be trusted: the unchanged copy must hold, the forced failure must be seen")
        return 3 if first[0].finding is Finding.UNDECIDED else 1
    findings: list[Finding] = []
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for ended in pool.map(trial, chosen):
            print(_row(ended), flush=True)
            findings.append(ended.finding)
    caught = findings.count(Finding.CAUGHT)
    print(f"{caught} of {len(findings)} mutants of foldcover.c caught, each by its own law or pin")
    worst = {Finding.NOT_APPLIED: 2, Finding.UNDECIDED: 3, Finding.MISSED: 1, Finding.OFF_DIAGONAL: 1}
    bad = [worst[finding] for finding in findings if finding in worst]
    return (1 if 1 in bad else max(bad)) if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
