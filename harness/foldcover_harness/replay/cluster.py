"""Transcripts on a Dask cluster: the same function, mapped by its scheduler.

Rule: a worker opens the files itself, so paths must lead to them there too. It must be of the very same program, or
nothing is taken from it. What a lost worker had is done again by another; a transcript on which workers die again and
again is refused. Dask is imported when it is asked for, and says nothing of its own.
"""

from __future__ import annotations

import logging
import pickle
import warnings
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any, Final, cast

from foldcover_harness.replay.report import Options, Replayed
from foldcover_harness.replay.run import Way, WayError
from foldcover_harness.replay.schedules import OwnScheduleError
from foldcover_harness.replay.single import Passed, Result, attempt, pack, program
from foldcover_harness.replay.sources import Refusal, Source

PATIENCE: Final = 10
"""Seconds that a scheduler has to answer, and then as many to have a worker."""


def attempt_there(source: bytes, caller: str, packed: bytes) -> Result | OwnScheduleError:
    """Do `attempt` on a worker. Raises WayError where this is another program than the caller's."""
    if caller != program():
        raise WayError("a worker has another version of foldcover than is here")
    return attempt(packed, pickle.loads(source))


def on(address: str) -> Way:
    """Return the way that has the cluster of the scheduler at `address` read. It raises WayError."""

    def way(sources: Sequence[Source], options: Options, passed: Passed) -> Iterator[tuple[int, Result]]:
        with _quiet(), _client(address) as client:
            distributed: Any = import_module("distributed")
            futures: list[Any] = client.map(
                attempt_there,
                [pickle.dumps(_anywhere(source)) for source in sources],
                caller=program(),
                packed=pack(options),
                pure=False,
            )
            numbers = {future.key: number for number, future in enumerate(futures)}
            coming = distributed.as_completed(futures, loop=client.loop, with_results=True, raise_errors=False)
            # Whoever holds a future has the cluster hold its result.
            del futures
            for future, found in coming:
                number = numbers[future.key]
                # Not by the future's state: where a worker dies meanwhile it is no longer that of the result.
                result = found if isinstance(found, Replayed | Refusal | OwnScheduleError) else None
                if result is None:
                    result = _refusal(found, sources[number], distributed)
                del future, found
                if isinstance(result, OwnScheduleError):
                    raise result
                passed(sources[number].size)
                yield number, _named(result, sources[number])

    return way


def _anywhere(source: Source) -> Source:
    """Return the source as it is called in any working folder."""
    return source._replace(path=source.path.absolute()) if isinstance(source.path, Path) else source


def _named(result: Result, source: Source) -> Result:
    """Return the result under the name that the user gave its source."""
    return result._replace(path=source.path) if isinstance(result, Refusal) else replace(result, path=source.path)


def _refusal(found: Any, source: Source, distributed: Any) -> Refusal:
    """Return why there is no result, told from what there is in its place: type, error and traceback of what failed."""
    error: Any = cast("tuple[Any, Any, Any]", found)[1] if isinstance(found, tuple) else found
    if isinstance(error, distributed.KilledWorker):
        return Refusal(source.path, "every worker that read it died (out of memory?)", source.named)
    if isinstance(error, WayError):
        raise error
    if isinstance(error, CancelledError):
        raise WayError("the scheduler went away")
    raise WayError(f"a worker failed: {_line(error)}")


@contextmanager
def _client(address: str) -> Generator[Any]:
    try:
        distributed: Any = import_module("distributed")
    except ImportError as error:
        raise WayError("needs the extra 'dask': pip install 'foldcover[dask]'") from error
    try:
        client = distributed.Client(address, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError, ImportError) as error:
        raise WayError(f"no scheduler answers there: {_line(error)}") from error
    try:
        try:
            client.wait_for_workers(1, timeout=PATIENCE)
        except OSError as error:
            raise WayError(f"the scheduler had no worker for {PATIENCE} s") from error
        yield client
    finally:
        client.close(timeout=PATIENCE)


@contextmanager
def _quiet() -> Generator[None]:
    """Let neither Dask's log nor its warnings through: what matters is said in our own words."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(before)


def _line(error: BaseException) -> str:
    return " ".join((str(error) or type(error).__name__).split())[:200]
