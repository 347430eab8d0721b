"""Chat Completions over HTTP, with the provider's library."""

from __future__ import annotations

import pytest

from foldcover_harness.models.choose import choose
from foldcover_harness.models.model import Usage
from foldcover_harness.session.wires.wire import Call

from .server import Say, Server

BODY = {"model": "m", "messages": [{"role": "user", "content": "hi"}], "unknown": {"kept": [1]}}


@pytest.fixture(autouse=True)
def keyless(monkeypatch: pytest.MonkeyPatch) -> None:
    """No key and no address but the test's own."""
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


def test_an_answer_comes_whole() -> None:
    """Words, thinking, calls, usage; the request goes out as it is."""
    said = Say(
        "Reading both.",
        [Call("c1", "read", {"path": "a"}), Call("c2", "read", {})],
        "Hmm, two.",
        usage=Usage(70, 60, 9),
    )
    shown: list[tuple[str, str]] = []
    with Server("chat", [said]) as server:
        answer = choose("openai:m", base_url=server.url).answer(BODY, lambda kind, text: shown.append((kind, text)))
    assert answer.message == {
        "role": "assistant",
        "content": "Reading both.",
        "refusal": None,
        "reasoning_content": "Hmm, two.",
        "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "read", "arguments": '{"path": "a"}'}},
            {"id": "c2", "type": "function", "function": {"name": "read", "arguments": "{}"}},
        ],
    }
    assert (answer.usage, answer.stopped) == (Usage(70, 60, 9), "tool_calls")
    assert "".join(text for kind, text in shown if kind == "text") == "Reading both."
    assert "".join(text for kind, text in shown if kind == "thinking") == "Hmm, two."
    (body,) = server.bodies
    assert body == {**BODY, "stream": True, "stream_options": {"include_usage": True}}
    assert server.problems == []
