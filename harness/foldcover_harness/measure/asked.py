"""Models in a measurement: by name, each made once, as a writer of lines and as a reader of covers.

Rule: models are asked through the interfaces of writers and readers, with what every other writer and reader is given,
and nothing else. The texts of a cover and of a question come from records: they stand in fences as data.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Final

from foldcover_harness.measure.readers import TOP, Ask
from foldcover_harness.models.asking import ask
from foldcover_harness.models.choose import choose
from foldcover_harness.models.model import Model, ModelError
from foldcover_harness.models.writing import ModelWriter, Recipe, harmless, prompt, without_thoughts
from foldcover_harness.session.lines import one_line
from foldcover_harness.session.writers import MOST_CHARACTERS

if TYPE_CHECKING:
    from foldcover_harness.measure.readers import Numbers

WRITERS: Final[dict[str, Recipe]] = {"model": "index", "summary": "summary"}
"""The recipe by what a writer's name begins with."""
READER: Final = "model:"
MOST_TOKENS: Final = 1_024
"""Tokens of a reader's answer: room for a model that thinks first."""


@cache
def named(name: str, base_url: str | None) -> Model:
    """The model of a name. ValueError where there is none."""
    try:
        return choose(name, base_url=base_url)
    except ModelError as error:
        raise ValueError(str(error)) from error


def writer(recipe: str, base_url: str | None) -> ModelWriter:
    """The writer of "model:NAME" or "summary:NAME". ValueError where the model is none."""
    kind, _, name = recipe.partition(":")
    return ModelWriter(named(name, base_url), WRITERS[kind])


def reader(name: str, base_url: str | None) -> ModelReader:
    """The reader of "model:NAME". ValueError where the model is none."""
    return ModelReader(named(name.removeprefix(READER), base_url))


class ModelReader:
    """A model as a reader: it is shown the question and the numbered lines, and answers the numbers of up to three."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.name = f"{READER}{model.name}"
        self.failures: dict[str, int] = {}

    def over(self, lines: Sequence[str]) -> Ask:
        """Nothing is asked yet."""
        clean = [harmless(one_line(line, MOST_CHARACTERS)) for line in lines]

        def best(question: str, shown: Numbers) -> tuple[int, ...] | None:
            numbers: list[int] = shown.tolist()
            cover = "\n".join(f"{place}: {clean[at]}" for place, at in enumerate(numbers, 1))
            words = f"<lines>\n{cover}\n</lines>\n\n<question>\n{harmless(question)}\n</question>"
            try:
                found = _numbers(ask(self.model, prompt("reader"), words, MOST_TOKENS), len(numbers))
            except ModelError as error:
                self.failures[str(error)] = self.failures.get(str(error), 0) + 1
                return None
            return tuple(numbers[number - 1] for number in found)

        return best


def _numbers(answer: str, lines: int) -> list[int]:
    """The first numbers of lines in an answer. ModelError where it has none."""
    said = dict.fromkeys(map(int, re.findall(r"\d{1,9}", without_thoughts(answer))))
    found = [number for number in said if 1 <= number <= lines]
    if not found:
        raise ModelError("answered no number of a line")
    return found[:TOP]
