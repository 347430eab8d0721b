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

from foldcover_harness.replay import accuracy, cover, schedules, tape, tokens
from foldcover_harness.replay import split as parts
from foldcover_harness.replay.sources import Refusal, Source
from foldcover_harness.transcripts.model import Conversation
from foldcover_harness.transcripts.recognise import RefusedError, read_file

ENOUGH: Final = 20
"""Requests that a transcript needs to be part of the total."""


@dataclass(frozen=True, slots=True)
class Options:
    """What the user chose. `standing` is None for "measured"."""

    estimator: tokens.Estimator = tokens.CALIBRATED
    window: int = 100_000
    standing: int | None = 15_000
    boundaries: str = "turn"


STANDING: Final = 15_000
"""Tokens of the standing part where none can be measured."""


@dataclass(frozen=True, slots=True)
class Replayed:
    """One transcript and its figures. `standing_from` is "assumed", or "measured" from the first reported
    usage.
    """

    path: Path
    client: str
    turns: int
    requests: int
    calls: int
    standing: int
    standing_from: str
    bills: dict[str, schedules.Bill]
    split: parts.Split
    accuracy: accuracy.Accuracy
    cover: tuple[cover.Shown, ...]
    units: int
    budget: int
    unknown: Counter[str]
    left_out: Counter[str]
    notes: tuple[str, ...]

    @property
    def counted(self) -> bool:
        """Whether it is part of the total."""
        return self.requests >= ENOUGH


@dataclass(slots=True)
class Total:
    """The sum over all transcripts that count."""

    transcripts: int = 0
    left_out: int = 0
    requests: int = 0
    turns: int = 0
    bills: dict[str, schedules.Bill] = field(default_factory=dict[str, schedules.Bill])
    last: dict[str, array[int]] = field(default_factory=dict[str, "array[int]"])
    split: parts.Split = parts.NOTHING
    steps: array[float] = field(default_factory=lambda: array("d"))
    prompts: array[float] = field(default_factory=lambda: array("d"))
    compared: int = 0
    odd: int = 0
    units: int = 0
    lines: int = 0

    def add(self, one: Replayed) -> None:
        """Take in a transcript."""
        if not one.counted:
            self.left_out += 1
            return
        self.transcripts += 1
        self.requests += one.requests
        self.turns += one.turns
        for name, bill in one.bills.items():
            self.bills[name] = together(self.bills[name], bill) if name in self.bills else _copy(bill)
            self.last.setdefault(name, array("q")).extend(bill.prompts[-1:])
        self.split = self.split.plus(one.split)
        self.steps.extend(one.accuracy.steps)
        self.prompts.extend(one.accuracy.prompts)
        self.compared += one.accuracy.compared
        self.odd += one.accuracy.odd
        self.units += one.units
        self.lines += len(one.cover)


def _copy(bill: schedules.Bill) -> schedules.Bill:
    return bill._replace(prompts=bill.prompts[:])


def together(one: schedules.Bill, other: schedules.Bill) -> schedules.Bill:
    """Return the sum of two bills; the first one's list of prompts is extended, not copied."""
    one.prompts.extend(other.prompts)
    return schedules.Bill(
        one.tenths + other.tenths,
        one.prompts,
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
    bills = {name: schedules.price(tape_, name, setting) for name in schedules.SCHEDULES}
    errors = accuracy.measure(conversation, tape_.weights, options.estimator)
    notes += _warnings(bills, errors, setting)
    return Replayed(
        path=path,
        client=conversation.client,
        turns=len(conversation.turns),
        requests=len(conversation.requests),
        calls=sum(turn.calls for turn in conversation.turns),
        standing=standing,
        standing_from=source,
        bills=bills,
        split=parts.split(tape_, conversation.turns),
        accuracy=errors,
        cover=cover.final_cover(conversation.turns, tape_.closed, setting.budget),
        units=tape_.closed,
        budget=setting.budget,
        unknown=conversation.found.unknown,
        left_out=conversation.found.left_out,
        notes=tuple(notes),
    )


def _standing(conversation: Conversation, options: Options, notes: list[str]) -> tuple[int, str]:
    if options.standing is not None:
        return options.standing, "assumed"
    measured = tokens.measured_standing(conversation, options.estimator)
    if measured is None:
        notes.append(f"no usage reported: the standing part cannot be measured, {STANDING:,} tokens assumed")
        return STANDING, "assumed"
    return measured, "measured"


def _warnings(bills: dict[str, schedules.Bill], errors: accuracy.Accuracy, setting: schedules.Setting) -> list[str]:
    found: list[str] = []
    if setting.standing + schedules.SUMMARY >= setting.nearly_full:
        found.append(
            f"the standing part of {setting.standing:,} tokens fills the window alone: no compaction can make room"
        )
    blocked = max(bill.blocked for name, bill in bills.items() if name != "none")
    if blocked and not found:
        found.append(f"nothing to compact at {blocked:,} nearly full requests: the last message fills the prompt")
    if errors.odd:
        found.append(
            f"{errors.odd:,} reported prompt sizes are odd (a jump beyond the text added, or above the window): "
            "not compared"
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
