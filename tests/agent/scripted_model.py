"""A model that answers from a script, in this process, on any wire; what a provider would refuse fails the test."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from threading import Event, Lock
from typing import Any

from tests.session.scripted import Made, says

from foldcover_harness.agent.tools.tool import Result
from foldcover_harness.models.model import Answer, Show, Stopped, Usage
from foldcover_harness.session.wires import WIRES
from foldcover_harness.session.wires.wire import Call, Json

WAIT = 20.0
"""Seconds after which whatever is waited for will not come."""
USAGE = Usage(100, 60, 10)
Plain = str | list[Made] | BaseException | Answer
Step = Plain | Callable[[Mapping[str, Json], Event], Plain]
"""What is answered: words; calls; an error to raise; an Answer as it is; or a function that is given the request and
`stop`, and returns one of these.
"""


class Scripted:
    """A `Model` that takes one step of its script a request. `bodies` are the requests that it was sent."""

    def __init__(self, wire: str, *steps: Step, id: str = "scripted", usage: Usage | None = USAGE) -> None:
        self.wire, self.id, self.name = wire, id, f"test:{id}"
        self.bodies: list[dict[str, Any]] = []
        self._steps, self._usage, self._lock = list(steps), usage, Lock()

    def add(self, *steps: Step) -> None:
        """Go on with these, behind what is left."""
        self._steps.extend(steps)

    @property
    def left(self) -> int:
        """How many steps were not taken."""
        return len(self._steps)

    def answer(self, body: Mapping[str, Json], show: Show | None = None, stop: Event | None = None) -> Answer:
        """The next step."""
        with self._lock:
            assert WIRES[self.wire].problems(body) == []
            assert body["model"] == self.id
            self.bodies.append(copy.deepcopy(dict(body)))
            assert self._steps, "the script is over"
            step = self._steps.pop(0)
        if stop is not None and stop.is_set():
            raise Stopped("stopped")
        plain = step(body, stop or Event()) if callable(step) else step
        if isinstance(plain, BaseException):
            raise plain
        if isinstance(plain, Answer):
            return plain
        if isinstance(plain, list):
            return Answer(says(self.wire, "", *plain), self._usage, "tool_use")
        if show is not None:
            show("text", plain)
        return Answer(says(self.wire, plain), self._usage, "end_turn")


class Watching:
    """A `Screen` that keeps what it is shown."""

    def __init__(self) -> None:
        self.pieces: list[tuple[str, str]] = []
        self.results: list[tuple[Call, Result]] = []
        self.usages: list[Usage | None] = []
        self.lines: list[str] = []

    def piece(self, kind: str, text: str) -> None:
        """A piece of an answer."""
        self.pieces.append((kind, text))

    def called(self, call: Call, result: Result) -> None:
        """A call was answered."""
        self.results.append((call, result))

    def answered(self, usage: Usage | None) -> None:
        """An answer is whole."""
        self.usages.append(usage)

    def said(self, line: str) -> None:
        """A line of the host."""
        self.lines.append(line)

    def stopped(self) -> None:
        """The user stopped the turn."""
        self.lines.append("interrupted")
