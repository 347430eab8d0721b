"""The tool `grep`: a regular expression over the files of the workspace.

Rule: searched in a process of its own, within a time, by ripgrep where there is one, else by Python (searching.py).
Both tell `path NUL line:text`, so the answer has one form and one bound. Hidden files, .git, binary files and symbolic
links are passed over; a file that cannot be read is told. What was left out is said.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from pathlib import Path
from threading import Event
from typing import Annotated, Final

import msgspec
from msgspec import Meta

from foldcover_harness.agent.tools import searching
from foldcover_harness.agent.tools.files import opened
from foldcover_harness.agent.tools.given import Made
from foldcover_harness.agent.tools.tool import Action, Result, Unable
from foldcover_harness.agent.tools.workspace import Workspace
from foldcover_harness.session.lines import cut
from foldcover_harness.session.program import Failed, Late, run

MOST_MATCHES: Final = 1_000
MOST_CHARACTERS: Final = 40_000
"""Characters of all matches that are shown."""
LONGEST: Final = 300
"""Characters of a line that matched."""
TIMEOUT: Final = 30.0
"""Seconds of a search."""
_MATCH: Final = re.compile(rb"^([^\0\n]*)\0(\d{1,18}):(.*)", re.M)
_RIPGREP: Final = (
    *("--no-config", "--no-ignore", "--no-messages", "--color=never", "--sort=path", "--null", "--no-heading"),
    *("--crlf", "--line-number", "--with-filename", f"--max-columns={searching.LONGEST}", "--max-columns-preview"),
)


class Given(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """The arguments."""

    pattern: Annotated[str, Meta(min_length=1, description="a regular expression, within one line")]
    path: Annotated[str, Meta(min_length=1, description="a file or folder; the working folder if not given")] = "."
    glob: Annotated[str, Meta(description="only files like this: *.py, or src/**/*.ts from the working folder")] = ""
    ignore_case: bool = False
    limit: Annotated[int, Meta(ge=1, le=MOST_MATCHES, description="matching lines that are shown")] = 100


class _Enough(Exception):
    """There is as much output as can be shown."""


def action(workspace: Workspace, timeout: float = TIMEOUT) -> Action:
    """The tool over a workspace."""
    return Made(
        "grep",
        "Find lines that match a regular expression in the files of the workspace: `path:line: text`. Hidden files, "
        "binary files and symbolic links are not searched; what .gitignore names is. Narrow with `path` and `glob`.",
        Given,
        lambda given, stop: _grep(workspace, given, timeout, stop),
        writes=False,
    )


def _grep(workspace: Workspace, given: Given, timeout: float, stop: Event | None) -> Result:
    path = workspace.to_read(given.path)
    name = workspace.shown(path)
    if not path.is_dir():
        opened(path, name).close()
    home = workspace.home(path)
    output = bytearray()

    def take(piece: bytes) -> None:
        output.extend(piece)
        if output.count(b"\n") > given.limit:
            raise _Enough

    notes: list[str] = []
    code = 0
    try:
        code = run(_program(given, str(path)), take, timeout, os.environ, errors=True, folder=home, stop=stop)
    except _Enough:
        notes.append("[there is more: narrow the pattern, `path` or `glob`]")
    except Late:
        notes.append(f"[not all was searched within {timeout:g} seconds: narrow the pattern, `path` or `glob`]")
    except Failed as failed:
        raise Unable(f"the search {failed}") from None
    found = _MATCH.findall(bytes(output))[: given.limit]
    if code not in (0, 1):
        if output and not found:
            raise Unable(output.decode("utf-8", "replace"))
        notes.append("[some files could not be read]")
    lines: list[str] = []
    room = MOST_CHARACTERS
    for where, number, text in found:
        name, line = workspace.shown(Path(os.fsdecode(where))), text.decode("utf-8", "replace").rstrip()
        lines.append(f"{name}:{int(number)}: {cut(line, LONGEST)}")
        room -= len(lines[-1]) + 1
        if room <= 0:
            notes.append(f"[the first {len(lines)} of at least {len(found)} matches]")
            break
    return Result("\n".join([*(lines or ["nothing was found"]), *notes]), failed=bool(notes) and not lines)


def _program(given: Given, path: str) -> list[str]:
    """The program that searches, and its arguments. Without ripgrep: searching.py in a Python of its own."""
    ripgrep = shutil.which("rg")
    if ripgrep is None:
        python = [sys.executable, "-I", "-S", "-W", "ignore", "-X", "utf8", searching.__file__]
        return [*python, given.pattern, path, given.glob, "i" if given.ignore_case else ""]
    # The last glob wins: what is hidden stays so whatever the first one says.
    globs = [f"--glob={given.glob}", "--glob=!.*"] if given.glob else []
    case = ["--ignore-case"] if given.ignore_case else []
    return [ripgrep, *_RIPGREP, *globs, *case, f"--regexp={given.pattern}", "--", path]
