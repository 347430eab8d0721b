"""`foldcover measure attention`: tasks, covers, trials and what is counted of them; the command."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from tests.models.saying import Saying

from foldcover_harness.measure.attention import GIVE_UP, Covers, Trial, failures, rows, trials
from foldcover_harness.measure.command import measure
from foldcover_harness.measure.estimates import wilson
from foldcover_harness.measure.tasks import drawn, right
from foldcover_harness.models import choose
from foldcover_harness.models.model import ModelError, Refused

from .made import transcript

FACT = re.compile(
    r"port (\d{5})\.|committed as (\S+)\.\n|failed, (\S+);|version (\S+)\.\n|read from (\S+)\.\n|takes (\d+ ms)"
    r"|error (E\d+)|ran on (\S+)\.\n"
)


def knows(words: str) -> str:
    """A model that reads the work in progress."""
    found = FACT.search(words)
    assert found
    return f"It is `{next(each for each in found.groups() if each)}`."


def near(words: str) -> str:
    """A model that reads it only where little stands in front."""
    return knows(words) if len(words) < 1_500 else "I do not know."


def covers(count: int = 40) -> Covers:
    """Titles of a made history."""
    return Covers([f"Finished part {number} of the harbour ledger, all tests pass." for number in range(count)])


def run(model: Saying, sizes: Sequence[int] = (0, 100, 500), questions: int = 8, seed: int = 0) -> list[Trial]:
    """All trials."""
    return list(trials(model, covers(), sizes, questions, 64, seed))


@pytest.mark.parametrize("seed", range(40))
def test_a_task_holds_its_fact_once_and_the_question_does_not(seed: int) -> None:
    """And a model that reads can find it."""
    task = drawn(random.Random(seed), lambda _: False)
    assert task.work.count(task.fact) == 1
    assert task.fact not in task.question
    assert right(knows(f"{task.work}\nuser: {task.question}"), task.fact)
    assert not right(task.work, task.fact) or task.work.index(task.fact) < 200


def test_a_fact_that_stands_in_front_is_drawn_again() -> None:
    """Or the cover would answer the question."""
    known: list[str] = []

    def is_known(number: str) -> bool:
        known.append(number)
        return len(known) < 3

    task = drawn(random.Random(1), is_known)
    assert len(known) == 3
    assert known[-1] in task.fact


@pytest.mark.parametrize(
    ("answer", "fact", "is_right"),
    [
        ("4711", "4711", True),
        ("The port is **4711**.", "4711", True),
        ("It is `Kestrel_12.toml`!", "kestrel_12.toml", True),
        ("after 48,213 ms", "48213 ms", True),
        ("48213  MS", "48213 ms", True),
        ("14711", "4711", False),
        ("4711.5", "4711", False),
        ("1.4711", "4711", False),
        ("c4711fab", "c4711fa", False),
        ("", "4711", False),
        ("x " * 200 + "4711", "4711", False),
    ],
)
def test_an_answer_is_right_when_it_says_the_fact(answer: str, fact: str, is_right: bool) -> None:
    """Literally, as a whole, and early: whoever copies the work says everything."""
    assert right(answer, fact) is is_right


def test_covers_of_a_question_grow_out_of_one_another() -> None:
    """From the same title on, around the end, never heavier than asked for."""
    made = covers()
    small, light = made.cover(100, 38)
    large, heavy = made.cover(400, 38)
    assert large.startswith(small)
    assert light <= 100 < heavy <= 400
    assert small.splitlines()[1].startswith("0: Finished part 38")
    assert "part 0 of" in large
    assert made.cover(0, 3) == ("", 0)
    everything, weight = made.cover(made.most, 5)
    assert (len(everything.splitlines()), weight) == (41, made.most)


def test_every_question_is_asked_once_a_size_with_the_same_work() -> None:
    """In a shuffled order that the seed decides."""
    model = Saying(knows)
    done = run(model)
    assert len({(trial.size, trial.question) for trial in done}) == len(done) == 24
    assert [trial.size for trial in done] != sorted(trial.size for trial in done)
    work: dict[int, set[str]] = {}
    for trial, words in zip(done, model.words, strict=True):
        work.setdefault(trial.question, set()).add(words.partition("The work in progress:")[2])
        assert words.startswith("The finished work") == (trial.size > 0)
    assert all(len(each) == 1 for each in work.values())
    again = Saying(knows)
    assert run(again) == done
    assert again.words == model.words
    assert run(Saying(knows), seed=1) != done


def test_rates_tell_near_from_far() -> None:
    """A model that loses the thread behind a long cover is seen to lose it, question by question."""
    none, some, much = rows(run(Saying(near)))
    assert (none.right, none.answered, none.rate.rate, none.lost) == (8, 8, 1.0, 0)
    assert (some.right, some.lost) == (8, 0)
    assert (much.right, much.lost, much.won) == (0, 8, 0)
    assert (much.rate.low, none.rate.high) == (0.0, 1.0)
    assert none.cover == 0
    assert much.cover is not None
    assert 450 < much.cover <= 500


def test_prompts_are_as_reported_or_else_estimated() -> None:
    """And it is said which."""
    reported, guessed = rows(run(Saying(knows), (0,)))[0], rows(run(Saying(knows, usage=False), (0,)))[0]
    assert (reported.reported, guessed.reported) == (True, False)
    assert guessed.prompt is not None
    assert reported.prompt is not None
    assert guessed.prompt > 0


def test_a_request_without_an_answer_is_no_wrong_answer() -> None:
    """Refusals of long prompts are counted apart, and the others go on."""

    def says(words: str) -> str:
        if len(words) > 1_500:
            raise Refused("too long")
        return knows(words)

    done = run(Saying(says))
    row = rows(done)[-1]
    assert (row.answered, row.failed, row.rate.rate, row.prompt, row.lost) == (0, 8, None, None, 0)
    assert failures(done) == {"too long": 8}


def test_it_gives_up_where_nothing_answers() -> None:
    """A provider that is away is not asked a thousand times."""

    def says(_: str) -> str:
        raise ModelError("no network")

    assert len(run(Saying(says))) == GIVE_UP


def test_wilson() -> None:
    """Against the formula's known values; the interval holds the rate."""
    found = wilson(8, 10)
    assert (found.rate, found.answers) == (0.8, 10)
    assert found.low == pytest.approx(0.4902, abs=1e-4)
    assert found.high == pytest.approx(0.9433, abs=1e-4)
    assert wilson(0, 0).rate is None
    for hits in range(6):
        each = wilson(hits, 5)
        assert each.low is not None
        assert each.high is not None
        assert 0 <= each.low <= hits / 5 <= each.high <= 1


# ---- the command ----


def _given(model: Saying, name: str, base_url: str | None) -> Saying:
    """What `choose` finds, whatever the name."""
    return model


@pytest.fixture
def called(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., Result]:
    """Runs the command with a model of one's own, on a made transcript."""
    path = transcript(tmp_path, range(40))

    def run(model: Saying | None, *arguments: str) -> Result:
        if model is not None:
            monkeypatch.setattr(choose, "choose", partial(_given, model))
        return CliRunner().invoke(measure, ["attention", *arguments, str(path)])

    return run


def test_the_table_fits_eighty_columns(called: Callable[..., Result]) -> None:
    """With the figures of every size."""
    done = called(Saying(near), "--model", "fake", "--sizes", "0,500", "--questions", "6")
    assert (done.exit_code, done.stderr) == (0, "")
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert re.search(r"^ +0 +0 .* 6/6 +100 +61-100 +0 +0 +0$", done.stdout, re.MULTILINE)
    assert re.search(r"^ +500 .* 0/6 +0 +0-39 +6 +0 +0$", done.stdout, re.MULTILINE)


def test_json_has_the_documented_keys(called: Callable[..., Result]) -> None:
    """Those of spec/attention.md."""
    done = called(Saying(knows), "--model", "fake", "--sizes", "0,200", "--questions", "3", "--json")
    found = json.loads(done.stdout)
    assert (found["partial"], found["failures"], found["transcripts"]) == (False, {}, 1)
    assert [row["right"] for row in found["rows"]] == [3, 3]
    spec = (Path(__file__).parents[2] / "spec" / "attention.md").read_text("utf-8")
    for key in {*found, *found["settings"], *found["rows"][0]}:
        assert f"`{key}`" in spec


def test_usual_sizes_go_as_far_as_the_titles_do(called: Callable[..., Result]) -> None:
    """And it is said."""
    done = called(Saying(knows), "--model", "fake", "--questions", "1", "--json")
    sizes = [row["size"] for row in json.loads(done.stdout)["rows"]]
    assert sizes[0] == 0
    assert f"a cover of {sizes[-1]:,} tokens at most" in done.stderr


def test_ctrl_c_prints_what_was_measured(called: Callable[..., Result]) -> None:
    """Says that it is a part, and ends with 130."""
    asked: list[str] = []

    def says(words: str) -> str:
        asked.append(words)
        if len(asked) == 8:
            raise KeyboardInterrupt
        return knows(words)

    done = called(Saying(says), "--model", "fake", "--sizes", "0,200", "--questions", "10", "--json")
    assert done.exit_code == 130
    found = json.loads(done.stdout)
    assert found["partial"] is True
    assert sum(row["answered"] for row in found["rows"]) == 7
    assert "interrupted: 7 of 20 requests" in done.stderr


def test_nothing_answered_is_no_result(called: Callable[..., Result]) -> None:
    """An error with the reason, not a rate of 0."""

    def says(_: str) -> str:
        raise ModelError("no network")

    done = called(Saying(says), "--model", "fake", "--sizes", "0", "--questions", "9")
    assert (done.exit_code, done.stdout) == (1, "")
    assert "fake answered nothing; 5 times: no network" in done.stderr
    assert "given up" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--model", "nobody"], "'nobody' names no model"),
        ([], "--model"),
        (["--model", "fake", "--sizes", "a,b"], "numbers of tokens between commas"),
        (["--model", "fake", "--sizes", ""], "numbers of tokens between commas"),
        (["--model", "fake", "--sizes", "999999"], "--sizes 999999: the titles of these transcripts make"),
        (["--model", "fake", "--questions", "0"], "--questions"),
        (["--model", "local", "--base-url", "http://x/v1"], "local runs here, and --base-url is the address"),
    ],
)
def test_wrong_usage(called: Callable[..., Result], arguments: list[str], said: str) -> None:
    """Exit code 2, nothing on stdout."""
    done = called(None if "nobody" in arguments else Saying(knows), *arguments)
    assert (done.exit_code, done.stdout) == (2, "")
    assert said in done.stderr


def test_a_named_file_that_is_refused(called: Callable[..., Result], tmp_path: Path) -> None:
    """It does not hide the others, and the exit code is 1."""
    absent = str(tmp_path / "absent.jsonl")
    done = called(Saying(knows), "--model", "fake", "--sizes", "0", "--questions", "2", absent)
    assert done.exit_code == 1
    assert "absent.jsonl: no such file" in done.stderr
    assert "2/2" in done.stdout
