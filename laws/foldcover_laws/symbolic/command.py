"""foldcover laws --symbolic: CrossHair checks every law and pin on views whose contents are unknown.

0 every contract is confirmed over all paths · 1 a counterexample · 2 usage, or CrossHair is not installed ·
3 undecided: not confirmed, out of time, nothing checked.
"""

from __future__ import annotations

import os
import sys

import click

from foldcover_laws.symbolic.crosshair import HOW_TO_INSTALL, is_installed
from foldcover_laws.symbolic.encoding import MOST_UNITS
from foldcover_laws.symbolic.report import as_json, failures, rows, summary
from foldcover_laws.symbolic.run import SLUGS, TIMEOUT, UNITS, Finding, Report, Settings, run

EPILOG = """\b
Examples:
  foldcover laws --symbolic                 all laws and pins, n up to 7
  foldcover laws --symbolic --units 4       under a minute
  foldcover laws --symbolic --law ranked    one of them, no steps
\b
Exit codes:
  0 all confirmed over all paths
  1 a counterexample
  2 usage, or no CrossHair
  3 undecided
"""


@click.command(epilog=EPILOG)
@click.option("--units", default=UNITS, show_default=True, type=click.IntRange(0, MOST_UNITS), help="n up to this.")
@click.option("--least", default=0, show_default=True, type=click.IntRange(0, MOST_UNITS), help="n from this on.")
@click.option(
    "--law", "slugs", metavar="SLUG", multiple=True, type=click.Choice(SLUGS), help="Only this law or pin; repeatable."
)
@click.option("--timeout", default=TIMEOUT, show_default=True, type=click.FloatRange(1), help="Seconds a contract.")
@click.option("--workers", default=os.cpu_count() or 1, type=click.IntRange(1), help="How many at a time [all cores].")
@click.option("--smallest", is_flag=True, help="Go up from --least and stop at the first n that is not confirmed.")
@click.option("--json", "as_json_text", is_flag=True, help="Print the report as JSON.")
def symbolic(
    units: int, least: int, slugs: tuple[str, ...], timeout: float, workers: int, smallest: bool, as_json_text: bool
) -> None:
    """Check the laws and pins with CrossHair: over all paths, on views of n units whose contents are unknown.

    Unknown are the shape below the trees, which lines are written, all weights, the budget, the rank, the block.
    The steps that are checked beside them know no n. See spec/symbolic.md.
    """
    if not is_installed():
        click.echo(HOW_TO_INSTALL, err=True)
        sys.exit(2)
    settings = Settings(units, slugs or SLUGS, least, timeout, workers, smallest, steps=not slugs)
    report = run_and_show(settings)
    if as_json_text:
        click.echo(as_json(report))
    else:
        for line in (*rows(report), *failures(report), summary(report)):
            click.echo(line)
    sys.exit(report.exit_code)


def run_and_show(settings: Settings) -> Report:
    """Run, and count the contracts on a terminal while they come in."""
    if sys.stderr is None or not sys.stderr.isatty():
        return run(settings)
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.completed} contracts, last {task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("", total=None)

        def heard(finding: Finding) -> None:
            progress.update(task, advance=1, description=finding.contract.name)

        return run(settings, heard)


if __name__ == "__main__":
    symbolic(prog_name="foldcover laws --symbolic")
