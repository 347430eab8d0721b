"""What a tool is to the loop of the agent.

Rule: whatever a model sends is answered with a Result; nothing that it can send raises. The text of a result is
bounded, and says what was left out and how to get it. KeyboardInterrupt passes through.
"""

from __future__ import annotations

from threading import Event
from typing import NamedTuple, Protocol

from foldcover_harness.session.wires.wire import Json, Tool


class Result(NamedTuple):
    """The answer to a call: a text without lone surrogates or NUL. `failed`: what was asked for was not done."""

    text: str
    failed: bool = False


class Unable(Exception):
    """Why a call cannot be answered, in one line."""


class Action(Protocol):
    """A tool that can be run."""

    @property
    def tool(self) -> Tool:
        """Its name, its description, and the JSON schema of its input."""
        ...

    @property
    def writes(self) -> bool:
        """Whether it can change anything."""
        ...

    def run(self, given: Json, stop: Event | None = None) -> Result:
        """The answer to a call with this input. `stop` ends it early. Never raises on what a model may send."""
        ...
