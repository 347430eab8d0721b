"""The emergency: a summary takes the place of the tail when the tail alone nears the window.

Rule: standing part and cover stay as they are, byte for byte; the messages are archived first. At the end of a turn
the whole tail goes. Within a turn, before a request, its user's message stays word for word, and so does the
model's last answer with the results behind it: no call is parted from its result. Only where it can help: what is
too heavy without the rest is said, not shortened again and again. (Second post, "Compaction is still there, for one
case".)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from foldcover_harness.session.prompt import Load, open_entries, sent, tail
from foldcover_harness.session.settings import Settings
from foldcover_harness.session.state import Entry, State
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


class Emergency:
    """Compacts a session's tail when that must be.

    `weigh` says what the next request amounts to, or would with other messages for its tail; `archive` takes a summary
    and how many messages of the turn in progress stay behind its first, None where it is over; `fold` folds what was
    asked for, which goes first: it may be enough.
    """

    def __init__(
        self,
        state: State,
        settings: Settings,
        weigh: Callable[[Sequence[Message] | None], Load],
        summarize: Summarize | None,
        archive: Callable[[str, int | None], None],
        fold: Callable[[], None],
    ) -> None:
        self._state, self._settings = state, settings
        self._weigh, self._summarize, self._archive, self._fold = weigh, summarize, archive, fold
        self._seen: tuple[int, int] | None = None

    def before_request(self) -> tuple[bool, str] | None:
        """Compact what of a turn in progress can go, if need be: whether it was done, and what is to be said.

        None where there is nothing to look at: a log that did not grow since is not looked at again.
        """
        turns = self._state.turns
        entries = turns[-1].entries if turns else None
        if self._summarize is None or not entries or self._seen == (len(turns), len(entries)):
            return None
        done, why = self._compact(staying(entries), self._weigh(None))
        self._seen = (len(turns), len(turns[-1].entries or ()))
        return done, why

    def after_turn(self, load: Load, asked: bool = False) -> tuple[bool, str]:
        """Compact the whole tail, if the next request amounts to so much that it must be, or somebody `asked` for it:
        whether it was done, and what is to be said.
        """
        return self._compact(None, load, asked)

    def _compact(self, stay: int | None, load: Load, asked: bool = False) -> tuple[bool, str]:
        state = self._state
        why = "as asked" if asked else self._full(load)
        if why is None:
            return False, ""
        if state.asked:
            self._fold()
            return self._compact(stay, self._weigh(None), asked)
        full = "nothing was compacted" if asked else f"the prompt is nearly full ({why})"
        open_now = [*open_entries(state)]
        if not open_now:
            heavy = " with no turn open: the standing part or the cover is too heavy"
            return False, full + (": no turn is open" if asked else heavy)
        last = state.turns[-1].entries or []
        rest = self._weigh(sent(state.wire, [] if stay is None else [last[0], *last[len(last) - stay :]]))
        if self._full(rest) is not None or (stay is not None and len(open_now) == 1 + stay):
            alone = (
                "standing part and cover alone are"
                if stay is None
                else "it is without all that a summary could replace"
            )
            return False, f"{full}: {alone}, so no summary can help"
        if self._summarize is None:
            return False, f"{full}, and there is no summarize to compact the tail"
        try:
            summary = self._summarize(tail(state, len(open_now) - (stay or 0)))
        except Exception as error:  # whatever a caller's model raises, the session goes on as it was
            return False, f"{full}, and summarize raised {type(error).__name__}: {error}"
        if not isinstance(summary, str) or not summary.strip():
            return False, f"{full}, and summarize returned nothing"
        if utf8_size(summary) >= load.bytes - rest.bytes:
            return False, f"{full}, and what summarize returned is no shorter than the tail"
        self._archive(summary, stay)
        return True, "the tail was compacted" + ("" if asked else f": it was nearly full ({why})")

    def _full(self, load: Load) -> str | None:
        return nearly_full(load, self._state.factor, self._settings)


def staying(entries: Sequence[Entry]) -> int:
    """How many messages at the end of a turn in progress a compaction leaves where they are: the model's last answer
    and all that follows it.
    """
    at = len(entries)
    while at > 1 and entries[at - 1].role != "assistant":
        at -= 1
    while at > 1 and entries[at - 1].role == "assistant":
        at -= 1
    return len(entries) - at
