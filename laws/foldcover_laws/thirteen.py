"""The thirteen laws (second post, "What Bend proves"), each one relation over an event.

True: holds. False: broken. None: the law says nothing about this event, which then does not count as a case.
"""

from __future__ import annotations

from foldcover import Outcome
from foldcover_laws.events import Closed, Run, Settling, Wrote


def covers_close(event: Closed) -> bool:
    """Units grow by exactly one."""
    return event.after.units == event.before.units + 1


def covers_settle(event: Settling) -> bool:
    """Units stay."""
    return event.after.units == event.before.units


def covers_write(event: Wrote) -> bool:
    """Units stay."""
    return event.after.units == event.before.units


def stays_aligned(event: Closed | Wrote | Settling) -> bool | None:
    """Aligned before implies aligned after."""
    return event.after.is_aligned() if event.before.is_aligned() else None


def written(event: Settling) -> bool | None:
    """Every merged block was a Split of the view before, with its line written."""
    if not event.merged:
        return None
    parts = [event.before.splits.get(block) for block in event.merged]
    return all(part is not None and part.line is not None for part in parts)


def budget(event: Settling) -> bool | None:
    """Within the budget or nothing ready; STUCK exactly when it could not get to half; FITS only when it fitted."""
    if event.budget < 0:
        return None
    before, after = event.before, event.after
    over = before.weight > event.budget
    dry = after.nothing_ready()
    stuck = over and after.weight > event.budget // 2 and dry
    return (
        (after.weight <= event.budget or dry)
        and (event.outcome is Outcome.STUCK) == stuck
        and not (event.outcome is Outcome.FITS and over)
    )


def fit_stable(event: Settling) -> bool | None:
    """A view within the budget comes back unchanged, an equal view, with nothing merged, and FITS."""
    if event.before.weight > event.budget:
        return None
    return event.after.view == event.before.view and event.merged == () and event.outcome is Outcome.FITS


def coarsen_settle(event: Settling) -> bool:
    """Settle never adds a line."""
    return event.after.lines <= event.before.lines


def coarsen_close(event: Closed) -> bool:
    """Close adds exactly one line."""
    return event.after.lines == event.before.lines + 1


def coarsen_write(event: Wrote) -> bool:
    """Write adds no line and removes none."""
    return event.after.lines == event.before.lines


def quiet(event: Run) -> bool | None:
    """While weight and the next titles fit in the budget, settle merges nothing and shows what it was given."""
    fits = event.before.weight + sum(event.titles) <= event.budget
    if not event.titles or min(event.titles) < 0 or not fits:
        return None
    return all(
        settling.merged == () and list(settling.after.shown) == list(given.shown) for given, settling in event.steps
    )
