"""The wire formats that a session can speak, by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from foldcover_harness.session.wires.anthropic import Anthropic
from foldcover_harness.session.wires.chat import Chat
from foldcover_harness.session.wires.responses import Responses
from foldcover_harness.session.wires.wire import Wire

WIRES: Final[Mapping[str, Wire]] = {"anthropic": Anthropic(), "chat": Chat(), "responses": Responses()}
