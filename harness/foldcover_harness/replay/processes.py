"""Transcripts side by side, in processes of this machine.

Rule: a process reads one transcript at a time, the largest first, and answers over a pipe of its own. One that dies
costs the transcript that it was reading and nothing else. When this program ends, in whatever way, they end too.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkServerContext, SpawnContext
from multiprocessing.process import BaseProcess
from typing import Final, NamedTuple, NoReturn, cast

from foldcover_harness.replay.report import Options
from foldcover_harness.replay.run import Way
from foldcover_harness.replay.schedules import OwnScheduleError
from foldcover_harness.replay.single import Passed, Result, attempt, pack
from foldcover_harness.replay.sources import Refusal, Source

Context = ForkServerContext | SpawnContext
INTERRUPTED: Final = 130


def beside(jobs: int) -> Way:
    """Return the way that reads in so many processes."""

    def way(sources: Sequence[Source], options: Options, passed: Passed) -> Iterator[tuple[int, Result]]:
        packed = pack(options)
        context = _context()
        todo = iter(sorted(range(len(sources)), key=lambda number: -sources[number].size))
        workers: dict[Connection, _Worker] = {}

        def give(worker: _Worker | None) -> None:
            number = next(todo, None)
            if number is None:
                if worker is not None:
                    worker.end.close()
                return
            worker = (worker or _start(context, packed))._replace(number=number)
            workers[worker.end] = worker
            with suppress(OSError):  # one that is dead is noticed when it is waited for
                worker.end.send(sources[number])

        try:
            for _ in range(jobs):
                give(None)
            while workers:
                for end in cast(list[Connection], wait(list(workers))):
                    worker = workers.pop(end)
                    source = sources[worker.number]
                    try:
                        result: Result | OwnScheduleError = worker.end.recv()
                    except (EOFError, OSError):
                        result = Refusal(source.path, worker.death(), source.named)
                        give(None)
                    else:
                        give(worker)
                    if isinstance(result, OwnScheduleError):
                        raise result
                    passed(source.size)
                    yield worker.number, result
        finally:
            for worker in workers.values():
                worker.process.kill()
                worker.process.join()

    return way


class _Worker(NamedTuple):
    """A process, our end of its pipe, and the number of the source that it reads."""

    process: BaseProcess
    end: Connection
    number: int

    def death(self) -> str:
        """Wait for its end, and say what it was. Raises KeyboardInterrupt where it was interrupted."""
        self.process.join()
        self.end.close()
        code = self.process.exitcode or 0
        if code == INTERRUPTED:
            raise KeyboardInterrupt
        if code == -signal.SIGKILL:
            return "the process that read it was killed (out of memory?)"
        return f"the process that read it ended ({f'signal {-code}' if code < 0 else f'code {code}'})"


def _context() -> Context:
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([attempt.__module__])
    return context


def _start(context: Context, packed: bytes) -> _Worker:
    ours, theirs = context.Pipe()
    process = context.Process(target=_work, args=(theirs, packed), daemon=True)
    with _no_interrupt():
        process.start()
    theirs.close()
    return _Worker(process, ours, -1)


@contextmanager
def _no_interrupt() -> Generator[None]:
    """Put Ctrl-C off. What is started meanwhile puts it off too, until it is ready to end quietly."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    # Started by multiprocessing otherwise, which then lets signals through.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _work(end: Connection, packed: bytes) -> None:
    signal.signal(signal.SIGINT, _leave)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    while True:
        try:
            source: Source = end.recv()
        except EOFError:
            return
        result = attempt(packed, source)
        try:
            end.send(result)
        except OSError:  # whoever asked is gone
            return


def _leave(*_: object) -> NoReturn:
    os._exit(INTERRUPTED)
