"""What the tests of a session share: messages of each wire, turns of a scripted model, a disk that does not wait."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from foldcover_harness.session import Session, TurnReport
from foldcover_harness.session.disk import Disk
from foldcover_harness.session.wires import WIRES
from foldcover_harness.session.wires.values import is_list, without

WIRE_NAMES = tuple(WIRES)
STANDING: dict[str, dict[str, Any]] = {
    "anthropic": {"model": "m", "system": "be brief", "tools": [{"name": "read", "input_schema": {"type": "object"}}]},
    "chat": {"model": "m", "messages": [{"role": "system", "content": "be brief"}]},
    "responses": {"model": "m", "instructions": "be brief", "store": False},
}


class Made(NamedTuple):
    """A tool call that the scripted model makes."""

    id: str
    name: str
    input: Any


class Quick(Disk):
    """A disk that does not wait for its flushes: for tests in which nothing dies."""

    def flush(self, file: int) -> None:
        """Nothing."""

    def flush_folder(self, folder: Path) -> None:
        """Nothing."""


def created(folder: Path, wire: str = "anthropic", disk: Disk | None = None, **more: Any) -> Session:
    """A new session with the standing part above, on a quick disk."""
    return Session.create(folder, wire=wire, standing=STANDING[wire], disk=disk or Quick(), **more)


def user(words: str) -> dict[str, Any]:
    """A message of the user, the same on every wire."""
    return {"role": "user", "content": words}


def says(wire: str, words: str, *calls: Made) -> Any:
    """An answer of the model: words, then calls."""
    if wire == "anthropic":
        made = [{"type": "tool_use", "id": call.id, "name": call.name, "input": call.input} for call in calls]
        return {"role": "assistant", "content": [*([{"type": "text", "text": words}] if words else []), *made]}
    if wire == "chat":
        functions = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": json.dumps(call.input)},
            }
            for call in calls
        ]
        return {"role": "assistant", "content": words or None, **({"tool_calls": functions} if functions else {})}
    items: list[dict[str, Any]] = [
        {"type": "function_call", "call_id": call.id, "name": call.name, "arguments": json.dumps(call.input)}
        for call in calls
    ]
    said = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": words}]}
    return [*([said] if words else []), *items]


def result(wire: str, id_: str, text: str, failed: bool = False) -> Any:
    """The result of a call."""
    return WIRES[wire].result(id_, text, failed)


def turn(session: Session, words: str, calls: Sequence[Made] = (), closing: str = "Done.") -> TurnReport:
    """A whole turn: the user's words, the calls one by one with their results, the closing message."""
    wire = session.state.wire.name
    session.user(user(words))
    for call in calls:
        answer = says(wire, "", call)
        session.assistant(answer)
        for made in session.calls(answer):
            ours = session.owns(made)
            session.tool_result(session.handle(made) if ours else result(wire, made.id, f"result of {made.id}"))
    session.assistant(says(wire, closing))
    return session.end_turn()


def folds(id_: str, first: Any, last: Any, title: str | None = None) -> Made:
    """A call of fold_unit."""
    return Made(id_, "fold_unit", {"from": first, "to": last, **({"title": title} if title is not None else {})})


def reads(id_: str, path: str = "src/app.py") -> Made:
    """A call that reads a file."""
    return Made(id_, "read", {"path": path})


def parts(body: dict[str, Any]) -> list[str]:
    """What a request says, as JSON in the finest pieces that are compared, breakpoints aside."""
    found: list[str] = []
    for message in body.get("messages", body.get("input")) or ():
        content: Any = message.get("content")
        if "input" in body or message.get("role") == "tool" or not is_list(content) or "system" not in body:
            found.append(json.dumps(message))
            continue
        found.append(message["role"])
        found.extend(json.dumps(without(part, "cache_control")) for part in content)
    return found


def standing_of(body: dict[str, Any]) -> str:
    """The standing part of a request, byte for byte."""
    kept = {name: value for name, value in body.items() if name not in ("messages", "input")}
    return json.dumps([kept, [message for message in body.get("messages", ()) if message["role"] == "system"]])


def text(body: dict[str, Any]) -> str:
    """All that a request says, as JSON."""
    return json.dumps(body.get("messages", body.get("input")), ensure_ascii=False)


def problems(session: Session) -> list[str]:
    """What a provider would refuse in the next request."""
    return session.state.wire.problems(session.request())
