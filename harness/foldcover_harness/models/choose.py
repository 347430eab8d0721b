"""Which model a name means.

Rule: a name says the wire, then the model: anthropic:NAME, openai:NAME (Chat Completions, with a base URL on any server
that speaks them), responses:NAME, local or local:FILE.gguf. Everything that can be wrong before the first request is
said here.
"""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import Final

from foldcover_harness.models import anthropic, chat, clients, responses
from foldcover_harness.models.model import Model, ModelError
from foldcover_harness.models.remote import Remote
from foldcover_harness.models.retrying import Retries

SILENCE: Final = 120.0
"""Seconds without a piece of an answer after which it counts as broken off."""
PROVIDERS: Final = ("anthropic", "openai", "responses")
FORMS: Final = "anthropic:NAME, openai:NAME, responses:NAME, local or local:FILE.gguf"


def kind_of(name: str) -> str:
    """What a name begins with: anthropic, openai, responses or local. A bare name is openai's."""
    kind = name.partition(":")[0]
    return kind if kind in (*PROVIDERS, "local") else "openai"


def choose(
    name: str, *, base_url: str | None = None, timeout: float = SILENCE, retries: Retries | None = None
) -> Model:
    """The model of a name. A bare NAME with a base URL is openai:NAME. ModelError where it cannot be asked.

    `timeout`: seconds of silence. Without `base_url` the providers' own variables count (OPENAI_BASE_URL,
    ANTHROPIC_BASE_URL).
    """
    if not (math.isfinite(timeout) and timeout > 0):
        raise ModelError(f"{timeout:g} is no number of seconds to wait for an answer")
    kind, colon, model = name.partition(":")
    if kind == "local" and (not colon or model):
        from foldcover_harness.models.local import Local

        return Local(Path(os.path.expanduser(model)) if model else None)
    provider = kind in PROVIDERS
    if not provider and base_url and name:
        kind, model = "openai", name
    elif not provider or not model.strip():
        raise ModelError(f"{name!r} names no model: {FORMS}")
    often = Retries() if retries is None else retries
    try:
        if kind == "anthropic":
            place, opened = clients.anthropic(anthropic.PATH, base_url, timeout)
            return Remote(name, model, place, opened, anthropic.read, wire="anthropic", retries=often)
        if kind == "responses":
            place, opened = clients.openai(responses.PATH, base_url, timeout)
            return Remote(name, model, place, opened, responses.read, wire="responses", retries=often)
        place, opened = clients.openai(chat.PATH, base_url, timeout)
        return Remote(name, model, place, opened, chat.read, wire="chat", extra=chat.EXTRA, retries=often)
    except ModelError as error:
        raise ModelError(f"{name}: {error}") from error
