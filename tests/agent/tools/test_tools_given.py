"""Whatever a model sends is answered: wrong types, unknown names, half characters; never an exception."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from foldcover_harness.agent.tools import actions
from foldcover_harness.session.touched import is_shell, paths_of
from foldcover_harness.session.wires.wire import Call

from .bench import Bench

NAMES = ("read", "grep", "edit", "write", "bash")
FIELDS = (
    *("path", "offset", "limit", "pattern", "glob", "ignore_case"),
    *("old", "new", "all", "content", "command", "timeout", "x\ud800"),
)
TEXTS = st.one_of(
    st.text(st.characters(), max_size=30),
    st.sampled_from(
        [
            "",
            ".",
            "..",
            "a.txt",
            "d",
            "d/",
            "link",
            "pipe",
            "~",
            "/",
            "/dev/zero",
            "\0",
            "\ud800",
            "a" * 5_000,
            "(a+)+$",
        ]
    ),
)
SCALARS = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), TEXTS, st.sampled_from([10**400, -1, 0, 1]))
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3))
GOOD: dict[str, dict[str, Any]] = {
    "read": {"path": "a.txt"},
    "grep": {"pattern": "one"},
    "edit": {"path": "a.txt", "old": "one", "new": "two"},
    "write": {"path": "b.txt", "content": "text"},
    "bash": {"command": "true"},
}


@pytest.fixture(scope="module")
def odd() -> Any:
    """A folder with all kinds of files, in which no command is confirmed."""
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder) / "work")
        bench.yes = False
        bench.put("d/b.bin", b"\0\1")
        (bench.root / "link").symlink_to("/etc")
        yield bench


def test_the_tools_are_five_and_say_who_writes(bench: Bench) -> None:
    """Always in the same order, with the same words: they are a part of the standing prompt."""
    assert [(name, action.writes) for name, action in bench.actions.items()] == [
        ("read", False),
        ("grep", False),
        ("edit", True),
        ("write", True),
        ("bash", True),
    ]
    assert [action.tool for action in actions(bench.workspace)] == [action.tool for action in bench.actions.values()]


@pytest.mark.parametrize("name", NAMES)
def test_the_schema_is_one_and_admits_a_good_call(bench: Bench, name: str) -> None:
    """It is a JSON schema without references, which refuses what the tool refuses: no fields, unknown fields."""
    schema = bench.actions[name].tool.schema
    validator: Any = Draft202012Validator(schema)
    validator.check_schema(schema)
    assert "$ref" not in str(schema)
    assert validator.is_valid(GOOD[name])
    for wrong in ({}, {**GOOD[name], "unknown": 1}, {**GOOD[name], next(iter(GOOD[name])): 5}):
        assert not validator.is_valid(wrong)
        assert bench.run(name, wrong).failed


def test_a_receipt_sees_what_the_calls_touch() -> None:
    """Paths stand under names that it knows, and bash is a shell."""
    calls = [Call(str(at), name, given) for at, (name, given) in enumerate(GOOD.items())]
    assert paths_of(calls) == ["a.txt", "b.txt"]
    assert [is_shell(call) for call in calls] == [False, False, False, False, True]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("wrong", [None, [], "path", 7, {}, {"path": None}])
def test_what_is_no_object_with_the_fields_is_told_which_there_are(bench: Bench, name: str, wrong: Any) -> None:
    """One line that names the tool and what it takes."""
    text = bench.run(name, wrong).text
    assert text.startswith(f"{name}: ")
    assert all(field in text for field in GOOD[name])


def test_what_was_meant_is_understood(bench: Bench) -> None:
    """A number or a truth in quotes, a whole number with a point, null for a field that is not there."""
    bench.put("a.txt", b"one\ntwo\nthree\n")
    for two in (2, 2.0, "2"):
        assert bench.call("read", path="a.txt", offset=two, limit=None) == "2\ttwo\n3\tthree"
    assert bench.call("edit", path="a.txt", old="t", new="T", all="true").startswith("replaced 2 places")


@pytest.mark.parametrize("bad", ["a\0b", "a\ud800b", "\udcff"])
@pytest.mark.parametrize("name", NAMES)
def test_half_characters_and_nul_are_refused(bench: Bench, name: str, bad: str) -> None:
    """In every text of every tool, with its name and the position; no command is asked about."""
    bench.put("a.txt", b"one\n")
    for field in GOOD[name]:
        assert f"`{field}` holds" in bench.fails(name, **{**GOOD[name], field: bad})
    assert bench.asked == []


@pytest.mark.parametrize("name", NAMES)
def test_odd_input_never_raises(odd: Bench, name: str) -> None:
    """Any JSON, and objects with the right names and any values: an answer that is bounded and can be sent."""

    @settings(max_examples=60, deadline=None)
    @given(st.one_of(VALUES, st.dictionaries(st.sampled_from(FIELDS), VALUES), st.builds(_near, st.just(name), VALUES)))
    def check(value: Any) -> None:
        odd.put("a.txt", b"one\ntwo\n")
        odd.run(name, value)

    check()


def _near(name: str, value: Any) -> dict[str, Any]:
    """A good call, but for one value."""
    return {**GOOD[name], **dict.fromkeys(list(GOOD[name])[-1:], value)}


@pytest.mark.parametrize("name", ["read", "grep", "edit", "write"])
def test_odd_paths_never_raise(odd: Bench, name: str) -> None:
    """Whatever stands in `path`, nothing outside of the folder is made or changed."""

    @settings(max_examples=60, deadline=None)
    @given(TEXTS)
    def check(path: str) -> None:
        odd.run(name, {**GOOD[name], "path": path})
        assert [each.name for each in odd.root.parent.iterdir()] == ["work"]

    check()
