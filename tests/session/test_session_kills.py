"""A session under real kills: a process that folds, merges and compacts, ended at random moments by SIGKILL.

`FOLDCOVER_KILLS` says how many kills there are.
"""

from __future__ import annotations

import os
import signal
import time
from itertools import count
from pathlib import Path
from random import Random
from typing import Any, NoReturn

from foldcover_harness.session import Session
from foldcover_harness.session.checking import exact, examine, original
from foldcover_harness.session.place import JOURNAL

from .scripted import STANDING, folds, reads, result, says, user

KILLS = int(os.environ.get("FOLDCOVER_KILLS", "200"))
A_LIFE = 20
"""Kills that one session goes through."""
WIRE = "anthropic"


def summarize(messages: Any) -> str:
    """A short summary."""
    return f"summary of {len(messages)} messages"


def work(folder: Path, inlet: int, compacts: bool) -> NoReturn:
    """Turns without end; what has returned is told to the pipe: a letter for a message, a dot for a fold."""
    session = Session.open(folder, summarize=summarize if compacts else None)
    for number in count(sum(1 for _ in original(folder, JOURNAL))):
        session.user(user(f"task {number}"))
        os.write(inlet, b"m")
        first = next(at for at, each in enumerate(session.state.turns) if each.open)
        last = len(session.state.turns) - 1
        made = [reads(f"r{number}"), *([folds(f"f{number}", first, last - 1)] if first < last else [])]
        answer = says(WIRE, "", *made)
        session.assistant(answer)
        os.write(inlet, b"m")
        for call in session.calls(answer):
            session.tool_result(session.handle(call) if session.owns(call) else result(WIRE, call.id, "x" * 300))
            os.write(inlet, b"m")
        session.request()
        session.assistant(says(WIRE, f"Closed {number}, with words for an index: kubectl{number}."))
        os.write(inlet, b"m")
        os.write(inlet, b"." * len(session.end_turn().folded))
    raise AssertionError


def killed(folder: Path, compacts: bool, after: int, moment: float) -> bytes:
    """Let a process work, and kill it some time after so many confirmations. All that it confirmed."""
    outlet, inlet = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            work(folder, inlet, compacts)
        finally:
            os._exit(1)
    os.close(inlet)
    told = b""
    while len(told) < after and (more := os.read(outlet, 1)):
        told += more
    end = time.perf_counter() + moment
    while time.perf_counter() < end:
        pass
    os.kill(child, signal.SIGKILL)
    assert os.WIFSIGNALED(os.waitpid(child, 0)[1]), "the process ended by itself"
    while more := os.read(outlet, 4096):
        told += more
    os.close(outlet)
    return told


def test_kills_at_random_moments(tmp_path: Path) -> None:
    """Every acknowledged message and fold is there, at most one more; the doctor finds nothing, the session goes on."""
    random, folder = Random(11), tmp_path
    messages: list[str] = []
    folded = merged = compacted = done = 0
    compacts = False
    for done in range(1, KILLS + 1):
        if done % A_LIFE == 1:
            folder, messages, folded = tmp_path / str(done), [], 0
            compacts = (done // A_LIFE) % 3 == 2
            window = 250 if compacts else 100
            Session.create(folder, standing=STANDING[WIRE], window=window, line=20).close()
        told = killed(folder, compacts, random.randrange(12), random.random() * 0.006)
        now = [exact(message) for message in original(folder, JOURNAL)]
        noted = told.count(b"m")
        assert now[: len(messages)] == messages
        assert len(messages) + noted <= len(now) <= len(messages) + noted + 1, (done, told)
        messages = now
        examined = examine(folder, JOURNAL)
        assert examined.troubles == (), done
        with Session.open(folder) as session:
            assert folded + told.count(b".") <= len(session.state.units) <= folded + told.count(b".") + 1, (done, told)
            folded = len(session.state.units)
            if session.state.turns:
                waiting = len(session.state.asked)
                session.user(user("after the kill"))
                folded += waiting
                messages.append(exact(user("after the kill")))
                assert session.state.wire.problems(session.request()) == []
            assert len(session.state.units) == folded
            if done % A_LIFE == 0 or done == KILLS:
                compacted += examined.archives - examined.units
                merged += len(session.state.lines)
    print(f"{done} kills; {merged} lines and {compacted} compactions in the sessions")
    assert done == KILLS
    assert merged > 0
