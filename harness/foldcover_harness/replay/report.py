"""Everything that replay finds out, as values; no printing.

Rule: of a transcript only figures stay, and the few words of its cover. Those with fewer than twenty requests are
shown but left out of the total, and counted.
"""

from __future__ import annotations

import gc
from array import array
from collections import Counter
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final

from foldcover_harness.replay import accuracy, boundaries, cover, labels, prices, schedules, tape, tokens
from foldcover_harness.replay import split as parts
from foldcover_harness.replay import sweep as sweeps
from foldcover_harness.replay import usage as usages
from foldcover_harness.replay.place import Place
from foldcover_harness.replay.schedules import Own
from foldcover_harness.replay.sources import Refusal
from foldcover_harness.replay.total import ENOUGH, Total
from foldcover_harness.transcripts.model import Conversation, Turn

STANDING: Final = 15_000
"""Tokens of the standing part where none can be measured."""


@dataclass(frozen=True, slots=True)
class Options:
    """What the user chose. `standing` is None for "measured"; `schedules` are priced, in this order; `series` asks
    for the split of every request, `sweep` for the prices under other assumptions. `command` is asked for boundaries
    where they are "model"; with `labels` boundaries are compared with them.
    """

    estimator: tokens.Estimator = tokens.CALIBRATED
    window: int = 100_000
    standing: int | None = STANDING
    boundaries: str = "turn"
    command: str = ""
    labels: labels.Labels | None = None
    schedules: tuple[str, ...] = schedules.DEFAULT
    own: Mapping[str, Own] = field(default_factory=dict[str, Own])
    series: bool = False
    price: prices.Named | None = None
    sweep: bool = False


@dataclass(frozen=True, slots=True)
class Replayed:
    """One transcript and its figures. `standing_from` is "assumed", or "measured" from the first reported
    usage. `base` is what compaction costs, in tenths; `answers` are the tokens that the model wrote.
    """

    path: Place
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
    agreements: dict[str, boundaries.Agreement]
    grid: sweeps.Grid

    @property
    def counted(self) -> bool:
        """Whether it is part of the total."""
        return self.requests >= ENOUGH


@dataclass(slots=True)
class Report:
    """All transcripts, their total, and what was refused."""

    options: Options
    replayed: list[Replayed] = field(default_factory=list[Replayed])
    refused: list[Refusal] = field(default_factory=list[Refusal])
    total: Total = field(default_factory=Total)
    notes: list[str] = field(default_factory=list[str])


def replay(conversation: Conversation, path: Place, options: Options) -> Replayed:
    """Return the figures of one conversation. Raises LabelError where labels do not fit it, OwnScheduleError where
    a schedule of the user's fails on it.
    """
    notes = list(conversation.found.notes)
    closes, agreements = _closes(conversation, path, options, notes)
    units = boundaries.units(conversation.turns, closes)
    standing, source = _standing(conversation, options, notes)
    setting = schedules.Setting(standing, options.window)
    tape_ = tape.record(conversation, options.estimator, units)
    bills = {
        name: schedules.price(tape_, name, setting, options.own)
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
        # The page alone draws what each request shared.
        bills=bills if options.series else {name: bill._replace(hits=array("q")) for name, bill in bills.items()},
        base=base.tenths,
        answers=tape_.answers,
        usage=usages.usage(conversation),
        split=parts.split(tape_, units),
        series=parts.series(tape_, units) if options.series else None,
        accuracy=errors,
        cover=cover.final_cover(units, tape_.closed, setting.budget),
        units=tape_.closed,
        budget=setting.budget,
        unknown=conversation.found.unknown,
        left_out=conversation.found.left_out,
        notes=tuple(notes),
        agreements=agreements,
        grid=sweeps.sweep(tape_, setting, tuple(bills), options.own) if options.sweep else {},
    )


def _closes(
    conversation: Conversation, path: Place, options: Options, notes: list[str]
) -> tuple[frozenset[int], dict[str, boundaries.Agreement]]:
    """Return after which turns units close, and how far each way of telling is from the labels."""
    turns = conversation.turns
    labelled = options.labels.of(path, len(turns)) if options.labels else None
    ways: dict[str, Callable[[list[Turn]], boundaries.Found]] = {
        "turn": boundaries.every_turn,
        "lexical": boundaries.lexical,
    }
    if options.boundaries == "model":
        ways["model"] = boundaries.asked(options.command)
    wanted = set(ways) if labelled is not None else {options.boundaries}
    found = {way: find(turns) for way, find in ways.items() if way in wanted}
    if "model" in found and found["model"].failed:
        notes.append(
            f"the boundary command failed at {found['model'].failed:,} of {len(turns) - 1:,} gaps: kept as boundaries"
        )
    agreements = (
        {} if labelled is None else {way: boundaries.agreement(each.closes, labelled) for way, each in found.items()}
    )
    if options.boundaries != "labels":
        return found[options.boundaries].closes, agreements
    if labelled is None:
        notes.append("no labels for this transcript: a unit closes at every turn")
        return boundaries.every_turn(turns).closes, agreements
    return labelled, agreements


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
