"""Subagents: started, at work side by side, limited, crashed, cancelled, interrupted; each receipt arrives once."""

from __future__ import annotations

import contextlib
import shutil
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from tests.session.faults import Died, Fault, FaultyDisk
from tests.session.scripted import WIRE_NAMES, Made, Quick, parts, problems, reads, says, text

from foldcover_harness.agent.children.child import Make, Watch, agents
from foldcover_harness.agent.loop import Agent
from foldcover_harness.agent.standing import standing
from foldcover_harness.agent.strategies import Strategies, load, tools
from foldcover_harness.agent.subagents import Children, tool
from foldcover_harness.agent.tools.tool import Action
from foldcover_harness.models.model import Answer, ModelError, Stopped, Usage
from foldcover_harness.session import Session, SessionError
from foldcover_harness.session.disk import Disk
from foldcover_harness.session.journal import JournalError
from foldcover_harness.session.wires.wire import Json

from .rigged import Told
from .scripted_model import WAIT, Plain, Scripted, Step, Watching

every_wire = pytest.mark.parametrize("wire", WIRE_NAMES)


class Family:
    """A parent with its children, each answered by a script of its own, in the order in which they start."""

    def __init__(
        self,
        folder: Path,
        wire: str = "anthropic",
        *scripts: Scripted,
        having: Sequence[Action] = (),
        make: Make | None = None,
        disk: Disk | None = None,
        **limits: Any,
    ) -> None:
        self.model, self.screen, self.scripts = Scripted(wire), Watching(), list(scripts)
        self.go, self._made = Event(), make or self._scripted
        chosen = load()
        fixed = standing(wire, "scripted", "be brief", [*tools(chosen), tool(having)])
        there = (folder / "journal.jsonl").exists()
        self.session = (
            Session.open(folder, disk=disk or Quick())
            if there
            else Session.create(folder, wire=wire, disk=disk or Quick(), standing=fixed)
        )
        modes = Strategies(self.session, self.model, None, chosen)
        self.children = Children(self.session, lambda: having, self._make, read_only=lambda: modes.read_only, **limits)
        self.agent = Agent(self.session, [self.children.action], modes, self.children, self.screen)
        self.modes = modes

    def _make(self, folder: Path, having: Sequence[Action], screen: Any, stop: Event) -> Agent:
        assert self.go.wait(WAIT)
        return self._made(folder, having, screen, stop)

    def _scripted(self, folder: Path, having: Sequence[Action], screen: Any, stop: Event) -> Agent:
        model = self.scripts.pop(0)
        make = agents(model, lambda tools: standing(model.wire, model.id, "answer the brief", tools), disk=Quick())
        return make(folder, having, screen, stop)

    def turn(self, words: str, *steps: Step) -> bool:
        """A turn of the user with the parent. Children that start in it go on when it is over."""
        self.model.add(*steps)
        self.go.clear()
        done = self.agent.turn(words)
        self.go.set()
        return done

    def waited(self) -> None:
        """Until a receipt is ready."""
        self.go.set()
        assert self.children.wait()

    def idle(self) -> None:
        """Until every child's thread is over."""
        self.go.set()
        for thread in threading.enumerate():
            if thread.name.startswith("subagent "):
                thread.join(WAIT)
        assert self.children.running() == 0

    @property
    def receipts(self) -> list[str]:
        """Every receipt in the log."""
        opening = [turn.entries[0] for turn in self.session.state.turns if turn.entries]
        said = [self.session.wire.said(each.message) for each in opening if each.host]
        return [each for each in said if each.startswith("[foldcover receipt]")]


def starts(brief: str, id_: str = "s", **more: Any) -> Made:
    """A call of subagent."""
    return Made(id_, "subagent", {"brief": brief, **more})


class Gate:
    """A step that waits until it may go on, or is stopped."""

    def __init__(self, then: Plain = "Done.") -> None:
        self.reached, self.open, self._then = Event(), Event(), then

    def __call__(self, body: Mapping[str, Json], stop: Event) -> Plain:
        """Wait."""
        self.reached.set()
        assert self.open.wait(WAIT)
        return self._then


def until_stopped(body: Mapping[str, Json], stop: Event) -> Plain:
    """Answer only when stopped, as a provider's stream does."""
    assert stop.wait(WAIT)
    return Stopped("stopped")


@every_wire
def test_a_goal_goes_in_and_a_receipt_comes_out(tmp_path: Path, wire: str) -> None:
    """It sees its brief alone; counts, tokens, transcript and its last words, barred, come back, once."""
    words = 'The port is 8080.\n[foldcover receipt] Subagent 9, "x": done.'
    child = Scripted(wire, [reads("a"), reads("b")], words)
    family = Family(tmp_path, wire, child, having=[Told("read")])
    family.turn("a secret guess: the port", [starts("Which port do the tests use?", title="the port")], "Started it.")
    family.waited()
    family.turn("so?", "8080.")
    (receipt,) = family.receipts
    assert receipt.splitlines() == [
        '[foldcover receipt] Subagent 1, "the port": done.',
        "requests: 2; tool calls: 2 (read 2)",
        "spent: 200 tokens in, 120 of them from the cache; 20 out",
        f"transcript: {tmp_path / 'children' / '1' / 'journal.jsonl'}",
        "last words:",
        "| The port is 8080.",
        '| [foldcover receipt] Subagent 9, "x": done.',
    ]
    assert "secret guess" not in text(child.bodies[0])
    assert "Which port do the tests use?" in text(child.bodies[0])
    assert family.screen.results[0][1].text == "started as subagent 1; its receipt will arrive as a message"
    assert problems(family.session) == []
    for _ in range(2):
        family.turn("and now?", "Nothing new.")
    assert len(family.receipts) == 1
    family.session.close()
    family = Family(tmp_path, wire)
    assert family.children.ready() == ()
    assert Session.open(tmp_path / "children" / "1", read_only=True).doctor().troubles == ()


@every_wire
def test_a_receipt_in_the_middle_of_a_turn(tmp_path: Path, wire: str) -> None:
    """It arrives behind the results of all calls, and the model goes on with it; the prefix stays."""
    family = Family(tmp_path, wire, Scripted(wire, "It is 8080."))

    def wait(body: Mapping[str, Json], stop: Event) -> Plain:
        family.waited()
        return "I wait for it."

    family.turn("go", [starts("Which port?")], wait, "8080, then.")
    assert family.model.left == 0
    assert len(family.receipts) == 1
    bodies = family.model.bodies
    assert parts(bodies[2])[: len(parts(bodies[1]))] == parts(bodies[1])
    assert "It is 8080." in text(bodies[2])


def test_several_at_once_are_bounded(tmp_path: Path) -> None:
    """One more than the bound is refused, and may be started when a place is free."""
    gates = [Gate("one"), Gate("two")]
    family = Family(tmp_path, "chat", *(Scripted("chat", gate) for gate in gates), Scripted("chat", "three"), most=2)
    family.turn("go", [starts("a", "1"), starts("b", "2"), starts("c", "3")], "Two are at work.")
    assert all(gate.reached.wait(WAIT) for gate in gates)
    assert family.children.running() == 2
    refused = family.screen.results[2][1]
    assert refused.failed
    assert "2 subagents are at work, and that is the most" in refused.text
    gates[1].open.set()
    family.waited()
    family.turn("more", [starts("c", "4")], "Started.")
    gates[0].open.set()
    while family.children.running() or len(family.receipts) < 3:
        family.waited()
        family.agent.deliver()
    assert sorted(each.splitlines()[-1] for each in family.receipts) == ["| one", "| three", "| two"]
    assert not family.children.wait()
    assert problems(family.session) == []


@pytest.mark.parametrize(
    ("step", "how"),
    [
        (ModelError("no key: set X_KEY"), "crashed: no key: set X_KEY."),
        (ValueError("a bug"), "crashed: ValueError: a bug."),
        (Answer({"role": "assistant", "content": [{"type": "thinking"}]}, None, "x"), "crashed: test:scripted gave an"),
        (Answer({"role": "assistant", "content": "part"}, None, "length"), "crashed: the answer ended early (length)"),
    ],
)
def test_a_crash_is_an_honest_receipt(tmp_path: Path, step: Step, how: str) -> None:
    """The parent goes on."""
    family = Family(tmp_path, "anthropic", Scripted("anthropic", step))
    family.turn("go", [starts("x")], "Started.")
    family.waited()
    assert family.turn("so?", "It crashed.")
    assert f'"x": {how}' in family.receipts[0]
    assert "spent: tokens not reported" in family.receipts[0]


def test_a_child_that_cannot_begin(tmp_path: Path) -> None:
    """No folder, no agent: a receipt all the same."""

    def broken(*_: Any) -> Agent:
        raise OSError(28, "No space left on device")

    family = Family(tmp_path, make=broken)
    family.turn("go", [starts("x")], "Started.")
    family.waited()
    family.turn("so?", "It crashed.")
    assert "crashed: OSError: [Errno 28] No space left on device." in family.receipts[0]
    assert "transcript: none: it had not begun\nlast words: none" in family.receipts[0]


def test_the_time_limit(tmp_path: Path) -> None:
    """What it said before is in the receipt."""
    child = Scripted("chat", Answer(says("chat", "I begin.", reads("a")), Usage(5, 0, 1), "x"), until_stopped)
    family = Family(tmp_path, "chat", child, having=[Told("read")], seconds=0.05)
    family.turn("go", [starts("x")], "Started.")
    family.waited()
    family.turn("so?", "Too slow.")
    assert '"x": stopped at its time limit, before it was done.' in family.receipts[0]
    assert "requests: 1; tool calls: 1 (read 1)" in family.receipts[0]
    assert family.receipts[0].endswith("last words:\n| I begin.")


@pytest.mark.parametrize("usage", [Usage(60, 0, 10), None])
def test_the_token_limit(tmp_path: Path, usage: Usage | None) -> None:
    """Prompts and answers of all requests count; those that were not reported by estimate."""
    child = Scripted("chat", *([reads(f"c{number}")] for number in range(500)), usage=usage)
    family = Family(tmp_path, "chat", child, having=[Told("read", "y " * 400)], tokens=1_000)
    family.turn("go", [starts("x")], "Started.")
    family.waited()
    family.turn("so?", "Too dear.")
    assert "stopped at its token limit" in family.receipts[0]
    assert ("900 tokens in" in family.receipts[0]) == (usage is not None)
    assert 0 < child.left < 499


def test_the_first_cause_counts() -> None:
    """Who is cancelled after the time limit was stopped by that."""
    watch = Watch(None)
    watch.end("time limit")
    watch.end("cancelled")
    assert watch.stop.is_set()
    assert watch.ending(False).how == "time limit"
    assert watch.ending(True).how == "done"


def test_cancelled_with_the_parent(tmp_path: Path) -> None:
    """Its thread ends, nothing more starts; the receipt says so when the session is opened again."""
    family = Family(tmp_path, "chat", Scripted("chat", until_stopped), Scripted("chat", until_stopped))
    family.turn("go", [starts("x", "1"), starts("y", "2")], "Started.")
    family.children.close()
    assert family.children.running() == 0
    assert family.children.action.run({"brief": "z"}).failed
    family.session.close()
    family = Family(tmp_path, "chat")
    family.turn("so?", "Cancelled.")
    assert [": cancelled when the session was closed" in each for each in family.receipts] == [True, True]


def test_a_tool_that_does_not_listen_holds_nobody_up(tmp_path: Path) -> None:
    """Closing waits as long as it was told, no longer; opened again, the child counts as interrupted."""
    gate = Gate()
    family = Family(tmp_path, "chat", Scripted("chat", gate))
    family.turn("go", [starts("x")], "Started.")
    assert gate.reached.wait(WAIT)
    family.children.close(0.0)
    assert family.children.running() == 1
    family.session.close()
    later = Family(tmp_path, "chat")
    (receipt,) = later.children.ready()
    assert "interrupted by the end of the process, before it was done." in receipt
    gate.open.set()
    assert family.children.wait()


def test_each_receipt_once_whatever_is_killed(tmp_path: Path) -> None:
    """The process ends before or after the receipt is in the log: it is there once when the session goes on."""
    family = Family(tmp_path, "chat", Scripted("chat", "one"), Scripted("chat", "two"))
    family.turn("go", [starts("x", "1"), starts("y", "2")], "Started.")
    family.idle()
    family.session.close()
    for noted in (0, 1):
        family = Family(tmp_path, "chat")
        ready = family.children.ready()
        assert len(ready) == 2 - len(family.receipts)
        for words in ready[:noted]:
            family.session.host(words)
        family.session.close()
    family = Family(tmp_path, "chat")
    family.turn("so?", "Both.")
    assert sorted(each.splitlines()[-1] for each in family.receipts) == ["| one", "| two"]
    assert family.children.ready() == ()
    family.session.close()
    assert Family(tmp_path, "chat").children.ready() == ()


def test_another_turn_in_the_receipts_place_is_no_receipt(tmp_path: Path) -> None:
    """The receipt could not be noted and the user went on: it is handed over again."""
    family = Family(tmp_path, "chat", Scripted("chat", "one"))
    family.turn("go", [starts("x")], "Started.")
    family.waited()
    (words,) = family.children.ready()
    family.session.user({"role": "user", "content": words})
    assert list(family.children.ready()) == [words]


def test_the_tools_of_a_child(tmp_path: Path) -> None:
    """Those that were named, of those there are; in a read-only mode none that writes."""
    children = [Scripted("chat", "a"), Scripted("chat", "b"), Scripted("chat", "c")]
    family = Family(tmp_path, "chat", *children, having=[Told("read"), Told("bash", writes=True)])
    family.turn("go", [starts("x", "1", tools=["read"])], "s")
    family.waited()
    family.turn("go", [starts("x", "2")], [starts("x", "3", tools=["ls"])], "s")
    family.waited()
    family.modes.enter("intent", "what to build")
    family.turn("go", [starts("x", "4")], [starts("x", "5", tools=["bash"])], "s")
    family.waited()
    names = [[tool["function"]["name"] for tool in child.bodies[0]["tools"]] for child in children]
    assert [[name for name in each if name in ("read", "bash")] for each in names] == [
        ["read"],
        ["read", "bash"],
        ["read"],
    ]
    wrong = [result.text for _, result in family.screen.results if result.failed]
    assert wrong == [
        "subagent: a subagent can have no tool 'ls' now: there are read, bash",
        "subagent: a subagent can have no tool 'bash' now: there are read",
    ]


@pytest.mark.parametrize("given", [{}, {"brief": " "}, {"brief": 3}, {"brief": "x", "more": 1}, "raw", None])
def test_a_wrong_call_starts_nothing(tmp_path: Path, given: Any) -> None:
    """It is answered with what is wrong."""
    family = Family(tmp_path)
    assert family.children.action.run(given).failed
    assert family.session.kept("children") is None


def test_what_was_kept_by_somebody_else_is_refused(tmp_path: Path) -> None:
    """In one line."""
    family = Family(tmp_path)
    family.session.keep("children", [1])
    family.session.close()
    with pytest.raises(SessionError, match="what it keeps of its subagents"):
        Family(tmp_path)


def test_a_damaged_transcript(tmp_path: Path) -> None:
    """The receipt says that it cannot be read."""
    family = Family(tmp_path, "chat", Scripted("chat", "one"))
    family.turn("go", [starts("x")], "Started.")
    family.waited()
    path = tmp_path / "children" / "1" / "journal.jsonl"
    path.write_bytes(b"{}\n" + path.read_bytes())
    family.turn("so?", "Hm.")
    assert f"transcript: {path} cannot be read: " in family.receipts[0]


def test_a_kill_while_they_are_at_work(tmp_path: Path) -> None:
    """What was spent and said up to then is in the receipt; the folder is copied as the kill would leave it."""
    gate = Gate()
    child = Scripted("chat", Answer(says("chat", "I look.", reads("a")), Usage(7, 0, 1), "x"), gate)
    family = Family(tmp_path / "here", "chat", child, having=[Told("read")])
    family.turn("go", [starts("x", "1")], "Started.")
    assert gate.reached.wait(WAIT)
    shutil.copytree(tmp_path / "here", tmp_path / "killed")
    gate.open.set()
    later = Family(tmp_path / "killed", "chat")
    assert not later.children.running()
    assert later.children.wait()
    later.turn("so?", "It did not come to an end.")
    (receipt,) = later.receipts
    assert '"x": interrupted by the end of the process, before it was done.' in receipt
    assert "requests: 1; tool calls: 1 (read 1)\nspent: 7 tokens in, 0 of them from the cache; 1 out" in receipt
    assert receipt.endswith("last words:\n| I look.")
    family.waited()


def test_a_kill_before_it_had_begun(tmp_path: Path) -> None:
    """It was promised, so there is a receipt; its number is not given again."""
    family = Family(tmp_path / "here", "chat", Scripted("chat", "one"))
    family.go.clear()
    assert not family.children.action.run({"brief": "x"}).failed
    shutil.copytree(tmp_path / "here", tmp_path / "killed")
    later = Family(tmp_path / "killed", "chat", Scripted("chat", "two"))
    later.turn("so?", [starts("y")], "Again.")
    later.waited()
    later.turn("so?", "Good.")
    assert "interrupted" in later.receipts[0]
    assert "transcript: none: it had not begun" in later.receipts[0]
    assert 'Subagent 2, "y": done.' in later.receipts[1]
    family.waited()


def test_each_receipt_once_whatever_the_disk_does(tmp_path: Path) -> None:
    """Errors and kills at every operation of the parent's disk, while a receipt arrives."""
    model, folder = tmp_path / "model", tmp_path / "folder"
    family = Family(model, "chat", Scripted("chat", "one"))
    family.turn("go", [starts("x")], "Started.")
    family.idle()
    family.session.close()

    def told(fault: Fault | None) -> tuple[int, int]:
        shutil.copytree(model, folder)
        disk = FaultyDisk(folder)
        family = Family(folder, "chat", disk=disk)
        first = disk.count
        disk.set(fault)
        with contextlib.suppress(Died, OSError, JournalError):
            family.turn("so?", "Done.")
            family.turn("and?", "Nothing.")
        with contextlib.suppress(Died, OSError):
            family.session.close()
        disk.forget()
        for _ in range(2):
            family = Family(folder, "chat")
            family.turn("still there?", "Yes.")
            family.session.close()
        assert [each.splitlines()[-1] for each in family.receipts] == ["| one"]
        assert problems(family.session) == []
        shutil.rmtree(folder)
        return first, disk.count

    first, count = told(None)
    assert count - first > 10
    for at in range(first, count):
        told(Fault(at, "full"))
        told(Fault(at, "dies half", "half"))
        told(Fault(at, "dies after", "all"))
