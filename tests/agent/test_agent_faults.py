"""foldcover agent over HTTP when things go wrong: a clear line, the right exit code, nothing lost, and it can go on."""

from __future__ import annotations

import json
import resource
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.models.server import Fail, Raw, Reply, Say, Server

from foldcover_harness.session.wires import WIRES

from .driving import NAMES, WAIT, Desk, Ran, Running, call, results, text_of

every_wire = pytest.mark.parametrize("wire", tuple(WIRES))
AT_ONCE = {"retry-after": "0"}
KEYS = {"anthropic": "ANTHROPIC_API_KEY", "chat": "OPENAI_API_KEY", "responses": "OPENAI_API_KEY"}


def fails(status: int, words: str, kind: str = "invalid_request_error") -> Fail:
    """An HTTP error that is not to be waited for."""
    return Fail(status, {"type": "error", "error": {"type": kind, "message": words}}, AT_ONCE)


@pytest.mark.parametrize("wire", ["anthropic", "chat"])
def test_no_key(tmp_path: Path, wire: str) -> None:
    """Said before a session begins."""
    desk = Desk(tmp_path)
    del desk.environment[KEYS[wire]]
    wrong = desk.begun("agent", "--model", NAMES[wire], "--dir", desk.folder, "hi").done().wrong
    assert wrong.startswith(f"{NAMES[wire]}: no key: set {KEYS[wire]}")
    assert not desk.folder.exists()


@every_wire
def test_what_a_provider_refuses(tmp_path: Path, wire: str) -> None:
    """A wrong key, an unknown model, a refused request, a web page, an answer without anything in it, one that is cut:
    each is said in one line with the provider's words, and the next turn works.
    """
    cut = "length" if wire == "chat" else "max_output_tokens" if wire == "responses" else "max_tokens"
    script: list[Reply] = [
        fails(401, "this key is not known", "authentication_error"),
        fails(404, "there is no m", "not_found_error"),
        fails(400, "seven is too many"),
        Raw(b"<html><body>Welcome</body></html>", "text/html"),
        Say("Half of", stopped=cut),
        "Fine.",
    ]
    with Server(wire, script) as server:
        desk = Desk(tmp_path, server)
        done = desk.agent(given="".join(f"turn {number}\n" for number in range(len(script))))
    assert (done.code, done.out) == (1, "Half of\nFine.\n"), "not every turn came to its end"
    key, model, request, page, bound = done.lines[1:]
    assert all(line.startswith(f"{NAMES[wire]}: ") for line in (key, model, request, page))
    assert "the key was refused (401 Unauthorized: this key is not known)" in key
    assert "no such model" in model
    assert "there is no m" in model
    assert "the request was refused (400 Bad Request: seven is too many)" in request
    assert "answers with a web page: is the address right?" in page
    assert bound == f"the answer ended early ({cut})"
    assert (server.problems, server.begun) == ([], [0])
    assert all(f"turn {number}" in text_of(server.bodies[-1]) for number in range(len(script)))
    desk.sound()


def test_one_turn_that_is_refused(tmp_path: Path) -> None:
    """Exit code 1 and nothing on stdout; as JSON the line stands in what was said; --resume goes on."""
    with Server("chat", [fails(400, "seven is too many"), fails(400, "so are six"), "Fine."]) as server:
        desk = Desk(tmp_path, server)
        refused = desk.agent("first")
        assert (refused.code, refused.out, refused.err.count("\n")) == (1, "", 1)
        assert "openai:m: the request was refused (400 Bad Request: seven is too many); a prompt that" in refused.err
        again = desk.resumed("--json", "second")
        assert (again.code, again.err) == (1, "")
        figures = json.loads(again.out)
        assert (figures["done"], figures["answer"]) == (False, "")
        (line,) = figures["said"]
        assert line.startswith("openai:m: the request was refused (400 Bad Request: so are six)")
        assert desk.resumed("third") == Ran(0, "Fine.\n", "")
    assert (server.problems, server.begun) == ([], [0])
    desk.sound()


def test_no_network(tmp_path: Path) -> None:
    """A port where nobody listens: one line that names the address; the message is kept, and answered later."""
    with Server("chat", ["Here I am."]) as server:
        desk = Desk(tmp_path, server)
        with Server("chat", []) as gone:
            url = gone.url
        lost = desk.begun("agent", "--model", "m", "--base-url", url, "--retries", 0, "--dir", desk.folder, "hello?")
        done = lost.done()
        assert (done.code, done.out) == (1, "")
        assert len(done.lines) == 1
        assert done.lines[0].startswith(f"m: cannot reach {url}: ")
        assert desk.resumed(*desk.model, "are you there?") == Ran(0, "Here I am.\n", "")
    assert "hello?" in text_of(server.bodies[0])
    assert server.problems == []
    desk.sound()


@pytest.mark.parametrize("wire", ["responses"])
def test_busy_for_a_while(tmp_path: Path, wire: str) -> None:
    """What is busy is asked again, the same request; each time is said."""
    script: list[Reply] = [
        fails(429, "slow down", "rate_limit_error"),
        fails(529, "too much", "overloaded_error"),
        "Now.",
    ]
    with Server(wire, script) as server:
        desk = Desk(tmp_path, server)
        done = desk.agent("hi")
    assert (done.code, done.out) == (0, "Now.\n")
    assert [("slow down" in line, "too much" in line) for line in done.lines] == [(True, False), (False, True)]
    assert all(line.endswith("again in 0 s") for line in done.lines)
    assert server.bodies[0] == server.bodies[1] == server.bodies[2]
    assert (server.problems, server.begun) == ([], [0])
    desk.sound()


def test_busy_for_good(tmp_path: Path) -> None:
    """--retries bounds it; the last reason is said."""
    with Server("chat", [fails(429, "slow down")] * 3) as server:
        desk = Desk(tmp_path, server)
        done = desk.agent("--retries", 2, "hi")
    assert (done.code, done.out, len(server.requests)) == (1, "", 3)
    assert "slow down" in done.lines[-1]
    assert done.lines[-1].endswith("(asked 3 times)")
    desk.sound()


BROKEN = {
    "error": Say("It is a long answer.", error={"type": "overloaded_error", "message": "Overloaded"}),
    "cut": Say("It is a long answer.", [call("a", "bash", command="touch made")], cut=1_600),
}


@pytest.mark.parametrize(("wire", "how"), [("chat", "error"), ("responses", "cut")])
def test_broken_in_the_middle(tmp_path: Path, wire: str, how: str) -> None:
    """An answer that breaks off is no answer: nothing of it is noted or run, and it is asked for again."""
    with Server(wire, [BROKEN[how], "It is whole."]) as server:
        desk = Desk(tmp_path, server)
        done = desk.agent("--yes", "hi")
    assert done.code == 0
    assert done.out.endswith("\nIt is whole.\n")
    assert len(done.lines) == 1
    assert "broke off" in done.lines[0]
    assert done.lines[0].endswith("again in 1 s")
    assert (server.problems, server.begun) == ([], [0])
    assert not (desk.root / "made").exists()
    assert len(desk.exported()) == 2
    assert "long" not in json.dumps(desk.exported())
    desk.sound()


def test_a_tool_that_floods(tmp_path: Path) -> None:
    """Of much output head and tail are kept, and it is said how much is missing."""
    flood = "echo first; yes | head -c 30000000; echo last"
    with Server("chat", [Say(calls=[call("a", "bash", command=flood)]), "Much."]) as server:
        desk = Desk(tmp_path, server)
        done = desk.agent("--yes", "--quiet", "hi")
    assert done == Ran(0, "Much.\n", "")
    (shown,) = results("chat", server.bodies[1])
    assert shown.startswith("first\ny\n")
    assert shown.endswith("last\n[exit code 0]")
    assert "bytes left out]" in shown
    assert len(shown) < 40_000
    desk.sound()


def limited(most: int) -> Callable[[], None]:
    """A process whose files cannot grow beyond so many bytes: a full disk."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))


@pytest.mark.parametrize("wire", ["chat"])
def test_a_full_disk(tmp_path: Path, wire: str) -> None:
    """One line that names the file, exit code 2; what was noted before is there, and the session goes on."""
    with Server(wire, ["Short.", "Long. " * 10_000, "Shorter."]) as server:
        desk = Desk(tmp_path, server)
        assert desk.agent("first").code == 0
        most = (desk.folder / "journal.jsonl").stat().st_size + 10_000
        full = desk.begun("agent", "--resume", "--dir", desk.folder, "second", before=limited(most)).done()
        assert full.code == 2
        assert len(full.lines) == 1
        assert "journal.jsonl" in full.err
        assert "File too large" in full.err
        desk.sound()
        assert desk.resumed("third") == Ran(0, "Shorter.\n", "")
    assert (server.problems, server.begun) == ([], [0])
    assert "second" in text_of(server.bodies[-1])
    desk.sound()


def test_a_full_disk_at_the_beginning(tmp_path: Path) -> None:
    """A session that cannot be begun is one line."""
    with Server("chat", []) as server:
        desk = Desk(tmp_path, server)
        arguments = ["agent", *desk.model, "--dir", desk.folder, "hi"]
        full = desk.begun(*arguments, before=limited(1_000)).done()
    assert full.wrong.endswith("File too large; what was noted is kept")
    assert server.requests == []


def test_two_at_one_session(tmp_path: Path) -> None:
    """The second is told who is there, in one line; the first is not disturbed."""
    gate = threading.Event()
    with Server("chat", [Say("Whole answer.", gate=gate)]) as server:
        desk = Desk(tmp_path, server)
        first: Running = desk.started("hi")
        assert server.waiting.wait(WAIT)
        assert desk.resumed("me too").wrong == f"{desk.folder} is in use by process {first.process.pid}"
        gate.set()
        assert first.done() == Ran(0, "Whole answer.\n", "")
    desk.sound()
