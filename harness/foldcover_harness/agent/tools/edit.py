"""The tool `edit`: one exact text of a file becomes another.

Rule: the old text must stand there exactly once, unless all are meant; else nothing is written and the answer counts.
Line ends are the file's own: a newline of the model matches CR LF too, and becomes what the file has at that place.
Everything outside of the replaced text keeps its bytes. The file is replaced whole or not at all (files.py). Within the
workspace nobody is asked for a confirmation.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Annotated, Final

import msgspec
from msgspec import Meta

from foldcover_harness.agent.tools.files import MOST_BYTES, replace, text_of
from foldcover_harness.agent.tools.given import Made
from foldcover_harness.agent.tools.tool import Action, Result, Unable
from foldcover_harness.agent.tools.workspace import Workspace
from foldcover_harness.session.lines import counted

MOST_PLACES: Final = 100_000
"""Occurrences that are replaced at once."""
_MOST_NAMED: Final = 10
"""Line numbers in an answer."""
_MOST_WORDS: Final = 20
_MOST_HINTED: Final = 1 << 20


class Given(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """The arguments."""

    path: Annotated[str, Meta(min_length=1, description="the file, from the working folder or absolute")]
    old: Annotated[str, Meta(min_length=1, description="the text to replace, exactly as it stands in the file")]
    new: Annotated[str, Meta(description="the text in its place; empty to remove it")]
    all: Annotated[bool, Meta(description="replace every occurrence; else there must be exactly one")] = False


def action(workspace: Workspace) -> Action:
    """The tool over a workspace."""
    return Made(
        "edit",
        "Replace an exact text in a file of the workspace. `old` must occur exactly once, spaces and indentation "
        "included (take more lines around it to make it unique), unless `all` is true. Do not copy the line numbers "
        "that read shows.",
        Given,
        lambda given, _: _edit(workspace, given),
        writes=True,
    )


def _edit(workspace: Workspace, given: Given) -> Result:
    path = workspace.to_change(given.path)
    name = workspace.shown(path)
    text, before = text_of(path, name)
    old, new = (each.replace("\r\n", "\n") for each in (given.old, given.new))
    if old == new:
        raise Unable("`old` and `new` are the same")
    # Where the flat text, whose line ends are LF, lost a CR.
    lost = array("q", (match.start() - number for number, match in enumerate(re.finditer("\r\n", text))))
    flat = text.replace("\r\n", "\n") if lost else text
    if (count := flat.count(old)) > MOST_PLACES:
        raise Unable(f"`old` occurs {count:,} times in {name}, more than {MOST_PLACES:,}; use bash")
    starts = [*_places(flat, old)]
    if not starts:
        raise Unable(f"`old` does not occur in {name}; it must stand there exactly, spaces included{_near(flat, old)}")
    if not given.all and (len(starts) > 1 or flat.find(old, starts[0] + 1) >= 0):
        where = _numbers(flat, starts) if len(starts) > 1 else "places that overlap"
        raise Unable(
            f"`old` occurs {max(len(starts), 2):,} times in {name} ({where}); take more of the text around the one "
            "that is meant, or set `all`"
        )
    if len(text) + len(starts) * (len(new) + new.count(chr(10)) - len(old)) > MOST_BYTES:
        raise Unable(f"{name} would have more than {MOST_BYTES:,} bytes")
    replace(workspace, path, name, _replaced(text, lost, [(start, start + len(old)) for start in starts], new), before)
    return Result(f"replaced {counted(len(starts), 'place')} in {name} ({_numbers(flat, starts)})")


def _places(text: str, old: str) -> Iterator[int]:
    """Where a text occurs, without overlaps."""
    at = text.find(old)
    while at >= 0:
        yield at
        at = text.find(old, at + len(old))


def _replaced(text: str, lost: Sequence[int], places: list[tuple[int, int]], new: str) -> str:
    """The text with `new` at these places of its flat form."""
    most = "\r\n" if 2 * len(lost) > text.count("\n") else "\n"
    parts: list[str] = []
    kept = 0
    for first, last in places:
        start, end = first + bisect_left(lost, first), last + bisect_left(lost, last)
        there = text[start:end]
        ends = most if "\n" not in there else "\r\n" if "\r\n" in there else "\n"
        parts += [text[kept:start], new.replace("\n", ends)]
        kept = end
    return "".join([*parts, text[kept:]])


def _numbers(text: str, starts: list[int]) -> str:
    """The numbers of the lines in which these places begin: the first ones."""
    named = dict.fromkeys(text.count("\n", 0, start) + 1 for start in starts[:_MOST_NAMED])
    more = ", …" if len(starts) > _MOST_NAMED else ""
    return f"line{'s' if len(named) > 1 else ''} {', '.join(map(str, named))}{more}"


def _near(text: str, old: str) -> str:
    """A hint where the text is there but for white space."""
    words = old.split()[:_MOST_WORDS]
    found = re.search(r"\s+".join(map(re.escape, words)), text[:_MOST_HINTED]) if words else None
    return f" (line {text.count(chr(10), 0, found.start()) + 1} has it with other white space)" if found else ""
