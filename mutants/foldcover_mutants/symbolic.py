"""foldcover mutants --symbolic: CrossHair finds every mutant by the contract of its own law or pin.

Each mutant's changed core is checked for n = 0, 1, 2, ... until its contract is refuted. So the n in its row is the
smallest that suffices: for every smaller one the contract was confirmed over all paths, mutant or not.

0 all found · 1 missed: confirmed for every n · 2 not applied, or CrossHair is not installed · 3 undecided.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from enum import Enum
from functools import partial
from typing import Any

import click

from foldcover_laws.symbolic.crosshair import HOW_TO_INSTALL, is_installed
from foldcover_mutants.catalogue import MUTANTS, Mutant, NotApplied
from foldcover_mutants.overlay import NoAnswer, ask

EPILOG = """\b
Exit codes:
  0 all found
  1 one is missed
  2 usage, not applied, or no CrossHair
  3 undecided
"""
UNITS = 4
TIMEOUT = 300.0


class Finding(Enum):
    """How the search for a counterexample ended."""

    FOUND = "found"
    """The contract of the mutant's own law or pin is refuted."""
    MISSED = "missed"
    """It is confirmed for every n that was tried."""
    NOT_APPLIED = "not applied"
    """Its place in the source does not occur exactly once, or the changed copy is not what ran."""
    UNDECIDED = "undecided"
    """CrossHair did not know, or did not answer."""


@dataclass(frozen=True, slots=True)
class Hunt:
    """A mutant, how the search ended, the n and the picture of the counterexample, or a word of explanation."""

    mutant: Mutant
    finding: Finding
    units: int | None = None
    witness: tuple[str, ...] = ()
    note: str = ""
    seconds: float = 0.0


def hunt(mutant: Mutant, units: int = UNITS, timeout: float = TIMEOUT) -> Hunt:
    """Check the contract of the mutant's law on the changed core, n = 0, 1, ..., until it is refuted."""
    start = time.perf_counter()
    flags = ["--json", "--smallest", f"--law={mutant.breaks}", f"--units={units}", f"--timeout={timeout:g}"]
    try:
        answer = ask(mutant, "foldcover_laws.symbolic", [*flags, "--workers=1"], 2 * timeout + 60)
        return judge(mutant, answer["contracts"], time.perf_counter() - start)
    except NotApplied as error:
        return Hunt(mutant, Finding.NOT_APPLIED, note=str(error), seconds=time.perf_counter() - start)
    except NoAnswer as error:
        return Hunt(mutant, Finding.UNDECIDED, note=str(error), seconds=time.perf_counter() - start)


def judge(mutant: Mutant, contracts: Sequence[dict[str, Any]], seconds: float) -> Hunt:
    """What the verdicts on the contracts, in order of n, say of a mutant."""
    for contract in contracts:
        if contract["verdict"] == "refuted":
            witness = tuple(contract["witness"] or [contract["words"]])
            return Hunt(mutant, Finding.FOUND, contract["units"], witness, seconds=seconds)
    doubtful = [contract for contract in contracts if contract["verdict"] != "confirmed"]
    if doubtful or not contracts:
        note = f"{doubtful[0]['name']}: {doubtful[0]['words']}" if doubtful else "nothing was checked"
        return Hunt(mutant, Finding.UNDECIDED, note=note, seconds=seconds)
    largest = max(contract["units"] for contract in contracts)
    return Hunt(mutant, Finding.MISSED, note=f"confirmed for every n up to {largest}", seconds=seconds)


def run(units: int, timeout: float, workers: int, heard: Callable[[Hunt], None] = lambda _: None) -> list[Hunt]:
    """Hunt for every mutant; the hunts in the order of the catalogue."""
    done: list[Hunt] = []
    with ThreadPoolExecutor(workers) as pool:
        for ended in pool.map(partial(hunt, units=units, timeout=timeout), MUTANTS):
            done.append(ended)
            heard(ended)
    return done


def exit_code(hunts: Sequence[Hunt]) -> int:
    """The worst finding decides; see the top of this file."""
    found = {one.finding for one in hunts}
    if Finding.MISSED in found:
        return 1
    if Finding.NOT_APPLIED in found:
        return 2
    return 0 if found == {Finding.FOUND} else 3


def rows(hunts: Sequence[Hunt], pictures: bool) -> Iterator[str]:
    """A row a mutant: how it ended, at which n, the seconds, what it does; below it the counterexample."""
    yield f"{'mutant of':<17}{'finding':<13}{'n':>3}{'time':>8}"
    for one in hunts:
        units = "-" if one.units is None else one.units
        what = one.mutant.story + (f" ({one.note})" if one.note else "")
        yield f"{one.mutant.breaks:<17}{one.finding.value:<13}{units:>3}{one.seconds:>7.1f}s  {what}"
        if pictures:
            yield from (f"    {line}" for line in one.witness)
            yield ""
    found = sum(one.finding is Finding.FOUND for one in hunts)
    yield f"{found} of {len(hunts)} mutants found by CrossHair, each by the contract of its own law or pin"


def as_dict(hunts: Sequence[Hunt]) -> dict[str, object]:
    """The result as plain data, for --json."""
    return {
        "ok": exit_code(hunts) == 0,
        "exit_code": exit_code(hunts),
        "mutants": [
            {
                "breaks": one.mutant.breaks,
                "finding": one.finding.value,
                "units": one.units,
                "seconds": round(one.seconds, 1),
                "witness": list(one.witness) or None,
                "note": one.note,
            }
            for one in hunts
        ],
    }


@click.command(epilog=EPILOG)
@click.option("--units", default=UNITS, show_default=True, type=click.IntRange(0, 7), help="Try n up to this.")
@click.option("--timeout", default=TIMEOUT, show_default=True, type=click.FloatRange(1), help="Seconds a contract.")
@click.option("--workers", default=os.cpu_count() or 1, type=click.IntRange(1), help="Mutants at a time [all cores].")
@click.option("--brief", is_flag=True, help="Leave out the counterexamples.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def symbolic(units: int, timeout: float, workers: int, brief: bool, as_json: bool) -> None:
    """Find every mutant with CrossHair: the contract of its own law or pin is refuted."""
    if not is_installed():
        click.echo(HOW_TO_INSTALL, err=True)
        sys.exit(2)
    hunts = run(units, timeout, workers)
    for line in [json.dumps(as_dict(hunts), indent=2)] if as_json else rows(hunts, not brief):
        click.echo(line)
    sys.exit(exit_code(hunts))


if __name__ == "__main__":
    symbolic(prog_name="foldcover mutants --symbolic")
