"""A long life of an agent: thousands of turns on one wire, hundreds on the others, with all that happens, by seed.

The model works, folds, asks for what cannot be, enters strategies and leaves them, says too much, fails; tools and the
user interrupt; lines of the cover cannot be written at times; the process ends and another goes on. At each request:
valid, within the window, and beginning with the one before unless something was folded or compacted. At the end:
nothing lost, the laws kept, the counters right.
"""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from click.testing import CliRunner
from tests.session.scripted import WIRE_NAMES, Made, Quick, parts, says, standing_of

from foldcover_harness.agent.loop import Agent
from foldcover_harness.agent.standing import standing
from foldcover_harness.agent.strategies import Strategies, load, tools
from foldcover_harness.agent.tools.tool import Action, Result
from foldcover_harness.models.model import Answer, ModelError, Show, Usage
from foldcover_harness.session import Session, SessionError
from foldcover_harness.session.card import HEAD
from foldcover_harness.session.checking import exact
from foldcover_harness.session.commands import session as cli
from foldcover_harness.session.wires import WIRES
from foldcover_harness.session.wires.wire import Json, Message, Tool
from foldcover_harness.session.writers import Inputs, index

from .rigged import Nothing
from .scripted_model import Watching

TURNS = {"anthropic": 2_400, "chat": 400, "responses": 400}
WINDOW = 8_000
FULL = 0.92
NAMES = ("errand", "intent", "counsel", "triage")
WORDS = ["plover", "tide", "chart", "harbour", "anchor", "sextant", "längengrad", "潮位", "ledger", "buoy"]


class Noting(Session):
    """A session that remembers what it was told."""

    noted: list[str]

    def user(self, message: Message) -> Any:
        """The user's words."""
        report = super().user(message)
        self.noted.append(exact(message))
        return report

    def host(self, words: str) -> None:
        """The host's words."""
        super().host(words)
        self.noted.append(exact({"role": "user", "content": words}))

    def assistant(self, message: Message) -> None:
        """An answer."""
        super().assistant(message)
        self.noted.append(exact(message))

    def tool_result(self, message: Message) -> None:
        """A result."""
        super().tool_result(message)
        self.noted.append(exact(message))


class Works:
    """A tool that answers with some text, fails, or is interrupted."""

    def __init__(self, name: str, writes: bool, chance: random.Random) -> None:
        self.tool, self.writes, self._chance = Tool(name, f"the tool {name}", {"type": "object"}), writes, chance

    def run(self, given: Json, stop: Event | None = None) -> Result:
        """The text."""
        if self._chance.random() < 0.01:
            raise KeyboardInterrupt
        text = " ".join(self._chance.choices(WORDS, k=self._chance.randint(1, 60)))
        return Result(text, failed=self._chance.random() < 0.1)


class Life:
    """An agent and its user. `chance` decides everything."""

    def __init__(self, folder: Path, wire: str) -> None:
        self.folder, self.wire, self.chance = folder, wire, random.Random(f"a long life, {wire}")
        self.noted: list[str] = []
        self.screen = Watching()
        self.actions: list[Action] = [Works("read", False, self.chance), Works("write", True, self.chance)]
        self.calls = self.requests = self.tokens = self.read_backs = self.repeated = 0
        self.before: tuple[object, list[str]] = (None, [])
        self.fixed = ""
        self.made: dict[int, list[Made]] = {}
        """The calls of each turn."""
        self.lines: dict[object, int] = {}
        self.begin(standing(wire, "m", "be brief", [*(each.tool for each in self.actions), *tools(load())]))

    def begin(self, fixed: Mapping[str, Json] | None = None) -> None:
        """A session, new with a standing part or the one that is there, and the agent on it."""
        given: dict[str, Any] = {"writer": self.write, "summarize": self.summarize, "disk": Quick()}
        if fixed is None:
            self.session = Noting.open(self.folder, **given)
        else:
            self.session = Noting.create(
                self.folder, wire=self.wire, standing=fixed, window=WINDOW, full=FULL, card_calls=8, **given
            )
        assert isinstance(self.session, Noting)
        self.session.noted = self.noted
        self.modes = Strategies(self.session, Mind(self, "m"), Mind(self, "strong"), load())
        self.agent = Agent(self.session, self.actions, self.modes, Nothing(), self.screen, most=9)

    def write(self, inputs: Inputs) -> str | None:
        """A writer that has no line at times, or worse."""
        times = self.lines[inputs.block] = self.lines.get(inputs.block, 0) + 1
        trouble = (inputs.block.start // inputs.block.size + times) % 7
        if trouble == 0:
            raise ModelError("busy")
        return None if trouble == 1 else index(inputs)

    def summarize(self, messages: Sequence[Message]) -> str:
        """A summary."""
        return f"{len(messages)} messages about {self.words(6)}"

    def words(self, most: int) -> str:
        """Some words."""
        return " ".join(self.chance.choices(WORDS, k=self.chance.randint(1, most)))

    def live(self) -> None:
        """One thing that a user does."""
        what = self.chance.random()
        if what < 0.02:
            self.session.close()
            self.begin()
        elif what < 0.05:
            if self.modes.enter(self.chance.choice(NAMES), self.words(9)) is None:
                self.agent.work()
        elif what < 0.08:
            self.modes.back()
            self.agent.report()
        elif what < 0.12:
            last = len(self.session.state.turns)
            first = self.chance.randint(max(0, last - 4), last)
            try:
                self.session.fold(first, self.chance.randint(first, last), self.chance.choice([None, self.words(9)]))
            except SessionError as error:
                self.screen.said(str(error))
            self.agent.report()
        else:
            self.agent.turn(f"{self.words(20)} {self.calls}")

    def look(self, body: dict[str, Any], model: str) -> None:
        """See whether a request is right."""
        session = self.session
        assert WIRES[self.wire].problems(body) == []
        assert body["model"] == model
        self.tokens = session.load().tokens
        assert self.tokens * session.state.factor < FULL * WINDOW, self.screen.lines[-9:]
        fixed, now = standing_of({**body, "model": ""}), parts(body)
        key = (len(session.state.units), tuple(session.state.compactions))
        before = self.before[1] if self.before[0] == key else []
        assert now[: len(before)] == before
        assert fixed == (self.fixed or fixed)
        self.before, self.fixed = (key, now), fixed
        self.requests += 1


class Mind:
    """The model."""

    def __init__(self, life: Life, id: str) -> None:
        self.life, self.id, self.name, self.wire = life, id, f"test:{id}", life.wire

    def answer(self, body: Mapping[str, Json], show: Show | None = None, stop: Event | None = None) -> Answer:
        """An answer, or none."""
        life = self.life
        life.look(dict(body), self.id)
        what = life.chance.random()
        if what < 0.01:
            raise ModelError("out of order")
        if what < 0.02:
            raise KeyboardInterrupt
        made = [self.call() for _ in range(life.chance.choice([0, 0, 1, 1, 2, 4]))]
        folding = self.fold() if HEAD in str(life.session.state.turns[-1].entries) else []
        if life.chance.random() < 0.6:
            made += folding
        life.made.setdefault(len(life.session.state.turns) - 1, []).extend(made)
        message = says(life.wire, life.words(30), *made)
        usage = Usage(int(life.tokens * life.chance.uniform(0.8, 1.2)), 0, 9)
        return Answer(message, usage, life.chance.choice(["end_turn", "max_tokens"]))

    def fold(self) -> list[Made]:
        """A call that folds what of the last turns is open, but for some."""
        turns = self.life.session.state.turns
        first = next((number for number, turn in enumerate(turns[:-1]) if turn.open), None)
        if first is None:
            return []
        last = first
        while last + 1 < len(turns) - 1 and turns[last + 1].open and self.life.chance.random() < 0.9:
            last += 1
        return [self.made("fold_unit", **{"from": first, "to": last}, title=self.life.words(12))]

    def made(self, name: str, /, **given: Any) -> Made:
        """A call as there was none before."""
        self.life.calls += 1
        return Made(f"c{self.life.calls}", name, {**given, "n": self.life.calls} if name in _FREE else given)

    def call(self) -> Made:
        """Some call."""
        life, units = self.life, self.life.session.state.units
        what = life.chance.random()
        if what < 0.02 and units:
            life.read_backs += 1
            return self.made("read", path=life.chance.choice(units).archive)
        if what < 0.06 and (folded := self.folded()):
            life.repeated += 1
            life.calls += 1
            return life.chance.choice(folded)._replace(id=f"c{life.calls}")
        number = life.calls
        if what < 0.08:
            return self.made("strategy_request", name=life.chance.choice(NAMES), task=f"{life.words(9)} {number}")
        if what < 0.12:
            return self.made("strategy_report", report=f"{life.words(30)} {number}")
        if what < 0.16:
            return self.made("strategy_yield", reason=f"{life.words(5)} {number}")
        if what < 0.25:
            name = life.chance.choice(["zoom", "fold_unit"])
            return self.made(name, **{"from": life.chance.randint(-1, 30), "to": life.chance.randint(-1, 30)})
        if what < 0.3:
            return self.made("search", text=f"{life.words(1)}/{life.chance.randint(0, number)}")
        return self.made(life.chance.choice(["read", "read", "write", "nonsense"]), path=f"{life.words(1)}/{number}")

    def folded(self) -> list[Made]:
        """Calls that a folded unit holds, as far back as a few units."""
        session = self.life.session
        if not session.state.units:
            return []
        unit = session.state.units[-self.life.chance.randint(1, min(5, len(session.state.units)))]
        turns = range(unit.first, unit.last + 1)
        whole = [number for number in turns if not session.state.turns[number].shortened]
        calls = [each for number in whole for each in self.life.made.get(number, [])]
        return [each for each in calls if each.name in ("read", "write") and not each.input["path"].endswith(".txt")]


_FREE = ("read", "write", "nonsense", "zoom", "fold_unit", "search")
"""Tools that take whatever they are given."""


@pytest.mark.parametrize("wire", WIRE_NAMES)
def test_a_long_life(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wire: str) -> None:
    """From the first turn to the last, and opened again."""
    # A folder of the same name everywhere: names stand in what tools answer, and have their weight.
    monkeypatch.chdir(tmp_path)
    life = Life(Path("session"), wire)
    turns = TURNS[wire]
    while len(life.session.state.turns) < turns:
        life.live()
    state, counters = life.session.state, life.session.counters()
    assert life.session.load().tokens * state.factor < FULL * WINDOW
    assert life.requests > turns
    assert len(state.units) > turns // 20
    assert len(life.session.cover()) < len(state.units) // 2
    assert len([line for line in life.screen.lines if line.startswith("no line for")]) > 0
    assert "the tail was compacted" in " ".join(life.screen.lines)
    assert {"interrupted", "out of order"} <= set(life.screen.lines)
    assert (counters.read_backs, counters.repeated) == (life.read_backs, life.repeated)
    assert life.read_backs > 0 < life.repeated
    assert 0 < counters.reopened <= counters.read_backs + counters.repeated
    prompt = exact(life.session.request())
    life.session.close()
    with Session.open(life.folder, read_only=True) as again:
        assert exact(again.request()) == prompt
        assert again.counters() == counters
        assert again.kept("strategies") == state.kept.get("strategies")
    exported = CliRunner().invoke(cli, ["export", str(life.folder)])
    assert [line for line in exported.stdout.splitlines() if line] == life.noted
    doctor = json.loads(CliRunner().invoke(cli, ["doctor", str(life.folder), "--json"]).stdout)
    assert doctor["troubles"] == []
    assert doctor["operations_judged"] > len(state.units)
    assert doctor["units"] == len(state.units)
