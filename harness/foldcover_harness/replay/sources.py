"""Which files are replayed.

Rule: a file that is named is tried whatever it is called; in a folder every regular file is, but for what
hides behind a leading dot; a file reached twice is replayed once. With no path the places of the two
clients are searched for JSON files, and where they hold none the sample that ships with the package is
used.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

from foldcover_harness.replay.place import Place, Url

HOMES: Final = (".claude/projects", ".codex/sessions")
SAMPLE: Final = Path(__file__).parent.parent / "samples" / "tidetable.jsonl"


class Refusal(NamedTuple):
    """A file, or a path, that is not replayed, with the reason; `named` says that the user gave it by
    name.
    """

    path: Place
    reason: str
    named: bool


class Source(NamedTuple):
    """A file to replay: its bytes, and a mark that changes when its content does (empty where there is none)."""

    path: Place
    named: bool
    size: int
    mark: str = ""


class Sources(NamedTuple):
    """What there is to replay. `repeated` counts paths that lead to a file already taken."""

    files: list[Source]
    refused: list[Refusal]
    repeated: int


def gather(paths: Iterable[Place]) -> Sources:
    """Return the files behind `paths`, folders searched through, in a stable order. Raises remote.Missing where a URL
    needs what is not installed.
    """
    found = Sources([], [], 0)
    seen: set[tuple[int, int] | str] = set()
    repeated = 0
    for path in paths:
        if isinstance(path, Url):
            for source in _remote(path, found.refused):
                repeated += source.path in seen
                if source.path not in seen:
                    seen.add(str(source.path))
                    found.files.append(source)
            continue
        for each, named in _files(path, found.refused):
            try:
                state = each.stat()
            except (OSError, ValueError) as error:
                found.refused.append(Refusal(each, _why(each, error), named))
                continue
            if (state.st_dev, state.st_ino) in seen:
                repeated += 1
                continue
            seen.add((state.st_dev, state.st_ino))
            found.files.append(Source(each, named, state.st_size, f"mtime {state.st_mtime_ns}"))
    return found._replace(repeated=repeated)


def _remote(url: Url, refused: list[Refusal]) -> list[Source]:
    from foldcover_harness.replay import remote

    try:
        return [Source(*each) for each in remote.find(url)]
    except OSError as error:
        refused.append(Refusal(url, str(error), True))
        return []


def _why(path: Path, error: OSError | ValueError) -> str:
    if isinstance(error, ValueError):
        return "not a path"
    if isinstance(error, FileNotFoundError):
        return "a link to nothing" if path.is_symlink() else "no such file"
    return (error.strerror or type(error).__name__).lower()


def _files(path: Path, refused: list[Refusal]) -> Iterator[tuple[Path, bool]]:
    if not os.path.isdir(path):
        yield path, True
        return

    def unreadable(error: OSError) -> None:
        refused.append(Refusal(Path(error.filename), _why(path, error), Path(error.filename) == path))

    for folder, folders, names in os.walk(path, onerror=unreadable):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            if not name.startswith("."):
                yield Path(folder, name), False


def at_home() -> Sources:
    """Return the transcripts where Claude Code and Codex keep them."""
    try:
        places = [place for place in (Path.home() / home for home in HOMES) if place.is_dir()]
    except (RuntimeError, OSError):
        # No home, or none that may be looked into.
        places = []
    found = gather(places)
    kept = [source for source in found.files if str(source.path).endswith((".jsonl", ".json"))]
    return found._replace(files=kept)
