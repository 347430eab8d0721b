"""OpenAI's Responses API.

Rule: `read` is pure. The answer is the list of output items of the response that the last event brings, as they are:
encrypted reasoning, ids, unknown items. Deltas are only shown. An answer is whole when response.completed came, or
response.incomplete: then it ended early, for the reason given.
"""

from __future__ import annotations

from typing import Any, Final

from foldcover_harness.models.errors import Broken, of_event
from foldcover_harness.models.model import Answer, ModelError, Show, Usage
from foldcover_harness.models.remote import Events
from foldcover_harness.session.wires.values import is_list, is_object, number

PATH: Final = "/responses"
_TEXTS: Final = ("response.output_text.delta", "response.refusal.delta")
_THOUGHTS: Final = ("response.reasoning_summary_text.delta", "response.reasoning_text.delta")


def read(events: Events, show: Show) -> Answer:
    """The answer out of its events."""
    done: list[Any] = []
    for event in events:
        kind = event.get("type")
        if kind in _TEXTS and isinstance(event.get("delta"), str):
            show("text", event["delta"])
        elif kind in _THOUGHTS and isinstance(event.get("delta"), str):
            show("thinking", event["delta"])
        elif kind == "response.output_item.done":
            done.append(event.get("item"))
        elif kind in ("response.completed", "response.incomplete"):
            return _answer(event.get("response"), done)
        elif kind == "response.failed":
            response = event.get("response")
            raise of_event(response.get("error") if is_object(response) else None)
        elif kind == "error":
            raise of_event(event)
    raise Broken("the answer broke off before its end")


def usage_of(said: Any) -> Usage | None:
    """What the provider counted; None where it did not say."""
    if not is_object(said) or not isinstance(said.get("input_tokens"), int):
        return None
    details = said.get("input_tokens_details")
    cached = details.get("cached_tokens") if is_object(details) else None
    return Usage(said["input_tokens"], number(cached), number(said.get("output_tokens")))


def _answer(response: Any, done: list[Any]) -> Answer:
    if not is_object(response):
        raise ModelError("an answer without a response came")
    output = response.get("output")
    items: list[Any] = output if is_list(output) and output else done  # some servers leave the list empty
    if not all(is_object(item) for item in items):
        raise ModelError("an answer came whose items are not objects")
    details = response.get("incomplete_details")
    why = details.get("reason") if is_object(details) else None
    return Answer(items, usage_of(response.get("usage")), str(why or response.get("status") or "completed"))
