"""One transcript, wherever it lies: the function that every way of running maps over the sources.

Rule: what it returns depends on the source's content and the options alone. Options, sources and results can be
pickled, so that it runs in another process, or on another machine, to the same end.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

import foldcover
from foldcover_harness import transcripts
from foldcover_harness.replay.labels import LabelError
from foldcover_harness.replay.place import Place
from foldcover_harness.replay.report import Options, Replayed, no_collector, replay
from foldcover_harness.replay.schedules import OwnScheduleError
from foldcover_harness.replay.sources import Refusal, Source
from foldcover_harness.transcripts.model import Conversation
from foldcover_harness.transcripts.recognise import RefusedError, read_file, read_stream

Result = Replayed | Refusal
Passed = Callable[[int], object]


def one(source: Source, options: Options, passed: Passed | None = None) -> Result:
    """Return the figures of one transcript, or why there are none; `passed` is told of bytes as they are read. Raises
    OwnScheduleError where a schedule of the user's fails.
    """
    try:
        with no_collector():
            return replay(_read(source.path, passed), source.path, options)
    except (RefusedError, LabelError) as refused:
        return Refusal(source.path, str(refused), source.named)
    except OwnScheduleError as error:
        raise OwnScheduleError(f"{source.path}: {error}") from error


def _read(where: Place, passed: Passed | None) -> Conversation:
    if isinstance(where, Path):
        return read_file(where, passed)
    from foldcover_harness.replay import remote

    with remote.opened(where, passed) as stream:
        return read_stream(stream)


def pack(options: Options) -> bytes:
    """Return the options for `attempt`."""
    import pickle

    return pickle.dumps(options)


@lru_cache(maxsize=1)
def _unpack(packed: bytes) -> Options:
    import pickle

    options: Options = pickle.loads(packed)
    return options


def attempt(packed: bytes, source: Source) -> Result | OwnScheduleError:
    """Do as `one` does, elsewhere: the error is returned, since its like ends the whole run and not this file's."""
    try:
        return one(source, _unpack(packed))
    except OwnScheduleError as error:
        return error


@lru_cache(maxsize=1)
def program() -> str:
    """Return what tells this program from one that may come to other results: a digest of the source of the core, the
    readers and the replay.
    """
    import hashlib

    found = hashlib.sha256()
    for folder in (Path(module.__file__ or "").parent for module in (foldcover, transcripts)):
        _digest(found.update, folder)
    _digest(found.update, Path(__file__).parent)
    return found.hexdigest()


def _digest(update: Callable[[bytes], object], folder: Path) -> None:
    for file in sorted(folder.rglob("*.py")):
        content = file.read_bytes()
        update(b"%s %d\n" % (str(file.relative_to(folder)).encode(), len(content)))
        update(content)
