"""What the host says when a strategy begins and when it ends.

Rule: whatever others wrote stands behind bars, so that no line of it can look like the host's; only the report stands
bare, word for word, and with it the message ends.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from foldcover_harness.agent.strategies.definitions import Strategy
from foldcover_harness.agent.strategies.stack import By, Frame
from foldcover_harness.session.legality import ranges
from foldcover_harness.session.lines import one_line
from foldcover_harness.session.receipt import quoted, turns_of

HEAD: Final = "[foldcover strategy]"
NO_REPORT: Final = "no report was written"
WAY_OUT: Final = (
    "strategy_report(report) takes the place of the report before. The way out: strategy_yield(reason), or the user "
    "types /back. Then all turns from this message on fold away, and of them the last report stays, exactly as it is."
)
_TITLE: Final = 200


def entering(strategy: Strategy, task: str, by: By, outer: Frame | None) -> str:
    """The message with which a strategy begins."""
    return "\n".join(_entering(strategy, task, by, outer))


def leaving(
    frame: Frame,
    by: By,
    reason: str | None,
    outer: Frame | None,
    turns: tuple[int, int],
    units: Sequence[int],
    lost: int,
) -> str:
    """The message with which a strategy ends: its branch was `turns`, first and last; `units` hold it when it is
    folded, but for `lost` turns, for which a summary stands.
    """
    lines = [*_leaving(frame, by, reason), *_branch(turns, units, lost), _outside(outer), frame.leave.strip()]
    if frame.report is None:
        return "\n".join([*lines, f"Of its work nothing else stays here: {NO_REPORT}."])
    return "\n".join([*lines, "Its last report, word for word, up to the end of this message:", frame.report])


def title(frame: Frame) -> str:
    """The title of the units into which a branch folds."""
    if frame.report is None:
        return f"{frame.label} ({NO_REPORT}): {one_line(frame.task, _TITLE)}"
    return f"{frame.label}: {one_line(frame.report.strip().splitlines()[0], _TITLE)}"


def _entering(strategy: Strategy, task: str, by: By, outer: Frame | None) -> Iterator[str]:
    asked = "as you asked" if by == "model" else "as the user asked"
    yield f'{HEAD} The strategy "{strategy.label}" begins, {asked}.'
    if outer is not None:
        yield f'It is nested in "{outer.label}", whose rules hold again when it is over.'
    yield strategy.enter.strip()
    if task:
        yield "The task:"
        yield from quoted(task)
    else:
        yield "The user will say what the task is."
    yield "The rules, until it is over:"
    yield strategy.rules.strip()
    yield WAY_OUT


def _leaving(frame: Frame, by: By, reason: str | None) -> Iterator[str]:
    yield f'{HEAD} The strategy "{frame.label}" is over.'
    if by == "user":
        yield "The user left it with /back."
    else:
        yield "You left it with strategy_yield, and gave this reason:"
        yield from quoted(reason or "")
    if frame.task:
        yield "Its task was:"
        yield from quoted(frame.task)


def _branch(turns: tuple[int, int], units: Sequence[int], lost: int) -> Iterator[str]:
    if units:
        many = "s" if len(units) > 1 else ""
        yield f"Its {turns_of(*turns)} went into unit{many} {', '.join(ranges(units))} of the cover, and into archives."
    if lost:
        yield f"{lost} of its turns had been compacted: the summary that stands for them names their archive."


def _outside(outer: Frame | None) -> str:
    return "You are in the main conversation again." if outer is None else f'You are in "{outer.label}" again.'
