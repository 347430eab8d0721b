"""The mutation gate: every mutant must be seen by its own law or pin, and by no other of the thirteen.

Each trial runs the law checker in a process of its own that imports a changed copy of the core. Two trials come
first. The unmutated copy must hold everywhere. A forced failure, a close that forgets all units, must be seen:
it proves that the changed copy is what runs.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from enum import Enum
from functools import partial
from typing import Any

from foldcover_laws import PINS, THIRTEEN, Scope
from foldcover_mutants.catalogue import MUTANTS, Mutant, NotApplied
from foldcover_mutants.overlay import NoAnswer, ask

THIRTEEN_SLUGS = frozenset(law.slug for law in THIRTEEN)
PIN_SLUGS = frozenset(law.slug for law in PINS)

FORCED = Mutant(
    "forced failure",
    "operations",
    "    return (done.tree, *done.behind)\n",
    "    return ()\n",
    "close forgets all units",
)


UNMUTATED = Mutant("nothing", "", "", "", "the core as it is")


class Finding(Enum):
    """How a trial ended."""

    HOLDS = "holds"
    """All laws and pins: the unmutated core, as it must."""
    CAUGHT = "caught"
    """By its own law, and no other of the thirteen; by its own pin, and no other at all."""
    MISSED = "missed"
    """Its own law or pin holds all the same."""
    OFF_DIAGONAL = "off-diagonal"
    """Another law than its own is broken."""
    NOT_APPLIED = "not applied"
    """Its place in the source does not occur exactly once, or the changed copy is not what ran."""
    UNDECIDED = "undecided"
    """The checker ran out of time, or ended without an answer."""


@dataclass(frozen=True, slots=True)
class Trial:
    """A mutant and what the laws said of it: the slugs broken, how it ended, a word of explanation."""

    mutant: Mutant
    broken: tuple[str, ...]
    finding: Finding
    note: str = ""


@dataclass(frozen=True, slots=True)
class Baseline:
    """The two trials that come first: the unmutated core must hold, the forced failure must be seen."""

    unmutated: Trial
    forced: Trial

    @property
    def ok(self) -> bool:
        """Whether the gate can be trusted at all."""
        return self.unmutated.finding is Finding.HOLDS and bool(self.forced.broken)


@dataclass(frozen=True, slots=True)
class Settings:
    """How each trial runs the law checker: how much of it, and for how many seconds at most."""

    scope: Scope
    timeout: float = 300.0


def baseline(settings: Settings) -> Baseline:
    """Run the unmutated core and the forced failure."""
    return Baseline(trial(UNMUTATED, settings), trial(FORCED, settings))


def trial(mutant: Mutant, settings: Settings) -> Trial:
    """Run the laws on the changed core, or on an unchanged copy, and say how it ended."""
    scope = settings.scope
    flags = [
        "--json",
        f"--units={scope.units}",
        f"--closes={scope.closes}",
        f"--stride={scope.stride}",
        f"--lives={scope.lives}",
    ]
    try:
        changed = None if mutant is UNMUTATED else mutant
        return _verdict(mutant, ask(changed, "foldcover_laws.command", flags, settings.timeout))
    except NotApplied as error:
        return Trial(mutant, (), Finding.NOT_APPLIED, str(error))
    except NoAnswer as error:
        return Trial(mutant, (), Finding.UNDECIDED, str(error))


def _verdict(mutant: Mutant, answer: dict[str, Any]) -> Trial:
    broken = tuple(law["slug"] for law in answer["laws"] if law["verdict"] == "broken")
    if idle := [law["slug"] for law in answer["laws"] if law["verdict"] not in ("broken", "holds")]:
        return Trial(mutant, broken, Finding.UNDECIDED, f"no case ran for {', '.join(idle)}")
    if answer["not_answered"]:
        return Trial(mutant, broken, Finding.OFF_DIAGONAL, f"{answer['not_answered']} calls were not answered")
    if mutant is UNMUTATED:
        finding = Finding.OFF_DIAGONAL if broken else Finding.HOLDS
        return Trial(mutant, broken, finding, f"breaks {', '.join(broken)}" if broken else "")
    return Trial(mutant, broken, *judge(mutant.breaks, broken))


def judge(breaks: str, broken: tuple[str, ...]) -> tuple[Finding, str]:
    """Whether the broken laws are exactly those that a mutant of `breaks` may break."""
    if breaks not in broken:
        return Finding.MISSED, f"{breaks} holds"
    held_to = THIRTEEN_SLUGS if breaks in THIRTEEN_SLUGS else THIRTEEN_SLUGS | PIN_SLUGS
    others = [slug for slug in broken if slug in held_to and slug != breaks]
    if others:
        return Finding.OFF_DIAGONAL, f"also breaks {', '.join(others)}"
    return Finding.CAUGHT, ""


def run(settings: Settings, workers: int, heard: Callable[[Trial], None]) -> list[Trial]:
    """Try every mutant, `workers` at a time; the trials in the order of the catalogue. `heard` is told of each."""
    done: list[Trial] = []
    with ThreadPoolExecutor(workers) as pool:
        try:
            for ended in pool.map(partial(trial, settings=settings), MUTANTS):
                done.append(ended)
                heard(ended)
        finally:
            pool.shutdown(cancel_futures=True)
    return done
