"""A model in this process, on the chat wire, that says what a function of its last message says."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from threading import Event
from typing import Any

from foldcover_harness.models.model import Answer, Show, Usage


class Saying:
    """A `Model`; what `says` raises is raised. `bodies` are the requests that it was sent."""

    name, id, wire = "scripted", "scripted", "chat"

    def __init__(self, says: Callable[[str], str], usage: bool = True) -> None:
        self.bodies: list[Mapping[str, Any]] = []
        self._says, self._usage = says, usage

    @property
    def words(self) -> list[str]:
        """The last message of each request."""
        return [body["messages"][-1]["content"] for body in self.bodies]

    def answer(self, body: Mapping[str, Any], show: Show | None = None, stop: Event | None = None) -> Answer:
        """The answer to the last message."""
        self.bodies.append(body)
        words = self.words[-1]
        text = self._says(words)
        return Answer({"role": "assistant", "content": text}, Usage(len(words)) if self._usage else None, "stop")
