"""Real transcripts as the messages of a session.

Rule: messages are taken as they stand in the file. Claude Code writes an answer over several lines, a part each: they
are
joined by message id. What is no message of the conversation (side chains, notes of the client) is left out and counted;
what the wire refuses is left out and named. Nothing is made up.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from foldcover_harness.session.wires import WIRES
from foldcover_harness.session.wires.values import is_list, is_object
from foldcover_harness.session.wires.wire import Message, Role


class Unknown(Exception):
    """The file holds no conversation that can be imported; the text says why."""


class Imported(NamedTuple):
    """A conversation: the wire it speaks, its messages in order, what was left out and how often."""

    wire: str
    messages: list[tuple[Role, Message]]
    left_out: Counter[str]


def read(path: Path) -> Imported:
    """Read a Claude Code transcript (JSON lines or an array), a Codex rollout, or a JSON list of Anthropic or OpenAI
    chat messages. Unknown, or OSError.
    """
    found = _read(_objects(path))
    if found is None:
        known = "Claude Code, Codex, Anthropic or OpenAI chat messages"
        raise Unknown(f"{path}: no transcript that can be imported ({known})")
    if not any(WIRES[found.wire].refuse(role, message) is None for role, message in found.messages):
        raise Unknown(f"{path}: it looks like {found.wire}, but holds no message of that wire")
    return found


def _read(objects: list[dict[str, Any]]) -> Imported | None:
    left_out: Counter[str] = Counter()
    if any(each.get("type") == "response_item" for each in objects):
        return Imported("responses", list(_codex(objects, left_out)), left_out)
    if any(is_object(each.get("message")) and each.get("type") in ("user", "assistant") for each in objects):
        return Imported("anthropic", list(_claude_code(objects, left_out)), left_out)
    if all("role" in each for each in objects):
        chat = any(each["role"] in ("tool", "system", "developer") or "tool_calls" in each for each in objects)
        wire = "chat" if chat else "anthropic"
        return Imported(wire, list(_plain(objects, wire, left_out)), left_out)
    return None


def _objects(path: Path) -> list[dict[str, Any]]:
    text = path.read_text("utf-8", "surrogateescape")
    found: list[Any] = []
    try:
        whole = json.loads(text)
        found = whole.get("messages", [whole]) if is_object(whole) else whole
    except (ValueError, RecursionError):
        # Not by splitlines: other line ends may stand within JSON.
        for line in text.split("\n"):
            try:
                found.append(json.loads(line))
            except (ValueError, RecursionError):
                continue
    objects = [each for each in found if is_object(each)] if is_list(found) else []
    if not objects:
        raise Unknown(f"{path}: no JSON objects")
    return objects


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
        item = line.get("payload")
        if line.get("type") != "response_item" or not is_object(item):
            left_out[f"line {line.get('type')}"] += 1
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


def _plain(objects: list[dict[str, Any]], wire: str, left_out: Counter[str]) -> Iterator[tuple[Role, Message]]:
    for message in objects:
        role = message["role"]
        if role == "assistant":
            yield "assistant", message
        elif role == "tool":
            yield "tool_result", message
        elif role == "user":
            yield ("user" if wire == "chat" else _role(message)), message
        else:
            left_out[f"{role} message"] += 1
