"""What the tests of models share: a small request of each wire, a model that does not wait, what it shows."""

from __future__ import annotations

from typing import Any

from foldcover_harness.models.choose import choose
from foldcover_harness.models.model import Answer, Model
from foldcover_harness.models.retrying import Retries

from .server import Server

WIRES = ("anthropic", "chat", "responses")
NAMES = {"anthropic": "anthropic:m", "chat": "openai:m", "responses": "responses:m"}
AT_ONCE = Retries(2, 0)
ONE_WORD = [{"role": "user", "content": "hi"}]
BODIES: dict[str, dict[str, Any]] = {
    "anthropic": {"model": "m", "max_tokens": 99, "unknown": {"kept": [1]}, "messages": ONE_WORD},
    "chat": {"model": "m", "unknown": {"kept": [1]}, "messages": ONE_WORD},
    "responses": {"model": "m", "unknown": {"kept": [1]}, "store": False, "input": ONE_WORD},
}


class Shown:
    """Keeps what an answer shows, of the last time that it began."""

    def __init__(self) -> None:
        self.text = ""
        self.thinking = ""
        self.again: list[str] = []

    def __call__(self, kind: str, text: str) -> None:
        """Take it."""
        if kind == "again":
            self.again.append(text)
            self.text = self.thinking = ""
        elif kind == "text":
            self.text += text
        else:
            self.thinking += text


def model_at(server: Server, retries: Retries = AT_ONCE, timeout: float = 20) -> Model:
    """The model that a server plays."""
    return choose(NAMES[server.wire], base_url=server.url, retries=retries, timeout=timeout)


def answer_of(server: Server, shown: Shown | None = None) -> Answer:
    """Its answer to the small request of its wire."""
    return model_at(server).answer(BODIES[server.wire], shown)
