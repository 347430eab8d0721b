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

        `readable`: folders whose files may only be read, for example that of a session with its archives. `confirm` is
        asked before each command. OSError where the root is no folder.
        """
        self.root = Path(os.path.realpath(root, strict=True))
        if not self.root.is_dir():
            raise NotADirectoryError(f"the working folder {self.root} is no folder")
        self.confirm = confirm
        self.seen: dict[Path, tuple[State, int]] = {}
        """The files that were read or written, and what they were then (files.py)."""
        self._changeable = (self.root, *(Path(os.path.realpath(folder)) for folder in allowed))
        self._readable = (*self._changeable, *(Path(os.path.realpath(folder)) for folder in readable))

    def to_read(self, path: str) -> Path:
        """What a path leads to, for reading. One that leads nowhere from the working folder is tried from the others.

        Raises Unable outside of all folders. Whether there is something is not said.
        """
        found = self._inside(path, self.root, self._readable)
        if not os.path.lexists(found) and not os.path.isabs(path):
            for folder in self._readable:
                there = Path(os.path.realpath(folder / path))
                if os.path.lexists(there) and _within(there, self._readable):
                    return there
        return found

    def to_change(self, path: str) -> Path:
        """What a path leads to, for changing it. Raises Unable outside of the folders where that is allowed."""
        return self._inside(path, self.root, self._changeable)

    def home(self, path: Path) -> Path:
        """The folder of the workspace in which a path lies that is inside."""
        return next(folder for folder in self._readable if _within(path, (folder,)))

    def shown(self, path: Path) -> str:
        """A path as results name it: from the working folder where it lies there, in one line, with nothing hidden."""
        inside = path.relative_to(self.root) if path.is_relative_to(self.root) else path
        return visible(os.fsencode(inside).decode("utf-8", "replace")).replace("\n", "\u240a")

    def _inside(self, path: str, start: Path, folders: tuple[Path, ...]) -> Path:
        try:
            found = Path(os.path.realpath(start / os.path.expanduser(path)))
        except RecursionError:
            raise Unable(f"{path}: too many symbolic links") from None
        if _within(found, folders):
            return found
        leads = "is" if os.path.normpath(start / path) == str(found) else f"leads to {self.shown(found)},"
        kind = "which may be read but not changed" if _within(found, self._readable) else "outside of the workspace"
        raise Unable(f"{path} {leads} {kind} (the working folder is {self.root})")


def _within(path: Path, folders: tuple[Path, ...]) -> bool:
    return any(path.is_relative_to(folder) for folder in folders)
