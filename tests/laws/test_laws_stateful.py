"""Random long histories of a host, every event judged by every law; Hypothesis shrinks a break to a short history."""

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from foldcover import Block, Rank
from foldcover_laws.judge import Judge, Scope
from foldcover_laws.reading import Reading
from foldcover_laws.subject import core
from foldcover_laws.views import RANKS

weights = st.integers(0, 9)
ranks = st.sampled_from(RANKS)


class Host(RuleBasedStateMachine):
    """A cover that closes, writes, asks, settles and zooms in any order."""

    def __init__(self) -> None:
        super().__init__()
        self.now = Reading(())
        self.subject = core()
        self.judge = Judge.of(self.subject, Scope())

    @rule(titles=st.lists(weights, min_size=1, max_size=12))
    def close(self, titles: list[int]) -> None:
        """Close some units in a row."""
        for title in titles:
            event = self.subject.close(self.now, title)
            self.judge.hear(event)
            self.now = event.after

    @rule(which=st.integers(0), weight=weights)
    def write_a_split(self, which: int, weight: int) -> None:
        """Write the line of one of the splits, written or not."""
        blocks = list(self.now.splits)
        if blocks:
            self._write(blocks[which % len(blocks)], weight)

    @rule(start=st.integers(-1, 40), size=st.integers(-1, 17), weight=weights)
    def write_anywhere(self, start: int, size: int, weight: int) -> None:
        """Write a block that may not be there."""
        self._write(Block(start, size), weight)

    @rule(budget=st.integers(-2, 60), rank=ranks)
    def write_all_wanted(self, budget: int, rank: Rank) -> None:
        """Ask and write until nothing is wanted, as a host does; then settle."""
        for _ in range(self.now.lines + 1):
            asked = self.subject.ask(self.now, budget, rank)
            self.judge.hear(asked)
            for block in asked.blocks:
                self._write(block, 1)
            if not asked.blocks:
                break
        else:
            raise AssertionError("wanted never came to an end")
        self.settle(budget, rank)

    @rule(budget=st.integers(-2, 60), rank=ranks)
    def settle(self, budget: int, rank: Rank) -> None:
        """Settle with whatever lines are there."""
        event = self.subject.settle(self.now, budget, rank)
        self.judge.hear(event)
        self.now = event.after

    @rule(titles=st.lists(weights, max_size=4), spare=st.integers(0, 3), rank=ranks)
    def stay_quiet(self, titles: list[int], spare: int, rank: Rank) -> None:
        """Close and settle within the budget; the state stays."""
        self.judge.hear(self.subject.run(self.now, tuple(titles), self.now.weight + sum(titles) + spare, rank))

    @rule(start=st.integers(-1, 40), size=st.integers(-1, 40))
    def zoom(self, start: int, size: int) -> None:
        """Read a range."""
        self.judge.hear(self.subject.zoom(self.now, Block(start, size)))

    @invariant()
    def every_law_holds(self) -> None:
        """Nothing is broken, and a view built by close is aligned."""
        assert not self.judge.report.broken
        assert self.now.is_aligned()

    def _write(self, block: Block, weight: int) -> None:
        event = self.subject.write(self.now, block, weight)
        self.judge.hear(event)
        self.now = event.after


TestHost = Host.TestCase
TestHost.settings = settings(max_examples=60, stateful_step_count=40, deadline=None)
