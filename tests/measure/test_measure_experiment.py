"""The experiment: what must hold of it whatever the transcripts are."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

import numpy as np
import pytest

from foldcover import Block
from foldcover_harness.measure import trial, views
from foldcover_harness.measure.experiment import Experiment
from foldcover_harness.measure.lines import RECIPES, Bound, Lines, Rarities
from foldcover_harness.measure.readers import Ask, Bm25, Program, Reader
from foldcover_harness.session.index_line import rarity_of

from .made import name_of, unit, units


class Picks:
    """A reader that goes by the numbers of the lines shown, and never by what they say."""

    name = "picks"

    def __init__(self, pick: Callable[[list[int]], tuple[int, ...]]) -> None:
        self.pick = pick
        self.failures: dict[str, int] = {}

    def over(self, lines: Sequence[str]) -> Ask:
        """Blind to the lines and the question."""
        return lambda question, shown: self.pick(shown.tolist())


def experiment(
    count: int = 40,
    reader: Reader | None = None,
    reported: Collection[int] | None = None,
    tick: Callable[[], None] = lambda: None,
) -> Experiment:
    """An experiment on a made history, with the index recipe."""
    return Experiment(units(count), "index", Bound(60), reader or Bm25(), 0, 20, reported, None, tick)


@pytest.fixture(scope="module")
def made() -> Experiment:
    """The index recipe read by the lexical reader."""
    return experiment()


def test_a_reader_who_knows_finds_everything(made: Experiment) -> None:
    """Every unit has words of its own, and the line of one unit has room for them."""
    for row in made.sizes("titles"):
        assert row.uniform.ceiling is not None
        assert row.uniform.ceiling.rate == 1
        if row.units == 1:
            assert row.uniform.all.mean.rate == 1


def test_the_block_that_holds_the_unit_is_right(made: Experiment) -> None:
    """A reader that always opens the same line finds just the units under it."""
    blocks = views.uniform(40, 8)

    fixed = experiment(reader=Picks(lambda shown: (2,)))
    places = fixed.places(fixed.lines, blocks, "x")
    assert list(places[:, 0] == 1) == [16 <= unit < 24 for unit in fixed.unit]


def test_chance_is_one_of_the_lines_and_a_blind_reader_comes_to_it() -> None:
    """A reader without evidence picks by the shuffled order."""
    blind = experiment(110, reader=Picks(lambda shown: tuple(shown[:3])))
    hits = total = 0
    for number in range(20):
        places = blind.places(blind.lines, views.uniform(110, 16), f"try {number}", 16)
        asked = places != trial.UNASKED
        hits, total = hits + int((places == 1).sum()), total + int(asked.sum())
    figures = blind.over(blind.lines, views.uniform(110, 16), "x", 16)
    assert figures.chance == pytest.approx(1 / 9)
    assert hits / total == pytest.approx(1 / 9, abs=0.02)
    five = blind.fixed(4, 5)
    assert five is not None
    assert five.chance == 0.2


def test_the_ceiling_never_falls_as_blocks_grow(made: Experiment) -> None:
    """The line that holds the picked unit holds more units. Tool outputs are nobody's ceiling."""
    spoiled = experiment()
    spoiled.picked = (spoiled.picked + 3) % 40
    rates = [row.uniform.ceiling.rate for row in spoiled.sizes(None) if row.units <= 8 and row.uniform.ceiling]
    assert rates == sorted(rates)  # type: ignore[type-var]
    assert rates[0] == 0


def test_only_lines_of_the_size_are_asked_for(made: Experiment) -> None:
    """40 units make two blocks of 16 and one of 8: questions of the last 8 units are left out."""
    blocks = views.uniform(40, 16)
    assert [block.size for block in blocks] == [16, 16, 8]
    places = made.places(made.lines, blocks, "x", 16)
    assert set(made.unit[places[:, 0] == trial.UNASKED]) <= set(range(32, 40))
    assert set(made.unit[places[:, 0] != trial.UNASKED]) == set(range(32))


def test_the_same_seed_gives_the_same_figures(made: Experiment) -> None:
    """All sections, to the last digit."""
    again = experiment()
    for section in ("ages", "groups", "by_bytes", "budgets"):
        assert list(getattr(made, section)()) == list(getattr(again, section)())
    assert list(made.sizes("keywords")) == list(again.sizes("keywords"))


def test_progress_is_told_as_often_as_it_was_announced() -> None:
    """So that the estimate on a terminal is right."""
    ticks: list[int] = []
    counted = experiment(tick=lambda: ticks.append(1))
    list(counted.sizes("titles"))
    list(counted.budgets())
    list(counted.ages())
    assert len(ticks) == counted.trials(("sizes", "budgets", "ages"), "titles") * len(counted.questions)


def test_budgets_show_what_the_core_settles(made: Experiment) -> None:
    """A large budget shows every unit, a small one merges; no more lines than with a larger budget's."""
    rows = [row for row in made.budgets() if row.rank == "smallest_first"]
    assert rows[-1].largest == 1
    assert rows[-1].figures.lines == 40
    assert rows[0].largest > 1
    assert [row.figures.lines for row in rows] == sorted(row.figures.lines for row in rows)


def test_a_perfect_program_gets_everything_and_a_constant_one_what_chance_gives(tmp_path: Path) -> None:
    """Programs see the question and the lines, and nothing else."""
    perfect = tmp_path / "perfect.py"
    perfect.write_text(
        "import json, sys\n"
        "given = json.load(sys.stdin)\n"
        "asked = {w.lower().strip('.,') for w in given['question'].split()}\n"
        "scores = [len(asked & set(line.lower().split())) for line in given['lines']]\n"
        "print(scores.index(max(scores)) + 1)\n"
    )
    found = experiment(12, reader=Program([sys.executable, str(perfect)], 20))
    figures = found.over(found.lines, views.uniform(12, 1), "uniform 1", 1)
    assert figures.all.mean.rate == figures.all.mask.rate == 1
    assert figures.failed == 0
    first = Program(["sh", "-c", "cat > /dev/null; echo 1"], 20)
    constant = experiment(40, reader=first)
    halves = views.uniform(40, 8)[:5]
    places = np.concatenate([constant.places(constant.lines, halves, f"{number}") for number in range(2)])
    assert (places == 1).mean() == pytest.approx(1 / 5, abs=0.12)


def test_a_failing_program_finds_nothing_and_is_counted() -> None:
    """Every answer that was not given stands in `failed`."""
    failing = experiment(4, reader=Program(["false"], 5))
    figures = failing.over(failing.lines, views.uniform(4, 1), "x", 1)
    assert figures.all.mean.rate == 0
    assert figures.failed == figures.all.mean.answers == sum(failing.reader.failures.values())


@pytest.mark.parametrize("recipe", RECIPES)
@pytest.mark.parametrize("bound", [Bound(60), Bound(12), Bound(120, "bytes"), Bound(1)])
def test_every_line_keeps_to_its_bound(recipe: str, bound: Bound) -> None:
    """Blocks of every size; equal tokens for every recipe."""
    lines = Lines(units(40), recipe, bound, 5)
    for size in views.sizes(40):
        for block in views.uniform(40, size):
            assert bound.weigh(lines[block]) <= bound.most
            assert "\n" not in lines[block]


def test_lines_by_a_command(tmp_path: Path) -> None:
    """It gets titles, and above 16 units the lines of the halves; a failure is an empty line, counted."""
    lines = Lines(units(40), "command:sh -c 'head -n 1'", Bound(60), 20)
    assert name_of(0) in lines[Block(0, 2)]
    assert lines[Block(0, 32)] == lines[Block(0, 16)]
    failing = Lines(units(4), "command:false", Bound(60), 20)
    assert failing[Block(0, 2)] == ""
    assert list(failing.failures) == [Block(0, 2)]


def test_rarity_is_learnt_from_earlier_units_only() -> None:
    """The same numbers as rarity_of over the units before the place."""
    terms = [[("otter", 1.0), ("merge", 2.0)], [("merging", 1.0)], [("otter", 1.0)], [("lynx", 1.0)]]
    for place in range(5):
        ours, theirs = Rarities(terms).before(place), rarity_of(terms[:place])
        for item in ("otter", "merge", "lynx", "zebra"):
            assert ours(item) == theirs(item)


def test_tool_outputs_stand_in_their_own_row_only() -> None:
    """A detail that only an output holds is asked for there and nowhere else."""
    history = units(20)
    row = "Segment 81 of the turbine blade reported vibration near bearing_housing twice today."
    history[3] = unit(3)._replace(pieces=(*unit(3).pieces, ("output", row)))
    asked = Experiment(history, "index", Bound(60), Bm25(), 0, 5)
    groups = {(group.by, group.name): group.figures for group in asked.groups()}
    assert groups["source", "output"].questions == 1
    assert next(asked.sizes(None)).uniform.questions == len(asked.questions) - 1


def test_reported_transcripts_only_are_asked_in_the_whole_history() -> None:
    """The lines are the same, so are the views; only the questions are fewer."""
    part, whole = experiment(reported={1, 2}), experiment()
    assert set(part.unit) == set(range(10, 30))
    assert part.lines[Block(0, 8)] == whole.lines[Block(0, 8)]


@pytest.mark.parametrize("count", [1, 2, 3])
def test_small_histories(count: int) -> None:
    """One unit is one line; nothing fails."""
    small = experiment(count)
    sizes = list(small.sizes("keywords"))
    assert sizes[0].uniform.all.mean.rate == 1
    assert sizes[0].five is None
    for rows in (small.ages(), small.groups(), small.by_bytes(), small.budgets()):
        assert list(rows)
