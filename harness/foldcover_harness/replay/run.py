"""All transcripts, in whatever way: the report takes the results in the order of the sources.

Rule: a way yields results as they come, each with the number of its source. What was kept of an earlier run is not
worked out again, what is new is kept as soon as it is there. The report is the same whatever came first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from foldcover_harness.replay.report import Options, Report
from foldcover_harness.replay.single import Passed, Result, one
from foldcover_harness.replay.sources import Refusal, Source

Way = Callable[[Sequence[Source], Options, Passed], Iterator[tuple[int, Result]]]
"""Yields each source's number with its result, in any order. `passed` is told of the bytes of the sources as they are
done with, all of them in the end. Raises OwnScheduleError and WayError.
"""


class WayError(Exception):
    """A way cannot be gone, or no further; the message says why, on one line."""


NONE: Mapping[int, Result] = {}


def nobody(size: int) -> None:
    """Is told of bytes, and does nothing: nobody waits to see how far it is."""


def here(sources: Sequence[Source], options: Options, passed: Passed) -> Iterator[tuple[int, Result]]:
    """One after the other, in this process."""
    for number, source in enumerate(sources):
        told = 0

        def tell(size: int, most: int = source.size) -> None:
            nonlocal told
            size = min(size, most - told)
            told += size
            passed(size)

        # Counting line by line costs a fortieth of all.
        result = one(source, options, None if passed is nobody else tell)
        passed(source.size - told)
        yield number, result


def run(
    sources: Sequence[Source],
    options: Options,
    report: Report,
    after: Callable[[Source, Result], object] = lambda source, result: None,
    passed: Passed = nobody,
    way: Way = here,
    known: Mapping[int, Result] = NONE,
    keep: Callable[[Source, Result], object] = lambda source, result: None,
) -> Report:
    """Replay the sources into the report. `after` is told of each in their order, `keep` of each that is new as soon
    as it is there; `known` are results that need no work. Raises OwnScheduleError and WayError.
    """
    todo = [number for number in range(len(sources)) if number not in known]
    ahead = dict(known)
    due = 0
    for index, result in way([sources[number] for number in todo], options, passed):
        keep(sources[todo[index]], result)
        ahead[todo[index]] = result
        while due in ahead:
            _take(report, sources[due], ahead.pop(due), after)
            due += 1
    for number in range(due, len(sources)):
        _take(report, sources[number], ahead.pop(number), after)
    return report


def _take(report: Report, source: Source, result: Result, after: Callable[[Source, Result], object]) -> None:
    if isinstance(result, Refusal):
        report.refused.append(result)
    else:
        report.replayed.append(result)
        report.total.add(result)
    after(source, result)
