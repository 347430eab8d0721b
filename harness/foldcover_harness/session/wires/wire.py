"""What the session needs to know of a wire format.

Rule: a wire is pure. It reads and makes messages as JSON values (dicts, lists, texts, numbers) and never changes one it
was given; what goes out is what came in, part by part. The session knows no wire by name but through this.

A *message* is what the caller hands over at once: one dict, or for a wire whose answers are lists of items (OpenAI
Responses) a list of dicts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, Protocol

from foldcover_harness.transcripts.model import Kind

Json = Any
Message = Mapping[str, Json] | Sequence[Mapping[str, Json]]
Role = Literal["user", "assistant", "tool_result"]


class Call(NamedTuple):
    """A tool call that the model made. `input` is the parsed object, or the raw text where it is not JSON."""

    id: str
    name: str
    input: Json


class Piece(NamedTuple):
    """A piece of a message, for counting and searching: its kind, its text, how many images it holds.

    A call's text is its name and its input as compact JSON. Signatures and encrypted reasoning have no text.
    """

    kind: Kind
    text: str
    images: int = 0


class Tool(NamedTuple):
    """A tool of ours: name, description, and the JSON schema of its input."""

    name: str
    description: str
    schema: Mapping[str, Json]


class Wire(Protocol):
    """One wire format."""

    name: str
    """anthropic, chat, or responses."""

    def refuse(self, role: Role, message: Message) -> str | None:
        """Why this cannot be a message of that role on this wire, in a few words; None if it can.

        Wrong role field, no content, a tool result without the id of its call, values that are not JSON. A message
        that brings both results and the user's words is a tool_result message: a user message opens a turn, and turns
        are cut apart. Total on any value; everything else is total on what passed.
        """
        ...

    def calls(self, message: Message) -> list[Call]:
        """The tool calls in an assistant message, in order."""
        ...

    def answers(self, message: Message) -> list[str]:
        """The ids of the calls that a tool result message answers, in order."""
        ...

    def failures(self, message: Message) -> list[str]:
        """Those of them whose result says that the call failed: by its field where the wire has one, else by text."""
        ...

    def pieces(self, message: Message) -> list[Piece]:
        """Everything in the message that costs tokens, in order."""
        ...

    def said(self, message: Message) -> str:
        """The words of a user or of the model: its text parts, joined by newlines. No thinking, no tool output."""
        ...

    def with_note(self, message: Message, note: str) -> Message:
        """The user message with one more text part at its end; the parts it had are the same."""
        ...

    def note(self, text: str) -> list[Message]:
        """Messages that carry a text of the host to the model (the cover, a summary) at a place where a user message
        may follow: on a wire whose roles must alternate, with a short answer of the model's side behind it.
        """
        ...

    def result(self, call_id: str, text: str, failed: bool = False) -> Message:
        """A tool result message that answers one call with a text."""
        ...

    def tools(self, ours: Sequence[Tool]) -> list[Json]:
        """Tools in the wire's own form."""
        ...

    def request(
        self, standing: Mapping[str, Json], head: Sequence[Message], tail: Sequence[Message]
    ) -> dict[str, Json]:
        """The body of the next request.

        `standing` holds fields that are the same for the session's life (model, system or instructions, tools, ...) and
        comes first; messages that it holds come before all others. `head` (the cover) and `tail` make the messages, in
        order. Neighbours that the wire wants as one message are joined, parts unchanged. Where the wire has cache
        breakpoints they stand behind the standing part, behind the head, and on the last message; never more than the
        wire allows. Calls and results go out as pairing.py says. Valid unless calls are open at the end of the tail.
        """
        ...

    def problems(self, request: Mapping[str, Json]) -> list[str]:
        """What a provider would refuse in a request: calls without results in the next message, results without calls,
        illegal roles or order, an illegal first message, empty content. [] for a valid one.
        """
        ...
