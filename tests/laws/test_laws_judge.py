"""The judge tells a wrong implementation from a right one, and says what it did not look at."""

from collections.abc import Callable
from typing import Any

import pytest

import foldcover as fc
from foldcover import CORE, Block, Impl, Outcome, Settled
from foldcover.settling import Terms, tree_of, walk
from foldcover_laws import LAWS, Scope, Subject, Verdict, check, run
from foldcover_laws.reading import Reading
from foldcover_laws.report import witnesses
from foldcover_laws.ruler import picture, ruler

QUICK = Scope(units=3, closes=9, stride=40, lives=1)


def broken_by(**changes: Any) -> list[str]:
    """The laws and pins that the core breaks with some operations replaced."""
    return run(Subject("changed", CORE._replace(**changes), fc.wanted), QUICK).broken


def settle_to_the_budget(view: fc.View, budget: int, rank: fc.Rank = fc.smallest_first) -> Settled:
    """Stop at the budget instead of half of it."""
    if fc.weight(view) <= budget:
        return Settled(view, (), Outcome.FITS)
    done = walk(view, budget, Terms(fc.units(view), rank, False))
    after = tuple(tree_of(node) for node in done.forest)
    stuck = fc.weight(after) > budget // 2 and not fc.ready(after)
    return Settled(after, tuple(pick.block for pick in done.merged), Outcome.STUCK if stuck else Outcome.SETTLED)


def settle_everything(view: fc.View, budget: int, rank: fc.Rank = fc.smallest_first) -> Settled:
    """Merge all that can be merged once over the budget."""
    if fc.weight(view) <= budget:
        return Settled(view, (), Outcome.FITS)
    settled = fc.settle(view, min(budget, -(1 << 40)), rank)
    stuck = fc.weight(settled.view) > budget // 2
    return Settled(settled.view, settled.merged, Outcome.STUCK if stuck else Outcome.SETTLED)


def settle_by_size(view: fc.View, budget: int, rank: fc.Rank = fc.smallest_first) -> Settled:
    """Ignore the rank."""
    return fc.settle(view, budget)


def write_nothing(view: fc.View, block: Block, weight: int = 1) -> fc.View:
    """Write nothing."""
    return view


def close_by_one(view: fc.View, weight: int = 1) -> fc.View:
    """Ignore the weight."""
    return fc.close(view)


def close_nothing(view: fc.View, weight: int = 1) -> fc.View:
    """Forget the unit."""
    return view


def zoom_backwards(view: fc.View, block: Block) -> tuple[Block, ...]:
    """Read the newest unit first."""
    return fc.zoom(view, block)[::-1]


def test_the_core_holds_every_law_and_pin_on_cases_of_each() -> None:
    """All 22 hold, and none of them on nothing."""
    report = run(Subject("core", CORE, fc.wanted), QUICK)
    assert report.ok
    assert len(report.tallies) == len(LAWS) == 22
    assert min(tally.cases for tally in report.tallies) > 50


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"settle": settle_to_the_budget}, ["target"]),
        ({"settle": settle_everything}, ["target"]),
        ({"settle": settle_by_size}, ["ranked"]),
        ({"write": write_nothing}, ["write_sets"]),
        ({"close": close_by_one}, ["weighs"]),
        ({"zoom": zoom_backwards}, ["reads"]),
    ],
    ids=[
        "stops at the budget",
        "merges all",
        "ignores the rank",
        "writes nothing",
        "drops the weight",
        "reads backwards",
    ],
)
def test_cores_that_pass_all_thirteen_are_caught_by_exactly_one_pin(
    change: dict[str, Callable[..., Any]], expected: list[str]
) -> None:
    """The thirteen do not pin the rule; the pins do."""
    assert broken_by(**change) == expected


def test_a_broken_law_comes_with_the_smallest_witness_as_a_picture() -> None:
    """A close that forgets its unit is shown on the empty view, before and after."""
    report = run(Subject("forgetful", CORE._replace(close=close_nothing), fc.wanted), QUICK)
    assert "covers_close" in report.broken
    text = "\n".join(witnesses(report))
    assert "covers_close is broken" in text
    assert "before: 0 units, 0 lines, weight 0" in text
    assert "close(weight=" in text
    assert "spec/laws.md#covers_close" in text


def test_the_ruler_shows_lines_over_units_and_splits_under_them() -> None:
    """Widths follow the sizes of the blocks."""
    view = (fc.Leaf(3), fc.Split(fc.Split(fc.Leaf(1), fc.Leaf(1), 1), fc.Merged(2, 7), None))
    assert ruler(Reading(view)) == [
        "units    0    1    2    3    4",
        "shown  [ 1 ][ 1 ][   7    ][ 3 ]",
        "split  └ line 1 ┘",
        "split  └──── no line ─────┘",
    ]


def test_an_operation_that_raises_is_not_a_pass() -> None:
    """It is counted as not answered, and the report is not ok, even where no law saw an event."""

    def raising(view: fc.View, block: Block) -> tuple[Block, ...]:
        raise RuntimeError("no zoom here")

    report = run(Subject("raising", CORE._replace(zoom=raising), fc.wanted), QUICK)
    assert not report.ok
    assert report.untotal
    assert report.tallies[-2].verdict is Verdict.NO_CASE
    assert "zoom did not answer: RuntimeError: no zoom here" in "\n".join(witnesses(report))


@pytest.mark.parametrize("answer", [None, 7, "view", (1, 2), ((), (), ())], ids=repr)
def test_an_answer_that_is_no_view_is_not_a_pass(answer: object) -> None:
    """Whatever a stranger's close gives back, the judge ends with a report."""
    impl = CORE._replace(close=lambda view, weight=1: answer)  # type: ignore[arg-type]
    assert not run(Subject("odd", impl, None), QUICK).ok


def test_what_is_not_offered_is_not_judged_and_not_passed() -> None:
    """Four operations without wanted: the pin asks is neither held nor broken."""
    report = check(Impl(*CORE), scope=QUICK)
    assert report.ok
    verdicts = {tally.law.slug: tally.verdict for tally in report.tallies}
    assert verdicts["asks"] is Verdict.NOT_JUDGED
    assert verdicts["ranked"] is Verdict.HOLDS


def test_the_picture_of_a_broken_quiet_shows_the_close_and_the_settle() -> None:
    """What was given to settle, what settle said, what came out."""

    def restless(view: fc.View, budget: int, rank: fc.Rank = fc.smallest_first) -> Settled:
        return fc.settle(view, min(budget, fc.weight(view) - 1), rank)

    report = run(Subject("restless", CORE._replace(settle=restless), fc.wanted), QUICK)
    (quiet,) = [tally for tally in report.tallies if tally.law.slug == "quiet"]
    assert quiet.witness is not None
    text = picture(quiet.witness)
    assert any(line.startswith("close(weight=") for line in text)
    assert any(line.startswith("settle(budget=") for line in text)
    assert any(line.startswith("after: ") for line in text)


def heavy(view: fc.View, weight: int = 1) -> fc.View:
    """Lose what does not fit in 32 bits."""
    return fc.close(view, weight & 0xFFFFFFFF)


def capped(view: fc.View, block: Block, weight: int = 1) -> fc.View:
    """No line below zero."""
    return fc.write(view, block, max(weight, 0))


def short(view: fc.View, block: Block) -> tuple[Block, ...]:
    """Forget the last unit of a long range."""
    return fc.zoom(view, block)[: 99 if block.size < 65 else block.size - 1]


def wild(view: fc.View, weight: int = 7) -> fc.View:
    """Another default."""
    return fc.close(view, weight)


def by_age(view: fc.View, budget: int, rank: fc.Rank = fc.age_over_size) -> Settled:
    """Another default."""
    return fc.settle(view, budget, rank)


@pytest.mark.parametrize(
    ("change", "slug"),
    [
        ({"close": heavy}, "weighs"),
        ({"write": capped}, "write_sets"),
        ({"zoom": short}, "reads"),
        ({"close": wild}, "weighs"),
        ({"settle": by_age}, "ranked"),
    ],
    ids=["32 bits", "not below zero", "short from 65 units", "default weight", "default rank"],
)
def test_what_goes_wrong_at_the_edges_is_seen(change: dict[str, Callable[..., Any]], slug: str) -> None:
    """Big and negative numbers, long ranges, default arguments."""
    edges = Scope(units=4, closes=6, stride=40, lives=2)
    assert slug in run(Subject("changed", CORE._replace(**change), fc.wanted), edges).broken


NO_SETTLED: list[object] = [
    None,
    ((), ()),
    ((), (), "stuck"),
    ((), ("ab",), Outcome.STUCK),
    ((), ((None, 1),), Outcome.STUCK),
]


@pytest.mark.parametrize("answer", NO_SETTLED, ids=repr)
def test_a_settle_that_answers_something_else_is_not_answered(answer: object) -> None:
    """It is reported as such; the run ends with a report."""

    def odd(view: fc.View, budget: int, rank: fc.Rank = fc.smallest_first) -> Any:
        return answer

    report = run(Subject("odd", CORE._replace(settle=odd), None), Scope(units=1, closes=2, stride=90, lives=0))
    assert not report.ok
    assert report.untotal


def test_an_operation_that_exits_is_not_a_pass() -> None:
    """sys.exit(0) in a stranger's code does not end the run."""

    def leaving(view: fc.View, weight: int = 1) -> fc.View:
        raise SystemExit(0)

    assert not run(Subject("leaving", CORE._replace(close=leaving), None), QUICK).ok


def test_numbers_that_are_no_ints_are_not_answers() -> None:
    """1.0 and True equal 1, but a port that answers them is told."""
    for number in (1.0, True):

        def odd(view: fc.View, weight: int = 1, number: Any = number) -> fc.View:
            return (fc.Leaf(number), *view)

        assert run(Subject("odd", CORE._replace(close=odd), None), QUICK).untotal


def test_a_core_put_in_place_of_the_core_is_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    """check() looks the core up when it is called."""
    monkeypatch.setattr(fc, "CORE", CORE._replace(write=write_nothing))
    assert check(scope=QUICK).broken == ["write_sets"]
