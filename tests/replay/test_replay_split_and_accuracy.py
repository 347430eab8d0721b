"""The three-part split, the estimator and its errors, on conversations small enough to reckon by hand."""

from __future__ import annotations

from array import array

import pytest

from foldcover_harness.replay import accuracy
from foldcover_harness.replay.split import Split, split
from foldcover_harness.replay.tape import record
from foldcover_harness.replay.tokens import BYTES4, CALIBRATED, measured_standing
from foldcover_harness.transcripts.model import Builder, Conversation, Kind


def conversation(*reported: int | None, window: int | None = None) -> Conversation:
    """Two turns. Bytes: user 40, [request 0] text 400 call 80, result 400, [1] text 120; user 80, [2] text
    40, result 4, [3].
    """
    build = Builder("test")
    usage = iter([*reported, *[None] * 4])

    def ask() -> int:
        build.open_request().reported = next(usage)
        return build.start_message()

    build.open_turn("first")
    build.add(Kind.USER, 40, build.start_message())
    message = ask()
    build.say("x" * 400, message)
    build.call(80, message)
    build.add(Kind.RESULT, 400, build.start_message())
    build.say("y" * 120, ask())
    build.open_turn("second")
    build.add(Kind.USER, 80, build.start_message())
    build.say("z" * 40, ask())
    build.add(Kind.SHELL, 4, build.start_message())
    ask()
    build.conversation.window = window
    return build.finish()


def test_the_split_by_hand() -> None:
    """In tokens of four bytes. Requests 0 and 1 read 10 and 10 + 100 + 20 + 100 = 230 of work in progress.
    Requests 2 and 3 read 20 and 20 + 10 + 1 = 31 of it, each the conclusion of turn 0 (30) and its other
    230.
    """
    found = conversation()
    assert split(record(found, BYTES4), found.turns) == Split(10 + 230 + 20 + 31, 2 * 30, 2 * 230)


def test_shares_add_to_one() -> None:
    """And are all nothing where nothing is read."""
    assert sum(Split(3, 3, 1).shares()) == pytest.approx(1)
    assert Split(0, 0, 0).shares() == (0, 0, 0)


def test_the_calibrated_estimator_by_hand() -> None:
    """40 / 3.9, 400 / 3.9, 80 / 3.2 + 80, 400 / 3.1, 120 / 3.9, 80 / 3.9, 40 / 3.9, 4 / 2.75; 10 for each
    request after it.
    """
    tape = record(conversation(), CALIBRATED)
    assert tape.weights == [10, 103, 105, 129, 31, 21, 10, 1]
    prompts = [0]
    for step in tape.steps:
        prompts.append(prompts[-1] + sum(part.weight for part in step.parts))
    assert prompts[1:] == [10, 10 + 10 + 337, 10 + 20 + 337 + 31 + 21, 10 + 30 + 337 + 31 + 21 + 11]


def test_errors_by_hand() -> None:
    """Estimated prompts 10, 230, 280, 291: steps of 220, 50, 11. Reported steps 200, 100, 10: errors 0.1,
    0.5, 0.1. The standing part is 990: prompts of 1220, 1270, 1281 against 1200, 1300, 1310.
    """
    found = conversation(1_000, 1_200, 1_300, 1_310)
    errors = accuracy.measure(found, record(found, BYTES4).weights, BYTES4)
    assert list(errors.steps) == pytest.approx([0.1, 0.5, 0.1])
    assert list(errors.prompts) == pytest.approx([20 / 1_200, 30 / 1_300, 29 / 1_310])
    assert (errors.compared, errors.odd, errors.reported) == (3, 0, 4)


def test_a_step_that_did_not_grow_has_no_error_of_its_own() -> None:
    """Its prompt is compared all the same."""
    found = conversation(1_000, 1_200, 1_200, 1_210)
    errors = accuracy.measure(found, record(found, BYTES4).weights, BYTES4)
    assert (len(errors.steps), len(errors.prompts), errors.compared) == (2, 3, 3)


def test_a_drop_of_usage_begins_a_new_segment() -> None:
    """1300 after 5000 is compared with nothing, 1311 with it."""
    found = conversation(1_000, 5_000, 1_300, 1_311)
    errors = accuracy.measure(found, record(found, BYTES4).weights, BYTES4)
    assert list(errors.steps) == pytest.approx([3_780 / 4_000, 0])
    assert errors.compared == 2


def test_a_real_compaction_begins_a_new_segment() -> None:
    """Though the reported prompt grew across it."""
    found = conversation(1_000, 1_200, 1_300, 1_310)
    found.breaks.append(2)
    assert accuracy.measure(found, record(found, BYTES4).weights, BYTES4).compared == 2


def test_a_jump_beyond_what_was_added_is_not_believed() -> None:
    """500 bytes cannot be 100,000 tokens; nor can a prompt exceed the window that the transcript reports."""
    found = conversation(1_000, 101_000, 101_050, 101_061)
    errors = accuracy.measure(found, record(found, BYTES4).weights, BYTES4)
    assert (errors.compared, errors.odd) == (2, 1)
    found = conversation(1_000, 1_200, 1_300, 1_310, window=1_250)
    errors = accuracy.measure(found, record(found, BYTES4).weights, BYTES4)
    assert (errors.compared, errors.odd) == (1, 2)


def test_no_usage_is_no_error() -> None:
    """Nothing is compared."""
    found = conversation()
    assert accuracy.measure(found, record(found, BYTES4).weights, BYTES4).reported == 0


def test_the_standing_part_as_measured() -> None:
    """The first reported prompt less what we estimate before it; never negative; None where none is
    reported.
    """
    assert measured_standing(conversation(1_000), BYTES4) == 990
    assert measured_standing(conversation(None, 1_000), BYTES4) == 770
    assert measured_standing(conversation(None, 1_000), CALIBRATED) == 1_000 - 347 - 10
    assert measured_standing(conversation(3), BYTES4) == 0
    assert measured_standing(conversation(), BYTES4) is None


@pytest.mark.parametrize(
    ("values", "middle", "ninth"), [([], None, None), ([5], 5, 5), ([4, 1], 2.5, 4), (list(range(1, 11)), 5.5, 9)]
)
def test_quantiles(values: list[float], middle: float | None, ninth: float | None) -> None:
    """The median of an even number is the mean of two; the 90th percentile is a value that occurs."""
    assert accuracy.median(array("d", values)) == middle
    assert accuracy.quantile(array("d", values), 0.9) == ninth
