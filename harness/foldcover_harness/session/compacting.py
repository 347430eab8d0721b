"""The emergency: a summary takes the place of the tail when the tail alone nears the window.

Rule: standing part and cover stay as they are, byte for byte; the messages are archived first; at most once a turn, and
only where it can help: a standing part or cover that is too heavy by itself is said, not shortened again and again.
(Second post, "Compaction is still there, for one case".)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from foldcover_harness.session.prompt import Load, tail
from foldcover_harness.session.settings import Settings
from foldcover_harness.session.state import State
from foldcover_harness.session.wires.wire import Message
from foldcover_harness.transcripts.model import utf8_size

Summarize = Callable[[Sequence[Message]], str]
"""Writes the summary of the tail for the emergency: it is given the tail's messages, an earlier summary first."""


def nearly_full(load: Load, factor: float, settings: Settings) -> str | None:
    """By what measure the next request is nearly full, in words; None if it is not."""
    tokens = int(load.tokens * factor)
    if tokens >= settings.full * settings.window:
        return f"about {tokens:,} of {settings.window:,} tokens"
    if load.bytes >= settings.bytes:
        return f"{load.bytes:,} bytes"
    return f"{load.images} images" if load.images >= settings.images else None


def compact(
    state: State,
    load: Load,
    fixed: Callable[[], Load],
    factor: float,
    settings: Settings,
    summarize: Summarize | None,
    archive: Callable[[str], None],
) -> tuple[bool, str]:
    """Compact if need be; `fixed` is asked what a prompt without a tail amounts to. Whether it was done, and what is to
    be said.
    """
    full = nearly_full(load, factor, settings)
    if full is None:
        return False, ""
    if not any(turn.open for turn in state.turns):
        return (
            False,
            f"the prompt is nearly full ({full}) with no turn open: the standing part or the cover is too heavy",
        )
    if nearly_full(alone := fixed(), factor, settings) is not None:
        return False, f"the prompt is nearly full ({full}): standing part and cover alone are, so no summary can help"
    if summarize is None:
        return False, f"the prompt is nearly full ({full}), and there is no summarize to compact the tail"
    try:
        summary = summarize(tail(state))
    except Exception as error:  # whatever a caller's model raises, the session goes on as it was
        return False, f"the prompt is nearly full ({full}), and summarize raised {type(error).__name__}: {error}"
    if not isinstance(summary, str) or not summary.strip():
        return False, f"the prompt is nearly full ({full}), and summarize returned nothing"
    if utf8_size(summary) >= load.bytes - alone.bytes:
        return False, f"the prompt is nearly full ({full}), and what summarize returned is no shorter than the tail"
    archive(summary)
    return True, f"the tail was compacted: it was nearly full ({full})"
