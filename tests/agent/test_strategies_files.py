"""The files that define strategies: ours, a user's own, and those that are not right."""

from __future__ import annotations

from pathlib import Path

import pytest

from foldcover_harness.agent.strategies import BadStrategy, load, tools

GOOD = """
name = "review"
label = "review"
about = "look at a change"
rules = "Read it twice."
enter = "A change is to be looked at."
leave = "Go on."
"""


def test_ours() -> None:
    """Four; one is read-only and one wants a stronger model."""
    ours = {each.name: each for each in load()}
    assert sorted(ours) == ["counsel", "errand", "intent", "triage"]
    assert [name for name, each in ours.items() if each.read_only] == ["intent"]
    assert [name for name, each in ours.items() if each.stronger] == ["counsel"]


def test_a_users_own_join_and_replace_ours(tmp_path: Path) -> None:
    """By name. Files of other kinds are not looked at."""
    (tmp_path / "notes.md").write_text("not a strategy")
    (tmp_path / "review.toml").write_text(GOOD)
    (tmp_path / "mine.toml").write_text(GOOD.replace("review", "errand") + "read_only = true\n")
    found = {each.name: each for each in load(tmp_path)}
    assert sorted(found) == ["counsel", "errand", "intent", "review", "triage"]
    assert found["errand"].read_only
    assert "review: look at a change" in tools(load(tmp_path))[0].description


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        (GOOD.replace("rules", "rule"), "rule"),
        (GOOD.replace('"Go on."', "3"), "$.leave"),
        (GOOD.replace('"Go on."', '" "'), "$.leave"),
        (GOOD.replace('"review"', '"two words"', 1), "$.name"),
        (GOOD.replace('label = "review"', 'label = "a\\nb"'), "$.label"),
        (GOOD.replace('label = "review"', 'label = "\\u001b[31m"'), "$.label"),
        (GOOD.replace('about = "look at a change"', ""), "`about`"),
        (GOOD + "read_only = 1", "$.read_only"),
        (GOOD + "colour = 'red'", "colour"),
        ("name = ", "not TOML"),
    ],
)
def test_a_file_that_is_not_right(tmp_path: Path, text: str, wrong: str) -> None:
    """Is refused in one line that names it and its field."""
    path = tmp_path / "bad.toml"
    path.write_text(text)
    with pytest.raises(BadStrategy) as caught:
        load(tmp_path)
    (line,) = str(caught.value).splitlines()
    assert line.startswith(f"{path}: ")
    assert wrong in line


def test_what_cannot_be_read(tmp_path: Path) -> None:
    """No folder, no UTF-8, two of one name."""
    with pytest.raises(BadStrategy, match="No such file"):
        load(tmp_path / "none")
    (tmp_path / "a.toml").write_bytes(b"name = '\xff'")
    with pytest.raises(BadStrategy, match=r"a\.toml: not UTF-8 at byte 8"):
        load(tmp_path)
    (tmp_path / "a.toml").write_text(GOOD)
    (tmp_path / "b.toml").write_text(GOOD)
    with pytest.raises(BadStrategy, match=r"b\.toml: its name 'review' is taken by a\.toml"):
        load(tmp_path)
