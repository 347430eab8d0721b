"""`foldcover measure reopen`: how often what was folded was needed again, over whole folders of sessions.

Rule: sessions are opened for reading only, also while their agents run. A session that cannot be read is named on
stderr and stops no other; the exit code is then 1. (First post, "What I don't know yet"; second post, "What a merged
line costs the reader".)
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import click

from foldcover_harness.measure import edges

if TYPE_CHECKING:
    from foldcover_harness.measure.estimates import Estimate

EPILOG: Final = """\b
Examples:
  foldcover measure reopen ~/sessions          all sessions below a folder
  foldcover measure reopen work other          two sessions, and the total
  foldcover measure reopen --json ~/sessions | jq .total

\b
Exit codes: 0 measured; 1 no session, or one could not be read; 2 usage.
"""


class Counted(NamedTuple):
    """What was counted in a session, or in all of them."""

    folder: str
    """"" for the total."""
    turns: int
    folds: int
    read_backs: int
    """Tool calls that name an archive."""
    repeated: int
    """Tool calls that a folded unit had made already."""
    reopened: int
    """Units that the very next turn after their fold read back or repeated."""


@click.command(epilog=EPILOG, short_help="How often what was folded was needed again.")
@click.argument(
    "folders",
    nargs=-1,
    required=True,
    metavar="FOLDER...",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
)
@click.option("--json", "as_json", is_flag=True, help="Print all figures as JSON.")
def reopen(folders: tuple[Path, ...], as_json: bool) -> None:
    """Count in sessions how often what was folded was needed again.

    Takes the folders of sessions, or folders that hold them at any depth. Counts by what the model called: archives
    read back, tool calls that a folded unit had made already, and units of which the very next turn did either: those
    were folded too early.
    """
    found = list(sessions(folders))
    rows: list[Counted] = []
    for folder in found:
        try:
            rows.append(_counted(folder))
        except _unreadable() as error:
            edges.notice(str(error) if str(folder) in str(error) else f"{folder}: {error}")
    if not found:
        edges.notice(f"no session in {', '.join(map(str, folders))}")
    if rows:
        _show(rows, as_json)
    sys.exit(int(len(rows) < len(found) or not found))


def sessions(folders: Sequence[Path]) -> Iterator[Path]:
    """The folders of all sessions in these folders and below, each once, in the order of their names."""
    from foldcover_harness.session.place import JOURNAL

    seen: set[Path] = set()
    for folder in folders:
        for here, inside, files in os.walk(folder, onerror=_not_searched):
            inside.sort()
            if JOURNAL in files and (real := Path(here).resolve()) not in seen:
                seen.add(real)
                yield Path(here)


def _not_searched(error: OSError) -> None:
    edges.notice(f"{error.filename}: {(error.strerror or str(error)).lower()}")


def _unreadable() -> tuple[type[Exception], ...]:
    """What opening a session raises where it cannot be read."""
    from foldcover_harness.session.journal import JournalError
    from foldcover_harness.session.reports import SessionError

    return JournalError, SessionError, OSError


def _counted(folder: Path) -> Counted:
    from foldcover_harness.session.session import Session

    with Session.open(folder, read_only=True) as opened:
        counters = opened.counters()
        state = opened.state
        return Counted(
            str(folder),
            len(state.turns),
            len(state.units),
            counters.read_backs,
            counters.repeated,
            counters.reopened,
        )


def total(rows: Sequence[Counted]) -> Counted:
    """The sum of all."""
    turns, folds, read_backs, repeated, reopened = (
        sum(values) for values in zip(*(row[1:] for row in rows), strict=True)
    )
    return Counted("", turns, folds, read_backs, repeated, reopened)


def rate(row: Counted) -> Estimate:
    """The share of folds that the very next turn reopened."""
    from foldcover_harness.measure.estimates import wilson

    return wilson(row.reopened, row.folds)


def _show(rows: Sequence[Counted], as_json: bool) -> None:
    if as_json:
        edges.show_json({"sessions": [_facts(row) for row in rows], "total": _facts(total(rows))})
        return
    for line in table(rows):
        click.echo(line)


def _facts(row: Counted) -> dict[str, object]:
    return {
        **row._asdict(),
        "read_backs_a_fold": _per(row.read_backs, row.folds),
        "repeated_a_fold": _per(row.repeated, row.folds),
        "reopened_share": rate(row),
    }


def _per(count: int, folds: int) -> float | None:
    return count / folds if folds else None


def table(rows: Sequence[Counted]) -> Iterator[str]:
    """The report, in 80 columns: a line a session, and the total with its rates."""
    from foldcover_harness.measure.table import between, percent
    from foldcover_harness.replay.cover import clip, plain

    yield f"{'session':<34}{'turns':>8}{'folds':>8}{'read back':>11}{'repeated':>10}{'reopened':>9}"
    everything = total(rows)
    for row in (*rows, everything):
        name = clip(plain(row.folder), 33) if row.folder else f"total of {len(rows):,}"
        yield f"{name:<34}{row.turns:>8,}{row.folds:>8,}{row.read_backs:>11,}{row.repeated:>10,}{row.reopened:>9,}"
    if everything.folds:
        share = rate(everything)
        yield ""
        backs, again = everything.read_backs / everything.folds, everything.repeated / everything.folds
        yield f"a fold: {backs:.3f} read-backs, {again:.3f} repeated calls"
        yield f"folded too early (reopened in the next turn): {percent(share)} % of folds (95 %: {between(share)})"
