"""The experiment: what a reader finds, by how much stands under a line, by age, rank, bytes and budget.

Rule: everything is a function of the transcripts, the settings and the seed. Questions from tool outputs appear in a
row of their own and nowhere else. Beside a rate stands what chance would give and what the lexical reader finds in the
units' full texts; a question is well-posed, in one of its wordings, when that reader finds its unit so.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Final

import foldcover as fc
from foldcover import Block
from foldcover_harness.measure import trial, views
from foldcover_harness.measure.estimates import Clusters
from foldcover_harness.measure.figures import Age, Budget, Bytes, Figures, Group, Rates, Size
from foldcover_harness.measure.history import Unit
from foldcover_harness.measure.lines import Bound, Lines
from foldcover_harness.measure.questions import WAYS, Question, ask
from foldcover_harness.measure.readers import Bm25, Reader

if TYPE_CHECKING:
    from foldcover_harness.measure.estimates import Marks
    from foldcover_harness.measure.trial import Choice, Numbers, Places

AT: Final = 16
"""Units under a line where only one size is looked at: by age, by bytes, by source and by project."""
BYTES: Final = (120, 240, 480, 960)
KILOBYTES: Final = (1, 2, 4, 8, 16, 32, 64, 128)
AGES: Final = 5
FEW, MANY = 5, 40
"""Lines of the fixed choices."""
RANKS: Final = {"smallest_first": fc.smallest_first, "age_over_size": fc.age_over_size}


class Experiment:
    """One history, its questions, one recipe and one reader.

    Only questions of the `reported` transcripts are asked, and at most `most`; all questions are taken out of their
    units. `tick` is told of every question that was asked.
    """

    def __init__(
        self,
        units: Sequence[Unit],
        recipe: str,
        bound: Bound,
        reader: Reader,
        seed: int,
        timeout: float,
        reported: Collection[int] | None = None,
        most: int | None = None,
        tick: Callable[[], None] = lambda: None,
        base_url: str | None = None,
    ) -> None:
        import numpy as np

        self.reader, self.seed, self.timeout, self.tick = reader, seed, timeout, tick
        self.recipe, self.bound, self.base_url = recipe, bound, base_url
        questions, self.units = ask(units, seed)
        own = [each for each in questions if reported is None or units[each.unit].transcript in reported]
        self.questions = sampled(own, most, seed)
        self.total = len(units)
        self.unit = np.array([question.unit for question in self.questions], np.intp)
        self.output = np.array([question.source == "output" for question in self.questions], bool)
        self.clusters = Clusters(
            np.array([units[question.unit].transcript for question in self.questions], np.intp), seed
        )
        self.recipes: dict[tuple[str, Bound], Lines] = {}
        self.lines = self.lines_by(recipe, bound)
        self.picked = self._picked()
        self.posed: Marks = self.picked == self.unit[:, None]

    def lines_by(self, recipe: str, bound: Bound) -> Lines:
        """The lines of this history by a recipe."""
        if (recipe, bound) not in self.recipes:
            self.recipes[recipe, bound] = Lines(self.units, recipe, bound, self.timeout, self.base_url)
        return self.recipes[recipe, bound]

    def trials(self, sections: Collection[str], against: str | None) -> int:
        """How many times all questions will be asked: `tick` is called that often a question."""
        sizes = len(views.sizes(self.total)) * (5 if against else 4) - 1
        each = {"sizes": sizes, "ages": 2, "groups": 1, "bytes": len(BYTES), "budgets": len(KILOBYTES) * len(RANKS)}
        return sum(each[name] for name in sections)

    def _picked(self) -> Numbers:
        """The unit that the lexical reader picks in the full texts, for each question and wording."""
        import numpy as np

        best = Bm25().over([unit.text for unit in self.units])
        found = np.zeros((len(self.questions), len(WAYS)), np.intp)
        random = np.random.default_rng(self.seed)
        for number, question in enumerate(self.questions):
            shown = random.permutation(self.total)
            for column, way in enumerate(WAYS):
                answer = best(question.asked(way), shown)
                found[number, column] = answer[0] if answer else -1
        return found

    def over(self, lines: Lines, blocks: Sequence[Block], name: str, size: int | None = None) -> Figures:
        """What is found among the lines of these blocks; only under lines of `size` units where one is given."""
        places = self.places(lines, blocks, name, size)
        return self.figures(places, len(blocks), views.holders(blocks, self.total))

    def places(self, lines: Lines, blocks: Sequence[Block], name: str, size: int | None = None) -> Places:
        """What is found among the lines of these blocks, question by question."""
        choose = trial.view(views.holders(blocks, self.total), blocks, size)
        return self.tried([lines[block] for block in blocks], choose, name)

    def tried(self, texts: Sequence[str], choose: Choice, name: str) -> Places:
        """Ask every question over these lines."""
        return trial.run(self.reader.over(texts), self.questions, choose, self.seed, name, self.tick)

    def figures(
        self, places: Places, shown: int, holder: Sequence[int] | None = None, only: Marks | None = None
    ) -> Figures:
        """The rates of a trial: without tool outputs, or of the questions in `only`. `holder` serves the ceiling."""
        import numpy as np

        asked = (places != trial.UNASKED) & (~self.output[:, None] if only is None else only)
        posed = asked & self.posed
        ceiling = None
        if holder is not None:
            of = np.array(holder, np.intp)
            ceiling = self.clusters.rate(of[self.picked] == of[self.unit][:, None], asked)
        return Figures(
            int(asked.any(axis=1).sum()),
            shown,
            1 / shown if shown else None,
            self._rates(places, posed),
            self._rates(places, asked),
            ceiling,
            int((asked & (places == trial.FAILED)).sum()),
        )

    def _rates(self, places: Places, asked: Marks) -> Rates:
        first, three = places == 1, places >= 1
        keep, mask, soft = (self.clusters.rate(first[:, at : at + 1], asked[:, at : at + 1]) for at in range(len(WAYS)))
        return Rates(keep, mask, soft, self.clusters.rate(first, asked), self.clusters.rate(three, asked))

    def sizes(self, against: str | None) -> Iterator[Size]:
        """By units under the line: uniform views, fixed choices, mixed views, and another recipe's lines."""
        other = self.lines_by(against, self.bound) if against else None
        for size in views.sizes(self.total):
            blocks = views.uniform(self.total, size)
            holder = views.holders(blocks, self.total)
            places = self.places(self.lines, blocks, f"uniform {size}", size)
            compared = gain = None
            if other is not None:
                theirs = self.places(other, blocks, f"uniform {size}", size)
                compared = self.figures(theirs, len(blocks), holder)
                asked = (places != trial.UNASKED) & ~self.output[:, None] & self.posed
                gain = self.clusters.gain(places == 1, theirs == 1, asked)
            few, many = self.fixed(size, FEW), self.fixed(size, MANY)
            yield Size(size, self.figures(places, len(blocks), holder), few, many, self.mixed(size), compared, gain)

    def fixed(self, size: int, among: int) -> Figures | None:
        """The right line among others of as many units; None where nobody can be given so many."""
        blocks = views.runs(self.total, size, 3 * among)
        texts = [self.lines[block] for block in blocks]
        places = self.tried(texts, trial.fixed(blocks, self.total, size, among), f"{among} of {size}")
        return self.figures(places, among) if (places != trial.UNASKED).any() else None

    def mixed(self, size: int) -> Figures | None:
        """One merged line among the lines of single units; None for single units themselves."""
        if size == 1:
            return None
        merged = [block for block in views.uniform(self.total, size) if block.size == size]
        texts = [self.lines[block] for block in (*views.uniform(self.total, 1), *merged)]
        places = self.tried(texts, trial.mixed(self.total, size, len(merged)), f"mixed {size}")
        return self.figures(places, self.total - size + 1)

    def ages(self) -> Iterator[Age]:
        """By age, in fifths of the history, the oldest first: no merging, and blocks of AT."""
        single = self.places(self.lines, views.uniform(self.total, 1), "uniform 1")
        blocks = views.uniform(self.total, AT)
        merged = self.places(self.lines, blocks, f"uniform {AT}", AT)
        for number in range(AGES):
            first, stop = number * self.total // AGES, (number + 1) * self.total // AGES
            only = ((self.unit >= first) & (self.unit < stop) & ~self.output)[:, None]
            one, many = (
                self.figures(places, shown, None, only)
                for places, shown in ((single, self.total), (merged, len(blocks)))
            )
            yield Age(self.total - first, self.total - stop + 1, one, many)

    def groups(self) -> Iterator[Group]:
        """Blocks of AT by where the question's sentence stood, and by project."""
        import numpy as np

        blocks = views.uniform(self.total, AT)
        holder = views.holders(blocks, self.total)
        places = self.places(self.lines, blocks, f"uniform {AT}", AT)
        for source in ("user", "closing", "text", "output"):
            only = np.array([question.source == source for question in self.questions], bool)[:, None]
            yield Group("source", source, self.figures(places, len(blocks), holder, only))
        projects = [self.units[question.unit].project for question in self.questions]
        for project in sorted({each for each in projects if each}):
            only = np.array([each == project for each in projects], bool)[:, None] & ~self.output[:, None]
            yield Group("project", project, self.figures(places, len(blocks), holder, only))

    def by_bytes(self) -> Iterator[Bytes]:
        """Blocks of AT by the bytes of a line."""
        blocks = views.uniform(self.total, AT)
        for most in BYTES:
            yield Bytes(most, self.over(self.lines_by(self.recipe, Bound(most, "bytes")), blocks, f"bytes {most}", AT))

    def budgets(self) -> Iterator[Budget]:
        """Views that the core settles, by budget and rank; a line weighs its UTF-8 bytes and a line break."""

        def weigh(block: Block) -> int | None:
            line = self.lines[block]
            return len(line.encode("utf-8", "replace")) + 1 if line else None

        weights = [weigh(block) or 1 for block in views.uniform(self.total, 1)]
        for kilobytes in KILOBYTES:
            for name, rank in RANKS.items():
                blocks = views.settled(weights, kilobytes * 1024, rank, weigh)
                figures = self.over(self.lines, blocks, f"{kilobytes} KB")
                yield Budget(kilobytes, name, max((block.size for block in blocks), default=0), figures)


def sampled(questions: Sequence[Question], most: int | None, seed: int) -> list[Question]:
    """At most so many of the questions, in their order."""
    import random

    if most is None or most >= len(questions):
        return list(questions)
    kept = sorted(random.Random(seed).sample(range(len(questions)), most))
    return [questions[number] for number in kept]
