"""What a long cover costs in attention: one question about the work in progress, behind covers of several sizes.

Rule: every question is asked with every size, in an order shuffled by the seed; covers of one question grow out of one
another. A request that has no answer is no wrong answer: it is counted apart, with its reason. What was asked before an
end stands. (Second post, "What I don't know yet".)
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from threading import Event
from typing import Final, NamedTuple

import msgspec

from foldcover import Block
from foldcover_harness.measure.estimates import Estimate, wilson
from foldcover_harness.measure.tasks import Task, drawn, right
from foldcover_harness.models.asking import ask
from foldcover_harness.models.model import Answer, Model, ModelError, Refused, Show, Usage
from foldcover_harness.models.writing import harmless, prompt, without_thoughts
from foldcover_harness.session.lines import one_line
from foldcover_harness.session.prompt import COVER
from foldcover_harness.session.settings import Settings as Constants
from foldcover_harness.session.state import labelled
from foldcover_harness.session.tokens import estimate, weigh_line
from foldcover_harness.session.wires.wire import Json, Piece
from foldcover_harness.transcripts.model import Kind

SIZES: Final = (0, 1_000, 4_000, 10_000, 23_000)
GIVE_UP: Final = 5
"""Requests in a row without an answer, none of them refused for what it was, after which no more are sent."""


class Trial(NamedTuple):
    """A question asked with a size of cover. `right` is None where there was no answer, and `why` then says why."""

    size: int
    question: int
    right: bool | None
    cover: int
    """Tokens of the cover, estimated."""
    prompt: int
    """Tokens of the whole prompt: reported, or else estimated."""
    reported: bool
    why: str = ""


class Row(msgspec.Struct, frozen=True):
    """A size of cover: how often the answer was right. `cover` and `prompt` are means over what was answered.

    `lost` and `won` compare with the smallest size, question by question: right there and wrong here, and vice versa.
    """

    size: int
    cover: float | None
    prompt: float | None
    reported: bool
    """Whether the provider counted every prompt; else some are estimates."""
    right: int
    answered: int
    rate: Estimate
    failed: int
    lost: int
    won: int


class Result(msgspec.Struct, frozen=True):
    """All of a run."""

    settings: dict[str, str | int | list[int]]
    units: int
    transcripts: int
    partial: bool
    """Whether it ended before all was asked."""
    rows: list[Row]
    failures: dict[str, int]
    """Why there was no answer, and how often."""


class Covers:
    """Covers of any size up to `most` tokens, out of titles."""

    def __init__(self, titles: Sequence[str]) -> None:
        longest = Constants().title
        self.titles = [harmless(one_line(title, longest)) for title in titles]
        self.weights = [weigh_line(labelled(Block(0, 1), title), estimate) for title in self.titles]
        self.most = sum(self.weights)

    def cover(self, size: int, start: int) -> tuple[str, int]:
        """The titles from `start` on, as many as fit into `size` tokens, and what they weigh; "" and 0 for none.

        Behind the last title come the first ones.
        """
        lines: list[str] = []
        weight = 0
        for number in range(len(self.titles)):
            at = (start + number) % len(self.titles)
            if weight + self.weights[at] > size:
                break
            lines.append(labelled(Block(number, 1), self.titles[at]))
            weight += self.weights[at]
        return ("\n".join([COVER, *lines]) if lines else "", weight)


class _Heard:
    """A model, and what it last said of the tokens that it used."""

    def __init__(self, model: Model) -> None:
        self.name, self.id, self.wire = model.name, model.id, model.wire
        self.usage: Usage | None = None
        self._model = model

    def answer(self, body: Mapping[str, Json], show: Show | None = None, stop: Event | None = None) -> Answer:
        """The model's answer."""
        self.usage = None
        answer = self._model.answer(body, show, stop)
        self.usage = answer.usage
        return answer


def trials(model: Model, covers: Covers, sizes: Sequence[int], questions: int, most: int, seed: int) -> Iterator[Trial]:
    """Ask everything, in an order shuffled by the seed, for answers of at most so many tokens.

    Ends early after GIVE_UP failures in a row.
    """
    shown = "\n".join(covers.titles)
    drawing = random.Random(seed)
    tasks = [(drawn(drawing, shown.__contains__), drawing.randrange(len(covers.titles))) for _ in range(questions)]
    order = [(size, number) for size in sizes for number in range(questions)]
    drawing.shuffle(order)
    heard = _Heard(model)
    failed = 0
    for size, number in order:
        task, start = tasks[number]
        trial, refused = _asked(heard, task, number, size, most, *covers.cover(size, start))
        yield trial
        failed = failed + 1 if trial.right is None and not refused else 0
        if failed == GIVE_UP:
            return


def _asked(model: _Heard, task: Task, number: int, size: int, most: int, cover: str, weight: int) -> tuple[Trial, bool]:
    """The trial, and whether the request was refused for what it was."""
    system = prompt("tail")
    words = f"{cover}\n\n" if cover else ""
    words += f"The work in progress:\n{task.work}\nuser: {task.question}"
    guess = sum(estimate(Piece(Kind.USER, text)) for text in (system, words))
    try:
        answer = ask(model, system, words, most)
    except ModelError as error:
        return Trial(size, number, None, weight, guess, False, str(error)), isinstance(error, Refused)
    used = model.usage
    is_right = right(without_thoughts(answer), task.fact)
    return Trial(size, number, is_right, weight, used.prompt if used else guess, used is not None), False


def rows(done: Sequence[Trial]) -> list[Row]:
    """The rates by size."""
    sizes = sorted({trial.size for trial in done})
    by = {size: {trial.question: trial for trial in done if trial.size == size} for size in sizes}
    first = {number: trial.right for number, trial in by[sizes[0]].items()} if sizes else {}
    return [_row(size, list(by[size].values()), first) for size in sizes]


def _row(size: int, done: Sequence[Trial], first: Mapping[int, bool | None]) -> Row:
    answered = [trial for trial in done if trial.right is not None]
    hits = sum(trial.right is True for trial in answered)
    changed = Counter((first.get(trial.question), trial.right) for trial in answered)
    return Row(
        size,
        _mean([trial.cover for trial in answered]),
        _mean([trial.prompt for trial in answered]),
        all(trial.reported for trial in answered),
        hits,
        len(answered),
        wilson(hits, len(answered)),
        len(done) - len(answered),
        changed[True, False],
        changed[False, True],
    )


def _mean(values: Sequence[int]) -> float | None:
    return sum(values) / len(values) if values else None


def failures(done: Sequence[Trial]) -> dict[str, int]:
    """Why there was no answer, and how often, the most frequent reason first."""
    return dict(Counter(trial.why for trial in done if trial.right is None).most_common())
