"""foldcover agent in a terminal of 80 columns and 24 lines, driven through tmux: what is on the screen, key by key."""

from __future__ import annotations

import re
import shlex
import subprocess
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from rich.cells import cell_len
from tests.models.server import Reply, Say, Script, Server

from foldcover_harness.models.model import Usage

from .driving import PROGRAM, WAIT, Desk, call, results, text_of, until


class Screen:
    """A terminal with the agent in it."""

    def __init__(self, desk: Desk, *arguments: object) -> None:
        self.desk, self.server = desk, desk.server
        self._environment = {name: value for name, value in desk.environment.items() if name != "COLUMNS"}
        self._environment["TMUX_TMPDIR"] = str(desk.home)
        command = [*PROGRAM, "agent", *desk.model, "--dir", str(desk.folder), *map(str, arguments)]
        whole = f"trap : INT; {shlex.join(command)}; echo ended with $?; exec sleep 600"
        self._tmux("new-session", "-d", "-x", "80", "-y", "24", "-c", str(desk.root), whole)

    def _tmux(self, *arguments: str) -> str:
        command = ["tmux", "-f", "/dev/null", "-L", "agent", *arguments]
        return subprocess.run(
            command, env=self._environment, check=True, capture_output=True, text=True, timeout=WAIT
        ).stdout

    def close(self) -> None:
        """End it, and all in it."""
        self._tmux("kill-server")

    @property
    def text(self) -> str:
        """All that is and was on the screen; a line that went over the edge is one line here."""
        return self._tmux("capture-pane", "-p", "-J", "-S", "-").rstrip()

    @property
    def lines(self) -> list[str]:
        """The same, line by line, without white space at the ends."""
        return [line.strip() for line in self.text.splitlines()]

    @property
    def title(self) -> str:
        """The title of the terminal."""
        return self._tmux("display-message", "-p", "#{pane_title}")

    def keys(self, *keys: str) -> None:
        """Press keys, by tmux's names of them."""
        self._tmux("send-keys", *keys)

    def types(self, line: str) -> None:
        """Type a line and press Enter."""
        self._tmux("send-keys", "-l", line)
        self.keys("Enter")

    def shows(self, text: str, times: int = 1) -> None:
        """Wait until a text is there so often."""
        until(lambda: self.text.count(text) >= times, lambda: self.text)

    def prompts(self, times: int) -> None:
        """Wait for the prompt that comes so many times after the first, or the first."""
        until(lambda: len(self.statuses) == times and self.lines[-1] == ">", lambda: self.text)

    @property
    def statuses(self) -> list[str]:
        """The status lines that were shown."""
        return [line for line in self.lines if re.match(r"\[.* tokens · ", line)]

    def ended(self) -> int:
        """Wait for the end of the agent; its exit code."""
        self.shows("ended with ")
        return int(self.text.rpartition("ended with ")[2])


@contextmanager
def screen(folder: Path, script: Script, *arguments: object) -> Generator[Screen]:
    """The agent in a terminal, at its first prompt."""
    with Server("chat", script) as server:
        made = Screen(Desk(folder, server), *arguments)
        try:
            made.prompts(1)
            yield made
        finally:
            made.close()
    assert server.problems == []


def test_status_and_modes(tmp_path: Path) -> None:
    """Before each prompt a line says what the prompt amounts to, what the provider had cached, and which mode is on."""
    script: list[Reply] = [
        Say("Hello.", usage=Usage(1000, 500, 10)),
        Say("Found.", usage=Usage(1000, 250, 10)),
        Say("Right.", usage=Usage(1000, 0, 10)),
    ]
    with screen(tmp_path, script) as seen:
        assert re.fullmatch(r"\[[\d,]+/200,000 tokens · cover 0 lines, 0/20,000\]", seen.statuses[0])
        seen.types("hi")
        seen.prompts(2)
        assert "Hello." in seen.lines
        assert "50% cached" in seen.statuses[1]
        seen.types("/strategy errand look for it")
        seen.prompts(3)
        assert "25% cached" in seen.statuses[2]
        assert "errand" in seen.statuses[2]
        seen.types("/back")
        seen.prompts(4)
        assert "left errand; no report was written" in seen.lines
        assert "errand" not in seen.statuses[3]
        assert re.search(r" · cover 1 line, [1-9]\d*/20,000", seen.statuses[3])
        seen.types("/fold 0 0 we said hello")
        seen.prompts(5)
        assert "cover 2 lines" in seen.statuses[4]
        seen.types("/help")
        seen.shows("/zoom FROM TO")
        seen.prompts(6)
        seen.types("/cover")
        seen.shows("we said hello", 3)
        seen.prompts(7)
        seen.keys("C-d")
        assert seen.ended() == 0
        assert "Traceback" not in seen.text
    seen.desk.sound(whole=False)


def test_streaming_and_interrupts(tmp_path: Path) -> None:
    """Words stand there while the model still speaks; Ctrl-C ends its turn and no more; at the prompt it empties the
    line.
    """
    gate = threading.Event()
    script: list[Reply] = [
        Say("The first half and the other.", gate=gate),
        Say("Again a half and more.", gate=threading.Event()),
        "Last.",
    ]
    with screen(tmp_path, script) as seen:
        seen.types("hi")
        seen.shows("The first")
        assert "other." not in seen.text
        gate.set()
        seen.prompts(2)
        assert "The first half and the other." in seen.lines
        seen.types("more")
        seen.shows("Again a")
        seen.keys("C-c")
        seen.prompts(3)
        assert "interrupted; the session is kept" in seen.lines
        seen.keys("nonsense", "C-c")
        seen.prompts(4)
        seen.types("first line\\")
        seen.shows("…")
        seen.types("second line")
        seen.prompts(5)
        assert "Last." in seen.lines
        seen.types("/quit")
        assert seen.ended() == 0
    assert seen.server is not None
    assert seen.server.bodies[-1]["messages"][-1]["content"] == "first line\nsecond line"
    assert "nonsense" not in text_of(seen.server.bodies[-1])
    seen.desk.sound()


def test_confirming_commands(tmp_path: Path) -> None:
    """Each command is shown and asked for: no, yes, yes to all; Ctrl-C there ends the turn."""
    script: list[Reply] = [
        Say(calls=[call("i", "bash", command="touch interrupted")]),
        Say(calls=[call("n", "bash", command="touch no")]),
        Say(calls=[call("y", "bash", command="touch yes && echo done")]),
        Say(calls=[call("a", "bash", command="touch all")]),
        Say(calls=[call("b", "bash", command="touch more")]),
        "That is all.",
    ]
    question = "run it? [y]es, [n]o, [a]ll:"
    with screen(tmp_path, script) as seen:
        seen.types("go")
        seen.shows(question)
        assert "touch interrupted" in seen.lines
        seen.keys("C-c")
        seen.prompts(2)
        assert "interrupted; the session is kept" in seen.lines
        seen.types("go on")
        for number, answer in enumerate(("n", "y", "a"), 2):
            seen.shows(question, number)
            seen.types(answer)
        seen.prompts(3)
        assert seen.text.count(question) == 4
        assert "That is all." in seen.lines
        seen.keys("C-d")
        assert seen.ended() == 0
        assert {path.name for path in seen.desk.root.iterdir()} == {"yes", "all", "more"}
        assert seen.server is not None
        shown = results("chat", seen.server.bodies[-1])
        assert ["declined" in each for each in shown] == [False, True, False, False, False]
    seen.desk.sound()


def test_nothing_moves_the_cursor(tmp_path: Path) -> None:
    """Whatever a model or a command says: no colour, no title, nothing erased; our own lines fit into the width."""
    evil = "\x1b[31mred\x1b[0m \x1b]0;stolen\x07 \x1b[2J\x1b[H\rover"
    wide = "漢字" * 60
    script: list[Reply] = [
        Say(
            evil,
            [
                call("a", "bash", command=f"printf '\\033[2J\\033]0;stolen\\007'; echo {'long ' * 40}"),
                call("b", "read", path="x" * 300),
                call("c", "grep", pattern=wide),
                call("d", evil, path=evil),
            ],
            thinking=evil,
            piece=1_000,
        ),
        "Done.",
        "What exactly?",
    ]
    with screen(tmp_path, script, "--yes", "--counsel", "openai:strong") as seen:
        before = seen.title
        seen.types("the word that stays")
        seen.prompts(2)
        assert "> the word that stays" in seen.lines
        assert seen.title == before
        assert "Done." in seen.lines
        seen.types("/strategy intent what is wanted")
        seen.prompts(3)
        assert "intent (read-only)" in seen.statuses[-1]
        own = [line for line in seen.text.splitlines() if re.match(r"\[|  (bash|read|grep) ", line)]
        assert len(own) == 6
        assert [line for line in own if cell_len(line) > 80] == []
        assert "Traceback" not in seen.text
