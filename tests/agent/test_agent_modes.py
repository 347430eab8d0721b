"""foldcover agent over HTTP: strategies that the user or the model enters and leaves, and subagents beside the work."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import pytest
from tests.models.server import Fail, Reply, Say, Server

from foldcover_harness.session.wires import WIRES

from .driving import WAIT, Desk, Ran, call, results, text_of

every_wire = pytest.mark.parametrize("wire", tuple(WIRES))


def requests(name: str, task: str) -> Say:
    """The model asks for a strategy."""
    return Say(calls=[call("q", "strategy_request", name=name, task=task)])


def reports(report: str, *, leaves: bool = False) -> Say:
    """The model writes a report, and maybe leaves with it."""
    leaving = [call("y", "strategy_yield", reason="that is all")] if leaves else []
    return Say(calls=[call("p", "strategy_report", report=report), *leaving])


@every_wire
def test_an_errand_of_the_user(tmp_path: Path, wire: str) -> None:
    """It begins with /strategy; of two reports the last one stays, and of the detour nothing else; each request begins
    with the one before, but for the one behind the fold.
    """
    script: list[Reply] = [
        "One.",
        Say("Looking.", [call("r", "read", path="notes.txt")]),
        reports("it may be a plover"),
        reports("it is a plover", leaves=True),
        "It is a plover.",
        "Two.",
    ]
    with Server(wire, script) as server:
        desk = Desk(tmp_path, server)
        desk.file("notes.txt", "charadrius\n")
        done = desk.agent("--quiet", given="first\n/strategy errand which bird is it?\nsecond\n")
    assert (done.code, done.out) == (0, "One.\nLooking.\nIt is a plover.\nTwo.\n")
    assert len(done.lines) == 2
    assert done.lines[1].startswith("folded: errand: it is a plover")
    assert (server.problems, server.begun) == ([], [0, 4])
    assert "| which bird is it?" in text_of(server.bodies[1])
    after = text_of(server.bodies[4])
    assert after.count("it is a plover") >= 1
    assert "it may be" not in after
    assert "charadrius" not in after
    assert json.dumps(desk.exported()).count("charadrius") == 1
    desk.sound(whole=False)


def test_one_in_another_and_back(tmp_path: Path) -> None:
    """The model enters an errand within the user's intent; read-only holds in it too; /back leaves the rest."""
    script: list[Reply] = [
        requests("errand", "see whether it can be done"),
        Say(calls=[call("w", "write", path="x", content="y"), call("b", "bash", command="touch z")]),
        reports("it can be done", leaves=True),
        reports("build the x"),
        "Shall I?",
        Say(calls=[call("w2", "write", path="x", content="y")]),
        "Built.",
    ]
    with Server("anthropic", script) as server:
        desk = Desk(tmp_path, server)
        typed = "/strategy intent agree on x\n/back\n/back\nbuild it\n"
        done = desk.agent("--quiet", "--yes", given=typed)
    assert (done.code, done.out) == (0, "Shall I?\nBuilt.\n")
    assert [line.split(" [")[0] for line in done.lines[1:]] == [
        "folded: errand: it can be done",
        "left intent (read-only)",
        "folded: intent (read-only): build the x",
        "folded: intent (read-only): build the x",
        "no strategy is on",
    ]
    refused = results("anthropic", server.bodies[2])[-2:]
    assert all('is refused: "intent (read-only)" is on' in each for each in refused)
    assert (desk.root / "x").read_text() == "y"
    assert not (desk.root / "z").exists()
    assert server.problems == []
    assert server.begun == [0, 3, 5]
    desk.sound(whole=False)


def test_counsel_is_another_model(tmp_path: Path) -> None:
    """The requests of the strategy counsel go to the stronger model, those before and after it to the first."""
    script: list[Reply] = [
        requests("counsel", "is it sound?"),
        reports("it is sound", leaves=True),
        "So it is.",
        "Two.",
    ]
    with Server("chat", script) as server:
        desk = Desk(tmp_path, server)
        lacking = desk.begun("agent", *desk.model).done("/strategy counsel is it sound?\n")
        assert lacking.lines[1:] == ["counsel needs a stronger model, and none was chosen"]
        done = desk.agent("--quiet", "--counsel", "openai:strong", given="ask\nnext\n")
    assert (done.code, done.out) == (0, "So it is.\nTwo.\n")
    assert done.lines[1].startswith("folded: counsel: it is sound")
    assert [body["model"] for body in server.bodies] == ["m", "strong", "m", "m"]
    another = "the standing part is another than in the request that this one continues"
    assert server.problems == [f"request 1: {another}"]
    assert {json.dumps({**body, "model": "", "messages": []}) for body in server.bodies} == {
        json.dumps({**server.bodies[0], "model": "", "messages": []})
    }
    desk.sound(whole=False)


MINE = """\
name = "{name}"
label = "proof reading"
about = "a text is to be read"
enter = "A text is read now."
rules = "Change no meaning."
leave = "It was read."
"""


def test_a_strategy_of_the_user(tmp_path: Path) -> None:
    """A file of theirs is a strategy like ours; one that is not right is refused in a line, before anything begins."""
    with Server("responses", [requests("proofs", "notes.txt"), "It is fine."]) as server:
        desk = Desk(tmp_path, server)
        own = desk.file("own/mine.toml", MINE.format(name="proofs"))
        done = desk.agent("--strategies", "own", "read", "it")
        assert done == Ran(
            0, "It is fine.\n", "  strategy_request proofs  proofs begins when all calls of this answer have re…\n"
        )
        own.write_text(MINE.format(name="Not A Name"))
        folder, desk.folder = desk.folder, desk.home / "another"
        wrong = desk.agent("--strategies", "own", "hi").wrong
        assert not desk.folder.exists()
        desk.folder = folder
    assert wrong.startswith("own/mine.toml: ")
    assert "name" in wrong
    assert "proofs: a text is to be read" in json.dumps(server.bodies[0]["tools"])
    assert "Change no meaning." in text_of(server.bodies[1])
    assert (server.problems, server.begun) == ([], [0])
    desk.sound()


def subagent(id_: str, brief: str, title: str) -> Any:
    """A call that starts one."""
    return call(id_, "subagent", brief=brief, title=title)


@every_wire
def test_two_subagents(tmp_path: Path, wire: str) -> None:
    """Both work while the parent goes on; each receipt arrives once, as a message, and the answer waits for them."""
    parent_went_on = threading.Event()

    def script(body: dict[str, Any]) -> Reply:
        given = text_of(body)
        if "You see nothing but the brief" not in json.dumps(body):
            return parent(given)
        if not results(wire, body):
            return Say(calls=[call("g", "read", path="north.txt" if "go north" in given else "south.txt")])
        return Say("It is cold." if "go north" in given else "It is warm.", gate=parent_went_on)

    def parent(given: str) -> Reply:
        if "[foldcover receipt]" in given:
            return "Both." if "It is cold." in given and "It is warm." in given else "One so far."
        if "started as subagent 2" in given:
            if "1\\tmine" in given:
                parent_went_on.set()
                return "Waiting."
            return Say(calls=[call("m", "read", path="mine.txt")])
        return Say(calls=[subagent("n", "go north", "north"), subagent("s", "go south", "south")])

    with Server(wire, script) as server:
        desk = Desk(tmp_path, server)
        for name in ("north", "south", "mine"):
            desk.file(f"{name}.txt", name)
        done = desk.agent("--quiet", "look around")
    assert done.code == 0
    assert done.out.splitlines()[0] == "Waiting."
    assert done.out.splitlines()[-1] == "Both."
    assert server.problems == []
    asked = [text_of(body) for body in server.bodies]
    last = [given for given in asked if "look around" in given][-1]
    assert last.count("[foldcover receipt]") == 2
    assert "| It is cold." in last
    assert "| It is warm." in last
    assert (
        len([body for body in server.bodies if "go north" in text_of(body) and "look around" not in text_of(body)]) == 2
    )
    desk.sound(whole=False)


def test_a_receipt_in_the_middle(tmp_path: Path) -> None:
    """It arrives behind the results of the calls that are at work, within the same turn."""

    def script(body: dict[str, Any]) -> Reply:
        given, done = text_of(body), len(results("anthropic", body))
        if "You see nothing but the brief" in json.dumps(body):
            return "It is cold."
        if "[foldcover receipt]" in given or done > 200:
            return "I know."
        first = subagent("n", "go north", "north")
        return Say(calls=[call(f"w{done}", "bash", command="true") if done else first])

    with Server("anthropic", script) as server:
        desk = Desk(tmp_path, server)
        done = desk.agent("--quiet", "--yes", "look around")
    assert done == Ran(0, "I know.\n", "")
    assert "| It is cold." in text_of(server.bodies[-1])
    assert server.problems == []
    desk.sound()


def test_a_subagent_whose_model_fails(tmp_path: Path) -> None:
    """Its receipt says so, and the parent goes on."""

    def script(body: dict[str, Any]) -> Reply:
        given = text_of(body)
        if "You see nothing but the brief" in given:
            return Fail(400, {"error": {"message": "no such thing"}})
        if "[foldcover receipt]" in given:
            return "It failed."
        return "Waiting." if "started as subagent 1" in given else Say(calls=[subagent("n", "go north", "north")])

    with Server("chat", script) as server:
        desk = Desk(tmp_path, server)
        done = desk.agent("--quiet", "look around")
    assert done == Ran(0, "Waiting.\nIt failed.\n", "")
    last = text_of(server.bodies[-1])
    assert "crashed" in last
    assert "no such thing" in last
    assert "last words: none" in last
    assert server.problems == []
    desk.sound()


def test_interrupt_while_a_subagent_works(tmp_path: Path) -> None:
    """Ctrl-C ends the waiting and the subagent; its receipt, which says so, arrives when the session goes on."""
    gate = threading.Event()

    def script(body: dict[str, Any]) -> Reply:
        given = text_of(body)
        if "You see nothing but the brief" in given:
            return Say("It is cold.", gate=gate)
        if "and on" in given:
            return "It was cancelled."
        return "Waiting." if "started as subagent 1" in given else Say(calls=[subagent("n", "go north", "north")])

    with Server("chat", script) as server:
        desk = Desk(tmp_path, server)
        running = desk.started("--quiet", "look around")
        assert running.process.stdout is not None
        assert running.process.stdout.readline() == "Waiting.\n"
        assert server.waiting.wait(WAIT)
        running.interrupt()
        stopped = running.done()
        assert (stopped.code, stopped.lines) == (130, ["interrupted; the session is kept"])
        assert server.left.wait(WAIT)
        done = desk.resumed("--quiet", "and on")
    assert done == Ran(0, "It was cancelled.\n", "")
    last = text_of(server.bodies[-1])
    assert 'Subagent 1, \\"north\\": ' in last
    assert "before it was done" in last
    assert last.index("[foldcover receipt]") < last.index("and on")
    assert server.problems == []
    desk.sound()
