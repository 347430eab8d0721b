"""Real transcripts as the messages of a session.

Rule: messages are taken as they stand in the file. Claude Code writes an answer over several lines, a part each: they
are joined by message id. What is no message of the conversation (side chains, notes of the client) is left out and
counted; what the wire refuses is left out and named. Nothing is made up.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from foldcover_harness.session.wires import WIRES
from foldcover_harness.session.wires.values import is_list, is_object
from foldcover_harness.session.wires.wire import Message, Role
from foldcover_harness.transcripts.jsonlines import repaired, whole_objects
from foldcover_harness.transcripts.recognise import opened, recognise, texts_of
from foldcover_harness.transcripts.refusal import RefusedError


class Unknown(Exception):
    """The file holds no conversation that can be imported; the text says why."""


class Imported(NamedTuple):
    """A conversation: the wire it speaks, its messages in order, what was left out and how often."""

    wire: str
    messages: list[tuple[Role, Message]]
    left_out: Counter[str]


def read(path: Path) -> Imported:
    """Read a Claude Code transcript (JSON lines or an array), a Codex rollout, a mini-swe-agent trajectory, or chat
    messages of Anthropic's or OpenAI's API: a list, or the object that holds them. Unknown.
    """
    left_out: Counter[str] = Counter()
    try:
        with opened(path) as stream:
            found = recognise(stream)
            objects = [each for text in texts_of(stream, found.layout) for each in _objects(text, left_out)]
    except RefusedError as error:
        raise Unknown(f"{path}: {error}") from error
    if found.client not in _READERS:
        raise Unknown(f"{path}: a {found.client} transcript; sessions are made from {', '.join(_READERS)}")
    wire, reader = _READERS[found.client]
    messages = list(reader(objects, left_out))
    if not any(WIRES[wire].refuse(role, message) is None for role, message in messages):
        raise Unknown(f"{path}: it looks like {found.client}, but holds no message of that kind")
    return Imported(wire, messages, left_out)


def _objects(text: bytes | None, left_out: Counter[str]) -> Iterator[dict[str, Any]]:
    """The objects in a line or an element: one, or, where it was spoiled, what is whole in it."""
    found = [] if text is None or not text.strip() else [_parsed(text)]
    if found == [None] and text is not None:
        found = [_parsed(piece) for piece in whole_objects(repaired(text))[0]]
        left_out["spoiled JSON, mended or left out"] += 1
    yield from (each for each in found if is_object(each))


def _parsed(text: bytes) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _claude_code(objects: list[dict[str, Any]], left_out: Counter[str]) -> Iterator[tuple[Role, Message]]:
    answer: dict[str, Any] | None = None
    for line in objects:
        message = line.get("message")
        if line.get("type") not in ("user", "assistant") or not is_object(message):
            left_out[f"line {line.get('type')}"] += 1
        elif line.get("isSidechain") or line.get("isMeta") or line.get("isCompactSummary"):
            left_out["side chain, note or summary"] += 1
        elif line["type"] == "assistant":
            if answer is not None and answer.get("id") == message.get("id") and is_list(message.get("content")):
                answer["content"] = [*answer["content"], *message["content"]]
            else:
                if answer is not None:
                    yield "assistant", answer
                answer = {key: value for key, value in message.items() if key in ("id", "role", "content", "model")}
        else:
            if answer is not None:
                yield "assistant", answer
                answer = None
            yield _role(message), message
    if answer is not None:
        yield "assistant", answer


def _role(message: Mapping[str, Any]) -> Role:
    content = message.get("content")
    parts = content if is_list(content) else []
    results = any(is_object(part) and part.get("type") == "tool_result" for part in parts)
    return "tool_result" if results else "user"


def _codex(objects: list[dict[str, Any]], left_out: Counter[str]) -> Iterator[tuple[Role, Message]]:
    answer: list[dict[str, Any]] = []
    for line in objects:
        # Older rollouts hold the items without an envelope.
        item = line.get("payload") if "payload" in line else line
        if "payload" in line and (line.get("type") != "response_item" or not is_object(item)):
            left_out[f"line {line.get('type')}"] += 1
            continue
        if not is_object(item) or "type" not in item:
            left_out["line of the client"] += 1
            continue
        kind, role = item.get("type"), item.get("role")
        if kind == "message" and role in ("developer", "system"):
            left_out[f"{role} message"] += 1
        elif (kind == "message" and role == "user") or str(kind).endswith("_output"):
            if answer:
                yield "assistant", answer
                answer = []
            yield ("user" if kind == "message" else "tool_result"), item
        else:
            answer.append(item)
    if answer:
        yield "assistant", answer


def _anthropic(objects: list[dict[str, Any]], left_out: Counter[str]) -> Iterator[tuple[Role, Message]]:
    for message in _listed(objects, left_out):
        if message.get("role") == "assistant":
            yield "assistant", message
        elif message.get("role") == "user":
            yield _role(message), message
        else:
            left_out[f"{message.get('role')} message"] += 1


def _chat(objects: list[dict[str, Any]], left_out: Counter[str]) -> Iterator[tuple[Role, Message]]:
    roles: dict[str, Role] = {"user": "user", "assistant": "assistant", "tool": "tool_result"}
    for message in _listed(objects, left_out):
        role = roles.get(str(message.get("role")))
        if role is None:
            left_out[f"{message.get('role')} message"] += 1
        elif "extra" in message:
            # What mini-swe-agent notes of a message never went to the model.
            left_out["note beside a message"] += 1
            yield role, {key: value for key, value in message.items() if key != "extra"}
        else:
            yield role, message


def _listed(objects: list[dict[str, Any]], left_out: Counter[str]) -> Iterator[dict[str, Any]]:
    """The messages of a list, or of the object that holds it, with the answer that was logged there."""
    bodies = [each for each in objects if is_list(each.get("messages"))]
    if not bodies:
        yield from objects
        return
    if len(bodies) > 1:
        left_out["further conversation in the file"] += len(bodies) - 1
    yield from (each for each in bodies[0]["messages"] if is_object(each))
    response = bodies[0].get("response", bodies[0])
    choices = response.get("choices") if is_object(response) else None
    if is_list(choices) and choices and is_object(choices[0]) and is_object(choices[0].get("message")):
        yield {"role": "assistant", **choices[0]["message"]}
    elif is_object(response) and response.get("role") == "assistant":
        yield response


_READERS: Final[
    dict[str, tuple[str, Callable[[list[dict[str, Any]], Counter[str]], Iterator[tuple[Role, Message]]]]]
] = {
    "claude-code": ("anthropic", _claude_code),
    "codex": ("responses", _codex),
    "anthropic-messages": ("anthropic", _anthropic),
    "openai-chat": ("chat", _chat),
    "mini-swe-agent": ("chat", _chat),
}
"""By the client that wrote a file: the wire that it spoke, and how its messages are found."""
