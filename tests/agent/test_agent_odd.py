"""Odd ends: answers that end early, prompts that are too long, streams that are closed, bytes that are no text."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.models.server import Fail, Reply, Say, Server

from foldcover_harness.session import Session
from foldcover_harness.session.wires import WIRES

from .driving import PROGRAM, WAIT, Desk, call, text_of

every_wire = pytest.mark.parametrize("wire", tuple(WIRES))


@pytest.mark.parametrize("stopped", ["refusal", "model_context_window_exceeded", "pause_turn", "max_tokens"])
def test_an_answer_that_ends_early_is_not_the_end_of_a_turn(tmp_path: Path, stopped: str) -> None:
    """Exit code 1 and the provider's word for it; the session goes on."""
    with Server("anthropic", [Say("I will", stopped=stopped), "Done."]) as server:
        desk = Desk(tmp_path, server)
        done = desk.agent("--json", "go")
        figures = json.loads(done.out)
        assert (done.code, figures["done"], figures["answer"]) == (1, False, "I will")
        assert figures["said"] == [f"the answer ended early ({stopped})"]
        assert desk.resumed("go on").out == "Done.\n"
    assert server.problems == []
    desk.sound()


def test_an_answer_without_words_is_said(tmp_path: Path) -> None:
    """Nothing on stdout would look like a fault of the terminal."""
    with Server("chat", [Say("")]) as server:
        done = Desk(tmp_path, server).agent("go")
    assert (done.out, done.lines) == ("", ["the model answered nothing"])


def test_a_model_without_end_is_stopped(tmp_path: Path) -> None:
    """After 200 requests in one turn, which is said."""
    with Server("chat", lambda _: Say(calls=[call("a", "read", path="none")])) as server:
        done = Desk(tmp_path, server).agent("--quiet", "go")
    assert (done.code, done.lines, len(server.requests)) == (1, ["stopped after 200 requests in one turn"], 200)


@every_wire
def test_a_prompt_that_is_too_long_is_made_short(tmp_path: Path, wire: str) -> None:
    """The provider refuses it, the line names the way out, and /compact takes it: the originals are in an archive."""
    key = "input" if wire == "responses" else "messages"

    def script(body: dict[str, Any]) -> Reply:
        if "Write the summary" in text_of(body) or not body.get("tools"):
            return "A long story was told."
        if len(json.dumps(body[key])) > 30_000:
            return Fail(400, {"error": {"type": "invalid_request_error", "message": "prompt is too long"}})
        return "What a story. " * 3_000 if len(server.requests) == 1 else "Here we are."

    with Server(wire, script) as server:
        desk = Desk(tmp_path, server)
        done = desk.agent(given="tell me\nand now?\n/compact\nand now?\n/compact\n")
    assert "prompt is too long" in done.err
    assert "made short by /compact" in done.err
    assert done.lines.count("the tail was compacted") == 2
    assert done.out.splitlines()[-1] == "Here we are."
    assert server.problems == []
    with Session.open(desk.folder, read_only=True) as session:
        assert "A long story was told." in json.dumps(session.request())
    desk.sound(whole=False)


def test_half_a_character_in_an_answer(tmp_path: Path) -> None:
    """It is kept as it came; as JSON and on the screen it is replaced."""
    with Server("chat", [Say("ab\ud83d"), Say("cd\ud83d")]) as server:
        desk = Desk(tmp_path, server)
        assert json.loads(desk.agent("--json", "go").out)["answer"] == "ab\ufffd"
        assert desk.resumed("again").out == "cd\ufffd\n"
    desk.sound(whole=False)


def test_without_stdin(tmp_path: Path) -> None:
    """A stdin that is closed has nothing to say; no traceback."""
    with Server("chat", ["Hello."]) as server:
        desk = Desk(tmp_path, server)
        shell = ["bash", "-c", 'exec "$@" <&-', "bash", *PROGRAM, "agent", *desk.model, "--dir", str(desk.folder)]
        both = [
            subprocess.run(
                [*shell, *more], env=desk.environment, capture_output=True, text=True, timeout=WAIT, check=False
            )
            for more in (["hi"], ["--resume"])
        ]
    assert [(done.returncode, done.stdout) for done in both] == [(0, "Hello.\n"), (0, "")]
    assert "Traceback" not in both[0].stderr + both[1].stderr


def test_a_line_that_is_no_text_leaves_the_others_alone(tmp_path: Path) -> None:
    """It is said, nothing of it is sent, and the turns around it work."""
    with Server("chat", ["One.", "Two."]) as server:
        desk = Desk(tmp_path, server)
        done = desk.agent(given="good\nb\udce9d\nalso good\n")
    assert done.out == "One.\nTwo.\n"
    assert "what was typed is not UTF-8; nothing was sent" in done.lines
    assert server.problems == []


def test_a_reader_that_goes_away(tmp_path: Path) -> None:
    """The turn goes on to its end and stands in the session."""
    with Server("chat", [Say("Line.\n" * 20_000)]) as server:
        desk = Desk(tmp_path, server)
        shell = ["bash", "-c", 'set -o pipefail; "$@" | head -n 1', "bash", *PROGRAM, "agent", *desk.model]
        done = subprocess.run(
            [*shell, "--dir", str(desk.folder), "hi"],
            env=desk.environment,
            capture_output=True,
            text=True,
            timeout=WAIT,
            check=False,
        )
    assert (done.returncode, done.stdout, done.stderr) == (0, "Line.\n", "")
    assert len(desk.exported()) == 2


def test_the_request_in_progress_cannot_be_folded_from_within_a_strategy(tmp_path: Path) -> None:
    """What the host opened behind the user's words belongs to the same work."""
    script: list[Reply] = [
        Say(calls=[call("a", "strategy_request", name="errand", task="look")]),
        Say(calls=[call("b", "fold_unit", **{"from": 0, "to": 0})]),
        Say(calls=[call("c", "strategy_report", report="seen"), call("d", "strategy_yield", reason="done")]),
        "It is so.",
    ]
    with Server("chat", script) as server:
        desk = Desk(tmp_path, server)
        done = desk.agent("--quiet", "how is it?")
    assert (done.code, done.out) == (0, "It is so.\n")
    assert "Turn 0 is in progress and cannot be folded" in text_of(server.bodies[2])
    assert "how is it?" in text_of(server.bodies[3])
    assert server.problems == []
