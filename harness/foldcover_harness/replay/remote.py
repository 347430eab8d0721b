"""Transcripts behind URLs, through fsspec: which there are, and their bytes.

Rule: fsspec, and what it needs for a protocol, is imported when a URL is named, never before. Whose account is used is
its own matter. Whatever it raises is an OSError of one line here.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from typing import Any, BinaryIO, Final, NamedTuple, cast

from foldcover_harness.replay.place import Missing, Url
from foldcover_harness.transcripts.recognise import RefusedError

EXTRAS: Final = {"s3": "s3", "s3a": "s3", "gs": "gs", "gcs": "gs"}
"""The extra that a protocol needs, where it is one of ours."""

_BUFFER: Final = 1 << 18
_REASON: Final = 200
# What stores call the mark of a content: a digest where there is one, else when it was written.
_MARKS: Final = ("ETag", "etag", "md5Hash", "mtime", "LastModified", "last_modified", "updated", "created")


class Found(NamedTuple):
    """A file behind a URL; `named` says that the URL is this file's. `mark` changes when its content does, and is
    empty where the store tells none.
    """

    url: Url
    named: bool
    size: int
    mark: str


def find(url: Url) -> Iterator[Found]:
    """Yield the file that is there, or the files below, in a stable order, but for what hides behind a dot. Raises
    Missing and OSError.
    """
    with _one_line(url):
        system, path = _system(url)
        info: Mapping[str, Any] = system.info(path)
        folder = info.get("type") == "directory"
        files: dict[str, Mapping[str, Any]] = system.find(path, detail=True) if folder else {path: info}
    for name, each in sorted(files.items(), key=lambda file: _order(file[0])):
        below = name.removeprefix(path) if folder else ""
        if not any(part.startswith(".") for part in below.split("/")):
            where = Url(system.unstrip_protocol(name)) if folder else url
            yield Found(where, not folder, int(each.get("size") or 0), _mark(each))


@contextmanager
def opened(url: Url, passed: Callable[[int], object] | None) -> Generator[BinaryIO]:
    """Open the file behind `url`; `passed` is told of bytes as they are read for the first time. Raises RefusedError,
    then and while it is read.
    """
    try:
        with _one_line(url):
            system, path = _system(url)
            file = system.open(path, "rb")
        with io.BufferedReader(_Raw(url, file, passed), _BUFFER) as stream:
            yield cast(BinaryIO, stream)
    except Missing as error:
        raise RefusedError(str(error)) from error
    except OSError as error:
        raise RefusedError(error.strerror or str(error)) from error


class _Raw(io.RawIOBase):
    """A file of fsspec as the standard library has them: filled into buffers, and failing with OSError alone."""

    def __init__(self, url: Url, file: Any, passed: Callable[[int], object] | None) -> None:
        self._url, self._file, self._passed = url, file, passed
        self._at = self._most = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        with _one_line(self._url):
            self._at = self._file.seek(offset, whence)
        return self._at

    def readinto(self, buffer: Any) -> int:
        with _one_line(self._url):
            data: bytes = self._file.read(len(buffer))
        buffer[: len(data)] = data
        self._at += len(data)
        if self._passed is not None and self._at > self._most:
            self._passed(self._at - self._most)
        self._most = max(self._most, self._at)
        return len(data)

    def close(self) -> None:
        if not self.closed:
            self._file.close()
        super().close()


def _system(url: Url) -> tuple[Any, str]:
    try:
        core = import_module("fsspec.core")
    except ImportError as error:
        raise Missing(f"{url}: needs the extra 'remote': pip install 'foldcover[remote]'") from error
    found: tuple[Any, str] = core.url_to_fs(str(url))
    return found


def _order(name: str) -> list[tuple[bool, str]]:
    """As folders of this machine are gone through: of each its files first."""
    *folders, last = name.split("/")
    return [*((True, folder) for folder in folders), (False, last)]


def _mark(info: Mapping[str, Any]) -> str:
    return next((f"{key} {info[key]}" for key in _MARKS if info.get(key)), "")


@contextmanager
def _one_line(url: Url) -> Generator[None]:
    """Turn what a stranger's file system raises, which may be anything, into one line."""
    try:
        yield
    except (Missing, RefusedError):
        raise
    except ImportError as error:
        extra = EXTRAS.get(url.protocol)
        how = f"needs the extra '{extra}': pip install 'foldcover[{extra}]'" if extra else str(error)
        raise Missing(f"{url}: {how}") from error
    except FileNotFoundError as error:
        raise OSError("no such file") from error
    except Exception as error:
        raise OSError(" ".join((str(error) or type(error).__name__).split())[:_REASON]) from error
