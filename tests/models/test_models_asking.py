"""One text for one prompt, on each wire."""

from __future__ import annotations

from typing import Any

import pytest

from foldcover_harness.models.asking import ask
from foldcover_harness.models.model import ModelError, Refused

from .asked import WIRES, model_at
from .server import Fail, Reply, Say, Server

EXPECTED: dict[str, dict[str, Any]] = {
    "anthropic": {
        "model": "m",
        "max_tokens": 50,
        "system": "be brief",
        "messages": [{"role": "user", "content": "hi"}],
    },
    "chat": {
        "model": "m",
        "max_tokens": 50,
        "messages": [{"role": "system", "content": "be brief"}, {"role": "user", "content": "hi"}],
    },
    "responses": {
        "model": "m",
        "max_output_tokens": 50,
        "store": False,
        "instructions": "be brief",
        "input": [{"role": "user", "content": "hi"}],
    },
}


@pytest.mark.parametrize("wire", WIRES)
def test_a_prompt_gets_its_words(wire: str) -> None:
    """Only the words: no thinking; white space around them is none of them."""
    with Server(wire, [Say(" A line.\n", thinking="Hm.")]) as server:
        assert ask(model_at(server), "be brief", "hi", 50) == "A line."
    (body,) = server.bodies
    assert {name: value for name, value in body.items() if name not in ("stream", "stream_options")} == EXPECTED[wire]
    assert server.problems == []


@pytest.mark.parametrize("wire", WIRES)
def test_an_answer_without_words_is_none(wire: str) -> None:
    """All tokens went into thinking, say: the error tells why it ended."""
    said = Say(thinking="Hmm", stopped="max_tokens")
    with Server(wire, [said]) as server, pytest.raises(ModelError, match="max_tokens"):
        ask(model_at(server), "be brief", "hi", 50)


@pytest.mark.parametrize("wire", WIRES)
def test_a_refused_prompt_is_refused(wire: str) -> None:
    """Too long, say: not asked a second time."""
    with (
        Server(wire, [Fail(400, {"error": {"message": "too long"}})]) as server,
        pytest.raises(Refused, match="too long"),
    ):
        ask(model_at(server), "be brief", "hi", 50)
    assert len(server.requests) == 1


def test_a_model_that_wants_the_limit_under_its_new_name() -> None:
    """OpenAI's newer ones."""

    def script(body: dict[str, Any]) -> Reply:
        if "max_tokens" in body:
            return Fail(
                400, {"error": {"message": "'max_tokens' is not supported. Use 'max_completion_tokens' instead."}}
            )
        return f"{body['max_completion_tokens']}"

    with Server("chat", script) as server:
        assert ask(model_at(server), "be brief", "hi", 50) == "50"
