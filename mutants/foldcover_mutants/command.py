"""foldcover mutants: run the mutation gate and print the matrix mutants x laws.

0 exactly the diagonal · 1 a mutant was missed, or broke another law · 2 usage, or a mutant could not be applied ·
3 undecided (out of time). A baseline that does not hold, or a forced failure that is not seen, is 1 as well.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Sequence

import click

from foldcover_laws import LAWS, Scope
from foldcover_laws.command import on_terminal
from foldcover_laws.report import show
from foldcover_laws.switch import Switched
from foldcover_mutants.catalogue import MUTANTS
from foldcover_mutants.gate import PIN_SLUGS, THIRTEEN_SLUGS, Baseline, Finding, Settings, Trial, baseline, run

EPILOG = """\b
Examples:
  foldcover mutants                 all mutants, on every processor core
  foldcover mutants --units 6       more views, more time
  foldcover mutants --json | jq .ok
\b
Other gates, each with --help of its own:
  foldcover mutants --symbolic      CrossHair finds each mutant
  foldcover mutants --mutmut        every change by mutmut is seen
  foldcover mutants --proofs        each fails exactly its law's proof (Coq)
\b
Exit codes:
  0 exactly the diagonal
  1 a mutant was missed, or broke another law
  2 usage, or a mutant could not be applied
  3 undecided
"""


@click.command()
@click.argument("slugs", nargs=-1)
@click.pass_context
def proofs(ctx: click.Context, slugs: tuple[str, ...]) -> None:
    """Break the core on purpose, once for each of the thirteen laws, and see that exactly that proof fails.

    SLUGS are the laws to try; all thirteen when none is given.
    """
    from foldcover_mutants.proofs import main

    ctx.exit(main(list(slugs)))


SWITCHES = {
    "--symbolic": "foldcover_mutants.symbolic:symbolic",
    "--mutmut": "foldcover_mutants.lines:lines",
    "--proofs": "foldcover_mutants.command:proofs",
}


@click.command(cls=Switched, switches=SWITCHES, epilog=EPILOG)
@click.option("--units", default=4, show_default=True, type=click.IntRange(0, 15), help="Every view of up to N units.")
@click.option("--closes", default=16, show_default=True, type=click.IntRange(1), help="Closes in each literal.")
@click.option("--stride", default=8, show_default=True, type=click.IntRange(1), help="Every Nth malformed view only.")
@click.option("--timeout", default=300, show_default=True, type=click.IntRange(1), help="Seconds for each mutant.")
@click.option("--workers", default=os.cpu_count() or 1, type=click.IntRange(1), help="Trials at a time [all cores].")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def mutants(units: int, closes: int, stride: int, timeout: int, workers: int, as_json: bool) -> None:
    """Break the core on purpose, once for each law and pin, and see that exactly that one notices.

    A law's mutant must falsify its law and no other of the thirteen. A pin's mutant must pass all thirteen and
    falsify its pin and no other.
    """
    settings = Settings(Scope(units, closes, stride, lives=2), timeout)
    first = baseline(settings)
    if not as_json:
        show(opening(first))
    tried = _run(settings, workers) if first.ok else []
    text = (*matrix(tried), *failures(tried), summary(first, tried))
    show([json.dumps(as_dict(first, tried), indent=2)] if as_json else text)
    sys.exit(exit_code(first, tried))


def opening(first: Baseline) -> Iterator[str]:
    """The two trials that come first."""
    clean, forced = first.unmutated, first.forced
    fine = clean.finding is Finding.HOLDS
    yield f"unmutated core: {'all laws and pins hold' if fine else f'DOES NOT HOLD ({clean.note})'}"
    seen = f"seen by {len(forced.broken)} laws and pins" if forced.broken else f"NOT SEEN ({forced.note})"
    yield f"forced failure: {seen}"


def matrix(tried: Sequence[Trial]) -> Iterator[str]:
    """A row a mutant, a column a law: X its own, x a pin that a law's mutant may break, ! a hit that must not be."""
    if not tried:
        return
    columns = [*enumerate((law.slug for law in LAWS), 1)]
    yield ""
    yield f"{'mutant of':<19}{''.join(f'{number:>2}' + ' ' * (number == 13) for number, _ in columns)}"
    for number, one in enumerate(tried, 1):
        cells = "".join(f" {cell(one, slug)}" + " " * (column == 13) for column, slug in columns)
        yield f"{number:>2} {one.mutant.breaks:<16}{cells}  {one.finding.value}"
    yield ""
    yield "columns 1-13: the thirteen laws, 14-22: the pins, in the order of the rows"
    yield "X its own, x a pin (a law's mutant may break pins too), - missed, ! not allowed"


def cell(one: Trial, slug: str) -> str:
    """What one mutant did to one law."""
    if slug not in one.broken:
        return "." if one.mutant.breaks != slug else "-"
    if one.mutant.breaks == slug:
        return "X"
    return "x" if one.mutant.breaks in THIRTEEN_SLUGS and slug in PIN_SLUGS else "!"


def failures(tried: Sequence[Trial]) -> Iterator[str]:
    """A line for each trial that did not end as it must."""
    for one in tried:
        if one.finding is not Finding.CAUGHT:
            yield f"{one.finding.value}: {one.mutant.breaks} ({one.mutant.story}): {one.note}"


def summary(first: Baseline, tried: Sequence[Trial]) -> str:
    """One line: how many were caught."""
    if not first.ok:
        return "the gate cannot be trusted: no mutant was tried"
    caught = sum(one.finding is Finding.CAUGHT for one in tried)
    return f"{caught} of {len(MUTANTS)} mutants caught: a law's by no other of the thirteen, a pin's by no other at all"


def exit_code(first: Baseline, tried: Sequence[Trial]) -> int:
    """The worst finding decides; see the top of this file."""
    found = {one.finding for one in (first.unmutated, *tried)} - {Finding.HOLDS, Finding.CAUGHT}
    if not first.forced.broken:
        found.add(first.forced.finding)
    if found & {Finding.MISSED, Finding.OFF_DIAGONAL}:
        return 1
    if Finding.NOT_APPLIED in found:
        return 2
    return 3 if found else 0


def as_dict(first: Baseline, tried: Sequence[Trial]) -> dict[str, object]:
    """The result as plain data, for --json."""
    return {
        "ok": exit_code(first, tried) == 0,
        "unmutated": {"broken": first.unmutated.broken, "finding": first.unmutated.finding.value},
        "forced_failure": {"broken": first.forced.broken, "finding": first.forced.finding.value},
        "mutants": [
            {
                "breaks": one.mutant.breaks,
                "module": one.mutant.module,
                "story": one.mutant.story,
                "broken": one.broken,
                "finding": one.finding.value,
                "note": one.note,
            }
            for one in tried
        ],
    }


def _run(settings: Settings, workers: int) -> list[Trial]:
    """Run the trials, with a bar where there is a terminal to show it."""
    if not on_terminal():
        return run(settings, workers, lambda _: None)
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("mutants", total=len(MUTANTS))
        return run(settings, workers, lambda _: progress.advance(task))


if __name__ == "__main__":
    mutants(prog_name="foldcover mutants")
