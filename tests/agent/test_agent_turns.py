"""foldcover agent over HTTP: one turn, tools, a conversation through a pipe, a session to go on with, refusals."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.models.server import Reply, Say, Server

from foldcover_harness.models.model import Usage
from foldcover_harness.session.wires import WIRES

from .driving import Desk, Ran, call, results, text_of

every_wire = pytest.mark.parametrize("wire", tuple(WIRES))


@every_wire
def test_one_turn_with_tools(tmp_path: Path, wire: str) -> None:
    """The model's words alone on stdout; calls of one answer run in their order; the next request has their results."""
    script: list[Reply] = [
        Say(
            "Let me look.",
            [
                call("a", "read", path="notes.txt"),
                call("b", "edit", path="notes.txt", old="one", new="two"),
                call("c", "bash", command="cat notes.txt; exit 3"),
                call("d", "nonsense", path="notes.txt"),
            ],
            thinking="I should look first.",
        ),
        Say("Done.", usage=Usage(200, 150, 4)),
    ]
    with Server(wire, script) as server:
        desk = Desk(tmp_path, server)
        notes = desk.file("notes.txt", "one\n")
        done = desk.agent("--yes", "change", "it")
    assert (done.code, done.out) == (0, "Let me look.\nDone.\n")
    assert done.lines[0] == "I should look first."
    assert [line.split()[0] for line in done.lines[1:]] == ["read", "edit", "bash", "nonsense"]
    assert notes.read_text() == "two\n"
    read, edit, bash, unknown = results(wire, server.bodies[1])
    assert (read, edit) == ("1\tone", "replaced 1 place in notes.txt (line 1)")
    assert "two\n[exit code 3]" in bash
    assert "There is no tool 'nonsense'" in unknown
    assert (server.problems, server.begun) == ([], [0])
    desk.sound()


@every_wire
def test_nobody_to_ask(tmp_path: Path, wire: str) -> None:
    """Without --yes and without a terminal a command is declined, and that is said to both; files may be changed."""
    calls = [call("a", "bash", command="touch made"), call("b", "write", path="x", content="y\n")]
    with Server(wire, [Say(calls=calls), "As you wish."]) as server:
        desk = Desk(tmp_path, server)
        done = desk.agent("make it")
    assert (done.code, done.out) == (0, "As you wish.\n")
    assert done.lines[0].startswith("bash touch made  ✗ bash: nobody is there to confirm a command")
    assert "nobody is there to confirm a command; --yes runs them unasked" in results(wire, server.bodies[1])[0]
    assert not (desk.root / "made").exists()
    assert (desk.root / "x").read_text() == "y\n"
    assert (server.problems, server.begun) == ([], [0])
    desk.sound()


def test_as_json(tmp_path: Path) -> None:
    """--json: one object with the answer and its figures; the prompt from stdin, beyond ASCII."""
    script: list[Reply] = [Say(calls=[call("a", "read", path="none")]), Say("Grüße.", usage=Usage(300, 100, 5))]
    with Server("chat", script) as server:
        desk = Desk(tmp_path, server)
        done = desk.agent("--json", "-", given="Grüß sie\nbitte\n")
    assert (done.code, done.err) == (0, "")
    figures = json.loads(done.out)
    assert figures.pop("prompt")["tail"] > 0
    assert figures == {
        "done": True,
        "answer": "Grüße.",
        "said": [],
        "folder": str(desk.folder),
        "requests": 2,
        "usage": {"prompt": 400, "cached": 100, "output": 15},
        "units": 0,
        "cover": [],
    }
    assert server.bodies[0]["messages"][-1] == {"role": "user", "content": "Grüß sie\nbitte\n"}
    desk.sound()


def test_through_a_pipe(tmp_path: Path) -> None:
    """A line is a message; one with a slash is for the host, and never reaches the model."""
    lines = [
        "/help",
        "/status",
        "",
        "   ",
        "first\\",
        "and second",
        "/nonsense",
        "/fold",
        "/fold 7 8",
        "/zoom 0",
        "/zoom 0 3",
        "/search",
        "/search needle",
        "/cover",
        "/card",
        "/strategy",
        "/strategy nonsense task",
        "/back",
        "third",
        "/fold 0 0 what was first",
        "/cover",
        "/zoom 0 0",
        "/search what was",
        "/quit",
        "never",
    ]
    with Server("chat", ["One.", "Two."]) as server:
        desk = Desk(tmp_path, server)
        done = desk.agent(given="\n".join(lines))
    assert done.code == 0
    assert done.lines[0] == f"session {desk.folder}; /help lists what you can type"
    assert done.lines[1:] == [
        "there is no /nonsense; /help lists what there is",
        "/fold takes the numbers of two turns, and a title if you like",
        done.lines[3],
        "/zoom takes the numbers of two units",
        "there are no units 0 to 3",
        "/search takes the text to find",
        done.lines[7],
        "no strategy is on",
        done.lines[9],
    ]
    assert done.lines[9].startswith("folded: what was first [turn 0; archive ")
    assert "turn 7" in done.lines[3]
    assert done.lines[7].startswith("there is no strategy 'nonsense'")
    shown = done.out.splitlines()
    assert shown[0].startswith("  /strategy")
    assert [line for line in shown if line in ("One.", "Two.")] == ["One.", "Two."]
    assert shown.count("nothing is folded yet") == shown.count("nothing was found") == 1
    assert "0 requests: 0 tokens in, 0 of them from the cache; 0 out" in shown
    assert len([line for line in shown if "what was first" in line]) == 3
    words = [message["content"] for message in server.bodies[1]["messages"] if message["role"] == "user"]
    assert words == ["first\nand second", "third"]
    assert (server.problems, server.begun) == ([], [0])
    desk.sound()


def test_the_last_session_goes_on(tmp_path: Path) -> None:
    """--resume alone finds the session that was begun last in this folder, and its model with its address."""
    with Server("responses", ["One.", "Two.", "Three.", "Four."]) as server:
        desk = Desk(tmp_path, server)
        none = desk.begun("agent", "--resume", "hello").done()
        assert none.wrong == f"no session was begun in {desk.root} yet; --dir names one elsewhere"
        assert desk.begun("agent", *desk.model, "first").done() == Ran(0, "One.\n", "")
        assert desk.begun("agent", *desk.model, "another").done() == Ran(0, "Two.\n", "")
        assert desk.begun("agent", "--resume", "and on").done() == Ran(0, "Three.\n", "")
        sessions = sorted(desk.home.glob("state/foldcover/work-*/*"))
        desk.folder = sessions[0]
        assert desk.resumed("on with the first") == Ran(0, "Four.\n", "")
    assert len(sessions) == 2
    assert ["another" in text_of(body) for body in server.bodies] == [False, True, True, False]
    assert len({body["model"] for body in server.bodies}) == 1
    assert (server.problems, server.begun) == ([], [0, 1])
    desk.sound()


def test_what_does_not_fit_the_session(tmp_path: Path) -> None:
    """One line and exit code 2 each, and the session is as it was: another wire, another window, one that is there."""
    with Server("chat", ["One.", "Two."]) as server:
        desk = Desk(tmp_path, server)
        assert desk.agent("--window", 50_000, "first").code == 0
        journal = (desk.folder / "journal.jsonl").read_bytes()
        assert desk.agent("again").wrong == f"{desk.folder} holds a session; --resume goes on with it"
        window = desk.resumed("--window", 60_000, "again")
        assert window.wrong == "the window of this session is 50,000 tokens, for its whole life"
        other = desk.resumed("--model", "anthropic:m", "again")
        assert other.wrong == f"{desk.folder} speaks the wire chat, and anthropic:m takes anthropic"
        assert (desk.folder / "journal.jsonl").read_bytes() == journal
        assert len(server.requests) == 1
        stronger = desk.resumed("--model", "openai:n", "--base-url", server.url, "--window", 50_000, "again")
        assert stronger == Ran(0, "Two.\n", "")
    assert [body["model"] for body in server.bodies] == ["m", "n"]
    assert server.begun == [0]
    desk.sound()


def test_what_is_refused_before_a_session_begins(tmp_path: Path) -> None:
    """One line and exit code 2 each; no folder is made and nothing is asked."""
    with Server("chat", []) as server:
        desk = Desk(tmp_path, server)
        assert desk.agent("").wrong == "the prompt is empty"
        assert desk.agent("--json").wrong == "--json is for one turn: give a prompt"
        assert desk.agent("--resume", "hi").wrong == f"{desk.folder} holds no session to go on with"
        nameless = desk.begun("agent", "--dir", desk.folder, "hi").done().wrong
        assert nameless.startswith("which model? --model NAME, or FOLDCOVER_MODEL: anthropic:NAME")
        assert "names no model" in desk.begun("agent", "--model", "nobody:m", "--dir", desk.folder, "hi").done().wrong
        assert "is no address" in desk.begun("agent", "--model", "m", "--base-url", "host:1", "hi").done().wrong
        read = desk.agent("-", given="a\udcffb")
        assert read.wrong == "stdin is not UTF-8: invalid start byte at byte 1"
    assert server.requests == []
    assert not desk.folder.exists()
    assert not (desk.home / "state").exists()
