"""The command `foldcover agent` as a process, in folders of its own, with a scripted server for its model.

    with Server("chat", ["Hello."]) as server:
        desk = Desk(tmp_path, server)
        done = desk.agent("hi")
    assert done == Ran(0, "Hello.\\n", "")
    desk.sound(server)

Rule: a process sees a home, a state folder and a key that are the test's, and no proxy; nothing waits longer than WAIT.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from click.testing import CliRunner
from tests.models.server import Reply, Server, flat

from foldcover_harness.models.writing import NAMES as NAMED
from foldcover_harness.session.commands import session as cli
from foldcover_harness.session.wires import WIRES
from foldcover_harness.session.wires.values import is_list
from foldcover_harness.session.wires.wire import Call

WAIT = 60.0
"""Seconds after which whatever is waited for will not come."""
NAMES = {"anthropic": "anthropic:m", "chat": "openai:m", "responses": "responses:m"}
PROGRAM = [sys.executable, "-c", "from foldcover_harness.cli import main; main()"]


class Ran(NamedTuple):
    """What a command came to."""

    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        """What was said on stderr, line by line, without its indentation."""
        return [line.strip() for line in self.err.splitlines()]

    @property
    def wrong(self) -> str:
        """Why the command was refused: the one line of it."""
        (line,) = self.err.splitlines()
        assert (self.code, self.out) == (2, "")
        assert line.startswith("foldcover: ")
        return line.removeprefix("foldcover: ").removesuffix(" (see 'foldcover agent --help')")


class Running:
    """A command that is at work."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process

    def interrupt(self) -> None:
        """Ctrl-C."""
        self.process.send_signal(signal.SIGINT)

    def kill(self) -> None:
        """The end without a warning."""
        self.process.kill()

    def says(self, line: str) -> None:
        """Type a line."""
        assert self.process.stdin is not None
        self.process.stdin.write(f"{line}\n")
        self.process.stdin.flush()

    def done(self, given: str | None = None) -> Ran:
        """Wait for its end."""
        try:
            out, err = self.process.communicate(given, WAIT)
        finally:
            self.process.kill()
        return Ran(self.process.returncode, out, err)


class Desk:
    """A working folder, a session's folder and a home; `server` plays the model."""

    def __init__(self, home: Path, server: Server | None = None) -> None:
        self.home, self.root, self.folder = home, home / "work", home / "session"
        self.server = server
        self.root.mkdir(exist_ok=True)
        self.environment = {
            **{name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ},
            "HOME": str(home),
            "XDG_STATE_HOME": str(home / "state"),
            "LC_ALL": "C.UTF-8",
            "COLUMNS": "80",
            "TERM": "screen-256color",
            "ANTHROPIC_API_KEY": "key",
            "OPENAI_API_KEY": "key",
            # No certificates: nothing here is signed, and reading the machine's takes longer than an answer.
            "SSL_CERT_DIR": str(home),
        }

    @property
    def model(self) -> list[str]:
        """The options that choose the server's model."""
        assert self.server is not None
        return ["--model", NAMES[self.server.wire], "--base-url", self.server.url]

    def agent(self, *arguments: object, given: str = "") -> Ran:
        """The agent in the session's folder; `given` is its stdin."""
        return self.started(*arguments).done(given)

    def started(self, *arguments: object) -> Running:
        """The same, at work."""
        return self.begun("agent", *self.model, "--dir", self.folder, *arguments)

    def resumed(self, *arguments: object, given: str = "") -> Ran:
        """The agent goes on with the session, with the model of its beginning."""
        return self.begun("agent", "--resume", "--dir", self.folder, *arguments).done(given)

    def begun(self, *arguments: object, before: Callable[[], None] | None = None) -> Running:
        """Any command. `before` runs in the process before its program does."""
        return Running(
            subprocess.Popen(
                [*PROGRAM, *map(str, arguments)],
                cwd=self.root,
                env=self.environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                encoding="utf-8",
                errors="surrogateescape",
                preexec_fn=before,
            )
        )

    def file(self, name: str, text: str) -> Path:
        """A file of the working folder."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    # ---- what is on the disk ----

    def exported(self) -> list[Any]:
        """All messages of the session."""
        done = CliRunner().invoke(cli, ["export", str(self.folder)])
        assert done.exit_code == 0, done.output
        return [json.loads(line) for line in done.stdout.splitlines()]

    def sound(self, *, whole: bool = True) -> None:
        """The doctor finds nothing; no call is without a result. `whole`: nothing was folded, and all that the last
        request sent stands in the export, word for word, at its beginning.
        """
        done = CliRunner().invoke(cli, ["doctor", str(self.folder)])
        assert done.exit_code == 0, done.output
        assert "left behind" not in done.output
        assert self.server is not None
        wire, messages = WIRES[self.server.wire], self.exported()
        asked = [call.id for message in messages for call in wire.calls(message)]
        assert asked == [id_ for message in messages for id_ in wire.answers(message)]
        if whole:
            items: list[Any] = []
            for message in messages:
                items += message if is_list(message) else [message]
            exported = flat(wire.name, {"input": items, "messages": items})
            sent = [each for each in flat(wire.name, self.server.bodies[-1]) if each.get("role") != "system"]
            assert exported[: len(sent)] == sent


def results(wire: str, body: Mapping[str, Any]) -> list[str]:
    """The texts of the tool results in a request, in order."""
    pieces = [piece for message in body.get("messages", body.get("input", ())) for piece in WIRES[wire].pieces(message)]
    return [piece.text for piece in pieces if piece.kind not in NAMED]


def text_of(body: Mapping[str, Any]) -> str:
    """All that the messages of a request say, as JSON."""
    return json.dumps(body.get("messages", body.get("input")), ensure_ascii=False)


def call(id_: str, name_: str, /, **given: Any) -> Call:
    """A call that the model makes. A trailing underscore of an argument's name goes: `from_`."""
    return Call(id_, name_, {key.rstrip("_"): value for key, value in given.items()})


def by_words(answers: Mapping[str, Reply], otherwise: Reply = "ok") -> Callable[[dict[str, Any]], Reply]:
    """A script that answers by what stands in a request's messages: the first entry whose words do."""

    def script(body: dict[str, Any]) -> Reply:
        given = text_of(body)
        return next((answer for words, answer in answers.items() if words in given), otherwise)

    return script


def until(true: Callable[[], bool], there: Callable[[], object] = lambda: "") -> None:
    """Look again and again, until it is true; if it never is, `there` says what is there instead."""
    end = time.monotonic() + WAIT
    while not true():
        assert time.monotonic() < end, there()
        threading.Event().wait(0.02)
