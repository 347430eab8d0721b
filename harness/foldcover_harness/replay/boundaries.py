"""Where units close: at every turn, where the topic shifts, where labels say so, or where a command does.

Rule: a boundary is the number of the turn after which a unit closes; the last turn stays open. A unit of several turns
is one turn with the first one's words, the last closing message and all calls, so that everything else goes on as ever.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import Final, NamedTuple

import msgspec

from foldcover_harness.transcripts.model import Turn

BLOCK: Final = 2
"""Turns on each side of a gap that are compared."""
LIMIT: Final = 60
"""Seconds that a command may take to judge one gap."""

# Short words are mostly those that every text has.
_WORD = re.compile(r"[^\W\d_]{4,}")


class Found(NamedTuple):
    """The boundaries, and at how many gaps the command failed, which kept them."""

    closes: frozenset[int]
    failed: int = 0


def every_turn(turns: list[Turn]) -> Found:
    """Return a boundary after each turn but the last."""
    return Found(frozenset(range(len(turns) - 1)))


def lexical(turns: list[Turn]) -> Found:
    """Return the gaps where the vocabulary shifts, after TextTiling (Hearst 1997).

    Each gap has the cosine between the words of the BLOCK turns on either side (user's and closing words, of four
    letters or more). Its depth is how far that lies below the nearest peak on the left and on the right. A boundary is
    a gap whose depth is above the mean less half a standard deviation. A turn whose user said no such word ("ok, go
    on") continues the one before.
    """
    said = [Counter(_words(turn.words)) for turn in turns]
    bags = [each + Counter(_words(turn.closing)) for each, turn in zip(said, turns, strict=True)]
    cosines = [
        _cosine(_sum(bags[max(0, gap + 1 - BLOCK) : gap + 1]), _sum(bags[gap + 1 : gap + 1 + BLOCK]))
        for gap in range(len(turns) - 1)
    ]
    depths = [_peak(cosines, gap, -1) + _peak(cosines, gap, 1) - 2 * cosines[gap] for gap in range(len(cosines))]
    if not depths:
        return Found(frozenset())
    mean = sum(depths) / len(depths)
    spread = math.sqrt(sum((depth - mean) ** 2 for depth in depths) / len(depths))
    return Found(
        frozenset(gap for gap, depth in enumerate(depths) if said[gap + 1] and depth > 0 and depth >= mean - spread / 2)
    )


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def _sum(bags: Iterable[Counter[str]]) -> Counter[str]:
    total: Counter[str] = Counter()
    for bag in bags:
        total.update(bag)
    return total


def _cosine(one: Counter[str], other: Counter[str]) -> float:
    both = sum(count * other[word] for word, count in one.items())
    sizes = sum(count**2 for count in one.values()) * sum(count**2 for count in other.values())
    return both / math.sqrt(sizes) if sizes else 0.0


def _peak(cosines: list[float], gap: int, way: int) -> float:
    """Return the height of the nearest peak in one direction: as far as it goes up."""
    height = cosines[gap]
    at = gap + way
    while 0 <= at < len(cosines) and cosines[at] >= height:
        height = cosines[at]
        at += way
    return height


def asked(command: str) -> Callable[[list[Turn]], Found]:
    """Return boundaries as a command judges them: see `_judge`. Raises ValueError where there is no such command."""
    import shlex
    import shutil

    words = shlex.split(command)
    if not words:
        raise ValueError("it is empty")
    if shutil.which(words[0]) is None:
        raise ValueError(f"there is no program {words[0]!r}")

    def judge(turns: list[Turn]) -> Found:
        verdicts = [_judge(words, before, after) for before, after in pairwise(turns)]
        closes = frozenset(gap for gap, verdict in enumerate(verdicts) if verdict != "same")
        return Found(closes, verdicts.count(None))

    return judge


def _judge(command: list[str], before: Turn, after: Turn) -> str | None:
    """Hand two adjacent turns to the command as one JSON object, and return "same" or "new"; None for anything else."""
    question = msgspec.json.encode(
        {
            side: {"words": turn.words, "closing": turn.closing, "tool_calls": turn.calls}
            for side, turn in (("before", before), ("after", after))
        }
    )
    import subprocess

    try:
        done = subprocess.run(command, input=question, capture_output=True, timeout=LIMIT, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    answer = done.stdout.decode("utf-8", "replace").strip()
    return answer if done.returncode == 0 and answer in ("same", "new") else None


def units(turns: list[Turn], closes: frozenset[int]) -> list[Turn]:
    """Return the units: runs of turns, each as one turn."""
    found: list[Turn] = []
    for number, turn in enumerate(turns):
        if not found or number - 1 in closes:
            found.append(Turn(turn.at, turn.words, turn.closing, turn.calls, turn.conclusion))
            continue
        unit = found[-1]
        unit.calls += turn.calls
        if turn.conclusion is not None:
            unit.closing, unit.conclusion = turn.closing, turn.conclusion
    return found


class Agreement(NamedTuple):
    """How far found boundaries are from labelled ones. `distance` sums, over the boundaries of both, how many turns
    away the nearest of the other is, as far as both have any.
    """

    found: int = 0
    labelled: int = 0
    common: int = 0
    distance: int = 0
    measured: int = 0

    @property
    def precision(self) -> float | None:
        """The share of the found ones that are labelled."""
        return self.common / self.found if self.found else None

    @property
    def recall(self) -> float | None:
        """The share of the labelled ones that were found."""
        return self.common / self.labelled if self.labelled else None

    @property
    def mean_distance(self) -> float | None:
        """The mean distance to the nearest of the other, in turns."""
        return self.distance / self.measured if self.measured else None

    def plus(self, other: Agreement) -> Agreement:
        """Return both together."""
        return Agreement(*(one + more for one, more in zip(self, other, strict=True)))


def agreement(found: frozenset[int], labelled: frozenset[int]) -> Agreement:
    """Compare two sets of boundaries of one transcript."""
    distances = (
        [
            min(abs(each - other) for other in theirs)
            for ours, theirs in ((found, labelled), (labelled, found))
            for each in ours
        ]
        if found and labelled
        else []
    )
    return Agreement(len(found), len(labelled), len(found & labelled), sum(distances), len(distances))
