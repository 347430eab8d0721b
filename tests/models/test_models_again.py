"""Asking again: what broke off is asked for from nothing, a bounded number of times; what was refused is not."""

from __future__ import annotations

import signal
import threading

import pytest

from foldcover_harness.models.model import ModelError, Refused, Stopped
from foldcover_harness.models.retrying import Retries
from foldcover_harness.session.wires import WIRES as SESSION_WIRES

from .asked import BODIES, NAMES, WIRES, Shown, answer_of, model_at
from .server import Fail, Raw, Reply, Say, Server

OVERLOADED = {"type": "overloaded_error", "message": "Overloaded\x1b[31m now"}
BROKEN: dict[str, Reply] = {
    "busy": Fail(429, {"error": {"type": "rate_limit_error", "message": "slow\ndown"}}, {"retry-after": "0"}),
    "down": Fail(503, "<html><body>Bad</body></html>"),
    "overloaded": Fail(529, {"error": {"type": "overloaded_error", "message": "Overloaded"}}),
    "event": Say("Half an answer", error=OVERLOADED),
    "cut at once": Say("Half an answer", cut=0),
    "cut in a frame": Say("Half an answer", cut=420),
    "ended early": Raw(b""),
    "garbage": Raw(b"event: message_start\ndata: {oops\n\n"),
    "not utf-8": Raw(b"event: message_start\ndata: \xff\n\n"),
    "no object": Raw(b"event: message_start\ndata: [1]\n\n"),
}


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("what", BROKEN)
def test_what_broke_off_is_asked_for_again(wire: str, what: str) -> None:
    """The very same request, and what was shown before is taken back, with a reason on one line."""
    shown = Shown()
    with Server(wire, [BROKEN[what], "Whole."]) as server:
        answer = answer_of(server, shown)
    assert SESSION_WIRES[wire].said(answer.message) == shown.text == "Whole."
    assert server.bodies[0] == server.bodies[1]
    (why,) = shown.again
    assert why.isprintable()
    assert server.problems == []


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("what", BROKEN)
def test_it_is_asked_for_a_bounded_number_of_times(wire: str, what: str) -> None:
    """Then it is an error, on one line that names the model, and never an answer."""
    with Server(wire, [BROKEN[what]] * 2) as server, pytest.raises(ModelError) as caught:
        model_at(server, Retries(1, 0)).answer(BODIES[wire])
    assert len(server.requests) == 2
    assert type(caught.value) is ModelError
    assert str(caught.value).startswith(f"{NAMES[wire]}: ")
    assert str(caught.value).endswith(" (asked 2 times)")
    assert str(caught.value).isprintable()


@pytest.mark.parametrize("wire", WIRES)
def test_the_providers_words_are_told(wire: str) -> None:
    """Of an error event, of a busy server."""
    shown = Shown()
    with Server(wire, [BROKEN["event"], BROKEN["busy"], BROKEN["down"]]) as server, pytest.raises(ModelError) as caught:
        answer_of(server, shown)
    assert "Overloaded now" in shown.again[0]
    assert "429 Too Many Requests: slow down" in shown.again[1]
    assert "503 Service Unavailable)" in str(caught.value)


@pytest.mark.parametrize("wire", WIRES)
def test_who_asks_to_wait_for_too_long_is_not_waited_for(wire: str) -> None:
    """The error says for how long."""
    with Server(wire, [Fail(429, "", {"retry-after": "3600"})]) as server, pytest.raises(ModelError, match="3600 s"):
        answer_of(server)


def test_the_wait_that_is_asked_for_is_kept() -> None:
    """It is shown; here `stop` cuts it short."""
    stop, shown = threading.Event(), Shown()

    def show(kind: str, text: str) -> None:
        shown(kind, text)
        stop.set()

    with Server("chat", [Fail(429, "", {"retry-after": "37"})]) as server, pytest.raises(Stopped):
        model_at(server, Retries(4, 0)).answer(BODIES["chat"], show, stop)
    assert "again in 37 s" in shown.again[0]


@pytest.mark.parametrize("wire", WIRES)
def test_silence_counts_as_broken_off(wire: str) -> None:
    """No piece within the time limit."""
    with Server(wire, [Say("Half", gate=threading.Event())]) as server:
        with pytest.raises(ModelError, match=r"silent for 0\.2 s"):
            model_at(server, Retries(0, 0), timeout=0.2).answer(BODIES[wire])
        assert server.left.wait(20)


@pytest.mark.parametrize("wire", WIRES)
def test_a_refused_request_is_refused_once(wire: str) -> None:
    """400, 413, 422, and an error event of that kind."""
    words = {"error": {"type": "invalid_request_error", "message": "prompt is too long: " + "x" * 9999}}
    event = Say("Half", error={"type": "invalid_request_error", "message": "bad \x1b]0;it\x07"})
    for said in (Fail(400, words), Fail(413, "<html>nginx</html>"), Fail(422, {"detail": [{"msg": "no"}]}), event):
        with Server(wire, [said]) as server, pytest.raises(Refused) as caught:
            answer_of(server)
        assert len(server.requests) == 1
        assert str(caught.value).isprintable()
        assert len(str(caught.value)) < 600


@pytest.mark.parametrize("wire", WIRES)
def test_stop_ends_an_answer_between_two_pieces(wire: str) -> None:
    """And the connection is closed."""
    stop = threading.Event()

    def show(_: str, text: str) -> None:
        stop.set()

    with Server(wire, [Say("Half an answer", gate=threading.Event())]) as server:
        with pytest.raises(Stopped):
            model_at(server).answer(BODIES[wire], show, stop)
        assert server.left.wait(20)
        with pytest.raises(Stopped):  # and before it began nothing is asked
            model_at(server).answer(BODIES[wire], None, stop)
    assert len(server.requests) == 1


@pytest.mark.parametrize("wire", WIRES)
def test_an_interrupt_passes_through_and_closes_the_connection(wire: str) -> None:
    """Ctrl-C while the answer is waited for."""
    with Server(wire, [Say("Half an answer", gate=threading.Event())]) as server:

        def interrupt() -> None:
            server.waiting.wait(20)
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)

        thread = threading.Thread(target=interrupt)
        thread.start()
        with pytest.raises(KeyboardInterrupt):
            answer_of(server)
        thread.join()
        assert server.left.wait(20)
    assert len(server.requests) == 1


def test_an_answer_is_shown_as_it_comes() -> None:
    """Its first piece is there while the rest is still to come."""
    gate = threading.Event()
    with Server("chat", [Say("First, then the rest.", gate=gate)]) as server:
        shown: list[bool] = []

        def show(_: str, text: str) -> None:
            shown.append(gate.is_set())
            gate.set()

        model_at(server).answer(BODIES["chat"], show)
    assert shown[0] is False
