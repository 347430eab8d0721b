"""Results that are kept in a folder, so that a run that was interrupted goes on where it was.

Rule: a file a transcript and options, written beside its place and put there whole. It counts only if all that its
result depends on is as it was: the content's size and mark, the options, the program. Whatever else lies there is not
read, and replaced. What is in a file is data: reading it makes the types of a result and nothing else.
"""

from __future__ import annotations

import hashlib
import io
import os
import pathlib
import pickle
import sys
from array import array
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, cast

import msgspec

import foldcover
from foldcover_harness.replay import accuracy, boundaries, cover, place, report, schedules, split, sweep, usage
from foldcover_harness.replay.single import Result, program
from foldcover_harness.replay.sources import Refusal, Source
from foldcover_harness.transcripts.model import Turn

SUFFIX: Final = ".kept"
_MAGIC: Final = b"foldcover replay 1\n"

_ARRAY: Final[Any] = array("q").__reduce_ex__(4)[0]  # what arrays are made again by
_TYPES: Final[dict[tuple[str, str], Any]] = {
    (each.__module__, each.__qualname__): each
    for each in cast(
        "list[type[object]]",
        [
            report.Replayed,
            place.Url,
            pathlib.PosixPath,
            pathlib.WindowsPath,
            schedules.Bill,
            usage.Usage,
            split.Split,
            split.Series,
            accuracy.Accuracy,
            boundaries.Agreement,
            cover.Shown,
            foldcover.Block,
            Turn,
            sweep.Sums,
            Counter,
            array,
            _ARRAY,
        ],
    )
}


class Kept:
    """The results in a folder, for one choice of options. Making it raises OSError where the folder cannot be made or
    written to.
    """

    def __init__(self, folder: Path, options: report.Options) -> None:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not os.access(folder, os.W_OK | os.X_OK):
            raise PermissionError(13, "Permission denied")
        self.folder = folder.resolve()
        self._options = _digest(_telling(options))

    def find(self, source: Source) -> report.Replayed | None:
        """Return what was kept of `source`, if it still holds."""
        if not source.mark:
            return None
        try:
            whole = self._file(source).read_bytes()
        except OSError:
            return None
        head = self._head(source)
        body = whole[len(head) + 32 :]
        if whole[: len(head)] != head or hashlib.sha256(body).digest() != whole[len(head) : len(head) + 32]:
            return None
        try:
            found = _Reader(io.BytesIO(body)).load()
        except Exception:  # made by somebody who wants it to fail, which it may in any way
            return None
        return found if isinstance(found, report.Replayed) else None

    def keep(self, source: Source, result: Result) -> None:
        """Keep a result; of a refusal, and where nothing tells whether the content is the same, nothing. Raises
        OSError.
        """
        if isinstance(result, Refusal) or not source.mark:
            return
        body = pickle.dumps(result)
        file = self._file(source)
        beside = file.with_name(f".{file.stem}.{os.getpid()}.part")
        try:
            beside.write_bytes(self._head(source) + hashlib.sha256(body).digest() + body)
            os.replace(beside, file)
        except BaseException:
            with suppress(OSError):
                beside.unlink()
            raise

    def holds(self, source: Source) -> bool:
        """Whether `source` is one of the files in which results are kept."""
        path = place.local(source.path)
        return path is not None and path.suffix == SUFFIX and path.parent.resolve() == self.folder

    def _file(self, source: Source) -> Path:
        return self.folder / f"{_digest([place.text(source.path), self._options])[:40]}{SUFFIX}"

    def _head(self, source: Source) -> bytes:
        identity = _digest([place.text(source.path), self._options, source.size, source.mark, program()])
        return _MAGIC + identity.encode() + b"\n"


def _digest(value: object) -> str:
    return hashlib.sha256(msgspec.msgpack.encode(value)).hexdigest()


def _telling(options: report.Options) -> list[object]:
    """Return all of the options that a result depends on. Of a function of the user's that is its module's source;
    of a command its words.
    """
    return [
        options.estimator.name,
        options.window,
        options.standing,
        options.boundaries,
        options.command,
        options.labels and [row for _, row in options.labels.rows],
        options.schedules,
        [(name, _source(own)) for name, own in options.own.items()],
        options.series,
        options.price,
        options.sweep,
    ]


def _source(own: schedules.Own) -> bytes:
    file = sys.modules[own.name.partition(":")[0]].__file__
    return Path(file).read_bytes() if file else b""


class _Reader(pickle.Unpickler):
    def find_class(self, module_name: str, global_name: str, /) -> Any:
        try:
            return _TYPES[module_name, global_name]
        except KeyError:
            raise pickle.UnpicklingError(f"{module_name}.{global_name} is no part of a result") from None
