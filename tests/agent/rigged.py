"""An agent with a scripted model and strategies, in a folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from threading import Event
from typing import Any, NamedTuple

from tests.session.scripted import Made, Quick

from foldcover_harness.agent.loop import Agent, Arrivals
from foldcover_harness.agent.standing import standing
from foldcover_harness.agent.strategies import Strategies, Strategy, load, tools
from foldcover_harness.agent.tools.tool import Action, Result
from foldcover_harness.session import Session
from foldcover_harness.session.disk import Disk
from foldcover_harness.session.wires.wire import Json, Tool

from .scripted_model import Scripted, Step, Watching


class Told:
    """A tool that answers with a text, and remembers what it was given."""

    def __init__(self, name: str, text: str = "done", writes: bool = False) -> None:
        self.tool, self.writes, self.text = Tool(name, f"the tool {name}", {"type": "object"}), writes, text
        self.given: list[Json] = []

    def run(self, given: Json, stop: Event | None = None) -> Result:
        """The text."""
        self.given.append(given)
        return Result(self.text)


class Nothing:
    """No arrivals."""

    def ready(self) -> Sequence[str]:
        """None."""
        return ()


class Rig(NamedTuple):
    """What a test talks to."""

    session: Session
    model: Scripted
    strategies: Strategies
    agent: Agent
    screen: Watching

    def turn(self, words: str, *steps: Step) -> bool:
        """A turn of the user, for which the model has these steps; all are taken."""
        self.model.add(*steps)
        done = self.agent.turn(words)
        assert self.model.left == 0
        return done

    @property
    def labels(self) -> list[str]:
        """The strategies that are on."""
        return list(self.strategies.labels)

    @property
    def said(self) -> list[str]:
        """What opened each turn that is open."""
        opening = [turn.entries[0] for turn in self.session.state.turns if turn.entries]
        return [self.session.wire.said(each.message) for each in opening]


def rigged(
    folder: Path,
    wire: str = "anthropic",
    *,
    stronger: Scripted | None = None,
    strategies: Sequence[Strategy] | None = None,
    actions: Sequence[Action] = (),
    arrivals: Arrivals | None = None,
    disk: Disk | None = None,
    **settings: Any,
) -> Rig:
    """A new session with its agent, or the one of the folder."""
    model, screen, modes = Scripted(wire), Watching(), load() if strategies is None else strategies
    if (folder / "journal.jsonl").exists():
        session = Session.open(folder, disk=disk or Quick())
    else:
        fixed = standing(wire, model.id, "be brief", [*(each.tool for each in actions), *tools(modes)])
        session = Session.create(folder, wire=wire, standing=fixed, disk=disk or Quick(), **settings)
    stack = Strategies(session, model, stronger, modes, screen.said)
    return Rig(session, model, stack, Agent(session, actions, stack, arrivals or Nothing(), screen), screen)


def enters(name: str, task: str, id_: str = "e") -> Made:
    """A call of strategy_request."""
    return Made(id_, "strategy_request", {"name": name, "task": task})


def reports(report: str, id_: str = "r") -> Made:
    """A call of strategy_report."""
    return Made(id_, "strategy_report", {"report": report})


def yields(reason: str = "done", id_: str = "y") -> Made:
    """A call of strategy_yield."""
    return Made(id_, "strategy_yield", {"reason": reason})
