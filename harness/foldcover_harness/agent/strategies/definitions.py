"""What a strategy is, and where strategies come from: one small TOML file each.

Rule: ours lie beside this file, a user's own in a folder of theirs; one of theirs with the name of one of ours takes
its place. A file that is not right is refused with one line that names the file and the field.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Annotated, Final

import msgspec
from msgspec import Meta

OURS: Final = Path(__file__).parent
_Name = Annotated[str, Meta(pattern=r"^[a-z][a-z0-9-]{0,39}\Z")]
_Line = Annotated[str, Meta(pattern=r"^[^\x00-\x1f\x7f]*[^\x00-\x20\x7f][^\x00-\x1f\x7f]*\Z", max_length=200)]
_Text = Annotated[str, Meta(pattern=r"\S", max_length=20_000)]


class BadStrategy(Exception):
    """A strategy's file that cannot be used, and why, in one line."""


class Strategy(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A mode: standing instructions, a way in and out, a label."""

    name: _Name
    """How it is asked for."""
    label: _Line
    """What the status line and the title of its fold say."""
    about: _Line
    """When to use it, in one line, for whoever chooses."""
    rules: _Text
    """What holds in it."""
    enter: _Text
    """The words of the way in."""
    leave: _Text
    """The words of the way out, for the model outside of it, which has the report."""
    read_only: bool = False
    """Whether tools that can change something are refused in it."""
    stronger: bool = False
    """Whether a stronger model answers in it."""


def load(folder: Path | str | None = None) -> tuple[Strategy, ...]:
    """Our strategies, and those of a folder. BadStrategy where one is not right or the folder cannot be read."""
    found = _folder(OURS)
    if folder is not None:
        found |= _folder(Path(folder))
    return tuple(found.values())


def _folder(folder: Path) -> dict[str, Strategy]:
    """The strategies of a folder by name, in the order of the files' names."""
    try:
        paths = sorted(path for path in folder.iterdir() if path.suffix == ".toml")
    except OSError as error:
        raise BadStrategy(f"{folder}: {error.strerror or error}") from error
    found: dict[str, Strategy] = {}
    files: dict[str, Path] = {}
    for path in paths:
        strategy = _read(path)
        if strategy.name in found:
            raise BadStrategy(f"{path}: its name {strategy.name!r} is taken by {files[strategy.name].name}")
        found[strategy.name], files[strategy.name] = strategy, path
    return found


def _read(path: Path) -> Strategy:
    try:
        return msgspec.convert(tomllib.loads(path.read_text("utf-8")), Strategy)
    except OSError as error:
        raise BadStrategy(f"{path}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise BadStrategy(f"{path}: not UTF-8 at byte {error.start}") from error
    except tomllib.TOMLDecodeError as error:
        raise BadStrategy(f"{path}: not TOML: {error}") from error
    except msgspec.ValidationError as error:
        raise BadStrategy(f"{path}: {error}") from error
