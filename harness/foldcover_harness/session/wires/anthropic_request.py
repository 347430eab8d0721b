"""The body of a request to Anthropic's Messages API.

Rule: a message goes out with its role and its content, a list of blocks even where it came as a text (the same tokens,
and what is later joined to it or marked on it changes no byte before). Blocks go out as they came, but for copies of
those that the API refuses: blank text blocks and thinking that was never signed (an aborted stream) are left out, the
caller's own cache_control on messages is taken off (its places move, and only four are allowed), an id that was used
before in the request gets a number. Signed thinking is never touched.

Everything is a function of the log up to its place, but for cache_control, which a comparison of prefixes must ignore.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from foldcover_harness.session.wires.pairing import NO_RESULT, Said, Step, out_of_place, pair
from foldcover_harness.session.wires.values import blank, compact, is_list, is_object, well_formed, without

BEGINNING: Final = "(The conversation begins with words of the model.)"
"""The user's side where a log begins with the model's: the first message must be the user's."""
ENDED: Final = "(The answer ended here.)"
"""Stands behind thinking that nothing followed: thinking may not be the last block."""
SILENT_FAILURE: Final = "(the call failed and said nothing)"
CACHED: Final = {"type": "ephemeral"}
MOST_BREAKPOINTS: Final = 4
_MARKED: Final = ("text", "image", "document", "tool_use", "tool_result")
"""Blocks that may carry a breakpoint."""
_SHOWN: Final = ("image", "document", "search_result")
"""Blocks of a result that may stand in a user message as they are."""
_SERVER_CALLS: Final = ("server_tool_use", "mcp_tool_use")


def is_server_result(kind: str) -> bool:
    """Whether blocks of that type answer a call of the server's own tools."""
    return kind.endswith("_tool_result")


def body(standing: Mapping[str, Any], head: Sequence[Any], tail: Sequence[Any]) -> dict[str, Any]:
    """The body: the standing fields, then the messages."""
    found = {name: value for name, value in standing.items() if name != "messages"}
    first = standing.get("messages")
    draft = _Draft()
    draft.extend([*(first if is_list(first) else ()), *head])
    end_of_head = draft.end()
    draft.extend(tail)
    left = MOST_BREAKPOINTS - _breakpoints(found)
    marks = [] if found.get("cache_control") else [draft.end()]
    if head and end_of_head not in marks:
        marks.append(end_of_head)
    for place in marks[: max(left, 0)]:
        draft.mark(place)
    _mark_standing(found)
    return {name: well_formed(value) for name, value in found.items()} | {"messages": draft.messages}


class _Draft:
    """The messages as they grow: neighbours of one role are joined as they come."""

    def __init__(self) -> None:
        self.messages: list[dict[str, Any]] = []
        self.seen: set[str] = set()
        self.server: dict[str, dict[str, Any]] = {}

    def extend(self, log: Iterable[Any]) -> None:
        for step in pair(map(_read, log), self.seen):
            self.take(step)

    def take(self, step: Step) -> None:
        value = step.value
        opens = step.kind in ("further", "beside") and bool(self.messages) and self.messages[-1]["role"] == "assistant"
        if step.kind == "user" or opens:
            # A server's tool may wait for results of ours, not for words.
            self.add("assistant", [_unanswered(call) for call in self.server.values()])
            self.server = {}
        if step.kind == "user":
            self.add("user", _plain(value))
        elif step.kind == "model":
            self.add("assistant", self.answer_of(value, step.ids))
        elif step.kind == "answer":
            self.add("user", [_result(value, step.ids[0])])
        elif step.kind == "missing":
            made = {"type": "tool_result", "tool_use_id": step.ids[0], "content": NO_RESULT, "is_error": True}
            self.add("user", [made])
        elif step.kind == "further":
            self.add("user", _as_text(value, step.ids[0]))
        else:
            self.add("user", _kept([value]))

    def add(self, role: str, blocks: Iterable[dict[str, Any]]) -> None:
        added: list[dict[str, Any]] = [well_formed(block) for block in blocks]
        if not added:
            return
        if not self.messages and role == "assistant":
            self.add("user", [{"type": "text", "text": BEGINNING}])
        if self.messages and self.messages[-1]["role"] == role:
            self.messages[-1]["content"].extend(added)
            return
        if role == "user" and self.messages:
            before: list[dict[str, Any]] = self.messages[-1]["content"]
            if _is_thinking(before[-1]):
                before.append({"type": "text", "text": ENDED})
        self.messages.append({"role": role, "content": added})

    def answer_of(self, message: Any, ids: tuple[str, ...]) -> list[dict[str, Any]]:
        """The blocks of an answer of the model, its calls under the ids given."""
        names = iter(ids)
        sent: list[dict[str, Any]] = []
        for block in _plain(message):
            kind = block["type"]
            if kind == "tool_use":
                name = next(names)
                block = block if block["id"] == name else {**block, "id": name}
            elif kind in _SERVER_CALLS:
                self.server[block["id"]] = block
            elif is_server_result(kind) and self.server.pop(str(block.get("tool_use_id")), None) is None:
                continue
            sent.append(block)
        return sent

    def end(self) -> tuple[int, int]:
        """The place of the last block: its message's number and its own."""
        return (len(self.messages) - 1, len(self.messages[-1]["content"]) - 1) if self.messages else (-1, -1)

    def mark(self, place: tuple[int, int]) -> None:
        """Put a breakpoint on a copy of the last block up to there that may have one."""
        number, last = place
        if number < 0:
            return
        content: list[dict[str, Any]] = self.messages[number]["content"]
        for at in range(last, -1, -1):
            if content[at]["type"] in _MARKED:
                content[at] = {**content[at], "cache_control": CACHED}
                return


def _read(message: Any) -> Said:
    content = message["content"]
    blocks: list[dict[str, Any]] = content if is_list(content) else []
    if message["role"] == "assistant":
        return Said("model", message, calls=tuple((b["id"], b) for b in blocks if b["type"] == "tool_use"))
    answers = tuple((block["tool_use_id"], block) for block in blocks if block["type"] == "tool_result")
    if not answers:
        return Said("user", message)
    return Said("tools", message, answers=answers, beside=tuple(b for b in blocks if b["type"] != "tool_result"))


def _plain(message: Any) -> list[dict[str, Any]]:
    content = message["content"]
    return _kept([{"type": "text", "text": content}] if isinstance(content, str) else content)


def _kept(blocks: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """The blocks that the API takes, without the caller's breakpoints."""
    taken = (block for block in blocks if not (block["type"] == "text" and blank(block["text"])))
    signed = (block for block in taken if block["type"] != "thinking" or not blank(block.get("signature")))
    return [block if _is_thinking(block) else without(block, "cache_control") for block in signed]


def _is_thinking(block: Mapping[str, Any]) -> bool:
    return block["type"] in ("thinking", "redacted_thinking")


def _result(block: dict[str, Any], id_: str) -> dict[str, Any]:
    sent = without(block, "cache_control")
    if sent["tool_use_id"] != id_:
        sent = {**sent, "tool_use_id": id_}
    content = sent.get("content", "")
    if is_list(content):
        kept = _kept(content)
        if len(kept) != len(content) or any(new is not old for new, old in zip(kept, content, strict=True)):
            sent = {**sent, "content": kept}
        content = kept
    if sent.get("is_error") is True and (not content if is_list(content) else blank(content)):
        sent = {**sent, "content": SILENT_FAILURE}
    return sent


def _as_text(block: dict[str, Any], id_: str) -> list[dict[str, Any]]:
    """A result that has no place, as text; what is not text behind it."""
    content = block.get("content", "")
    parts = _kept([{"type": "text", "text": content}] if isinstance(content, str) else content)
    words = [part["text"] if part["type"] == "text" else compact(part) for part in parts if part["type"] not in _SHOWN]
    shown = [part for part in parts if part["type"] in _SHOWN]
    return [{"type": "text", "text": out_of_place(id_, "\n".join(words))}, *shown]


def _unanswered(call: dict[str, Any]) -> dict[str, Any]:
    """A result for a call of the server's own tools that never came."""
    id_, name = call["id"], call["name"]
    if call["type"] == "mcp_tool_use":
        said = [{"type": "text", "text": NO_RESULT}]
        return {"type": "mcp_tool_result", "tool_use_id": id_, "is_error": True, "content": said}
    kind = "tool_search_tool_result" if name.startswith("tool_search_tool") else f"{name}_tool_result"
    return {"type": kind, "tool_use_id": id_, "content": {"type": f"{kind}_error", "error_code": "unavailable"}}


def _breakpoints(standing: Mapping[str, Any]) -> int:
    places: list[Any] = [dict(standing)]
    for name in ("system", "tools"):
        found = standing.get(name)
        places.extend(found if is_list(found) else ())
    return sum(1 for place in places if is_object(place) and place.get("cache_control"))


def _mark_standing(body_: dict[str, Any]) -> None:
    """Put a breakpoint behind the standing part, unless the caller set its own there: so one is always left for it."""
    if _breakpoints(without(body_, "cache_control")):
        return
    system, tools = body_.get("system"), body_.get("tools")
    if isinstance(system, str) and not blank(system):
        body_["system"] = [{"type": "text", "text": system, "cache_control": CACHED}]
    elif is_list(system) and system and is_object(system[-1]) and not blank(system[-1].get("text")):
        body_["system"] = [*system[:-1], {**system[-1], "cache_control": CACHED}]
    elif is_list(tools) and tools and is_object(tools[-1]) and not tools[-1].get("defer_loading"):
        body_["tools"] = [*tools[:-1], {**tools[-1], "cache_control": CACHED}]
