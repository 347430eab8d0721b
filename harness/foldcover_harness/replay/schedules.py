"""The seven schedules of spec/replay.md, each a small machine over the same tape.

Rule: the prompt is the standing part, the cover, the open tail. A request that reads P tokens, c of them
shared with the request before, costs 0.1 c + (P - c); what the model writes is not priced. c is the whole
previous prompt as long as only the tail grew; after an edit of the cover it ends where the cover's first
changed line began; after a compaction it is the standing part and the cover. A schedule overrides what it
does when a turn closes and when the prompt is nearly full; paying is the same for all.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from typing import Final, NamedTuple

from foldcover_harness.replay.covers import LINE, Covers
from foldcover_harness.replay.tape import Tape

SUMMARY: Final = 2000
"""Tokens of what a compaction writes."""
CARD_CALLS: Final = 20
CARD_TOKENS: Final = 100_000
COVER_SHARE: Final = 10
"""The cover's budget is the window divided by this."""


class Setting(NamedTuple):
    """The standing part and the window, in tokens."""

    standing: int = 15_000
    window: int = 100_000

    @property
    def nearly_full(self) -> int:
        """The smallest prompt that counts as nearly full: 0.92 of the window."""
        return -(-92 * self.window // 100)

    @property
    def budget(self) -> int:
        """The cover's budget: a tenth of the window, rounded down."""
        return self.window // COVER_SHARE


class Bill(NamedTuple):
    """What a schedule came to. `tenths` is the cost in tenths of a token-equivalent, `prompts` every
    request's prompt in order, compactions included; `rewrites` counts the requests that did not begin with
    the whole previous prompt; `blocked` counts the requests that were nearly full where compaction could
    not help.
    """

    tenths: int
    prompts: array[int]
    rewrites: int
    compactions: int
    blocked: int

    @property
    def cost(self) -> float:
        """The cost in token-equivalents."""
        return self.tenths / 10


class _Schedule:
    """Nothing is done, ignoring the window; the others override what they do."""

    def __init__(self, setting: Setting) -> None:
        self.standing = setting.standing
        self.nearly_full = setting.nearly_full
        self.budget = setting.budget
        self.lines: int = 0
        self.tail = 0
        # The number of lines that did not change since the last request; None while the whole prompt only
        # grew.
        self.kept: int | None = 0
        self.previous = 0
        self.tenths = 0
        self.rewrites = 0
        self.compactions = 0
        self.blocked = 0
        self.prompts: array[int] = array("q")

    def grow(self, weight: int, calls: int) -> None:
        """Take in what was added to the open turn."""
        self.tail += weight

    def close(self) -> None:
        """A user's message closed the turn before it."""

    def make_room(self, prompt: int, last: int) -> int:
        """Return the prompt after whatever is done about one that is nearly full."""
        return prompt

    def request(self, last: int) -> None:
        """Pay for one request. `last` is the weight of the last message before it."""
        prompt = self.standing + LINE * self.lines + self.tail
        if prompt >= self.nearly_full:
            prompt = self.make_room(prompt, last)
        self.pay(prompt)

    def pay(self, prompt: int) -> None:
        previous = self.previous
        if self.kept is None:
            shared = previous
        else:
            # The first request shares nothing: there is none before it.
            shared = self.standing + LINE * self.kept if previous else 0
            self.kept = None
        if shared < previous:
            self.rewrites += 1
        self.tenths += 10 * prompt - 9 * shared
        self.previous = prompt
        self.prompts.append(prompt)

    def edit(self, kept: int) -> None:
        """Note that the first `kept` lines of the cover stay and what follows them changed."""
        self.kept = kept if self.kept is None else min(self.kept, kept)

    def bill(self) -> Bill:
        return Bill(self.tenths, self.prompts, self.rewrites, self.compactions, self.blocked)


class _None(_Schedule):
    """Nothing, ignoring the window."""


class _Compaction(_Schedule):
    """When nearly full, one request reads all and leaves a summary plus the last message."""

    def make_room(self, prompt: int, last: int) -> int:
        left = prompt - self.tail + SUMMARY + last
        # Nothing is to be gained where the tail is no longer than what would be left of it; and never where
        # the standing part fills the window alone: then every request would be compacted, and each prompt
        # be nearly full again.
        if left >= prompt or self.standing + SUMMARY >= self.nearly_full:
            self.blocked += 1
            return prompt
        self.pay(prompt)
        self.compactions += 1
        self.compacted(SUMMARY + last)
        self.edit(self.lines)
        return left

    def compacted(self, tail: int) -> None:
        self.tail = tail


class _Close(_Compaction):
    """A turn becomes a title the moment it closes; the tail is compacted when nearly full all the same."""

    def close(self) -> None:
        self.edit(self.lines)
        self.lines += 1
        self.tail = 0


class _Merge4(_Close):
    """The same, and four adjacent titles become one line as soon as there are four."""

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self.titles = 0

    def close(self) -> None:
        super().close()
        self.titles += 1
        if self.titles == 4:
            self.titles = 0
            self.lines -= 3
            self.edit(self.lines - 1)


class _Rule(_Close):
    """The same, and the core settles the cover at a tenth of the window."""

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self.units = 0
        self.covers = Covers.at(self.budget)

    def close(self) -> None:
        super().close()
        self.units += 1
        self.lines, kept = self.covers.after(self.units)
        self.edit(kept)


class _Card(_Close):
    """Fold all closed turns as one unit, but only when the card would be shown."""

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self.calls = 0
        self.gathered = 0

    def grow(self, weight: int, calls: int) -> None:
        self.tail += weight
        self.gathered += weight
        self.calls += calls

    def close(self) -> None:
        if self.calls >= CARD_CALLS or self.gathered >= CARD_TOKENS:
            super().close()
            self.calls = self.gathered = 0


class _Oldest(_Compaction):
    """When nearly full, fold turn after turn from the oldest, until it fits."""

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self.closed: list[int] = []
        self.open = 0

    def grow(self, weight: int, calls: int) -> None:
        self.tail += weight
        self.open += weight

    def close(self) -> None:
        self.closed.append(self.open)
        self.open = 0

    def make_room(self, prompt: int, last: int) -> int:
        folded = 0
        while prompt >= self.nearly_full and folded < len(self.closed):
            self.tail -= self.closed[folded]
            prompt += LINE - self.closed[folded]
            folded += 1
        if folded:
            del self.closed[:folded]
            self.edit(self.lines)
            self.lines += folded
        return prompt if prompt < self.nearly_full else super().make_room(prompt, last)

    def compacted(self, tail: int) -> None:
        self.tail = self.open = tail


SCHEDULES: Final[dict[str, Callable[[Setting], _Schedule]]] = {
    "none": _None,
    "compaction": _Compaction,
    "close": _Close,
    "close+merge4": _Merge4,
    "rule": _Rule,
    "card": _Card,
    "oldest": _Oldest,
}


def price(tape: Tape, name: str, setting: Setting) -> Bill:
    """Return what the schedule called `name` comes to on `tape`. Raises KeyError for another name."""
    schedule = SCHEDULES[name](setting)
    grow, close, request = schedule.grow, schedule.close, schedule.request
    for parts, last in tape.steps:
        for closes, weight, calls in parts:
            if closes:
                close()
            grow(weight, calls)
        request(last)
    return schedule.bill()
