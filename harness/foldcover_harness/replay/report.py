"""Everything that replay finds out, as values; no printing.

Rule: each transcript is read, priced and let go before the next is opened. Those with fewer than twenty
requests are shown but left out of the total, and counted.
"""

from __future__ import annotations

import gc
from array import array
from collections import Counter
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from foldcover_harness.replay import accuracy, cover, prices, schedules, tape, tokens
from foldcover_harness.replay import split as parts
from foldcover_harness.replay import sweep as sweeps
from foldcover_harness.replay import usage as usages
from foldcover_harness.replay.sources import Refusal, Source
from foldcover_harness.transcripts.model import Conversation
from foldcover_harness.transcripts.recognise import RefusedError, read_file

ENOUGH: Final = 20
"""Requests that a transcript needs to be part of the total."""


STANDING: Final = 15_000
"""Tokens of the standing part where none can be measured."""


@dataclass(frozen=True, slots=True)
class Options:
    """What the user chose. `standing` is None for "measured"; `schedules` are priced, in this order; `series` asks
    for the split of every request, `sweep` for the prices under other assumptions.
    """

    estimator: tokens.Estimator = tokens.CALIBRATED
    window: int = 100_000
    standing: int | None = STANDING
    boundaries: str = "turn"
    schedules: tuple[str, ...] = schedules.DEFAULT
    series: bool = False
    price: prices.Named | None = None
    sweep: bool = False


@dataclass(frozen=True, slots=True)
class Replayed:
    """One transcript and its figures. `standing_from` is "assumed", or "measured" from the first reported
    usage. `base` is what compaction costs, in tenths; `answers` are the tokens that the model wrote.
    """

    path: Path
    client: str
    turns: int
    requests: int
    calls: int
    standing: int
    standing_from: str
    bills: dict[str, schedules.Bill]
    base: int
    answers: int
    usage: usages.Usage
    split: parts.Split
    series: parts.Series | None
    accuracy: accuracy.Accuracy
    cover: tuple[cover.Shown, ...]
    units: int
    budget: int
    unknown: Counter[str]
    left_out: Counter[str]
    notes: tuple[str, ...]
    grid: sweeps.Grid

    @property
    def counted(self) -> bool:
        """Whether it is part of the total."""
        return self.requests >= ENOUGH


@dataclass(slots=True)
class Row:
    """A schedule over the transcripts that have it: the sum of their bills, what compaction costs on the same
    ones, the last prompt of each, and the tokens that the model wrote.
    """

    bill: schedules.Bill
    base: int = 0
    transcripts: int = 0
    answers: int = 0
    last: array[int] = field(default_factory=lambda: array("q"))


@dataclass(slots=True)
class Total:
    """The sum over all transcripts that count."""

    transcripts: int = 0
    left_out: int = 0
    requests: int = 0
    turns: int = 0
    rows: dict[str, Row] = field(default_factory=dict[str, Row])
    usage: usages.Usage = usages.NOTHING
    split: parts.Split = parts.NOTHING
    steps: array[float] = field(default_factory=lambda: array("d"))
    prompts: array[float] = field(default_factory=lambda: array("d"))
    compared: int = 0
    odd: int = 0
    units: int = 0
    lines: int = 0
    grid: sweeps.Grid = field(default_factory=dict[tuple[str, float], "dict[str, tuple[sweeps.Sums, sweeps.Sums]]"])

    def add(self, one: Replayed) -> None:
        """Take in a transcript."""
        if not one.counted:
            self.left_out += 1
            return
        self.transcripts += 1
        self.requests += one.requests
        self.turns += one.turns
        for name, bill in one.bills.items():
            row = self.rows.setdefault(name, Row(schedules.Bill(0, 0, 0, array("q"), array("q"), 0, 0, 0)))
            row.bill = together(row.bill, bill)
            row.base += one.base
            row.transcripts += 1
            row.answers += one.answers
            row.last.extend(bill.prompts[-1:])
        self.usage = self.usage.plus(one.usage)
        self.split = self.split.plus(one.split)
        self.steps.extend(one.accuracy.steps)
        self.prompts.extend(one.accuracy.prompts)
        self.compared += one.accuracy.compared
        self.odd += one.accuracy.odd
        self.units += one.units
        self.lines += len(one.cover)
        sweeps.add(self.grid, one.grid)


def together(one: schedules.Bill, other: schedules.Bill) -> schedules.Bill:
    """Return the sum of two bills; the first one's lists of requests are extended, not copied."""
    one.prompts.extend(other.prompts)
    one.hits.extend(other.hits)
    return schedules.Bill(
        one.read + other.read,
        one.shared + other.shared,
        one.written + other.written,
        one.prompts,
        one.hits,
        one.rewrites + other.rewrites,
        one.compactions + other.compactions,
        one.blocked + other.blocked,
    )


@dataclass(slots=True)
class Report:
    """All transcripts, their total, and what was refused."""

    options: Options
    replayed: list[Replayed] = field(default_factory=list[Replayed])
    refused: list[Refusal] = field(default_factory=list[Refusal])
    total: Total = field(default_factory=Total)
    notes: list[str] = field(default_factory=list[str])


def replay(conversation: Conversation, path: Path, options: Options) -> Replayed:
    """Return the figures of one conversation."""
    notes = list(conversation.found.notes)
    standing, source = _standing(conversation, options, notes)
    setting = schedules.Setting(standing, options.window)
    tape_ = tape.record(conversation, options.estimator)
    bills = {
        name: schedules.price(tape_, name, setting)
        for name in options.schedules
        if name != schedules.RECORDED or usages.recorded(conversation)
    }
    base = bills["compaction"] if "compaction" in bills else schedules.price(tape_, "compaction", setting)
    errors = accuracy.measure(conversation, tape_.weights, options.estimator)
    notes += _warnings(bills, errors, setting, options.price)
    return Replayed(
        path=path,
        client=conversation.client,
        turns=len(conversation.turns),
        requests=len(conversation.requests),
        calls=sum(turn.calls for turn in conversation.turns),
        standing=standing,
        standing_from=source,
        bills=bills,
        base=base.tenths,
        answers=tape_.answers,
        usage=usages.usage(conversation),
        split=parts.split(tape_, conversation.turns),
        series=parts.series(tape_, conversation.turns) if options.series else None,
        accuracy=errors,
        cover=cover.final_cover(conversation.turns, tape_.closed, setting.budget),
        units=tape_.closed,
        budget=setting.budget,
        unknown=conversation.found.unknown,
        left_out=conversation.found.left_out,
        notes=tuple(notes),
        grid=sweeps.sweep(tape_, setting, tuple(bills)) if options.sweep else {},
    )


def _standing(conversation: Conversation, options: Options, notes: list[str]) -> tuple[int, str]:
    if options.standing is not None:
        return options.standing, "assumed"
    measured = tokens.measured_standing(conversation, options.estimator)
    if measured is None:
        notes.append(f"no usage reported: the standing part cannot be measured, {STANDING:,} tokens assumed")
        return STANDING, "assumed"
    return measured, "measured"


def _warnings(
    bills: dict[str, schedules.Bill],
    errors: accuracy.Accuracy,
    setting: schedules.Setting,
    price: prices.Named | None,
) -> list[str]:
    found: list[str] = []
    if setting.standing + schedules.SUMMARY >= setting.nearly_full:
        found.append(
            f"the standing part of {setting.standing:,} tokens fills the window alone: no compaction can make room"
        )
    blocked = max((bill.blocked for name, bill in bills.items() if name != "none"), default=0)
    if blocked and not found:
        found.append(f"nothing to compact at {blocked:,} nearly full requests: the last message fills the prompt")
    if errors.odd:
        found.append(
            f"{errors.odd:,} reported prompt sizes are odd (a jump beyond the text added, or above the window): "
            "not compared"
        )
    if price is not None and price.price.up_to is not None:
        limit = price.price.up_to
        above = [name for name, bill in bills.items() if bill.prompts and max(bill.prompts) > limit]
        if above:
            found.append(
                f"above {limit:,} tokens a prompt costs more than the price of {price.model} that is used: "
                f"too low for {', '.join(above)}"
            )
    return found


@contextmanager
def no_collector() -> Generator[None]:
    """Pause Python's cyclic garbage collector: reading makes many small values and no cycles, and looking
    for cycles among them takes a fifth of the time.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def run(
    files: Iterable[Source],
    options: Options,
    report: Report,
    after: Callable[[Source, Replayed | Refusal], None] = lambda source, result: None,
    passed: Callable[[int], object] | None = None,
) -> Report:
    """Replay `files` one after the other into `report`; `after` is told of each, `passed` of the bytes read
    meanwhile.
    """
    for source in files:
        result = _one(source, options, passed)
        if isinstance(result, Refusal):
            report.refused.append(result)
        else:
            report.replayed.append(result)
            report.total.add(result)
        after(source, result)
    return report


def _one(source: Source, options: Options, passed: Callable[[int], object] | None) -> Replayed | Refusal:
    try:
        with no_collector():
            return replay(read_file(source.path, passed), source.path, options)
    except RefusedError as refused:
        return Refusal(source.path, str(refused), source.named)
