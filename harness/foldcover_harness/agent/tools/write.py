"""The tool `write`: a whole file.

Rule: the file is there whole or as it was before (files.py). One that was read, and changed by somebody else since, is
not overwritten, and a binary or very large file neither. One whose lines end in CR LF keeps them so. Within the
workspace nobody is asked for a confirmation.
"""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from foldcover_harness.agent.tools.files import MOST_BYTES, look, replace, text_of
from foldcover_harness.agent.tools.given import Made
from foldcover_harness.agent.tools.tool import Action, Result, Unable
from foldcover_harness.agent.tools.workspace import Workspace
from foldcover_harness.session.lines import counted


class Given(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """The arguments."""

    path: Annotated[str, Meta(min_length=1, description="the file, from the working folder or absolute")]
    content: Annotated[str, Meta(description="all of its text")]


def action(workspace: Workspace) -> Action:
    """The tool over a workspace."""
    return Made(
        "write",
        "Make a file of the workspace, with its folders, or replace all of it. To change a part of a file use edit.",
        Given,
        lambda given, _: _write(workspace, given),
        writes=True,
    )


def _write(workspace: Workspace, given: Given) -> Result:
    path = workspace.to_change(given.path)
    name = workspace.shown(path)
    if given.path.endswith("/"):
        raise Unable(f"{given.path} names a folder, not a file")
    if len(given.content) > MOST_BYTES:
        raise Unable(f"`content` has more than {MOST_BYTES:,} characters")
    old, before = text_of(path, name) if look(path, name) else ("", None)
    if before is not None and workspace.seen.get(path, before) != before:
        raise Unable(f"{name} was changed by somebody else since it was read; nothing was written, read it again")
    crlf = 0 < old.count("\n") == old.count("\r\n") and "\r" not in given.content
    content = given.content.replace("\n", "\r\n") if crlf else given.content
    replace(workspace, path, name, content, before)
    lines = given.content.count("\n") + (given.content[-1:] not in ("", "\n"))
    size = counted(len(content.encode()), "byte")
    done = "made" if before is None else "replaced"
    kept = " (lines end in CR LF, as before)" if crlf else ""
    return Result(f"{done} {name}: {counted(lines, 'line')}, {size}{kept}")
