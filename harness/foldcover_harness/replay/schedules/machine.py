"""What every schedule shares: the setting, the bill, and how a request is paid.

Rule: the prompt is the standing part, the cover, the open tail. Of a request that reads P tokens, c are shared
with the conversation's request before: all of that prompt as long as only the tail grew, otherwise what stands
before the first place that changed. Bills hold the sums of P and c, so that every price follows from them.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from typing import Final, NamedTuple

from foldcover_harness.replay.covers import LINE
from foldcover_harness.replay.tape import Tape

SUMMARY: Final = 2000
"""Tokens of what a compaction writes."""
COVER_SHARE: Final = 10
"""The cover's budget is the window divided by this."""


class Setting(NamedTuple):
    """The standing part, the window, a line of the cover and a compaction's summary, in tokens."""

    standing: int = 15_000
    window: int = 100_000
    line: int = LINE
    summary: int = SUMMARY

    @property
    def nearly_full(self) -> int:
        """The smallest prompt that counts as nearly full: 0.92 of the window."""
        return -(-92 * self.window // 100)

    @property
    def budget(self) -> int:
        """The cover's budget: a tenth of the window, rounded down."""
        return self.window // COVER_SHARE


class Bill(NamedTuple):
    """What a schedule came to. `read` is the sum of all prompts, `shared` the part of it that each had in common
    with the request before, `written` what the schedule itself had a model write (summaries, merged lines), all in
    tokens. `prompts` and `hits` hold P and c of every request in order, compactions included; `rewrites` counts
    the requests that did not begin with the whole previous prompt; `blocked` counts the requests that were nearly
    full where nothing could help.
    """

    read: int
    shared: int
    written: int
    prompts: array[int]
    hits: array[int]
    rewrites: int
    compactions: int
    blocked: int

    @property
    def tenths(self) -> int:
        """The cost in tenths of a token-equivalent: a cached token counts one, every other ten."""
        return 10 * self.read - 9 * self.shared

    @property
    def cost(self) -> float:
        """The cost in token-equivalents."""
        return self.tenths / 10


class Schedule:
    """Nothing is done, ignoring the window; the others override what they do."""

    folds = False
    """Whether something is to be done when a unit closes."""

    def __init__(self, setting: Setting, tape: Tape) -> None:
        self.standing, self.line, self.summary = setting.standing, setting.line, setting.summary
        self.nearly_full = setting.nearly_full
        self.tape = tape
        self.lines: int = 0
        self.tail: int = 0
        # Where the prompt changed first since the last request, in tokens from its beginning; None while it only
        # grew.
        self.changed: int | None = None
        self.previous: int = 0
        self.read: int = 0
        self.shared: int = 0
        self.written: int = 0
        self.rewrites: int = 0
        self.compactions: int = 0
        self.blocked: int = 0
        self.prompts: array[int] = array("q")
        self.hits: array[int] = array("q")

    def grow(self, weight: int, calls: int) -> None:
        """Take in what was added to the open turn."""
        self.tail += weight

    def close(self) -> None:
        """A unit closes: a user's message began another turn."""

    def make_room(self, prompt: int, last: int) -> int:
        """Return the prompt after whatever is done about one that is nearly full."""
        return prompt

    def request(self, last: int) -> None:
        """Pay for one request. `last` is the weight of the last message before it."""
        prompt = self.standing + self.line * self.lines + self.tail
        if prompt >= self.nearly_full:
            prompt = self.make_room(prompt, last)
        self.pay(prompt)

    def reach(self, number: int, stop: int) -> int:
        """Return up to which request, `stop` at most, nothing is to be done from `number` on but to pay, where only
        the tail grows.
        """
        return stop

    def below(self, limit: int, number: int, stop: int) -> int:
        """Return the first request from `number` on, `stop` at most, whose prompt would not be below `limit`."""
        added = self.tape.added
        return bisect_left(added, limit - self.previous + added[number - 1], number, stop)

    def grew(self, number: int, stop: int) -> None:
        """Pay for the requests from `number` up to `stop`, before which only the tail grew. There was one before."""
        added = self.tape.added
        base = self.previous - added[number - 1]
        prompts = [base + tokens for tokens in added[number:stop]]
        read, last = sum(prompts), prompts[-1]
        self.read += read
        self.shared += self.previous + read - last
        self.hits.append(self.previous)
        self.hits.extend(prompts[:-1])
        self.prompts.extend(prompts)
        self.tail += added[stop - 1] - added[number - 1]
        self.previous = last

    def pay(self, prompt: int) -> None:
        """Pay for a request of the conversation."""
        shared = previous = self.previous
        if self.changed is not None:
            if self.changed < previous:
                shared = self.changed
                self.rewrites += 1
            self.changed = None
        self.read += prompt
        self.shared += shared
        self.prompts.append(prompt)
        self.hits.append(shared)
        self.previous = prompt

    def pay_aside(self, prompt: int) -> None:
        """Pay for a request beside the conversation, which shares nothing with it."""
        self.read += prompt
        self.prompts.append(prompt)
        self.hits.append(0)

    def edit(self, place: int) -> None:
        """Note that the prompt changed from `place` on, in tokens from its beginning."""
        if self.changed is None or place < self.changed:
            self.changed = place

    def edit_lines(self, kept: int) -> None:
        """Note that the first `kept` lines of the cover stay and what follows them changed."""
        self.edit(self.standing + self.line * kept)

    def bill(self) -> Bill:
        """Return what it came to."""
        return Bill(
            self.read,
            self.shared,
            self.written,
            self.prompts,
            self.hits,
            self.rewrites,
            self.compactions,
            self.blocked,
        )


class Compaction(Schedule):
    """When nearly full, one request reads all and leaves a summary plus the last message."""

    def reach(self, number: int, stop: int) -> int:
        """Up to the first request that is nearly full."""
        return self.below(self.nearly_full, number, stop)

    def make_room(self, prompt: int, last: int) -> int:
        """Compact the tail, unless there is nothing to gain."""
        left = prompt - self.tail + self.summary + last
        # Nothing is to be gained where the tail is no longer than what would be left of it; and never where
        # the standing part fills the window alone: then every request would be compacted, and each prompt
        # be nearly full again.
        if left >= prompt or self.standing + self.summary >= self.nearly_full:
            self.blocked += 1
            return prompt
        self.compact(prompt, last)
        return left

    def compact(self, prompt: int, last: int) -> None:
        """Pay for reading the whole prompt, and leave the summary and the last message of the tail."""
        self.pay(prompt)
        self.compactions += 1
        self.written += self.summary
        self.compacted(self.summary + last)
        self.edit_lines(self.lines)

    def compacted(self, tail: int) -> None:
        """Go on with a tail of so many tokens."""
        self.tail = tail
