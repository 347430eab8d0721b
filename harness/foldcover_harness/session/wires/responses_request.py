"""The body of a request to OpenAI's Responses API.

Rule: items go out as they came, in one flat list; results stand behind the answer that holds their calls. Reasoning is
never changed and never parted from the item behind it: where an answer was cut off after its reasoning, that reasoning
is left out, because the API refuses it alone. There are no breakpoints: the provider caches the longest prefix itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from foldcover_harness.session.wires.pairing import NO_RESULT, Said, Step, out_of_place, pair
from foldcover_harness.session.wires.values import compact, is_list, is_object, well_formed

CALLED: Final = (
    "function_call",
    "custom_tool_call",
    "local_shell_call",
    "shell_call",
    "apply_patch_call",
    "computer_call",
)
"""Calls that the client answers, by call_id."""
_NOTHING: Final = (
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ"
    "AAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
)
"""A picture of one pixel: a computer's result must be a picture."""


def kind_of(item: Mapping[str, Any]) -> Any:
    """The type of an item. A message may go without one."""
    kind = item.get("type")
    return "message" if kind is None and "role" in item else kind


def is_result(item: Any) -> bool:
    """Whether the item answers a call."""
    return is_object(item) and str(item.get("type")) in {f"{call}_output" for call in CALLED}


def items_of(message: Any) -> Sequence[dict[str, Any]]:
    """The items of a message."""
    return [message] if is_object(message) else message


def text_of(content: Any) -> str:
    """The texts in a content, an output or a summary, joined by newlines."""
    if isinstance(content, str):
        return content
    parts: list[Any] = content if is_list(content) else []
    found = (part.get("text", part.get("refusal")) for part in parts if is_object(part))
    return "\n".join(text for text in found if isinstance(text, str))


def body(standing: Mapping[str, Any], head: Sequence[Any], tail: Sequence[Any]) -> dict[str, Any]:
    """The body: the standing fields, then the input."""
    first = standing.get("input")
    sent: list[dict[str, Any]] = list(first) if is_list(first) else []
    if isinstance(first, str) and first:
        sent.append({"role": "user", "content": first})
    held: list[dict[str, Any]] = []
    for step in pair(map(_read, [*head, *tail]), set()):
        if step.kind == "model":
            items = [*held, *_answer(step)]
            end = len(items)
            while end and items[end - 1].get("type") == "reasoning":
                end -= 1
            sent.extend(items[:end])
            held = items[end:]
        else:
            held = []
            sent.extend(_other(step))
    fields = {name: value for name, value in standing.items() if name != "input"}
    return {name: well_formed(value) for name, value in {**fields, "input": sent}.items()}


def _read(message: Any) -> Said:
    items = items_of(message)
    answers = tuple((item["call_id"], item) for item in items if is_result(item))
    if answers:
        return Said("tools", message, answers=answers, beside=tuple(i for i in items if not is_result(i)))
    if any(kind_of(item) == "message" and item["role"] != "assistant" for item in items):
        return Said("user", message)
    return Said("model", message, calls=tuple((i["call_id"], i) for i in items if kind_of(i) in CALLED))


def _answer(step: Step) -> list[dict[str, Any]]:
    """The items of an answer, its calls under the ids given, without messages that say nothing."""
    ids = iter(step.ids)
    sent: list[dict[str, Any]] = []
    for item in items_of(step.value):
        if kind_of(item) in CALLED:
            id_ = next(ids)
            sent.append(item if item["call_id"] == id_ else {**item, "call_id": id_})
        elif kind_of(item) != "message" or item["content"]:
            sent.append(item)
    return sent


def _other(step: Step) -> list[dict[str, Any]]:
    value = step.value
    if step.kind == "user":
        return list(items_of(value))
    if step.kind == "answer":
        return [value if value["call_id"] == step.ids[0] else {**value, "call_id": step.ids[0]}]
    if step.kind == "missing":
        return [_made(str(kind_of(value)), step.ids[0])]
    if step.kind == "further":
        return [_shown(value, step.ids[0])]
    return [value]


def _made(kind: str, id_: str) -> dict[str, Any]:
    """A result for a call that has none."""
    made: dict[str, Any] = {"type": f"{kind}_output", "call_id": id_, "output": NO_RESULT}
    if kind == "computer_call":
        made["output"] = {"type": "computer_screenshot", "image_url": _NOTHING}
    elif kind == "shell_call":
        outcome = {"type": "exit", "exit_code": 1}
        made["output"] = [{"stdout": "", "stderr": NO_RESULT, "outcome": outcome}]
    elif kind == "apply_patch_call":
        made["status"] = "failed"
    elif kind == "local_shell_call":
        made["type"] = "function_call_output"
    return made


def _shown(item: dict[str, Any], id_: str) -> dict[str, Any]:
    """A result that has no place, as a message: its words as text, pictures and files behind it."""
    output = item.get("output", "")
    parts: list[Any] = output if is_list(output) else []
    media = [part for part in parts if is_object(part) and part.get("type") in ("input_image", "input_file")]
    text = text_of(output) if isinstance(output, str) or parts else compact(output)
    if not text and parts and not media:
        text = compact(parts)
    content = [{"type": "input_text", "text": out_of_place(id_, text)}, *media]
    return {"type": "message", "role": "user", "content": content}
