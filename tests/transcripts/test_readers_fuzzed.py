"""Files of every format, spoiled at random: each is read, or refused with a reason, and never silently empty."""

from __future__ import annotations

import copy
import json
import os
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from foldcover_harness.check.as_json import to_json
from foldcover_harness.check.report import Checked, attempt
from foldcover_harness.session.wires.values import is_list, is_object
from foldcover_harness.transcripts.jsonlines import repaired
from foldcover_harness.transcripts.recognise import RefusedError, read_file

FOLDER = Path(os.environ.get("FOLDCOVER_TRANSCRIPTS", Path(__file__).parents[3] / "shared" / "data" / "transcripts"))
SMALL = 120_000
ROUNDS = 40
OTHERS: list[Any] = [None, True, 0, -1, 3.5, 10**30, "", "x", "\ud83d", [], {}, [[]], [{}], {"type": 5}, ["a"], "user"]


def line(kind: str, **more: object) -> dict[str, Any]:
    """Return a line with a type."""
    return {"type": kind, **more}


def role(who: str, content: object, **more: object) -> dict[str, Any]:
    """Return a message with a role."""
    return {"role": who, "content": content, **more}


CALL = {"id": "c", "type": "function", "function": {"name": "bash", "arguments": "{}"}}
CHAT = [
    role("system", "s"),
    role("user", "hi"),
    role("assistant", "a", tool_calls=[CALL]),
    role("tool", "r", tool_call_id="c"),
]
TOOL_USE = {"type": "tool_use", "id": "t", "name": "Bash", "input": {"a": 1}}
TOOL_RESULT = {"type": "tool_result", "tool_use_id": "t", "content": [{"type": "text", "text": "r"}]}
BLOCKS = [role("user", "hi"), role("assistant", [TOOL_USE]), role("user", [TOOL_RESULT]), role("assistant", "b")]
GEMINI_CALL: dict[str, Any] = {
    "id": "c",
    "name": "glob",
    "args": {},
    "result": [{"functionResponse": {"response": {"output": "x"}}}],
}
SEEDS: dict[str, Any] = {
    "claude-code": [
        line("user", uuid="1", parentUuid=None, timestamp="t", message=role("user", "hi")),
        line("assistant", uuid="2", parentUuid="1", message={"id": "m", "usage": {"input_tokens": 5}, **BLOCKS[1]}),
        line("user", uuid="3", parentUuid="2", message=BLOCKS[2]),
        line("system", uuid="4", parentUuid=None, subtype="compact_boundary", compactMetadata={"preTokens": 9}),
        line("user", uuid="5", parentUuid="2", message=role("user", "again")),
    ],
    "codex": [
        line("event_msg", payload=line("user_message", message="hi")),
        line("response_item", payload=line("function_call", name="shell", arguments="{}", call_id="c")),
        line("response_item", payload=line("function_call_output", call_id="c", output="r")),
        line("event_msg", payload=line("token_count", info={"last_token_usage": {"input_tokens": 5}})),
        line("event_msg", payload=line("thread_rolled_back", num_turns=1)),
    ],
    "pi": [
        line("session", version=3, id="s", timestamp="t", cwd="/"),
        line("message", id="1", parentId=None, timestamp="t", message=role("user", "hi")),
        line("message", id="2", parentId="1", timestamp="t", message=role("assistant", [line("text", text="a")])),
        line("message", id="3", parentId="1", timestamp="t", message=role("toolResult", [], toolCallId="c")),
        line("compaction", id="4", parentId="2", summary="s", tokensBefore=9),
    ],
    "gemini-lines": [
        {"sessionId": "s", "projectHash": "p"},
        line("user", id="u", content=[{"text": "hi"}]),
        line("gemini", id="g", content="a", toolCalls=[GEMINI_CALL], tokens={"input": 5, "cached": 1}),
        {"$rewindTo": "g"},
    ],
    "gemini-contents": (
        "array",
        [{"role": "user", "parts": [{"text": "hi"}]}, {"role": "model", "parts": [{"text": "a"}]}],
    ),
    "opencode": (
        "object",
        {
            "info": {"id": "ses_1"},
            "messages": [
                {"info": {"role": "user"}, "parts": [line("text", text="hi")]},
                {
                    "info": {"role": "assistant", "tokens": {"input": 1}},
                    "parts": [line("tool", tool="x", state={"status": "error"})],
                },
            ],
        },
    ),
    "otel": [{"attributes": {"gen_ai.input.messages": [{"role": "user", "parts": [line("text", content="hi")]}]}}],
    "openhands-0": (
        "object",
        {
            "version": "1",
            "trajectory": [
                {"id": 1, "source": "user", "action": "message", "args": {"content": "hi"}},
                {"id": 2, "source": "agent", "action": "run", "args": {"command": "ls", "thought": "x"}},
                {"id": 3, "source": "agent", "observation": "run", "content": "r", "cause": 2},
            ],
        },
    ),
    "swe-agent": ("object", {"environment": "e", "trajectory": [], "history": CHAT}),
    "mini": ("object", {"trajectory_format": "x", "info": {}, "messages": CHAT}),
    "chat": (
        "object",
        {"messages": CHAT, "response": {"choices": [{"message": CHAT[2]}], "usage": {"prompt_tokens": 5}}},
    ),
    "anthropic": ("array", BLOCKS),
}


def seeds() -> Iterator[tuple[str, bytes]]:
    """Yield the files of this test, and the small ones of the folder of real ones, where there is one."""
    for name, value in SEEDS.items():
        if is_list(value):
            yield name, b"\n".join(json.dumps(each).encode() for each in value)
        else:
            yield name, json.dumps(value[1]).encode()
    for path in sorted(FOLDER.rglob("*")) if FOLDER.is_dir() else ():
        if path.is_file() and path.stat().st_size < SMALL:
            yield path.name, path.read_bytes()


def spoiled(random: Random, text: bytes) -> bytes:
    """Return the file with bytes flipped, cut, lines doubled or glued, or values of other types."""
    how = random.randrange(8)
    at = random.randrange(len(text))
    if how == 0:
        changed = bytearray(text)
        for _ in range(random.choice((1, 3, 30))):
            changed[random.randrange(len(text))] = random.randrange(256)
        return bytes(changed)
    if how == 1:
        return text[:at] or b"{"
    if how == 2:
        return text[:at] + text[at + random.randrange(2000) :] or b"{"
    if how == 3:
        lines = text.split(b"\n")
        lines.insert(random.randrange(len(lines)), random.choice(lines))
        return b"\n".join(lines)
    if how == 4:
        return text.replace(b"\n", b"", 2)
    return retyped(random, text)


def retyped(random: Random, text: bytes) -> bytes:
    """Return the file with some of its values replaced, doubled or gone."""
    lines = [text]
    number = 0
    try:
        value = json.loads(repaired(text))
    except ValueError:
        lines = text.split(b"\n")
        number = random.randrange(len(lines))
        try:
            value = json.loads(repaired(lines[number]))
        except ValueError:
            return text
    for _ in range(random.choice((1, 1, 4))):
        holders = list(containers(value))
        if not holders:
            break
        holder, key = random.choice(holders)
        if random.random() < 0.8:
            holder[key] = copy.deepcopy(random.choice(OTHERS))
        elif is_list(holder):
            holder.insert(key, copy.deepcopy(holder[key]))
        else:
            del holder[key]
    lines[number] = json.dumps(value).encode()
    return b"\n".join(lines)


def containers(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield each place in a value: what holds it, and its key."""
    waiting = [value]
    while waiting:
        holder = waiting.pop()
        pairs: list[tuple[Any, Any]] = []
        if is_object(holder):
            pairs += holder.items()
        elif is_list(holder):
            pairs += enumerate(holder)
        for key, inner in pairs:
            yield holder, key
            waiting.append(inner)


@pytest.mark.parametrize(("name", "text"), [pytest.param(*each, id=each[0]) for each in seeds()])
def test_a_spoiled_file_is_read_or_refused(tmp_path: Path, name: str, text: bytes) -> None:
    """No exception but the refusal; what has no request says so; places stay in order; the doctor ends too."""
    random = Random(name)
    path = tmp_path / "spoiled"
    for _ in range(ROUNDS):
        path.write_bytes(spoiled(random, text))
        try:
            found = read_file(path)
        except RefusedError:
            continue
        places = [request.at for request in found.requests]
        assert places == sorted(places)
        assert not places or places[-1] <= len(found.items)
        assert [turn.at for turn in found.turns] == sorted(turn.at for turn in found.turns)
        assert found.requests or found.found.notes
        checked = Checked()
        examined = attempt(path, None)
        assert not isinstance(examined, str)
        checked.take(examined)
        assert json.loads(to_json(checked))
