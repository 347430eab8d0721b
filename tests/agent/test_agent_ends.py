"""foldcover agent over HTTP when it is ended: by Ctrl-C, by the end of its terminal, by a kill, at whatever it does."""

from __future__ import annotations

import json
import os
import signal
import threading
from pathlib import Path

import pytest
from tests.models.server import Reply, Say, Server

from foldcover_harness.agent.loop import INTERRUPTED
from foldcover_harness.session.wires import WIRES

from .driving import WAIT, Desk, Ran, call, results, until

every_wire = pytest.mark.parametrize("wire", tuple(WIRES))


@every_wire
def test_interrupt_in_an_answer(tmp_path: Path, wire: str) -> None:
    """Ctrl-C while the model speaks: exit code 130, its half answer is not noted, and --resume goes on."""
    with Server(wire, [Say("It is a long answer.", gate=threading.Event()), "Shorter."]) as server:
        desk = Desk(tmp_path, server)
        running = desk.started("hi")
        assert server.waiting.wait(WAIT)
        running.interrupt()
        done = running.done()
        assert (done.code, done.lines) == (130, ["interrupted; the session is kept"])
        assert "It is a long answer.".startswith(done.out.rstrip("\n"))
        assert server.left.wait(WAIT)
        assert desk.resumed("shorter, please") == Ran(0, "Shorter.\n", "")
    assert (server.problems, server.begun) == ([], [0])
    assert "long" not in json.dumps(desk.exported())
    desk.sound()


def alive(process: int) -> bool:
    """Whether a process is there."""
    try:
        return "Z" not in Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False


HANGING = "sleep 600 & echo $! $$ > pids.part; mv pids.part pids; wait"


def hangs(desk: Desk) -> list[int]:
    """The processes of the command above, once it runs."""
    until(lambda: (desk.root / "pids").exists())
    return [int(each) for each in (desk.root / "pids").read_text().split()]


@pytest.mark.parametrize("wire", ["chat"])
def test_interrupt_in_a_tool(tmp_path: Path, wire: str) -> None:
    """Ctrl-C while a command hangs: it is killed with its children, every call has a result, and --resume goes on."""
    calls = [call("a", "bash", command=HANGING), call("b", "write", path="x", content="y")]
    with Server(wire, [Say(calls=calls), "I see."]) as server:
        desk = Desk(tmp_path, server)
        running = desk.started("--yes", "--quiet", "hi")
        processes = hangs(desk)
        assert all(map(alive, processes))
        running.interrupt()
        assert running.done() == Ran(130, "", "  interrupted; the session is kept\n")
        assert not any(map(alive, processes))
        assert not (desk.root / "x").exists()
        desk.sound()
        assert desk.resumed("what now?") == Ran(0, "I see.\n", "")
    assert [each.removeprefix("error: ") for each in results(wire, server.bodies[1])] == [INTERRUPTED] * 2
    assert (server.problems, server.begun) == ([], [0])
    desk.sound()


@pytest.mark.parametrize("signum", [signal.SIGHUP, signal.SIGTERM], ids=["hangup", "termination"])
def test_the_end_in_a_tool(tmp_path: Path, signum: int) -> None:
    """The terminal is closed, or the system ends the agent, while a command hangs: that is killed with its children."""
    with Server("chat", [Say(calls=[call("a", "bash", command=HANGING)]), "I see."]) as server:
        desk = Desk(tmp_path, server)
        running = desk.started("--yes", "--quiet", "hi")
        processes = hangs(desk)
        running.process.send_signal(signum)
        assert running.done() == Ran(128 + signum, "", "")
        assert not any(map(alive, processes))
        assert desk.resumed("what now?") == Ran(0, "I see.\n", "")
    assert (server.problems, server.begun) == ([], [0])
    assert len(desk.exported()) == 5, "the call, too, has a result"


@pytest.mark.parametrize("wire", ["responses"])
def test_kill_in_an_answer(tmp_path: Path, wire: str) -> None:
    """SIGKILL while the model speaks: what was said before is there, and --resume goes on without a word."""
    script: list[Reply] = [
        Say(calls=[call("a", "read", path="x")]),
        Say("It is long.", gate=threading.Event()),
        "Shorter.",
    ]
    with Server(wire, script) as server:
        desk = Desk(tmp_path, server)
        running = desk.started("--quiet", "hi")
        assert server.waiting.wait(WAIT)
        running.kill()
        assert running.done().code == -9
        desk.sound()
        assert desk.resumed("again") == Ran(0, "Shorter.\n", "")
    assert (server.problems, server.begun) == ([], [0])
    desk.sound()


@every_wire
def test_kill_in_a_tool(tmp_path: Path, wire: str) -> None:
    """SIGKILL while a command runs: its call has no result, and the next request is valid all the same."""
    calls = [call("a", "read", path="x"), call("b", "bash", command=HANGING)]
    with Server(wire, [Say(calls=calls), "I see."]) as server:
        desk = Desk(tmp_path, server)
        running = desk.started("--yes", "--quiet", "hi")
        processes = hangs(desk)
        running.kill()
        for process in processes:
            os.kill(process, 9)
        assert running.done().code == -9
        assert desk.resumed("what now?") == Ran(0, "I see.\n", "")
    assert len(results(wire, server.bodies[1])) == 2
    assert (server.problems, server.begun) == ([], [0])
    assert len(desk.exported()) == 5
