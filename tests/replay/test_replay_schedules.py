"""The schedules on a conversation of three requests, priced by hand.

The conversation: turn 0 adds 1,000 tokens before request 1 and 4,000 before request 2; turn 1 adds 500
before request 3. The standing part has 100 tokens. A request costs 0.1 c + (P - c).
"""

from __future__ import annotations

import pytest

import foldcover
from foldcover_harness.replay.covers import close_unit, common
from foldcover_harness.replay.schedules import SCHEDULES, Bill, Setting, price
from foldcover_harness.replay.tape import Part, Step, Tape

SMALL = Tape(
    (
        Step((Part(False, 1_000, 0),), 1_000),
        Step((Part(False, 4_000, 1),), 300),
        Step((Part(False, 200, 0), Part(True, 500, 0)), 500),
    ),
    [],
    1,
    # Messages of 1,000, 3,700, 300, 200, 500 tokens.
    messages=[0, 1_000, 4_700, 5_000, 5_200],
    messages_before=[1, 3, 5],
    results_before=[0, 0, 0],
)
WIDE = Setting(100, 100_000)
NARROW = Setting(100, 5_000)


def figures(bill: Bill) -> tuple[list[int], float, int]:
    """Return what is compared."""
    return list(bill.prompts), bill.cost, bill.rewrites


def test_none() -> None:
    """P = 1100, 5100, 5800; c = 0, 1100, 5100: 1100 + (110 + 4000) + (510 + 700) = 6420."""
    assert figures(price(SMALL, "none", WIDE)) == ([1_100, 5_100, 5_800], 6_420.0, 0)


def test_compaction_in_a_wide_window_is_none() -> None:
    """Nothing is nearly full."""
    assert figures(price(SMALL, "compaction", WIDE)) == figures(price(SMALL, "none", WIDE))


def test_compaction() -> None:
    """5100 >= 4600. The extra request reads 5100, sharing 1100: 110 + 4000. Left: 100 + 2000 + 300 = 2400,
    sharing 100: 10 + 2300. Then 2400 + 200 + 500 = 3100, sharing 2400: 240 + 700. With 1100 for the first:
    8460. One rewrite.
    """
    bill = price(SMALL, "compaction", NARROW)
    assert figures(bill) == ([1_100, 5_100, 2_400, 3_100], 8_460.0, 1)
    assert bill.compactions == 1


@pytest.mark.parametrize("name", ["close", "close+merge4", "rule"])
def test_close(name: str) -> None:
    """Turn 0 closes before request 3: P = 100 + 60 + 500 = 660, sharing the standing 100: 10 + 560. 1100 +
    4110 + 570 = 5780.
    """
    assert figures(price(SMALL, name, WIDE)) == ([1_100, 5_100, 660], 5_780.0, 1)


def test_card_folds_nothing_below_its_trigger() -> None:
    """One call, 5,200 tokens: no card."""
    assert figures(price(SMALL, "card", WIDE)) == figures(price(SMALL, "none", WIDE))


def test_card_folds_all_closed_turns_into_one_unit() -> None:
    """19 calls in turn 0 show no card; the 20th, in turn 1, does: both turns are one line of 60.
    P = 110, 120, 100 + 60 + 10 = 170, sharing 100.
    """
    tape = Tape(
        (
            Step((Part(False, 10, 19),), 10),
            Step((Part(True, 10, 1),), 10),
            Step((Part(True, 10, 0),), 10),
        ),
        [],
        2,
    )
    assert figures(price(tape, "card", WIDE)) == ([110, 120, 170], 110 + (11 + 10) + (10 + 70), 1)


def test_card_is_shown_at_100000_tokens_too() -> None:
    """99,999 tokens show none."""
    for weight, last in ((100_000, 100 + 60 + 5), (99_999, 100 + 99_999 + 5)):
        tape = Tape((Step((Part(False, weight, 0),), 5), Step((Part(True, 5, 0),), 5)), [], 1)
        assert price(tape, "card", Setting(100, 10_000_000)).prompts[-1] == last


def test_after_a_card_the_gathering_begins_anew() -> None:
    """100,000 tokens are folded at the first close; the second one finds 5 and folds nothing."""
    steps = (Step((Part(False, 100_000, 20),), 5), Step((Part(True, 5, 0),), 5), Step((Part(True, 5, 0),), 5))
    assert list(price(Tape(steps, [], 2), "card", Setting(0, 10_000_000)).prompts) == [100_000, 65, 70]


def test_oldest() -> None:
    """At request 3 the prompt of 5800 is nearly full (window 6000: 5520): turn 0 of 5200 becomes 60, P =
    660, sharing 100.
    """
    assert figures(price(SMALL, "oldest", Setting(100, 6_000))) == ([1_100, 5_100, 660], 5_780.0, 1)


def test_oldest_folds_no_more_than_it_must() -> None:
    """Turns of 3000, 1000 and 1000: above 4600 the first one goes and the second stays: 100 + 60 + 1000 +
    1000.
    """
    tape = Tape(
        (Step((Part(False, 3_000, 0),), 1), Step((Part(True, 1_000, 0),), 1), Step((Part(True, 1_000, 0),), 1)), [], 2
    )
    assert list(price(tape, "oldest", NARROW).prompts) == [3_100, 4_100, 2_160]


def test_oldest_compacts_when_nothing_closed_is_left() -> None:
    """As compaction does: the open turn is all there is."""
    assert list(price(SMALL, "oldest", NARROW).prompts) == [1_100, 5_100, 2_400, 3_100]


def test_compaction_keeps_the_cover() -> None:
    """A title of 60 and a tail of 5000 in a window of 5000: the next prompt shares standing part and cover,
    160 tokens.
    """
    tape = Tape((Step((Part(False, 10, 0),), 10), Step((Part(True, 5_000, 0),), 40)), [], 1)
    bill = price(tape, "close", NARROW)
    # 110; the extra request 5160 sharing 100; then 160 + 2040 = 2200 sharing 160.
    assert figures(bill) == ([110, 5_160, 2_200], 110 + (10 + 5_060) + (16 + 2_040), 2)


def test_merge4_makes_one_line_of_four_titles_and_merges_no_further() -> None:
    """After n closes n // 4 + n % 4 lines of 60; a merge keeps the lines before the four."""
    steps = (Step((Part(False, 1, 0),), 1), *(Step((Part(True, 1, 0),), 1) for _ in range(17)))
    bill = price(Tape(steps, [], 17), "close+merge4", Setting(0, 100_000))
    assert list(bill.prompts) == [60 * (n // 4 + n % 4) + 1 for n in range(18)]
    # Close 4 keeps no line: P = 61, c = 0. Close 8 keeps one: P = 121, c = 60. Close 9 keeps both: P = 181,
    # c = 120.
    costs = [price(Tape(steps[: n + 1], [], n), "close+merge4", Setting(0, 100_000)).cost for n in range(18)]
    assert costs[4] - costs[3] == pytest.approx(61)
    assert costs[8] - costs[7] == pytest.approx(6 + 61)
    assert costs[9] - costs[8] == pytest.approx(12 + 61)


def test_rule_settles_to_half_its_budget() -> None:
    """Window 4800: budget 480, eight lines. The ninth close leaves [0-3] [4-5] [6-7] [8]: 240 tokens, none
    of them shared.
    """
    steps = (Step((Part(False, 1, 0),), 1), *(Step((Part(True, 1, 0),), 1) for _ in range(10)))
    setting = Setting(0, 4_800)
    bill = price(Tape(steps, [], 10), "rule", setting)
    assert [prompt - 1 for prompt in bill.prompts] == [0, 60, 120, 180, 240, 300, 360, 420, 480, 240, 300]
    before = price(Tape(steps[:9], [], 8), "rule", setting)
    assert price(Tape(steps[:10], [], 9), "rule", setting).cost - before.cost == pytest.approx(241)


def test_the_first_request_shares_nothing_and_rewrites_nothing() -> None:
    """Not even the standing part, and not even after closes and a compaction."""
    tape = Tape((Step((Part(False, 10, 0), Part(True, 10, 0)), 10),), [], 1)
    assert figures(price(tape, "close", WIDE)) == ([170], 170.0, 0)
    tape = Tape((Step((Part(False, 9_000, 0),), 40),), [], 0)
    assert figures(price(tape, "compaction", NARROW)) == ([9_100, 2_140], 9_100 + 10 + 2_040, 1)


@pytest.mark.parametrize("name", SCHEDULES)
def test_a_standing_part_that_fills_the_window_is_no_endless_loop(name: str) -> None:
    """No request is compacted in vain; each is paid once, and those that were nearly full are counted."""
    bill = price(SMALL, name, Setting(95_000, 100_000))
    assert len(bill.prompts) == 3
    assert bill.compactions == 0
    assert bill.blocked == (0 if name in ("none", "as recorded") else 3)


def test_a_message_that_fills_the_window_alone_is_compacted_once_it_can_be() -> None:
    """Alone it leaves nothing to gain; once something follows it, it goes."""
    tape = Tape((Step((Part(False, 50_000, 0),), 50_000), Step((Part(False, 10, 0),), 10)), [], 0)
    bill = price(tape, "compaction", NARROW)
    assert list(bill.prompts) == [50_100, 50_110, 2_110]
    assert (bill.blocked, bill.compactions) == (1, 1)


@pytest.mark.parametrize(("window", "limit"), [(100_000, 92_000), (5_000, 4_600), (1, 1), (3, 3), (101, 93)])
def test_nearly_full_is_at_least_92_hundredths(window: int, limit: int) -> None:
    """The smallest whole number of tokens that is not below it."""
    assert Setting(0, window).nearly_full == limit


def test_the_unit_is_closed_by_the_core() -> None:
    """The post's example: budget eight lines, nine closes."""
    view: foldcover.View = foldcover.EMPTY
    merged: tuple[foldcover.Block, ...] = ()
    for _ in range(9):
        view, merged = close_unit(view, 8 * 60)
    assert foldcover.cover(view) == ((0, 4), (4, 2), (6, 2), (8, 1))
    assert len(merged) == 5


def test_common_counts_the_lines_that_stay() -> None:
    """Up to the first that differs."""
    one, two = foldcover.Block(0, 2), foldcover.Block(2, 1)
    assert (common((one, two), (one, two)), common((one,), (one, two)), common((two,), (one,))) == (2, 1, 0)


# ---- what others do

RESULTS = Tape(
    tuple(Step((Part(False, 1_010, 1),), 1_000) for _ in range(8)),
    [],
    0,
    # Each step adds a call of 10 and its result of 1,000.
    messages=[place for step in range(8) for place in (1_010 * step, 1_010 * step + 10)],
    messages_before=[2 * step + 2 for step in range(8)],
    results=[(1_010 * step + 10, 1_000) for step in range(8)],
    results_before=[step + 1 for step in range(8)],
)


def test_trim_clears_all_but_the_last_five() -> None:
    """At request 6 the first result is 10 of what was 1,000, at request 7 the second; what stands before it is shared:
    the standing 100, a call of 10; then 10 and 10 more.
    """
    bill = price(RESULTS, "trim", WIDE)
    assert list(bill.prompts) == [100 + 1_010 * n for n in range(1, 6)] + [
        6_160 - 990,
        7_170 - 2 * 990,
        8_180 - 3 * 990,
    ]
    assert list(bill.hits)[5:] == [110, 110 + 10 + 10, 110 + 2 * 20]
    assert bill.rewrites == 3


def test_clear_waits_for_its_trigger_and_keeps_three() -> None:
    """In a window of 5,000, 4,600 is nearly full: at request 5 the prompt of 5,150 loses two results of five; at
    request 8, once more at 4,620 or more, the next ones.
    """
    bill = price(RESULTS, "clear-tool-results", NARROW)
    assert list(bill.prompts) == [1_110, 2_120, 3_130, 4_140, 5_150 - 2 * 990, 4_180, 5_190 - 2 * 990, 4_220]
    assert bill.rewrites == 2
    assert bill.compactions == 0


def test_clear_has_a_trigger_of_100000_in_a_wide_window() -> None:
    """Above it, not at it."""
    for weight, last in ((99_900, 99_900), (99_901, 99_901 - 990)):
        tape = Tape(
            (Step((Part(False, weight, 0),), 1_000),),
            [],
            0,
            messages=[0],
            messages_before=[1],
            results=[(0, 1_000), (1_000, 5), (1_005, 5), (1_010, 5)],
            results_before=[4],
        )
        assert list(price(tape, "clear-tool-results", Setting(100, 10**6)).prompts) == [last + 100]


def test_half_keeps_the_first_message_and_the_newer_half() -> None:
    """241 events: 240 messages of 10 and the standing part. The first message and the last 117 stay, the 122 between
    are read by a request of their own and become 2,000.
    """
    count = 240
    tape = Tape(
        tuple(Step((Part(False, 10, 0),), 10) for _ in range(count)),
        [],
        0,
        messages=[10 * n for n in range(count)],
        messages_before=list(range(1, count + 1)),
        results_before=[0] * count,
    )
    bill = price(tape, "half", WIDE)
    assert list(bill.prompts)[-3:] == [100 + 2_390, 1_220, 100 + 10 + 2_000 + 1_170]
    assert list(bill.hits)[-2:] == [0, 110]
    assert (bill.compactions, bill.written, bill.rewrites) == (1, 2_000, 1)


def test_half_condenses_a_full_window_too() -> None:
    """Four events at 5,100 of 4,600: two are wanted, so the last message stays beside the first. Between them 3,700
    became 2,000.
    """
    bill = price(SMALL, "half", NARROW)
    assert list(bill.prompts) == [1_100, 3_700, 100 + 1_000 + 2_000 + 300, 3_400 + 200 + 500]
    assert bill.compactions == 1


def test_sliding_drops_the_oldest_messages() -> None:
    """At 5,100 of 4,600 the first message of 1,000 goes: 4,100, sharing the standing 100; at 4,800 the next, of
    3,700.
    """
    assert figures(price(SMALL, "sliding", NARROW)) == (
        [1_100, 4_100, 1_100],
        1_100 + (10 + 4_000) + (10 + 1_000),
        2,
    )


def test_as_recorded_compacts_where_it_was_done() -> None:
    """Before request 2, whatever the window: the whole prompt of 5,800 is read, then 100 + 2,000 + 500."""
    tape = SMALL._replace(compactions=frozenset({2}))
    bill = price(tape, "as recorded", WIDE)
    assert list(bill.prompts) == [1_100, 5_100, 5_800, 2_600]
    assert (bill.compactions, bill.rewrites) == (1, 1)
