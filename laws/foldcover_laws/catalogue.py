"""The laws and pins as records: what each says, to what group it belongs, and the relation that judges it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from foldcover_laws import pins, thirteen
from foldcover_laws.events import Asked, Closed, Event, Run, Settling, Wrote, Zoomed

Relation = Callable[[Any], bool | None]
Kind = Literal["law", "pin"]


@dataclass(frozen=True, slots=True)
class Law:
    """A law or pin: its slug, group and sentence, and one relation for each kind of event it speaks of.

    spec/laws.md has a section of the same slug (`anchor`).
    """

    slug: str
    group: str
    kind: Kind
    sentence: str
    relations: Mapping[type[Event], Relation]

    @property
    def anchor(self) -> str:
        """Where the law is written in words and formulas."""
        return f"spec/laws.md#{self.slug}"


def _law(slug: str, group: str, sentence: str, event: type[Event], relation: Relation) -> Law:
    return Law(slug, group, "law", sentence, {event: relation})


def _pin(slug: str, sentence: str, relations: Mapping[type[Event], Relation]) -> Law:
    return Law(slug, "pins", "pin", sentence, relations)


THIRTEEN: tuple[Law, ...] = (
    _law("covers_close", "covers", "a close adds exactly one unit", Closed, thirteen.covers_close),
    _law("covers_settle", "covers", "settle adds or drops no unit", Settling, thirteen.covers_settle),
    _law("covers_write", "covers", "write adds or drops no unit", Wrote, thirteen.covers_write),
    _law("aligned_close", "aligned", "close keeps an aligned view aligned", Closed, thirteen.stays_aligned),
    _law("aligned_settle", "aligned", "settle keeps an aligned view aligned", Settling, thirteen.stays_aligned),
    _law("aligned_write", "aligned", "write keeps an aligned view aligned", Wrote, thirteen.stays_aligned),
    _law("written", "written", "only blocks with a written line merge", Settling, thirteen.written),
    _law("budget", "budget", "fits, or nothing is ready; stuck is told", Settling, thirteen.budget),
    _law("fit_stable", "fit_stable", "a view within the budget stays as it is", Settling, thirteen.fit_stable),
    _law("coarsen_settle", "coarsen_only", "settle never adds a line", Settling, thirteen.coarsen_settle),
    _law("coarsen_close", "coarsen_only", "a close adds exactly one line", Closed, thirteen.coarsen_close),
    _law("coarsen_write", "coarsen_only", "write adds no line and removes none", Wrote, thirteen.coarsen_write),
    _law("quiet", "quiet", "while titles fit, closes merge nothing", Run, thirteen.quiet),
)

PINS: tuple[Law, ...] = (
    _pin("target", "settle stops at half the budget", {Settling: pins.target}),
    _pin("ranked", "the ready pair with the least key merges", {Settling: pins.ranked}),
    _pin("pair", "each merged block was a pair just then", {Settling: pins.pair}),
    _pin("keeps", "settle changes only the merged blocks", {Settling: pins.keeps}),
    _pin("weighs", "lines weigh what the host said", {Closed: pins.weighs_close, Settling: pins.weighs_settle}),
    _pin("write_sets", "an unwritten Split gets exactly its line", {Wrote: pins.write_sets}),
    _pin("shape", "close adds one unit and its carries only", {Closed: pins.shape}),
    _pin("reads", "zoom reads just the units of the range", {Zoomed: pins.reads}),
    _pin("asks", "wanted names the lines settle will need", {Asked: pins.asks}),
)

LAWS: tuple[Law, ...] = THIRTEEN + PINS
