"""Prefix discipline: between closes each request begins with the one before, and every request is valid.

Over random conversations, the bundled transcripts, and those in the folder that `FOLDCOVER_TRANSCRIPTS` names (or in
`shared/data` beside the repository), where there is one.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import foldcover_harness
from foldcover_harness.session import Session, SessionError
from foldcover_harness.session.checking import exact, examine, original
from foldcover_harness.session.importing import Unknown, read
from foldcover_harness.session.place import JOURNAL
from foldcover_harness.session.wires.wire import Role

from .scripted import STANDING, WIRE_NAMES, Quick, folds, parts, problems, reads, result, says, standing_of, text, user

SAMPLES = Path(foldcover_harness.__file__).parent / "samples"
SHARED = Path(os.environ.get("FOLDCOVER_TRANSCRIPTS", Path(__file__).parents[3] / "shared" / "data" / "transcripts"))
every_wire = pytest.mark.parametrize("wire", WIRE_NAMES)
words = st.text(st.characters(exclude_categories=[]), min_size=1, max_size=8).map(lambda said: f"{said}w")
calls = st.lists(
    st.tuples(st.sampled_from(["read", "zoom", "search", "fold_unit"]), words, st.integers(-1, 9)), max_size=3
)
turns = st.lists(st.tuples(words, st.lists(calls, max_size=3), st.booleans()), min_size=1, max_size=7)


class Watched:
    """A session whose requests are compared with the ones before."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.standing = standing_of(session.request())
        self.before: list[str] = []
        self.requests = 0

    def closed(self) -> None:
        """A close: from here on the messages may be others."""
        self.before = []

    def ask(self) -> None:
        """Build a request, as a loop does before it asks the model."""
        body = self.session.request()
        now = parts(body)
        assert now[: len(self.before)] == self.before
        assert standing_of(body) == self.standing
        assert problems(self.session) == []
        json.dumps(body, ensure_ascii=False).encode()
        self.before = now
        self.requests += 1


def given_to(name: str, said: str, number: int) -> dict[str, Any]:
    """The input of a call."""
    if name == "fold_unit":
        return {"from": number - 1, "to": number, "title": said}
    return {"path": said} if name == "read" else {"text": said, "from": number, "to": number}


@every_wire
@given(conversation=turns, card_calls=st.integers(1, 6), window=st.sampled_from([60, 400, 200_000]))
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_random_conversations(wire: str, conversation: list[Any], card_calls: int, window: int) -> None:
    """A loop as it should be: all calls answered, a request before each answer; opened again it is the same."""
    with tempfile.TemporaryDirectory() as folder:
        with Session.create(
            folder, wire=wire, standing=STANDING[wire], disk=Quick(), card_calls=card_calls, window=window
        ) as session:
            watched = Watched(session)
            for said, answers, ends in conversation:
                units = len(session.state.units)
                session.user(user(said))
                if len(session.state.units) > units:
                    watched.closed()
                watched.ask()
                for at, made in enumerate(answers):
                    named = [
                        reads(f"c{len(session.state.turns)}-{at}-{n}")._replace(name=name, input=given_to(name, w, i))
                        for n, (name, w, i) in enumerate(made)
                    ]
                    answer = says(wire, said, *named)
                    session.assistant(answer)
                    for call in session.calls(answer):
                        ours = session.owns(call)
                        session.tool_result(session.handle(call) if ours else result(wire, call.id, said))
                    if named:
                        watched.ask()
                session.assistant(says(wire, f"closing {said}"))
                if ends:
                    report = session.end_turn()
                    assert not report.compacted
                    if report.folded:
                        watched.closed()
                    watched.ask() if wire == "anthropic" else None
            last = session.request()
        with Session.open(folder, read_only=True) as again:
            assert json.dumps(again.request()) == json.dumps(last)
        assert examine(Path(folder), JOURNAL).troubles == ()


@every_wire
def test_the_prompt_between_closes_and_at_a_close(tmp_path: Path, wire: str) -> None:
    """A close keeps the standing part, and the cover's lines that it does not merge."""
    with Session.create(tmp_path, wire=wire, standing=STANDING[wire], disk=Quick(), card_calls=1) as session:
        watched = Watched(session)
        for number in range(8):
            session.user(user(f"task {number}"))
            watched.ask()
            answer = says(wire, "", reads(f"c{number}"), folds(f"f{number}", number - 1, number - 1))
            session.assistant(answer)
            for call in session.calls(answer):
                session.tool_result(session.handle(call) if session.owns(call) else result(wire, call.id, "fine"))
            watched.ask()
            session.assistant(says(wire, f"Closed {number}."))
            cover = session.cover()
            assert len(session.end_turn().folded) == (number > 0)
            assert session.cover()[: len(cover)] == cover
            watched.closed()
            assert "[foldcover card]" in text(session.request()) or number == 0


def transcripts() -> Iterator[Path]:
    """The bundled ones, then the shared ones."""
    yield from sorted(SAMPLES.glob("*.jsonl"))
    if SHARED.is_dir():
        yield from sorted(path for path in SHARED.rglob("*") if path.is_file())


def replayed(path: Path, folder: Path) -> tuple[int, int, int]:
    """Play a transcript through a session, folding as turns close. Messages, requests, units."""
    found = read(path)
    taken: list[str] = []
    with Session.create(folder, wire=found.wire, standing=STANDING[found.wire], disk=Quick(), window=20_000) as session:
        watched = Watched(session)
        previous: Role | None = None
        for number, (role, message) in enumerate(found.messages):
            # A loop asks the model when the calls before are answered, and the next words are the model's.
            if role == "assistant" and previous in ("user", "tool_result") and number % 5 == 1:
                watched.ask()
            try:
                getattr(session, role)(message)
            except SessionError:
                continue
            previous = role
            taken.append(exact(message))
            last = len(session.state.turns) - 2
            if role == "user" and last >= 0 and last % 3 == 2 and session.state.turns[last].open:
                session.fold(last - 2, last)
                watched.closed()
        session.user(user("the end"))
        watched.ask()
        count = watched.requests
        units = len(session.state.units)
    assert [exact(message) for message in original(folder, JOURNAL)] == [*taken, exact(user("the end"))]
    assert examine(folder, JOURNAL).troubles == ()
    return len(taken), count, units


def test_real_transcripts(tmp_path: Path) -> None:
    """Every transcript that can be imported: valid requests, prefixes, everything comes back."""
    played: list[tuple[str, int, int, int]] = []
    unknown: list[str] = []
    for number, path in enumerate(transcripts()):
        try:
            played.append((path.name, *replayed(path, tmp_path / str(number))))
        except Unknown:
            unknown.append(path.name)
    for name, messages, requests, units in played:
        print(f"{name}: {messages} messages, {requests} requests, {units} units")
    print(f"no transcript that import knows: {', '.join(unknown) or 'none'}")
    print(f"{SHARED}: {'there' if SHARED.is_dir() else 'not there, only the bundled transcripts were played'}")
    assert played
