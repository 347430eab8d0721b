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

from foldcover import Rank
from foldcover_laws.catalogue import LAWS
from foldcover_laws.events import Asked, Settling
from foldcover_laws.performer import Untotal
from foldcover_laws.ruler import named, picture, picture_of_failure
from foldcover_laws.symbolic.contracts import OPERATIONS, PERFORM, Contract, contracts
from foldcover_laws.symbolic.crosshair import Answer, Verdict, check, contracts_in
from foldcover_laws.symbolic.encoding import INNER

UNITS = 7
TIMEOUT = 600.0
TOGETHER = 3
SLUGS = tuple(law.slug for law in LAWS)
HEAD = "from foldcover_laws.symbolic.contracts import holds\n"


@dataclass(frozen=True, slots=True)
class Settings:
    """What is checked: these laws for n from `least` to `units`; seconds for each contract; how many at a time."""

    units: int = UNITS
    slugs: tuple[str, ...] = SLUGS
    least: int = 0
    timeout: float = TIMEOUT
    workers: int = field(default_factory=lambda: os.cpu_count() or 1)
    smallest: bool = False
    """Go up from `least`, and stop at the first n that is not confirmed."""
    steps: bool = True
    """Check the steps too, which know no n."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A contract, what CrossHair said of it, and its counterexample, drawn."""

    contract: Contract
    answer: Answer
    witness: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Report:
    """All findings, in the order of the laws and of n, and what was said of the steps."""

    settings: Settings
    findings: tuple[Finding, ...]
    steps: tuple[Answer, ...]
    seconds: float

    @property
    def exit_code(self) -> int:
        """1 a counterexample; else 3 where anything is not confirmed, or nothing was checked; else 0."""
        verdicts = {one.verdict for one in (*(finding.answer for finding in self.findings), *self.steps)}
        if Verdict.REFUTED in verdicts:
            return 1
        return 0 if self.findings and verdicts == {Verdict.CONFIRMED} else 3


def run(settings: Settings | None = None, heard: Callable[[Finding], None] = lambda _: None) -> Report:
    """Check every contract. `heard` is told of each finding as it comes in."""
    settings = Settings() if settings is None else settings
    start = time.perf_counter()
    steps = tuple(check_steps(settings.timeout)) if settings.steps else ()
    found: dict[str, Finding] = {}
    for finding in _in_turn(settings) if settings.smallest else _at_once(settings, _ordered(settings)):
        found[finding.contract.name] = finding
        heard(finding)
    asked = contracts(settings.slugs, range(settings.least, settings.units + 1))
    ordered = tuple(found[one.name] for one in asked if one.name in found)
    return Report(settings, ordered, steps, time.perf_counter() - start)


def _ordered(settings: Settings) -> list[list[Contract]]:
    """The contracts in batches, the longest first; small ones of a law together."""
    asked = contracts(settings.slugs, range(settings.least, settings.units + 1))
    batches = [
        list(batch) for _, batch in groupby(asked, key=lambda one: (one.law.slug, one.event, max(one.units, TOGETHER)))
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


def check_steps(timeout: float) -> list[Answer]:
    """Check the steps, in a copy of their file: CrossHair takes the folder of a file for the top of the imports."""
    source = Path(__file__).with_name("steps.py").read_text("utf-8")
    with tempfile.TemporaryDirectory(prefix="foldcover-") as folder:
        file = Path(folder) / "foldcover_steps.py"
        file.write_text(source, "utf-8")
        return check(file, contracts_in(source), timeout)


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
    if isinstance(event, Settling | Asked) and contract.ranks:
        event.rank.__name__ = name_of_table(contract, event.rank)
    if contract.law.relations[contract.event](event) is False:
        return Finding(contract, answer, tuple(picture(event)))
    return Finding(contract, replace(answer, verdict=Verdict.UNDECIDED, words=f"does not replay: {answer.words}"))


def name_of_table(contract: Contract, rank: Rank) -> str:
    """The keys of the counterexample's rank, so that the picture shows them."""
    keys = (f"{named(block)}: {rank(block, contract.units)}" for block in INNER[contract.units])
    return f"{{{', '.join(keys)}}}"


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
