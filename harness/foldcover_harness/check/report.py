"""All files of a run, examined one after the other.

Rule: a file is let go before the next is opened; what stays are its findings and, for the comparison, its
ids. An id that an earlier file has too is told with that file. Ids that are short numbers are no names: many
files have them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from foldcover_harness.check.examine import Examined, Finding, examine, in_order
from foldcover_harness.replay.sources import Refusal, Source
from foldcover_harness.transcripts.refusal import RefusedError


@dataclass(slots=True)
class Checked:
    """What was found in all files. `owners` says which file an id was in first."""

    examined: list[Examined] = field(default_factory=list[Examined])
    refused: list[Refusal] = field(default_factory=list[Refusal])
    owners: dict[str, int] = field(default_factory=dict[str, int])

    @property
    def clean(self) -> bool:
        """Whether every file was read and nothing was found."""
        return not self.refused and not any(one.findings or one.refusals for one in self.examined)

    def take(self, one: Examined) -> None:
        """Take in a file; what its ids share with files before it becomes findings."""
        number = len(self.examined)
        shared: dict[int, Finding] = {}
        for own, place in one.ids.items():
            if own.isdigit() and len(own) < 8:
                continue
            owner = self.owners.setdefault(own, number)
            if owner != number:
                known = shared.get(owner)
                first = Finding("crossed-id", 1, place, own, self.examined[owner].path)
                shared[owner] = first if known is None else known._replace(times=known.times + 1)
        one.findings = in_order([*one.findings, *shared.values()])
        one.ids = {}
        self.examined.append(one)


def run(
    files: Iterable[Source],
    checked: Checked,
    passed: Callable[[int], object] | None = None,
) -> None:
    """Examine `files` one after the other; `passed` is told of the bytes read meanwhile."""
    for source in files:
        one = attempt(Path(source.path), passed)
        if isinstance(one, str):
            checked.refused.append(Refusal(source.path, one, source.named))
        else:
            checked.take(one)


def attempt(path: Path, passed: Callable[[int], object] | None) -> Examined | str:
    """Return what is wrong in a file, or why it could not be read."""
    try:
        return examine(path, passed)
    except RefusedError as refused:
        return str(refused)
