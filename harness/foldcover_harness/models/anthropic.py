"""Anthropic's Messages API.

Rule: `read` is pure. A block is what its start said and its deltas added, whatever its type; signed and sealed blocks
are never looked into. An answer is whole when message_stop came. Unknown events say nothing of the message and are
passed over, as the API asks; an unknown delta is a part of the message, so it is an error.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final, Literal, NamedTuple

from foldcover_harness.models.errors import Broken, of_event
from foldcover_harness.models.model import Answer, ModelError, Show, Usage
from foldcover_harness.models.remote import Events
from foldcover_harness.session.wires.values import is_object, not_json, number

PATH: Final = "/v1/messages"
_SHOWN: Final[Mapping[str, Literal["text", "thinking"]]] = {"text": "text", "thinking": "thinking"}
_GROWS: Final[Mapping[str, Literal["text", "thinking"]]] = {"text_delta": "text", "thinking_delta": "thinking"}
_UNREADABLE: Final = "INVALID_JSON"
"""The field in which the API wants an input back that is not JSON (an answer cut off within a call): the input of a
call must be an object. No tool of ours has it, so such a call is never run."""


def read(events: Events, show: Show) -> Answer:
    """The answer out of its events."""
    draft = _Draft()
    for event in events:
        kind = event.get("type")
        if kind == "error":
            raise of_event(event)
        try:
            said = draft.take(kind, event)
            content = draft.content() if kind == "message_stop" and draft.stopped else None
        except (KeyError, TypeError, ValueError, AttributeError) as fault:
            raise ModelError(f"an event {kind} that makes no sense came") from fault
        if said is not None and said.text:
            show(said.kind, said.text)
        if content is not None:
            return Answer({"role": "assistant", "content": content}, usage_of(draft.counted), draft.stopped)
    raise Broken("the answer broke off before its end")


def usage_of(counted: dict[str, Any]) -> Usage | None:
    """What was counted: the input, what was written to the cache and what was read from it make the prompt."""
    names = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens")
    plain, written, cached, output = (number(counted.get(name)) for name in names)
    return Usage(plain + written + cached, cached, output) if "input_tokens" in counted else None


class _Said(NamedTuple):
    kind: Literal["text", "thinking"]
    text: str


class _Draft:
    """A message as it grows."""

    def __init__(self) -> None:
        self.blocks: dict[int, dict[str, Any]] = {}
        self.inputs: dict[int, str] = {}
        self.counted: dict[str, Any] = {}
        self.stopped = ""

    def take(self, kind: Any, event: dict[str, Any]) -> _Said | None:
        """Take an event in; what is to be shown of it."""
        if kind == "message_start":
            self.counted.update(event["message"].get("usage") or {})
        elif kind == "content_block_start":
            block = self.blocks[event["index"]] = dict(event["content_block"])
            if block["type"] in _SHOWN:
                return _Said(_SHOWN[block["type"]], block.get(block["type"]) or "")
        elif kind == "content_block_delta":
            return self._grow(event["index"], event["delta"])
        elif kind == "message_delta":
            self.stopped = str(event["delta"].get("stop_reason") or self.stopped)
            counts: dict[str, Any] = event.get("usage") or {}
            self.counted.update({name: value for name, value in counts.items() if value is not None})
        return None

    def content(self) -> list[dict[str, Any]]:
        """The blocks, in order."""
        return [_whole(self.blocks[number], self.inputs.get(number)) for number in sorted(self.blocks)]

    def _grow(self, number: int, delta: dict[str, Any]) -> _Said | None:
        block, kind = self.blocks[number], delta["type"]
        if kind in _GROWS:
            name = _GROWS[kind]
            block[name] = block.get(name, "") + delta[name]
            return _Said(name, delta[name])
        if kind == "input_json_delta":
            self.inputs[number] = self.inputs.get(number, "") + delta["partial_json"]
        elif kind == "signature_delta":
            block["signature"] = delta["signature"]
        elif kind == "citations_delta":
            block["citations"] = [*(block.get("citations") or ()), delta["citation"]]
        else:
            raise ModelError(f"a part of an answer came that is unknown here: {kind}")
        return None


def _whole(block: dict[str, Any], text: str | None) -> dict[str, Any]:
    """The block with the input that came in pieces; no pieces, or empty ones, leave the input that it began with."""
    if not text:
        return block
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    readable = is_object(found) and not_json(found) is None
    return {**block, "input": found if readable else {_UNREADABLE: text}}
