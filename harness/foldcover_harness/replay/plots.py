"""Small plots for a terminal: a row of blocks for a series, a bar for a figure.

Rule: all rows of a plot share one scale that begins at nothing, so that they can be compared. A series longer than
its row is drawn in as many steps, each as high as its highest value.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from typing import Final

from foldcover_harness.replay.cover import clip
from foldcover_harness.replay.schedules import Bill

BLOCKS: Final = "▁▂▃▄▅▆▇█"
EIGHTHS: Final = "▏▎▍▌▋▊▉█"
NAME: Final = 18
SERIES: Final = 34
BAR: Final = 22


def sparkline(values: Sequence[int], most: int, columns: int) -> str:
    """Return `values` as a row of blocks, at most so many columns wide; `most` fills a column."""
    count = len(values)
    width = min(columns, count)
    steps = (values[count * step // width : count * (step + 1) // width] for step in range(width))
    top = len(BLOCKS) - 1
    return "".join(BLOCKS[min(top, max(step) * len(BLOCKS) // max(1, most))] for step in steps)


def bar(value: float, most: float, columns: int) -> str:
    """Return a bar; `most` makes it so many columns wide. What is above nothing shows at least a sliver."""
    eighths = round(8 * columns * value / most) if most else 0
    whole, rest = divmod(max(eighths, 1 if value > 0 else 0), 8)
    return EIGHTHS[-1] * whole + (EIGHTHS[rest - 1] if rest else "")


def bars(bills: dict[str, Bill]) -> Iterator[str]:
    """Yield a heading and a row for each schedule: its cost alone."""
    dearest = max((bill.cost for bill in bills.values()), default=0)
    yield f"  {'':<{NAME}} cost, up to {dearest:,.0f}"
    for schedule, bill in bills.items():
        yield f"  {clip(schedule, NAME):<{NAME}} {bar(bill.cost, dearest, SERIES + 1 + BAR)}"


def plots(bills: dict[str, Bill]) -> Iterator[str]:
    """Yield a heading and a row for each schedule: its prompts over the requests, its cost."""
    prompts: dict[str, array[int]] = {schedule: bill.prompts for schedule, bill in bills.items() if bill.prompts}
    if not prompts:
        return
    most = max(map(max, prompts.values()))
    dearest = max(bill.cost for bill in bills.values())
    yield f"  {'':<{NAME}} {f'prompts, up to {most:,}':<{SERIES}} {f'cost, up to {dearest:,.0f}':<{BAR}}".rstrip()
    for schedule, values in prompts.items():
        row = sparkline(values, most, SERIES)
        yield f"  {clip(schedule, NAME):<{NAME}} {row:<{SERIES}} {bar(bills[schedule].cost, dearest, BAR)}"
