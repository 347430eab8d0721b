"""A recorded trace on trial: the requests and answers of a life, or of several, in one file (spec/ports.md).

Rule: read once, line by line, in bounded memory. What cannot be what a trace is ends the judging with the number of its
line; a file that ends in the middle of a line was cut by a kill, which is named, and what came before is judged.
"""

from __future__ import annotations

import gzip
import time
from collections.abc import Iterator
from io import BufferedReader
from typing import IO, Any, cast

from foldcover_laws.events import Run
from foldcover_laws.follow import Follower
from foldcover_laws.judge import Judge, Progress, Report
from foldcover_laws.messages import BYE, Request
from foldcover_laws.performer import Fault, Found
from foldcover_laws.reproduce import lines_of
from foldcover_laws.wire import Malformed, after_reading, id_of, parse, read_answer, read_request

LONGEST_LINE = 16 << 20
"""Bytes that a line may have."""


def judge_trace(name: str, file: IO[bytes], progress: Progress = iter) -> Report:
    """Judge a trace. A law of which it has no case is not judged; a trace without an operation ran nothing."""
    trace = Trace(file)
    judge = Judge(name, None, lambda law: False, trace.where, lines_of)
    start = time.perf_counter()
    try:
        for found in progress(trace.events()):
            if isinstance(found, Run):
                judge.weigh(found)
            else:
                judge.hear(found)
    except Fault as fault:
        judge.report.cut_short(Fault(f"{name}, {fault.what}", fault.code))
    judge.report.notes += trace.notes()
    judge.report.seconds = time.perf_counter() - start
    return judge.report


class Trace:
    """A trace that is being read: where it is, and what it holds."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._line = 0
        self._open: tuple[int, int, Request] | None = None
        self._bye: int | None = None
        self._before = self._last = ""
        self._cut = ""
        self._life = Follower()

    def where(self) -> str:
        """The line that was read last, and whether an answer before it may have changed what it must not."""
        return f"line {self._line:,}" + after_reading(self._before)

    def notes(self) -> list[str]:
        """What the reader must know besides."""
        found = [self._cut] if self._cut else []
        if self._open is not None and not self._cut:
            found.append(f"line {self._open[0]:,}: the last request ({self._open[2].op}) is not answered")
        if self._life.views_refused:
            found.append(f"{self._life.views_refused:,} views refused: not judged")
        return found

    def events(self) -> Iterator[Found]:
        """The events of all lines. Raises Fault."""
        try:
            for line in self._lines():
                found = self._parsed(line)
                if found is None:
                    return
                yield from self._take(found)
        except Malformed as malformed:
            raise Fault(f"line {self._line:,}: {malformed}", 2) from malformed
        except RecursionError as error:
            raise Fault(f"line {self._line:,}: a view that is nested too deep to be judged", 2) from error
        except OSError as error:
            raise Fault(f"line {self._line + 1:,}: cannot be read: {error}", 2) from error

    def _lines(self) -> Iterator[bytes]:
        try:
            while line := self._file.readline(LONGEST_LINE + 1):
                self._line += 1
                if len(line) > LONGEST_LINE:
                    raise Malformed(f"more than {LONGEST_LINE:,} bytes")
                yield line
        except EOFError:
            self._cut = f"after line {self._line:,}: the compressed file is cut off"

    def _parsed(self, line: bytes) -> dict[str, Any] | None:
        """The object on the line; None where the file ends before the line does."""
        try:
            return parse(line)
        except Malformed:
            if line.endswith(b"\n"):
                raise
            self._cut = f"line {self._line:,} is cut off in its middle: what came before is judged"
            return None

    def _take(self, found: dict[str, Any]) -> Iterator[Found]:
        """A request, or the answer to the one before."""
        if "op" in found:
            self._ask(found)
            return
        number = id_of(found)
        if self._open is None:
            if number != self._bye:
                raise Malformed(f"an answer (id {number}) without a request")
            self._bye = None
            return
        line, expected, request = self._open
        if number != expected:
            raise Malformed(f"an answer with id {number}, but the request of line {line:,} has id {expected}")
        self._open = None
        yield from self._life.hear(request, read_answer(found, request))

    def _ask(self, found: dict[str, Any]) -> None:
        if self._open is not None:
            raise Malformed(f"a request, but that of line {self._open[0]:,} ({self._open[2].op}) is not answered")
        number, request = id_of(found), read_request(found)
        self._bye = None
        self._before, self._last = self._last, request.op
        if request == BYE:
            self._bye = number
            self._life.forget()
        else:
            self._open = (self._line, number, request)


def _opened(path: str) -> IO[bytes]:
    return open(path, "rb")


def open_trace(path: str, stdin: IO[bytes]) -> IO[bytes]:
    """The file, unpacked where it begins as a packed one does; `-` is stdin. Raises OSError."""
    file = cast(BufferedReader, stdin if path == "-" else _opened(path))
    return cast(IO[bytes], gzip.open(file, "rb")) if file.peek(2)[:2] == b"\x1f\x8b" else file
