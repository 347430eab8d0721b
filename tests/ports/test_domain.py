"""What every implementation must answer, where it may say no, and that the core may not."""

import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import foldcover as fc
from foldcover import CORE, Block, Impl, Leaf, Merged, Split
from foldcover_laws import Report, Scope, Subject, cases, check, domain, port, run
from foldcover_laws.events import Asked, Closed, Event, Run, Settling, Wrote, Zoomed
from foldcover_laws.judge import Judge
from foldcover_laws.messages import Close, Shown
from foldcover_laws.reading import Reading
from foldcover_laws.report import rows, witnesses
from foldcover_laws.subject import core
from foldcover_laws.views import HAND_MADE, LARGE, comb
from foldcover_laws.wire import Malformed, parse, read_answer, request_text, view_text

QUICK = Scope(units=2, closes=3, stride=200, lives=0)
MOST = domain.MOST


@pytest.mark.parametrize(
    ("view", "inside"),
    [
        ((), True),
        ((Leaf(MOST),), True),
        ((Leaf(-MOST),), True),
        ((Leaf(MOST + 1),), False),
        ((Leaf(MOST), Leaf(1)), False),
        ((Leaf(MOST), Leaf(-1)), False),
        ((Split(Leaf(0), Leaf(0), MOST),), True),
        ((Split(Leaf(0), Leaf(1), MOST),), False),
        ((Merged(1 << 48, 0),), True),
        ((Merged(1 << 48, 0), Leaf()), False),
        ((Merged(1),), True),
        ((Merged(0),), False),
        ((Merged(3), Merged(-1)), False),
        ((comb(200, 1),), True),
        ((comb(201, 1),), False),
        ((comb(5000, 1),), False),
    ],
)
def test_the_edges_of_the_domain(view: fc.View, inside: bool) -> None:
    """Numbers and their sums, units, sizes, nesting."""
    assert (domain.extent(view) is not None) == inside


def test_the_edges_of_each_operation() -> None:
    """Arguments count with the view."""
    view = domain.extent((Leaf(MOST - 5),))
    assert domain.may_close(view, 5)
    assert not domain.may_close(view, -6)
    assert not domain.may_close(domain.extent((Merged(1 << 48),)), 1)
    assert domain.may_write(view, Block(MOST - 1, 1), 5)
    assert not domain.may_write(view, Block(MOST, 1), 5)
    assert domain.may_settle(view, -MOST)
    assert not domain.may_settle(view, MOST + 1)
    large = domain.extent((Merged(1 << 20),))
    assert domain.may_zoom(large, Block(0, 1 << 16))
    assert not domain.may_zoom(large, Block(0, (1 << 16) + 1))
    assert domain.may_zoom(large, Block(1, 1 << 20))
    assert not any((domain.may_close(None, 1), domain.may_settle(None, 1), domain.may_zoom(None, Block(0, 1))))


def test_the_large_views_are_inside() -> None:
    """They are what a port gets in the place of views beyond 64 bits."""
    assert all(domain.extent(view) is not None for view in LARGE)


class Narrow:
    """The core, where no number is beyond `most`."""

    def __init__(self, most: int, error: type[Exception]) -> None:
        self.most, self.error = most, error

    def check(self, *numbers: int) -> None:
        """Raise what an implementation of a fixed width raises."""
        if any(abs(number) > self.most for number in numbers):
            raise self.error("does not fit")

    def view(self, view: fc.View) -> None:
        """Look at every number of the view."""

        def look(tree: fc.Tree) -> None:
            match tree:
                case Leaf(weight=weight):
                    self.check(weight)
                case Merged(size=size, weight=weight):
                    self.check(size, weight)
                case Split(left=left, right=right, line=line):
                    self.check(line or 0)
                    look(left)
                    look(right)

        for tree in view:
            look(tree)

    def impl(self) -> Impl:
        """The four operations."""

        def close(view: fc.View, weight: int = 1) -> fc.View:
            self.check(weight, fc.units(view))
            self.view(view)
            return fc.close(view, weight)

        def write(view: fc.View, block: Block, weight: int = 1) -> fc.View:
            self.check(weight, *block)
            self.view(view)
            return fc.write(view, block, weight)

        def settle(view: fc.View, budget: int, rank: fc.Rank = fc.smallest_first) -> fc.Settled:
            self.check(budget)
            self.view(view)
            return fc.settle(view, budget, rank)

        def zoom(view: fc.View, block: Block) -> tuple[Block, ...]:
            self.view(view)
            return fc.zoom(view, block)

        return Impl(close, write, settle, zoom)


def empty(view: fc.View) -> bool:
    """The only view that an implementation which takes too little takes."""
    return view == ()


class Choosy(Narrow):
    """An implementation that takes some views only."""

    def __init__(self, taken: Callable[[fc.View], bool]) -> None:
        super().__init__(MOST, ValueError)
        self.taken = taken

    def view(self, view: fc.View) -> None:
        """Look at the view as a whole."""
        if not self.taken(view):
            raise ValueError("not a view of mine")


def judged(most: int, error: type[Exception]) -> Report:
    """The report on a narrow implementation."""
    return check(Narrow(most, error).impl(), scope=QUICK)


@pytest.mark.parametrize("error", [OverflowError, ValueError])
def test_outside_the_domain_an_implementation_may_refuse(error: type[Exception]) -> None:
    """64 bits are enough; what was refused is counted and told."""
    report = judged(1 << 63, error)
    assert report.exit_code == 0
    assert report.refused > 0
    said = f"{report.refused:,} calls outside the domain or on malformed views refused: no failures"
    assert said in [*rows(report)]


@pytest.mark.parametrize(("taken", "exit_code"), [(fc.aligned, 0), (empty, 1)])
def test_malformed_views_may_be_refused_and_no_others(taken: Callable[[fc.View], bool], exit_code: int) -> None:
    """As by a port: who holds aligned views only loses cases, who refuses one of those has failed."""
    report = check(Choosy(taken).impl(), scope=QUICK)
    assert report.exit_code == exit_code
    assert report.refused > 0


@pytest.mark.parametrize(("most", "error"), [(1 << 31, OverflowError), (1 << 63, RuntimeError)])
def test_refusing_inside_or_otherwise_is_a_failure(most: int, error: type[Exception]) -> None:
    """32 bits are too few; another exception is no refusal."""
    report = judged(most, error)
    assert report.exit_code == 1
    assert report.not_answered > 0


def test_the_core_may_refuse_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same in the place of the core is a failure."""
    monkeypatch.setattr(fc, "CORE", Narrow(1 << 63, OverflowError).impl())
    report = run(core(), QUICK)
    assert (report.exit_code, report.refused) == (1, 0)
    assert report.not_answered > 0
    assert run(Subject("core", CORE, fc.wanted), QUICK).refused == 0


@pytest.mark.parametrize("view", [(), *LARGE, (comb(200, 1), comb(200, None))], ids=lambda view: f"{len(view)} trees")
def test_a_view_survives_the_wire(view: fc.View) -> None:
    """Written and read, it is the same."""
    found = parse(f'{{"id":1,"view":{view_text(view)}}}'.encode())
    assert read_answer(found, Close(1)) == Shown(view)


@pytest.mark.parametrize(
    "tree",
    [
        '{"leaf":1,"merged":[2,1]}',
        '{"merged":[2]}',
        '{"split":[{"leaf":1},{"leaf":1}]}',
        '{"split":[1,2,null]}',
        "[]",
        "{}",
        "7",
    ],
)
def test_what_is_no_tree_is_refused(tree: str) -> None:
    """Not read as something near it."""
    with pytest.raises(Malformed, match="no tree"):
        read_answer(parse(f'{{"id":1,"view":[{tree}]}}'.encode()), Close(1))


def test_nothing_outside_the_domain_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every request of a run on a port, as it goes out, is inside."""
    sent: list[Any] = []
    monkeypatch.setattr(cases, "BUDGETS", (1, 4))
    monkeypatch.setattr(cases, "HAND_MADE", HAND_MADE[:2])

    def noting(number: int, request: Any) -> str:
        sent.append(request)
        return request_text(number, request)

    monkeypatch.setattr(port, "request_text", noting)
    template = Path(__file__).parents[2] / "examples" / "port" / "port.py"
    report = port.judge_port(f"{sys.executable} {template}", 30, Scope(units=1, closes=2, stride=500, lives=0, short=2))
    assert report.exit_code == 0
    numbers = [
        value
        for request in sent
        for name in ("weight", "budget")
        if (value := getattr(request, name, None)) is not None
    ]
    assert max(abs(number) for number in numbers) <= MOST
    assert max(numbers) > 1 << 49
    assert max(len(request_text(number, request)) for number, request in enumerate(sent)) < 1 << 16
    assert all(domain.extent(request.view) is not None for request in sent if hasattr(request, "view"))


def test_no_view_makes_the_judge_itself_fail() -> None:
    """Whatever views and lists a stranger answers, nested and sized in any way: a verdict, never an exception."""
    chance = random.Random(1)

    def tree(depth: int) -> fc.Tree:
        kind = chance.random()
        if depth == 0 or kind < 0.3:
            return Leaf(chance.randint(-2, 3))
        if kind < 0.6:
            return Merged(chance.randint(-2, 4), chance.randint(-2, 3))
        return Split(tree(depth - 1), tree(depth - 1), chance.choice((None, 0, 1, 2)))

    def view() -> Reading:
        return Reading(tuple(tree(4) for _ in range(chance.randint(0, 4))))

    def blocks() -> tuple[Block, ...]:
        return tuple(Block(chance.randint(-2, 9), chance.randint(-2, 9)) for _ in range(chance.randint(0, 3)))

    judge = Judge("garbage", None, lambda law: True)
    for _ in range(4000):
        before, after, budget = view(), view(), chance.randint(-3, 9)
        merged = (*blocks(), *before.splits)[-3:]
        settling = Settling(before, budget, fc.age_over_size, after, merged, chance.choice([*fc.Outcome]))
        block = chance.choice([*blocks(), *before.splits, Block(0, 2)])
        events: list[Event] = [
            Closed(before, 1, after),
            Wrote(before, block, 1, after),
            settling,
            Asked(before, budget, fc.age_over_size, merged),
            Zoomed(before, block, merged),
            Run(before, (1,), budget, fc.age_over_size, ((after, settling),)),
        ]
        for event in events:
            judge.hear(event)
    assert len(judge.report.broken) == 22
    assert [*witnesses(judge.report)]
