"""A workspace in a fresh folder, its tools, and how they are called."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from threading import Event
from typing import Any

from foldcover_harness.agent.tools import Result, Workspace, actions

MOST = 60_000
"""Characters that no answer exceeds."""


class Bench:
    """The tools over a folder; what the user was asked, and what the user says to it."""

    def __init__(self, root: Path, allowed: Iterable[Path] = (), readable: Iterable[Path] = ()) -> None:
        root.mkdir(exist_ok=True)
        self.root = root
        self.asked: list[str] = []
        self.yes = True
        self.workspace = Workspace(root, allowed, readable=readable, confirm=self._confirm)
        self.actions = {action.tool.name: action for action in actions(self.workspace)}

    def _confirm(self, question: str) -> bool:
        self.asked.append(question)
        return self.yes

    def run(self, name: str, given: Any, stop: Event | None = None) -> Result:
        """Call a tool with any input. Its answer is bounded and can be sent, whatever the input."""
        result = self.actions[name].run(given, stop)
        assert len(result.text) <= MOST
        assert result.text
        assert "\0" not in result.text
        result.text.encode()
        return result

    def call(self, name: str, **given: Any) -> str:
        """The text of a call that does what was asked for."""
        result = self.run(name, given)
        assert not result.failed, result.text
        return result.text

    def fails(self, name: str, **given: Any) -> str:
        """The text of a call that does not: one line, and nothing changed in the folder."""
        before = self.files()
        result = self.run(name, given)
        assert result.failed, result.text
        assert "\n" not in result.text
        assert self.files() == before
        return result.text

    def put(self, name: str, data: bytes) -> Path:
        """Make a file."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        return path

    def files(self) -> dict[str, bytes]:
        """All plain files of the folder, and what they hold."""
        files = (path for path in self.root.rglob("*") if path.is_file() and not path.is_symlink())
        return {str(path.relative_to(self.root)): path.read_bytes() for path in files}


class When(Event):
    """A stop that is set as soon as something is so."""

    def __init__(self, so: Callable[[], bool]) -> None:
        super().__init__()
        self._so = so

    def is_set(self) -> bool:
        """Whether it is so."""
        return self._so()


def gone(pid: int) -> bool:
    """Whether a process ends within some seconds (a zombie that nobody has waited for has)."""
    until = time.monotonic() + 10
    while time.monotonic() < until:
        try:
            if Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] in "ZX":
                return True
        except OSError:
            return True
        os.sched_yield()
    return False
