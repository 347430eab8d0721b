"""Readers: whoever sees a question and the lines of a cover, and picks the line to open.

Rule: a reader is given some lines once, and is then asked question after question, each time with the numbers of the
lines that it may choose from, in the order in which they are shown. It answers up to three of them, the best first, or
None where it failed. What is worth the same to it goes by the order shown, and the order is shuffled: no evidence is
chance, never the first line's luck.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Final, Protocol

import msgspec

from foldcover_harness.session.program import Failed, ask
from foldcover_harness.session.stopwords import STOPWORDS
from foldcover_harness.session.words import items, key_of
from foldcover_harness.session.writers import MOST_CHARACTERS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.intp]

Ask = Callable[[str, "Numbers"], "tuple[int, ...] | None"]
"""A question and the numbers of the lines shown, in order; up to TOP of them, the best first, or None."""
TOP: Final = 3


class Reader(Protocol):
    """A reader of covers."""

    name: str
    failures: dict[str, int]
    """How often it failed, by reason."""

    def over(self, lines: Sequence[str]) -> Ask:
        """The reader with these lines before it."""
        ...


class Bm25:
    """The lexical reader: BM25 (bm25s) over words by their stems and literals with their words.

    How rare a word is it learns from all the lines that it was given, whichever it may choose from. It understates a
    reader who understands: no synonym helps it.
    """

    name = "bm25"

    def __init__(self) -> None:
        self.failures: dict[str, int] = {}
        self.known: dict[str, list[str]] = {}

    def keys(self, text: str) -> list[str]:
        """The keys of a text; those of questions and lines are asked for in view after view."""
        if len(text) > MOST_CHARACTERS:
            return keys(text)
        if text not in self.known:
            self.known[text] = keys(text)
        return self.known[text]

    def over(self, lines: Sequence[str]) -> Ask:
        """The lines are indexed here."""
        import numpy as np

        words = [self.keys(line) for line in lines]
        bm25s: Any = import_module("bm25s")  # it brings no types
        index = bm25s.BM25() if any(words) else None
        if index is not None:
            index.index(words, show_progress=False)

        def best(question: str, shown: Numbers) -> tuple[int, ...]:
            asked = self.keys(question)
            if index is None or not asked:
                return tuple(map(int, shown[:TOP]))
            scores = index.get_scores(asked)[shown]
            order = np.argsort(-scores, kind="stable")[:TOP]
            return tuple(map(int, shown[order]))

        return best


def keys(text: str) -> list[str]:
    """What the lexical reader sees of a text: its items' keys in order, common words left out."""
    return [key_of(item) for item in items(text) if item.casefold() not in STOPWORDS]


class Program:
    """A program as a reader: {"question": ..., "lines": [...]} on its standard input; on its output the number of the
    line to open, counted from 1, or up to three, the best first, between spaces.

    It is killed after `timeout` seconds. Anything else than such numbers is a failure: nothing was found.
    """

    def __init__(self, argv: Sequence[str], timeout: float) -> None:
        self.argv = tuple(argv)
        self.timeout = timeout
        self.name = PurePath(self.argv[0]).name
        self.failures: dict[str, int] = {}

    def over(self, lines: Sequence[str]) -> Ask:
        """Nothing is asked yet."""

        def best(question: str, shown: Numbers) -> tuple[int, ...] | None:
            numbers: list[int] = shown.tolist()
            given = msgspec.json.encode({"question": _sound(question), "lines": [_sound(lines[at]) for at in numbers]})
            try:
                answer = ask(self.argv, given + b"\n", self.timeout, os.environ)
                return tuple(numbers[number - 1] for number in _numbers(answer, len(numbers)))
            except Failed as failed:
                self.failures[str(failed)] = self.failures.get(str(failed), 0) + 1
                return None

        return best


def _sound(text: str) -> str:
    """The text without lone surrogates, which JSON in UTF-8 cannot hold."""
    return text.encode("utf-8", "replace").decode()


def _numbers(answer: bytes, lines: int) -> list[int]:
    words = answer.split()
    if not 1 <= len(words) <= TOP or not all(word.isdigit() and len(word) < 10 for word in words):
        raise Failed("answered no number of a line")
    found = list(map(int, words))
    if any(not 1 <= number <= lines for number in found) or len(set(found)) < len(found):
        raise Failed("answered a number that no line has, or one twice")
    return found
