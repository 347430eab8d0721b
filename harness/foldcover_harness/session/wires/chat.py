"""OpenAI's Chat Completions, and what speaks its language.

Rule: a message is one dict and goes out as it came, unknown fields too, but for copies of what the API refuses: an
empty answer without calls (an aborted stream) is left out, fields that hold null where only a value may stand are taken
off. Answers that stand together are joined where the first has calls, because its results must follow at once. There
are no breakpoints: the provider caches the longest prefix by itself. `standing["messages"]` (system, developer) comes
first. What the host says to the model it says as the user: the cover holds words of others, which must not
have a developer's authority.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from foldcover_harness.session.wires import chat_problems
from foldcover_harness.session.wires.pairing import NO_RESULT, Said, Step, out_of_place, pair
from foldcover_harness.session.wires.values import (
    compact,
    is_list,
    is_object,
    looks_failed,
    not_json,
    parsed,
    well_formed,
    without,
)
from foldcover_harness.session.wires.wire import Call, Json, Message, Piece, Role, Tool
from foldcover_harness.transcripts.model import Kind

_ROLES: Final = {"user": "user", "assistant": "assistant", "tool_result": "tool"}
_NOT_NULL: Final = ("tool_calls", "function_call", "name", "tool_call_id")
_THOUGHT: Final = ("reasoning_content", "reasoning")
"""Where servers that speak this language put the model's thinking."""


class Chat:
    """Chat Completions."""

    name = "chat"

    def refuse(self, role: Role, message: Message) -> str | None:
        """Why this cannot be a message of that role."""
        wrong = not_json(message)
        if wrong is not None:
            return wrong
        if not is_object(message):
            return "not an object"
        if message.get("role") != _ROLES[role]:
            return f"its role is not {_ROLES[role]}"
        wrong = _refuse_content(message.get("content"))
        if wrong is not None:
            return wrong
        if role == "assistant":
            return _refuse_calls(message)
        if role == "tool_result":
            if not isinstance(message.get("tool_call_id"), str) or not message["tool_call_id"]:
                return "a tool result without the id of its call"
            return "no content" if message.get("content") in (None, []) else None
        return "no content" if message.get("content") in (None, "", []) else None

    def calls(self, message: Message) -> list[Call]:
        """The tool calls, of functions and custom tools."""
        return [_call(call) for call in _calls(message)]

    def answers(self, message: Message) -> list[str]:
        """The id of the call answered."""
        fields = _fields(message)
        return [fields["tool_call_id"]] if fields.get("role") == "tool" else []

    def failures(self, message: Message) -> list[str]:
        """The same id, where the result's text says that the call failed: the wire has no field for it."""
        return self.answers(message) if looks_failed(_words(message)) else []

    def pieces(self, message: Message) -> list[Piece]:
        """Everything that costs tokens."""
        return list(_pieces(_fields(message)))

    def said(self, message: Message) -> str:
        """The text parts and the refusal; nothing for a tool message."""
        return "" if _fields(message).get("role") == "tool" else _words(message)

    def with_note(self, message: Message, note: str) -> Message:
        """The message with a text part at its end."""
        return {**_fields(message), "content": [*_parts(message), {"type": "text", "text": note}]}

    def note(self, text: str) -> list[Message]:
        """A user message: roles need not alternate here."""
        return [{"role": "user", "content": text}]

    def result(self, call_id: str, text: str, failed: bool = False) -> Message:
        """A tool message. A failure begins with the word error."""
        shown = f"error: {text}" if failed and not looks_failed(text) else text
        return {"role": "tool", "tool_call_id": call_id, "content": shown}

    def tools(self, ours: Sequence[Tool]) -> list[Json]:
        """Tools as functions."""
        return [
            {"type": "function", "function": {"name": t.name, "description": t.description, "parameters": t.schema}}
            for t in ours
        ]

    def request(
        self, standing: Mapping[str, Json], head: Sequence[Message], tail: Sequence[Message]
    ) -> dict[str, Json]:
        """The body of a request."""
        first = standing.get("messages")
        sent: list[dict[str, Any]] = list(first) if is_list(first) else []
        for step in pair(map(_read, [*head, *tail]), None):
            _send(sent, step)
        body = {name: value for name, value in standing.items() if name != "messages"}
        return {name: well_formed(value) for name, value in {**body, "messages": sent}.items()}

    def problems(self, request: Mapping[str, Json]) -> list[str]:
        """What the API would refuse."""
        return chat_problems.problems(request)


def _fields(message: Any) -> dict[str, Any]:
    return message if is_object(message) else {}


def _calls(message: Any) -> list[dict[str, Any]]:
    found = _fields(message).get("tool_calls")
    return found if is_list(found) else []


def _call(call: dict[str, Any]) -> Call:
    if "custom" in call:
        return Call(call["id"], call["custom"]["name"], call["custom"]["input"])
    return Call(call["id"], call["function"]["name"], parsed(call["function"]["arguments"]))


def _parts(message: Any) -> list[dict[str, Any]]:
    content = _fields(message).get("content")
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return content if is_list(content) else []


def _text(part: dict[str, Any]) -> str | None:
    """The words of a part, None where it is of another kind."""
    found = part.get("text") if part["type"] == "text" else part.get("refusal") if part["type"] == "refusal" else None
    return found if isinstance(found, str) else None


def _words(message: Any) -> str:
    fields = _fields(message)
    audio = fields.get("audio")
    more = (fields.get("refusal"), audio.get("transcript") if is_object(audio) else None)
    texts = [text for text in map(_text, _parts(message)) if text is not None]
    return "\n".join([*texts, *(text for text in more if isinstance(text, str))])


def _pieces(fields: dict[str, Any]) -> Iterator[Piece]:
    kinds = {"assistant": Kind.TEXT, "tool": Kind.RESULT}
    kind = kinds.get(fields.get("role", ""), Kind.USER)
    for name in _THOUGHT:
        if isinstance(fields.get(name), str):
            yield Piece(Kind.THINKING, fields[name])
            break
    for part in _parts(fields):
        text = _text(part)
        if text is not None:
            yield Piece(kind, text)
        elif part["type"] in ("image_url", "input_audio", "file"):
            yield Piece(kind, "", 1)
        else:
            yield Piece(kind, compact(part))
    beside = _words({**fields, "content": None})
    if beside:
        yield Piece(kind, beside)
    for call in map(_call, _calls(fields)):
        yield Piece(Kind.CALL, call.name + (call.input if isinstance(call.input, str) else compact(call.input)))


def _refuse_content(content: Any) -> str | None:
    if content is None or isinstance(content, str):
        return None
    if not is_list(content):
        return "a content that is neither a text nor a list"
    for part in content:
        if not is_object(part) or not isinstance(part.get("type"), str):
            return "a part without a type"
        if part["type"] == "text" and not isinstance(part.get("text"), str):
            return "a text part without a text"
    return None


def _refuse_calls(message: dict[str, Any]) -> str | None:
    if message.get("function_call") is not None:
        return "a function_call of the old form, which has no id: use tool_calls"
    calls = message.get("tool_calls")
    if calls is None:
        return None
    if not is_list(calls):
        return "tool_calls that are not a list"
    for call in calls:
        if not is_object(call) or not isinstance(call.get("id"), str) or not call["id"]:
            return "a call without an id"
        custom = "custom" in call
        inner = call.get("custom" if custom else "function")
        if not is_object(inner) or not isinstance(inner.get("name"), str) or not inner["name"]:
            return "a call without a name"
        if not isinstance(inner.get("input" if custom else "arguments"), str):
            return "a call whose arguments are not a text"
    return None


def _read(message: Any) -> Said:
    if message["role"] == "tool":
        return Said("tools", message, answers=((message["tool_call_id"], message),))
    if message["role"] == "assistant":
        return Said("model", message, calls=tuple((call["id"], call) for call in _calls(message)))
    return Said("user", message)


def _send(sent: list[dict[str, Any]], step: Step) -> None:
    """Append what the step says."""
    message = step.value
    if step.kind == "model":
        answer = _answer(message, step.ids)
        if answer is None:
            return
        if sent and sent[-1].get("role") == "assistant" and _calls(sent[-1]):
            sent[-1] = _joined(sent[-1], answer)
        else:
            sent.append(answer)
    elif step.kind == "answer":
        (id_,) = step.ids
        sent.append(message if message["tool_call_id"] == id_ else {**message, "tool_call_id": id_})
    elif step.kind == "missing":
        sent.append({"role": "tool", "tool_call_id": step.ids[0], "content": NO_RESULT})
    elif step.kind == "further":
        sent.append({"role": "user", "content": _shown(message, step.ids[0])})
    else:
        sent.append(without(message, *(name for name in _NOT_NULL if message.get(name, 0) is None)))


def _answer(message: dict[str, Any], ids: tuple[str, ...]) -> dict[str, Any] | None:
    """The model's answer as it is sent, its calls under the ids given; None where it says nothing."""
    calls, content = _calls(message), message.get("content")
    if not calls and not content and not message.get("audio") and not message.get("refusal"):
        return None
    drop = [name for name in _NOT_NULL if message.get(name, 0) is None]
    answer = without(message, *drop, *(() if calls or "tool_calls" not in message else ("tool_calls",)))
    if content == []:
        answer = {**answer, "content": None}
    if any(call["id"] != id_ for call, id_ in zip(calls, ids, strict=True)):
        renamed = [{**call, "id": id_} for call, id_ in zip(calls, ids, strict=True)]
        answer = {**answer, "tool_calls": renamed}
    return answer


def _joined(first: dict[str, Any], second: dict[str, Any]) -> dict[str, Any]:
    """Two answers as one: the first's fields, the contents and the calls of both."""
    joined = {**second, **first, "tool_calls": [*_calls(first), *_calls(second)]}
    if not first.get("content"):
        joined["content"] = second.get("content")
    elif second.get("content"):
        joined["content"] = [*_parts(first), *_parts(second)]
    return joined


def _shown(message: dict[str, Any], id_: str) -> str | list[dict[str, Any]]:
    """A result that has no place: its words as text, other parts behind it."""
    text = out_of_place(id_, _words(message))
    others = [part for part in _parts(message) if _text(part) is None]
    return [{"type": "text", "text": text}, *others] if others else text
