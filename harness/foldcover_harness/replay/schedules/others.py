"""What other agents do: old tool results cleared, old messages dropped or summarised, and what was recorded.

Rule: places are tokens from the beginning of the conversation as it was recorded (`Tape.results`,
`Tape.messages`). `added` less the tail is what is gone, and all of it stood before whatever is still there; so a
place, less what is gone, is a place in the tail. Defaults are those of the tools that are named in spec/replay.md.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import Final

from foldcover_harness.replay.schedules.machine import Compaction, Setting
from foldcover_harness.replay.tape import Tape

PLACEHOLDER: Final = 10
"""Tokens that stay of a cleared tool result; one that is no longer stays as it is."""
TRIM_KEEP: Final = 5
CLEAR_KEEP: Final = 3
CLEAR_TRIGGER: Final = 100_000
HALF_EVENTS: Final = 240
HALF_FIRST: Final = 2


class Placed(Compaction):
    """A schedule that knows how much was added in all, and which request comes next."""

    def __init__(self, setting: Setting, tape: Tape) -> None:
        super().__init__(setting, tape)
        self.added = 0
        self.step = 0

    def grow(self, weight: int, calls: int) -> None:
        """Take in what was added."""
        self.tail += weight
        self.added += weight

    def grew(self, number: int, stop: int) -> None:
        """Take in what was added, and go on after it."""
        super().grew(number, stop)
        self.added += self.tape.added[stop - 1] - self.tape.added[number - 1]
        self.step = stop


class Trim(Placed):
    """Before every request all but the last few tool results are cleared; compaction as ever."""

    keep = TRIM_KEEP

    def __init__(self, setting: Setting, tape: Tape) -> None:
        super().__init__(setting, tape)
        self.results, self.before = tape.results, tape.results_before
        self.cleared = 0

    def reach(self, number: int, stop: int) -> int:
        """Nowhere: there may be something to do before every request."""
        return number

    def due(self) -> bool:
        """Whether it is time to clear."""
        return True

    def request(self, last: int) -> None:
        """Clear what is due, then go on as ever."""
        stop = self.before[self.step] - self.keep
        self.step += 1
        if self.cleared < stop and self.due():
            saved = 0
            for place, weight in self.results[self.cleared : stop]:
                if weight > PLACEHOLDER:
                    if not saved:
                        self.edit(self.standing + place - self.added + self.tail)
                    saved += weight - PLACEHOLDER
            self.tail -= saved
            self.cleared = stop
        prompt = self.standing + self.tail
        if prompt >= self.nearly_full:
            prompt = self.make_room(prompt, last)
        self.pay(prompt)

    def make_room(self, prompt: int, last: int) -> int:
        """Compact the tail; what was cleared of the last message stays cleared."""
        results = self.results
        saved, index = 0, self.cleared
        while index and results[index - 1][0] >= self.added - last:
            index -= 1
            saved += max(0, results[index][1] - PLACEHOLDER)
        return super().make_room(prompt, last - saved)

    def compact(self, prompt: int, last: int) -> None:
        """Let the results of the old tail go with it."""
        super().compact(prompt, last)
        self.cleared = max(self.cleared, bisect_left(self.results, (self.added - last,)))


class Clear(Trim):
    """The same, but only above a trigger."""

    keep = CLEAR_KEEP

    def reach(self, number: int, stop: int) -> int:
        """Up to the first request above the trigger, or nearly full."""
        return self.below(min(CLEAR_TRIGGER + 1, self.nearly_full), number, stop)

    def due(self) -> bool:
        """Whether the prompt is above the trigger, or nearly full."""
        prompt = self.standing + self.tail
        return prompt > CLEAR_TRIGGER or prompt >= self.nearly_full


class Half(Placed):
    """Above so many events, or when nearly full: the first few and the newer half stay, a summary stands for what
    was between. The standing part is the first event, every message one more.
    """

    def __init__(self, setting: Setting, tape: Tape) -> None:
        super().__init__(setting, tape)
        self.first = HALF_FIRST - 1
        self.kept = self.first  # the message from which on all are there
        self.condensed = False

    def reach(self, number: int, stop: int) -> int:
        """Up to the first request that is nearly full, or has more events than may be."""
        most = HALF_EVENTS - self.first - self.condensed + self.kept
        return self.below(self.nearly_full, number, bisect_left(self.tape.messages_before, most, number, stop))

    def request(self, last: int) -> None:
        """Condense as often as it takes, then pay."""
        messages = self.tape.messages_before[self.step]
        self.step += 1
        events = self.events(messages)
        if events > HALF_EVENTS:
            self.condense(messages, HALF_EVENTS // 2, must_gain=False)
        while self.standing + self.tail >= self.nearly_full:
            if not self.condense(messages, self.events(messages) // 2, must_gain=True):
                self.blocked += 1
                break
        self.pay(self.standing + self.tail)

    def events(self, messages: int) -> int:
        """Return how many events the prompt has after so many messages."""
        return 1 + min(messages, self.first) + self.condensed + max(0, messages - self.kept)

    def condense(self, messages: int, target: int, must_gain: bool) -> bool:
        """Shorten to `target` events, the last message at least; return whether that was possible."""
        kept = messages - max(1, target - HALF_FIRST - 1)
        if kept <= self.kept:
            return False
        places = self.tape.messages
        forgotten = places[kept] - places[self.kept] + (self.summary if self.condensed else 0)
        if must_gain and (forgotten <= self.summary or self.standing + self.summary >= self.nearly_full):
            return False
        self.pay_aside(forgotten)
        self.compactions += 1
        self.written += self.summary
        self.edit(self.standing + places[self.first])
        self.tail += self.summary - forgotten
        self.kept, self.condensed = kept, True
        return True


class Sliding(Placed):
    """When nearly full, the oldest messages go until it is not; the last one stays."""

    def __init__(self, setting: Setting, tape: Tape) -> None:
        super().__init__(setting, tape)
        self.dropped = 0

    def request(self, last: int) -> None:
        """Drop what must go, then pay."""
        last_message = self.tape.messages_before[self.step] - 1
        self.step += 1
        places = self.tape.messages
        room = self.nearly_full - self.standing
        if self.tail >= room:
            first = min(bisect_right(places, self.added - room), last_message)
            if first > self.dropped:
                self.dropped = first
                self.tail = self.added - places[first]
                self.edit(self.standing)
            if self.tail >= room:
                self.blocked += 1
        self.pay(self.standing + self.tail)


class Recorded(Placed):
    """Compaction where the transcript's own tool compacted, and nowhere else."""

    def reach(self, number: int, stop: int) -> int:
        """Up to the next of its compactions."""
        return min(stop, *(each for each in self.tape.compactions if each >= number), stop)

    def request(self, last: int) -> None:
        """Compact where it was done, then pay."""
        if self.step in self.tape.compactions:
            self.compact(self.standing + self.tail, last)
        self.step += 1
        self.pay(self.standing + self.tail)
