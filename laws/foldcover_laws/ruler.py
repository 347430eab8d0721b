"""Draw an event: the ruler of blocks before, the operation, the ruler after.

units     0     1     2     3     4
shown  [  1  ][  1  ][     1    ][  1  ]     a line each, with its weight
split  └── line 1 ──┘                        what could merge, innermost first
split  └─────── no line ────────┘
"""

from __future__ import annotations

from foldcover import Block, View
from foldcover_laws.events import Asked, Closed, Event, Run, Settling, Wrote, Zoomed
from foldcover_laws.performer import Untotal
from foldcover_laws.reading import Reading
from foldcover_laws.reproduce import for_the_eye

WIDTH = 68
INDENT = "    "


def picture(event: Event) -> list[str]:
    """The event in lines of at most 80 columns, as far as the view is small enough to be drawn."""
    match event:
        case Closed():
            return _told(event.before, f"close(weight={event.weight})", event.after)
        case Wrote():
            return _told(event.before, f"write({named(event.block)}, weight={event.weight})", event.after)
        case Settling():
            return [*_scene("before", event.before), *_settled(event)]
        case Asked():
            call = f"wanted(budget={event.budget}, rank={event.rank.__name__}) -> {listed(event.blocks)}"
            return [*_scene("before", event.before), call]
        case Zoomed():
            return [*_scene("before", event.before), f"zoom({named(event.block)}) -> {listed(event.blocks)}"]
        case Run():
            lines = _scene("before", event.before)
            for title, (given, settling) in zip(event.titles, event.steps, strict=True):
                lines += [
                    f"close(weight={title})",
                    *_scene("given", given),
                    *_settled(settling),
                ]
            return lines


def picture_of_failure(failure: Untotal) -> list[str]:
    """The call that was not answered, or not as it must be, with the view it was given."""
    if failure.reproduce:
        return [f"{failure.call} failed, {failure.reason}", *(INDENT + line for line in for_the_eye(failure.reproduce))]
    return [f"{failure.call} did not answer: {failure.reason}", f"{INDENT}view {shown(failure.view)}"]


def shown(view: View, most: int = 400) -> str:
    """A view as Python writes it, cut where it is long."""
    try:
        text = repr(view)
    except RecursionError:
        return "(nested too deep to be shown)"
    return text if len(text) < most else f"{text[:most]} ..."


def named(block: Block) -> str:
    """The block as the cover writes it: [3] or [0-3], or its plain address when it is not a range."""
    if block.size == 1:
        return f"[{block.start}]"
    return f"[{block.start}-{block.stop - 1}]" if block.size > 1 else f"(start {block.start}, size {block.size})"


def listed(blocks: tuple[Block, ...]) -> str:
    """Blocks in a row."""
    return " ".join(named(block) for block in blocks) or "nothing"


def _settled(event: Settling) -> list[str]:
    call = f"settle(budget={event.budget}, rank={event.rank.__name__})"
    return [f"{call} -> {event.outcome.name}, merged {listed(event.merged)}", *_scene("after", event.after)]


def _told(before: Reading, call: str, after: Reading) -> list[str]:
    return [*_scene("before", before), call, *_scene("after", after)]


def _scene(name: str, reading: Reading) -> list[str]:
    head = f"{name}: {reading.units} units, {reading.lines} lines, weight {reading.weight}"
    return [head, *(INDENT + line for line in ruler(reading))]


def ruler(reading: Reading) -> list[str]:
    """The blocks of a view over a ruler of units; their addresses in a row when there are too many to draw."""
    cell = max((len(str(weight)) + 2 for weight in reading.shown.values()), default=5)
    cell = max(cell, 5) if reading.units * 5 <= WIDTH else max(cell, 4)
    if reading.units == 0:
        return ["(empty)"]
    if reading.units * cell > WIDTH or min(block.size for block in reading.shown) < 1:
        return [listed(tuple(reading.shown))]
    marks = "".join(str(unit).center(cell) for unit in range(reading.units))
    shown = "".join(f"[{str(weight).center(block.size * cell - 2)}]" for block, weight in reading.shown.items())
    rows = [f"units  {marks}".rstrip(), f"shown  {shown}"]
    for block, parts in sorted(reading.splits.items(), key=lambda split: (split[0].size, split[0].start)):
        label = " no line " if parts.line is None else f" line {parts.line} "
        bar = label.center(block.size * cell - 2, "─")[: block.size * cell - 2]
        rows.append(f"split  {' ' * (block.start * cell)}└{bar}┘")
    return rows
