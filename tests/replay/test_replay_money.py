"""Money and the sweep: prices from the table and from files, and how ratios move with what is assumed."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from foldcover_harness.replay.prices import TABLE, Price, PriceError, find, read
from foldcover_harness.replay.schedules import Setting, price
from foldcover_harness.replay.sources import SAMPLE
from foldcover_harness.replay.sweep import Sums, add, lines, sweep
from foldcover_harness.replay.tape import Part, Step, Tape

COMMAND = [sys.executable, "-c", "from foldcover_harness.cli import main; main()", "replay"]


def replay(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Replay the sample with an empty home."""
    return subprocess.run(
        [*COMMAND, str(SAMPLE), *map(str, arguments)],
        env={**os.environ, "HOME": "/nonexistent"},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def test_money_by_hand() -> None:
    """A million tokens read, 600,000 of them cached, 100,000 written: 0.6 x 0.3 + 0.4 x 3.75 + 0.1 x 15."""
    full = Price(input=3, cached=0.3, cache_write=3.75, output=15)
    assert full.money(1_000_000, 600_000, 100_000) == pytest.approx(0.18 + 1.5 + 1.5)
    plain = Price(input=3, cached=0.3)
    assert plain.money(1_000_000, 600_000, 100_000) == pytest.approx(0.18 + 1.2)


def test_every_row_of_the_table_is_dated_and_has_its_source() -> None:
    """And a cached token is cheaper than a fresh one."""
    table = read(TABLE)
    assert len({model.split("-")[0] for model in table}) == 3
    for row in table.values():
        assert row.as_of is not None
        assert row.source.startswith("https://")
        assert row.seen_in
        assert row.cached < row.input <= row.fresh
        assert row.output is not None


def test_the_money_of_a_report_is_that_of_its_tokens() -> None:
    """For each schedule, and of what was recorded."""
    one = json.loads(replay("--json", "--prices", "claude-sonnet-5-5").stdout)["transcripts"][0]
    for row in (*one["schedules"].values(), one["recorded_usage"]):
        read_, cached = row["prompt_tokens"], row["cached_tokens"]
        written = row["written_tokens"] if "written_tokens" in row else row["output_tokens"]
        assert row["money"] == pytest.approx((0.1 * cached + 2.5 * (read_ - cached) + 10 * written) / 1e6)
    rows = one["schedules"]
    assert rows["compaction"]["written_tokens"] - rows["none"]["written_tokens"] == 2_000


def test_without_prices_there_is_no_money() -> None:
    """Null in JSON, no column in the table."""
    assert json.loads(replay("--json").stdout)["total"]["schedules"]["rule"]["money"] is None
    assert "USD" not in replay().stdout


def test_the_table_names_its_prices_within_80_columns() -> None:
    """Model, date, source."""
    shown = replay("--prices", "gpt-6.2-sol", "--sweep").stdout
    assert "gpt-6.2-sol of 2026-11-18" in " ".join(shown.split())
    assert all(len(line) <= 80 for line in shown.splitlines())


def test_prompts_above_the_tier_are_told(tmp_path: Path) -> None:
    """They cost more than what is shown."""
    file = tmp_path / "mine.toml"
    file.write_text("[mine]\ninput = 1\ncached = 0.1\nup_to = 90000\n")
    (note,) = json.loads(replay("--json", "--price-file", file).stdout)["transcripts"][0]["notes"]
    assert "above 90,000 tokens a prompt costs more" in note
    assert "none" in note
    assert "rule" not in note


def test_a_file_of_ones_own(tmp_path: Path) -> None:
    """TOML or JSON; the only model in it needs no name, one of several does."""
    toml, both = tmp_path / "one.toml", tmp_path / "two.json"
    toml.write_text('[mine]\ninput = 1\ncached = 0.5\ncurrency = "EUR"\n')
    both.write_text('{"a": {"input": 1, "cached": 0}, "b": {"input": 2, "cached": 0}}')
    found = find(None, toml)
    assert found is not None
    assert (found.model, found.price.currency) == ("mine", "EUR")
    second = find("b", both)
    assert second is not None
    assert second.price.input == 2
    with pytest.raises(PriceError, match="holds 2 models"):
        find(None, both)
    assert "EUR" in replay("--price-file", toml).stdout


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[mine]\ninput = 1\n", "`cached`"),
        ("[mine]\ninput = -1\ncached = 0\n", "$[...].input"),
        ("[mine]\ninput = inf\ncached = 0\n", "no number"),
        ("[mine]\ninput = 1\ncached = 0\ncahce_write = 1\n", "cahce_write"),
        ("[mine\n", "line 1"),
        ('{"mine": }', "byte 9"),
        ("", "there are none"),
    ],
)
def test_a_wrong_price_file_is_one_line(text: str, words: str, tmp_path: Path) -> None:
    """That names the file and what is wrong in it; exit code 2, before anything is read."""
    file = tmp_path / "p.toml"
    file.write_text(text)
    done = replay("--price-file", file, "--prices", "mine")
    assert (done.returncode, done.stdout) == (2, "")
    assert re.fullmatch(r"foldcover: --price-file: [^\n]+\n", done.stderr)
    assert words in done.stderr


@pytest.mark.parametrize("arguments", [("--prices", "moon"), ("--price-file", "missing.toml")])
def test_a_price_that_is_not_there_is_one_line(arguments: tuple[str, ...]) -> None:
    """Never a guess."""
    done = replay(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert re.fullmatch(r"foldcover: [^\n]+\n", done.stderr)


TAPE = Tape(
    tuple(Step((Part(number > 0, 3_000, 0),), 3_000) for number in range(40)),
    [],
    39,
    answers=5_000,
)


def test_a_sweep_is_the_prices_themselves() -> None:
    """Each ratio is that of two bills at that setting; the report's own values give the report's own ratio."""
    setting = Setting(1_000, 20_000)
    found = {(line.parameter, line.value): line.ratios for line in lines(sweep(TAPE, setting, ("rule", "none")))}

    def ratio(at: Setting) -> float:
        return price(TAPE, "rule", at).cost / price(TAPE, "compaction", at).cost

    assert found["window", 20_000]["rule"] == pytest.approx(ratio(setting))
    assert found["window", 50_000]["rule"] == pytest.approx(ratio(setting._replace(window=50_000)))
    assert found["title", 240]["rule"] == pytest.approx(ratio(setting._replace(line=240)))
    assert found["summary", 500]["rule"] == pytest.approx(ratio(setting._replace(summary=500)))
    assert found["cached price", 0.1] == found["output price", 0.0] == found["window", 20_000]
    rule, base = price(TAPE, "rule", setting), price(TAPE, "compaction", setting)
    assert found["cached price", 0.5]["rule"] == pytest.approx(
        (rule.read - 0.5 * rule.shared) / (base.read - 0.5 * base.shared)
    )
    assert found["output price", 5.0]["rule"] == pytest.approx(
        (rule.cost + 5 * (5_000 + rule.written)) / (base.cost + 5 * (5_000 + base.written))
    )


def test_sums_of_two_transcripts_add() -> None:
    """So that the sweep of the total is that of all requests."""
    one = sweep(TAPE, Setting(), ("rule",))
    total: dict[tuple[str, float], dict[str, tuple[Sums, Sums]]] = {}
    add(total, one)
    add(total, one)
    assert total["report", 0.0]["rule"][0].read == 2 * one["report", 0.0]["rule"][0].read
    assert [line.ratios for line in lines(total)] == [pytest.approx(line.ratios) for line in lines(one)]


def test_a_sweep_over_nothing_is_empty() -> None:
    """No ratio of nothing."""
    assert lines({}) == []


def test_the_sweep_is_in_the_json() -> None:
    """A row a value, with the ratios of all schedules; null where it was not asked for."""
    found: dict[str, Any] = json.loads(replay("--json", "--sweep", "--schedules", "rule,none").stdout)
    assert {row["parameter"] for row in found["sweep"]} == {
        "window",
        "title",
        "summary",
        "cached price",
        "output price",
    }
    assert all(set(row["ratio_to_compaction"]) == {"rule", "none"} for row in found["sweep"])
    assert json.loads(replay("--json").stdout)["sweep"] is None
