"""The folders in which the agent works, and whoever confirms its commands.

Rule: a path means what it leads to, after every symbolic link and `..`; what does not lie in the working folder or in
an allowed folder is refused. This confines read, grep, edit and write. A command of bash cannot be confined by a path:
each one is confirmed instead.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path

from foldcover_harness.agent.tools.output import visible
from foldcover_harness.agent.tools.tool import Unable
from foldcover_harness.session.disk import State


def always(question: str) -> bool:
    """Yes to every question: for a workspace whose commands need no confirmation."""
    return True


class Workspace:
    """A working folder, further folders, and how a command is confirmed. For one agent."""

    # fmt: off
    def __init__(
        self, root: Path | str, allowed: Iterable[Path | str] = (), *,
        readable: Iterable[Path | str] = (), confirm: Callable[[str], bool],
    ) -> None:
        # fmt: on
        """`root`: where relative paths begin and commands run. `allowed`: folders whose files may be read and changed.

        `readable`: folders whose files may only be read, for example that of a session with its archives,
        also where they lie within one of the others. `confirm` is asked before each command. OSError where the root is
        no folder.
        """
        self.root = Path(os.path.realpath(root, strict=True))
        if not self.root.is_dir():
            raise NotADirectoryError(f"the working folder {self.root} is no folder")
        self.confirm = confirm
        self.seen: dict[Path, tuple[State, int]] = {}
        """The files that were read or written, and what they were then (files.py)."""
        given = [(root, True), *((each, True) for each in allowed), *((each, False) for each in readable)]
        self._folders = {Path(os.path.realpath(folder)): changeable for folder, changeable in given}

    def to_read(self, path: str) -> Path:
        """What a path leads to, for reading. One that leads nowhere from the working folder is tried from the others.

        Raises Unable outside of all folders. Whether there is something is not said.
        """
        found = self._inside(path)
        if not os.path.lexists(found) and not os.path.isabs(path):
            for folder in self._folders:
                there = Path(os.path.realpath(folder / path))
                if os.path.lexists(there) and self._holder(there):
                    return there
        return found

    def to_change(self, path: str) -> Path:
        """What a path leads to, for changing it. Raises Unable outside of the folders where that is allowed."""
        found = self._inside(path)
        if not self._folders[self.home(found)]:
            raise Unable(f"{path} is in {self.shown(self.home(found))}, which may be read but not changed")
        return found

    def home(self, path: Path) -> Path:
        """The folder of the workspace that holds a path of its: the innermost one, which says what is allowed."""
        return self._holder(path) or self.root

    def shown(self, path: Path) -> str:
        """A path as results name it: from the working folder where it lies there, in one line, with nothing hidden."""
        inside = path.relative_to(self.root) if path.is_relative_to(self.root) else path
        return visible(os.fsencode(inside).decode("utf-8", "replace")).replace("\n", "\u240a")

    def _holder(self, path: Path) -> Path | None:
        holders = (folder for folder in self._folders if path.is_relative_to(folder))
        return max(holders, key=lambda folder: len(folder.parts), default=None)

    def _inside(self, path: str) -> Path:
        try:
            found = Path(os.path.realpath(self.root / os.path.expanduser(path)))
        except RecursionError:
            raise Unable(f"{path}: too many symbolic links") from None
        if self._holder(found) is None:
            leads = "is" if os.path.normpath(self.root / path) == str(found) else f"leads to {self.shown(found)},"
            raise Unable(f"{path} {leads} outside of the workspace (the working folder is {self.root})")
        return found
