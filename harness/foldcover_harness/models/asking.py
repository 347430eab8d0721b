"""One text for one prompt, on whichever wire the model has.

Rule: one request without tools and without history. Who asks gets words, or a ModelError: an answer without words is
none.
"""

from __future__ import annotations

from threading import Event
from typing import Any

from foldcover_harness.models.model import Answer, Model, ModelError, Refused
from foldcover_harness.session.wires import WIRES


def ask(model: Model, system: str, words: str, most_tokens: int, stop: Event | None = None) -> str:
    """The model's words, at most `most_tokens` long; cut off there, if it had more to say. Raises ModelError."""
    named = {"model": model.id}
    said = {"role": "user", "content": words}
    if model.wire == "anthropic":
        body: dict[str, Any] = {"max_tokens": most_tokens, "system": system, "messages": [said], **named}
        answer = model.answer(body, stop=stop)
    elif model.wire == "responses":
        body = {"max_output_tokens": most_tokens, "store": False, "instructions": system, "input": [said], **named}
        answer = model.answer(body, stop=stop)
    else:
        answer = _chat(model, {"messages": [{"role": "system", "content": system}, said], **named}, most_tokens, stop)
    found = WIRES[model.wire].said(answer.message).strip()
    if not found:
        raise ModelError(f"{model.name}: said nothing (it ended with {answer.stopped})")
    return found


def _chat(model: Model, body: dict[str, Any], most_tokens: int, stop: Event | None) -> Answer:
    """The answer of a model of Chat Completions.

    Every server knows max_tokens, but OpenAI's newer models refuse it and name max_completion_tokens, which other
    servers pass over in silence. So the first is asked for first: what is refused can be corrected, what is passed
    over cannot be noticed.
    """
    try:
        return model.answer({"max_tokens": most_tokens, **body}, stop=stop)
    except Refused as refused:
        if "max_completion_tokens" not in str(refused):
            raise
        return model.answer({"max_completion_tokens": most_tokens, **body}, stop=stop)
