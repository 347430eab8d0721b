"""Check all contracts, on all processor cores, and replay every counterexample with plain numbers.

A counterexample counts when the law is False, or the call is not answered, on the replay too. One that cannot be
read is printed as CrossHair gave it. One that does not replay is an artefact, and the contract undecided.
"""

from __future__ import annotations

import ast
import os
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path

from foldcover_laws.catalogue import LAWS
from foldcover_laws.ruler import picture, picture_of_failure
from foldcover_laws.subject import Untotal
from foldcover_laws.symbolic.contracts import OPERATIONS, PERFORM, Contract, contracts
from foldcover_laws.symbolic.crosshair import Answer, Verdict, check

UNITS = 7
TIMEOUT = 600.0
TOGETHER = 3
SLUGS = tuple(law.slug for law in LAWS)
HEAD = "from typing import Tuple\n\nfrom foldcover_laws.symbolic.contracts import holds\n"


@dataclass(frozen=True, slots=True)
class Settings:
    """What is checked: these laws for n from `least` to `units`; seconds for each contract; how many at a time."""

    units: int = UNITS
    slugs: tuple[str, ...] = SLUGS
    least: int = 0
    timeout: float = TIMEOUT
    workers: int = field(default_factory=lambda: os.cpu_count() or 1)
    smallest: bool = False
    """Stop at the first n at which a law is refuted."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A contract, what CrossHair said of it, and its counterexample, drawn."""

    contract: Contract
    answer: Answer
    witness: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Report:
    """All findings, in the order of the laws and of n."""

    settings: Settings
    findings: tuple[Finding, ...]
    seconds: float

    @property
    def exit_code(self) -> int:
        """1 a counterexample; else 3 where anything is not confirmed, or nothing was checked; else 0."""
        verdicts = {one.answer.verdict for one in self.findings}
        if Verdict.REFUTED in verdicts:
            return 1
        return 0 if verdicts == {Verdict.CONFIRMED} else 3


def run(settings: Settings | None = None, heard: Callable[[Finding], None] = lambda _: None) -> Report:
    """Check every contract. `heard` is told of each finding as it comes in."""
    settings = Settings() if settings is None else settings
    start = time.perf_counter()
    found: dict[str, Finding] = {}
    for finding in _in_turn(settings) if settings.smallest else _at_once(settings, _ordered(settings)):
        found[finding.contract.name] = finding
        heard(finding)
    asked = contracts(settings.slugs, range(settings.least, settings.units + 1))
    ordered = tuple(found[one.name] for one in asked if one.name in found)
    return Report(settings, ordered, time.perf_counter() - start)


def _ordered(settings: Settings) -> list[list[Contract]]:
    """The contracts in batches, the longest first; small ones of a law together."""
    asked = contracts(settings.slugs, range(settings.least, settings.units + 1))
    batches = [
        list(batch)
        for _, batch in groupby(asked, key=lambda one: (one.law.slug, one.event, max(one.units, TOGETHER)))
    ]
    return sorted(batches, key=lambda batch: -batch[-1].units)


def _in_turn(settings: Settings) -> Iterator[Finding]:
    """One n after the other until something is refuted."""
    for units in range(settings.least, settings.units + 1):
        asked = [*contracts(settings.slugs, [units])]
        findings = [*_at_once(settings, [[one] for one in asked])]
        yield from findings
        if any(one.answer.verdict is not Verdict.CONFIRMED for one in findings):
            return


def _at_once(settings: Settings, batches: Sequence[Sequence[Contract]]) -> Iterator[Finding]:
    with tempfile.TemporaryDirectory(prefix="foldcover-") as folder, ThreadPoolExecutor(settings.workers) as pool:
        futures = [pool.submit(_check, Path(folder), batch, settings.timeout) for batch in batches]
        try:
            for future in as_completed(futures):
                yield from future.result()
        finally:
            pool.shutdown(cancel_futures=True)


def _check(folder: Path, batch: Sequence[Contract], timeout: float) -> list[Finding]:
    file = folder / f"{batch[0].name}.py"
    file.write_text("\n\n".join([HEAD, *(one.source() for one in batch)]), "utf-8")
    answers = check(file, [one.name for one in batch], timeout)
    return [replayed(one, answer) for one, answer in zip(batch, answers, strict=True)]


def replayed(contract: Contract, answer: Answer) -> Finding:
    """The finding, with the counterexample drawn if there is one that can be read."""
    if answer.verdict is not Verdict.REFUTED:
        return Finding(contract, answer)
    values = arguments_of(answer.words, contract.name)
    if values is None:
        return Finding(contract, answer, (answer.words,))
    operation = OPERATIONS[contract.event]
    try:
        event = PERFORM[operation](contract.units, contract.ranks, *contract.arguments(values))
    except Untotal as failure:
        return Finding(contract, answer, tuple(picture_of_failure(failure)))
    if contract.law.relations[contract.event](event) is False:
        return Finding(contract, answer, tuple(picture(event)))
    return Finding(contract, replace(answer, verdict=Verdict.UNDECIDED, words=f"does not replay: {answer.words}"))


def arguments_of(words: str, name: str) -> list[object] | None:
    """The values in `... when calling name(values) ...`, or None where they cannot be read."""
    at = words.find(f"{name}(")
    for stop in _closings(words, at) if at >= 0 else ():
        try:
            call = ast.parse(words[at:stop], mode="eval").body
            if isinstance(call, ast.Call) and not call.keywords:
                return [ast.literal_eval(value) for value in call.args]
        except (SyntaxError, ValueError):
            continue
    return None


def _closings(words: str, at: int) -> Iterable[int]:
    return (place + 1 for place in range(at, len(words)) if words[place] == ")")
