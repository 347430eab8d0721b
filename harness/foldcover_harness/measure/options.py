"""What a run is asked for, and the experiment that it asks for.

Rule: everything that a figure depends on is a field of the settings, and stands in the result.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from typing import Final, NamedTuple

from foldcover_harness.measure import SECTIONS
from foldcover_harness.measure.estimates import Estimate
from foldcover_harness.measure.experiment import Experiment
from foldcover_harness.measure.figures import Result
from foldcover_harness.measure.history import History
from foldcover_harness.measure.lines import COMMAND, MODELS, Bound, argv, writer
from foldcover_harness.measure.questions import ASKED, WAYS
from foldcover_harness.measure.readers import Bm25, Program, Reader

NONE: Final = "none"


class Settings(NamedTuple):
    """The choices of a run."""

    writer: str
    against: str
    """The recipe to compare with, or "none"."""
    bound: Bound
    reader: str
    seed: int
    timeout: float
    questions: int | None
    """At most so many questions."""
    held_out: float | None
    """The share of transcripts that is reported on; None for all."""
    others: bool
    """Report on the transcripts that are not held out, those to choose constants on."""
    sections: tuple[str, ...] = SECTIONS
    base_url: str | None = None
    """Where models are asked, instead of their provider."""


class Missing(Exception):
    """A library of the extra is missing."""


def need() -> None:
    """Raise Missing unless the libraries of the extra `measure` are there."""
    missing = [name for name in ("bm25s", "numpy") if find_spec(name) is None]
    if missing:
        raise Missing(f"needs {' and '.join(missing)}: pip install 'foldcover[measure]'")


def reader(name: str, timeout: float, base_url: str | None = None) -> Reader:
    """The reader of a name: "bm25", "command:CMD" or "model:NAME". ValueError where there is none."""
    if name == Bm25.name:
        return Bm25()
    if name.startswith(COMMAND):
        return Program(argv(name), timeout)
    if name.startswith(MODELS[0]):
        from foldcover_harness.measure.asked import reader as model_reader

        return model_reader(name, base_url)
    raise ValueError(f"no reader {name!r}: there are bm25, command:CMD and model:NAME")


def check(settings: Settings) -> None:
    """Raise ValueError where a writer or a reader is none."""
    reader(settings.reader, settings.timeout, settings.base_url)
    for recipe in (settings.writer, settings.against):
        if recipe != NONE or recipe == settings.writer:
            writer(recipe, settings.bound, settings.timeout, settings.base_url)


def reported(transcripts: Sequence[int], settings: Settings) -> frozenset[int]:
    """The transcripts whose questions are asked: all, those held out by the seed, or the others."""
    numbers = sorted(set(transcripts))
    if settings.held_out is None:
        return frozenset(numbers)
    drawn = list(numbers)
    random.Random(settings.seed).shuffle(drawn)
    held = frozenset(drawn[: math.ceil(settings.held_out * len(drawn))])
    return frozenset(numbers) - held if settings.others else held


def measure(history: History, settings: Settings, tick: Callable[[], None], total: Callable[[int], None]) -> Result:
    """Run the experiment. `total` is told how often `tick` will be called."""
    asked = Experiment(
        history.units,
        settings.writer,
        settings.bound,
        reader(settings.reader, settings.timeout, settings.base_url),
        settings.seed,
        settings.timeout,
        reported([unit.transcript for unit in history.units], settings),
        settings.questions,
        tick,
        settings.base_url,
    )
    against = None if settings.against in (NONE, settings.writer) else settings.against
    total(asked.trials(settings.sections, against) * len(asked.questions))
    parts = settings.sections if asked.questions else ()
    sizes = list(asked.sizes(against)) if "sizes" in parts else []
    ages = list(asked.ages()) if "ages" in parts else []
    groups = list(asked.groups()) if "groups" in parts else []
    by_bytes = list(asked.by_bytes()) if "bytes" in parts else []
    budgets = list(asked.budgets()) if "budgets" in parts else []
    words = ~asked.output[:, None]
    posed: dict[str, Estimate] = {
        way: asked.clusters.rate(asked.posed[:, at : at + 1], words) for at, way in enumerate(WAYS)
    }
    failures = dict(asked.reader.failures)
    for lines in asked.recipes.values():
        for why in lines.failures.values():
            failures[why] = failures.get(why, 0) + 1
    return Result(
        shown(settings),
        len({unit.transcript for unit in history.units}),
        len(history.units),
        history.copies,
        {source: sum(each.source == source for each in asked.questions) for source in ASKED},
        posed,
        sum(len(lines.written) - len(lines.failures) for lines in asked.recipes.values()),
        sum(len(lines.failures) for lines in asked.recipes.values()),
        sizes,
        ages,
        groups,
        by_bytes,
        budgets,
        failures,
    )


def shown(settings: Settings) -> dict[str, str | int | float | None]:
    """The settings as they stand in the result."""
    part = "all" if settings.held_out is None else f"{'others' if settings.others else 'held out'}"
    return {
        "writer": settings.writer,
        "against": settings.against,
        "bound": f"{settings.bound.most} {settings.bound.unit}",
        "reader": settings.reader,
        "seed": settings.seed,
        "questions": settings.questions,
        "held_out": settings.held_out,
        "reported_on": part,
    }
