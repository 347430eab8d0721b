"""OpenAI's Responses API: reading its messages and making small ones.

Rule: an answer of the model is the list of output items of one response; what a user or a tool says is one item or a
list of items. Items of unknown types are kept as they are and count by their JSON. `standing["input"]` (developer
messages) comes first. What is sent is built in responses_request.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from foldcover_harness.session.wires import responses_problems, responses_request
from foldcover_harness.session.wires.responses_request import CALLED, is_result, items_of, text_of
from foldcover_harness.session.wires.values import compact, is_list, is_object, looks_failed, not_json, parsed
from foldcover_harness.session.wires.wire import Call, Json, Message, Piece, Role, Tool
from foldcover_harness.transcripts.model import Kind

_MEDIA: Final = ("input_image", "input_file", "input_audio", "computer_screenshot")


class Responses:
    """The Responses API."""

    name = "responses"

    def refuse(self, role: Role, message: Message) -> str | None:
        """Why this cannot be a message of that role."""
        wrong = not_json(message)
        if wrong is not None:
            return wrong
        if not isinstance(message, (dict, list)):
            return "neither an item nor a list of items"
        items: list[Any] = [message] if is_object(message) else list(message)
        for item in items:
            wrong = _refuse_item(role, item)
            if wrong is not None:
                return wrong
        if role == "tool_result" and not any(map(is_result, items)):
            return "no tool result in it"
        if role == "user" and not any(_kind(item) == "message" and item["role"] == "user" for item in items):
            return "no message of the user in it"
        return None

    def calls(self, message: Message) -> list[Call]:
        """The calls that the client answers."""
        return [_call(item) for item in items_of(message) if _kind(item) in CALLED]

    def answers(self, message: Message) -> list[str]:
        """The ids of the calls answered."""
        return [item["call_id"] for item in items_of(message) if is_result(item)]

    def failures(self, message: Message) -> list[str]:
        """The ids of results whose status or text says that the call failed."""
        found = (item for item in items_of(message) if is_result(item))
        return [i["call_id"] for i in found if i.get("status") == "failed" or looks_failed(text_of(i.get("output")))]

    def pieces(self, message: Message) -> list[Piece]:
        """Everything that costs tokens."""
        return [piece for item in items_of(message) for piece in _pieces(item)]

    def said(self, message: Message) -> str:
        """The texts of its messages of the user or the model."""
        spoken = (i for i in items_of(message) if _kind(i) == "message" and i["role"] in ("user", "assistant"))
        return "\n".join(text for text in (text_of(item.get("content")) for item in spoken) if text)

    def with_note(self, message: Message, note: str) -> Message:
        """The same with one more part of its last item, or one more item where that is no message of the user."""
        part = {"type": "input_text", "text": note}
        items = list(items_of(message))
        last = items[-1]
        if _kind(last) == "message" and last["role"] == "user":
            content = last["content"]
            before = [{"type": "input_text", "text": content}] if isinstance(content, str) else content
            items[-1] = {**last, "content": [*before, part]}
        else:
            items.append({"type": "message", "role": "user", "content": [part]})
        return items if is_list(message) or len(items) > 1 else items[0]

    def note(self, text: str) -> list[Message]:
        """A message of the user: roles need not alternate here."""
        return [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}]

    def result(self, call_id: str, text: str, failed: bool = False) -> Message:
        """A function_call_output. A failure begins with the word error."""
        shown = f"error: {text}" if failed and not looks_failed(text) else text
        return {"type": "function_call_output", "call_id": call_id, "output": shown}

    def tools(self, ours: Sequence[Tool]) -> list[Json]:
        """Tools as functions."""
        return [
            {
                "type": "function",
                "name": tool.name,
                "description": tool.description,
                "parameters": tool.schema,
                "strict": False,
            }
            for tool in ours
        ]

    def request(
        self, standing: Mapping[str, Json], head: Sequence[Message], tail: Sequence[Message]
    ) -> dict[str, Json]:
        """The body of a request."""
        return responses_request.body(standing, head, tail)

    def problems(self, request: Mapping[str, Json]) -> list[str]:
        """What the API would refuse."""
        return responses_problems.problems(request)


def _kind(item: Any) -> str:
    return str(responses_request.kind_of(item))


def _refuse_item(role: Role, item: Any) -> str | None:
    if not is_object(item):
        return "an item that is not an object"
    kind = responses_request.kind_of(item)
    if not isinstance(kind, str):
        return "an item without a type"
    if kind == "message":
        return _refuse_message(role, item)
    if is_result(item):
        if role != "tool_result":
            return "holds a tool result: hand it over as a tool_result message"
        if not isinstance(item.get("call_id"), str) or not item["call_id"]:
            return "a tool result without the id of its call"
        return None if "output" in item or kind == "apply_patch_call_output" else "no output"
    if role != "assistant" and (kind in CALLED or kind == "reasoning"):
        return f"a {kind} item that only the model can write"
    if kind in CALLED:
        return _refuse_call(kind, item)
    return None


def _refuse_message(role: Role, item: dict[str, Any]) -> str | None:
    wanted = ("assistant",) if role == "assistant" else ("user", "developer", "system")
    if item.get("role") not in wanted:
        return f"its role is not {wanted[0]}"
    content = item.get("content")
    if not isinstance(content, (str, list)):
        return "no content"
    if is_list(content):
        for part in content:
            if not is_object(part) or not isinstance(part.get("type"), str):
                return "a part without a type"
            if part["type"] in ("input_text", "output_text") and not isinstance(part.get("text"), str):
                return "a text part without a text"
    # An aborted answer may be empty; a user's message may not.
    return "no content" if role != "assistant" and not content else None


def _refuse_call(kind: str, item: dict[str, Any]) -> str | None:
    if not isinstance(item.get("call_id"), str) or not item["call_id"]:
        return "a call without an id"
    field = {"function_call": "arguments", "custom_tool_call": "input"}.get(kind)
    if field is None:
        return None
    if not isinstance(item.get("name"), str) or not item["name"]:
        return "a call without a name"
    return None if isinstance(item.get(field), str) else f"a call whose {field} is not a text"


def _call(item: dict[str, Any]) -> Call:
    kind = _kind(item)
    if kind == "function_call":
        return Call(item["call_id"], item["name"], parsed(item["arguments"]))
    if kind == "custom_tool_call":
        return Call(item["call_id"], item["name"], item["input"])
    given = item.get("action", item.get("operation", item.get("actions")))
    return Call(item["call_id"], kind.removesuffix("_call"), given)


def _pieces(item: dict[str, Any]) -> Iterator[Piece]:
    kind = _kind(item)
    if kind == "message":
        yield from _parts(item["content"], Kind.TEXT if item["role"] == "assistant" else Kind.USER)
    elif kind == "reasoning":
        texts = [text_of(item.get("summary")), text_of(item.get("content"))]
        yield Piece(Kind.THINKING, "\n".join(text for text in texts if text))
    elif kind in CALLED:
        call = _call(item)
        yield Piece(Kind.CALL, call.name + (call.input if isinstance(call.input, str) else compact(call.input)))
    elif is_result(item):
        yield from _parts(item.get("output", ""), Kind.RESULT)
    else:
        yield Piece(Kind.RESULT if kind.endswith("_call") else Kind.USER, compact(item))


def _parts(content: Any, kind: Kind) -> Iterator[Piece]:
    if isinstance(content, str):
        yield Piece(kind, content)
        return
    for part in content if is_list(content) else [content]:
        if is_object(part) and part.get("type") in _MEDIA:
            yield Piece(kind, "", 1)
        elif is_object(part) and isinstance(part.get("text"), str):
            yield Piece(kind, part["text"])
        else:
            yield Piece(kind, compact(part))
