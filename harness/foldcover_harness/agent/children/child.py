"""The agent of a subagent: a session of its own, tools, nobody to talk to.

Rule: it sees its brief and nothing else; it has no strategies and no subagents, and it asks nobody. What it spends is
kept in its own session after each answer, so that a kill of the process takes nothing of that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from threading import Event, Lock
from typing import Any, Final, Literal

import msgspec

from foldcover_harness.agent.loop import Agent, Screen
from foldcover_harness.agent.spent import Spent
from foldcover_harness.agent.tools import Action, Result
from foldcover_harness.models.model import Model, Usage
from foldcover_harness.session import Call, Session
from foldcover_harness.session.wires.wire import Json, Tool

ENDED: Final = "ended"
SPENT: Final = "spent"
"""The names under which a child's session keeps how it ended and what it spent."""
MOST: Final = 200
"""Requests of a child at most."""
How = Literal["done", "time limit", "token limit", "crashed", "cancelled", "interrupted"]
Make = Callable[[Path, Sequence[Action], Screen, Event], Agent]
"""Makes a child's agent: in this new folder, with these tools, watched by this screen, ended by this event."""


class Ending(msgspec.Struct, frozen=True):
    """How a child ended, and why in one line where that says more."""

    how: How
    why: str = ""


def agents(model: Model, standing: Callable[[Sequence[Tool]], Mapping[str, Json]], **settings: Any) -> Make:
    """How children are made that this model answers, whose standing part `standing` makes of their tools.

    `settings`: those of their sessions, for example the window.
    """

    def make(folder: Path, having: Sequence[Action], screen: Screen, stop: Event) -> Agent:
        fixed = standing([action.tool for action in having])
        session = Session.create(folder, wire=model.wire, standing=fixed, **settings)
        alone = Alone(model)
        return Agent(session, having, alone, alone, screen, stop=stop, most=MOST)

    return make


class Alone:
    """`Modes` and `Arrivals` of an agent that has none."""

    def __init__(self, model: Model) -> None:
        self._model = model

    def owns(self, call: Call) -> bool:
        """None is for us."""
        return False

    def handle(self, call: Call) -> Result:
        """Never asked."""
        return Result(f"there is no tool {call.name!r}", failed=True)

    def refuses(self, action: Action) -> str | None:
        """Nothing is refused."""
        return None

    def settle(self) -> bool:
        """Nothing was asked for."""
        return False

    def model(self) -> Model:
        """The one there is."""
        return self._model

    def ready(self) -> Sequence[str]:
        """Nothing arrives."""
        return ()


class Watch:
    """The screen of a child: keeps what is spent, sees to the limit, remembers why it was stopped."""

    def __init__(self, tokens: int | None) -> None:
        """`tokens`: how many it may spend, prompts and answers of all requests together."""
        self.stop = Event()
        self._tokens, self._spent, self._estimated = tokens, Spent(), 0
        self._session: Session | None = None
        self._lines: list[str] = []
        self._cause: How | None = None
        self._lock = Lock()

    def on(self, session: Session) -> None:
        """Keep what is spent here."""
        self._session = session

    def end(self, cause: How) -> None:
        """Stop the child. The first cause counts."""
        with self._lock:
            self._cause = self._cause or cause
        self.stop.set()

    def ending(self, done: bool) -> Ending:
        """How it ended, after its turn."""
        if self._cause is not None and not done:
            return Ending(self._cause)
        return Ending("done" if done else "crashed", "; ".join(self._lines))

    def piece(self, kind: Literal["text", "thinking", "again"], text: str) -> None:
        """Nobody looks."""

    def called(self, call: Call, result: Result) -> None:
        """It stands in the transcript."""

    def answered(self, usage: Usage | None) -> None:
        """Keep what was spent. What is not reported counts for the limit by estimate."""
        self._spent = self._spent.plus(usage)
        if self._session is not None:
            self._session.keep(SPENT, msgspec.to_builtins(self._spent))
            self._estimated += self._session.load().tokens if usage is None else usage.prompt + usage.output
        if self._tokens is not None and self._estimated >= self._tokens:
            self.end("token limit")

    def said(self, line: str) -> None:
        """Remember it: it may be why there is no answer."""
        self._lines.append(line)

    def stopped(self) -> None:
        """Only a user's interrupt is told so, and a child has no user."""
