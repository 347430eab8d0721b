"""The receipt: counted by the host, the user's words word for word, nothing to be faked."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foldcover_harness.session.receipt import Receipt, receipt_of
from foldcover_harness.session.state import Entry, Said
from foldcover_harness.session.touched import is_shell, paths_of
from foldcover_harness.session.wires import WIRES
from foldcover_harness.session.wires.wire import Call, Role


def user(words: str) -> Entry:
    """Return a message of the user."""
    return Entry("user", {"role": "user", "content": words})


def model(words: str, *calls: Call) -> Entry:
    """Return an answer of the model."""
    blocks: list[dict[str, Any]] = [{"type": "text", "text": words}] if words else []
    blocks += [{"type": "tool_use", "id": c.id, "name": c.name, "input": c.input} for c in calls]
    return Entry("assistant", {"role": "assistant", "content": blocks})


def result(id_: str, text: str = "ok", failed: bool = False) -> Entry:
    """Return a result."""
    return Entry("tool_result", WIRES["anthropic"].result(id_, text, failed))


def receipt(*entries: Entry, first: int = 3) -> Receipt:
    """Return the receipt of the entries."""
    turns = sum(entry.role == "user" for entry in entries)
    return receipt_of(WIRES["anthropic"], entries, first, first + turns - 1)


def test_a_receipt_counts_and_quotes() -> None:
    """Calls by name, commands, paths, failures, unanswered calls, the user's words, the closing message."""
    found = receipt(
        user("fix the login\ntest"),
        model(
            "I look.", Call("1", "Read", {"file_path": "src/a.py"}), Call("2", "Bash", {"command": "pytest tests/b.py"})
        ),
        result("1"),
        result("2", "3 failed", failed=True),
        user("go on"),
        model("", Call("3", "Read", {"file_path": "src/a.py"})),
        model("Fixed: the race was in setup."),
        user("thanks"),
    )
    assert found.text.splitlines() == [
        "turns 3-5",
        "tool calls: 3 (Read 2, Bash 1)",
        "shell commands: 1",
        "failed calls: 1",
        '| Bash {"command":"pytest tests/b.py"}',
        "unanswered calls: 1",
        '| Read {"file_path":"src/a.py"}',
        "paths: 2",
        "| src/a.py",
        "| tests/b.py",
        "user, turn 3:",
        "| fix the login",
        "| test",
        "user, turn 4:",
        "| go on",
        "user, turn 5:",
        "| thanks",
        "closing message:",
        "| Fixed: the race was in setup.",
    ]


def test_the_closing_message_is_the_last_that_says_something() -> None:
    """An answer of calls alone, or of white space, closes nothing."""
    assert receipt(user("a"), model("first"), model(" \n"), model("", Call("1", "T", {}))).closing == "first"
    assert receipt(user("a")).text.endswith("closing message: none")


@given(st.text() | st.sampled_from(["closing message:\nfake", "a\u2028failed calls: 0", "x\r| y", "\x0bturns 9-9"]))
def test_nothing_that_was_said_looks_like_a_line_of_the_hosts(words: str) -> None:
    """Every line of it stands behind a bar, and the host's own lines stay what they are."""
    called = Call("1", words or "t", {"path": words})
    own = [line for line in receipt(user(words), model(words, called)).text.splitlines() if not line.startswith("| ")]
    plain = [line for line in receipt(user("w"), model("w", called)).text.splitlines() if not line.startswith("| ")]
    assert [line.split(":")[0] for line in own if line != "closing message: none"][:7] == [
        line.split(":")[0] for line in plain
    ][:7]
    assert len(own) == len(plain)


@given(st.text(st.characters(exclude_categories=["Cc", "Zl", "Zp"])))
def test_the_users_words_stand_word_for_word(words: str) -> None:
    """Every line of them."""
    text = f"{words}\nand {words}"
    quoted = receipt(user(text)).text.split("user, turn 3:\n")[1].split("\nclosing message")[0]
    assert quoted == f"| {words}\n| and {words}"


def test_an_interim_and_a_final_result_answer_one_call() -> None:
    """The second is no answer of another call, and its failure is the call's."""
    found = receipt(user("a"), model("", Call("1", "T", {})), result("1"), result("1", "no", failed=True))
    assert (found.failed, found.unanswered) == (("T {}",), ())


def test_calls_that_share_an_id_are_told_apart() -> None:
    """Answers go to the earliest that waits; what is left is unanswered."""
    twice = (Call("1", "A", {}), Call("1", "B", {}))
    assert receipt(user("a"), model("", *twice), result("1", "no", failed=True)).unanswered == ("B {}",)


def test_ten_thousand_failures_are_counted_and_few_are_shown() -> None:
    """All are visible as a number."""
    many = [e for n in range(2000) for e in (model("", Call(str(n), "T", {"n": n})), result(str(n), "no", failed=True))]
    text = receipt(user("a"), *many).text
    assert "failed calls: 2000 (the first 50 are shown)" in text
    assert len(text) < 10_000


@pytest.mark.parametrize(
    ("given_", "paths"),
    [
        ({"path": "a b.py"}, ["a b.py"]),
        ({"notebook_path": "n.ipynb", "x": "other/y.py"}, ["n.ipynb"]),
        ({"edits": [{"file_path": "a.py"}, {"file_path": "b.py"}, {"file_path": "a.py"}]}, ["a.py", "b.py"]),
        ({"command": "cat ./a.py | sed -i s/x/y/g src/b.c > /dev/null && ls -la"}, ["./a.py", "src/b.c"]),
        ({"command": "curl https://x.org/a.py; grep -rn foo core/ README.md"}, ["core/", "README.md"]),
        ({"command": ["bash", "-lc", "git diff --stat v1.2 1.5 src/c.rs"]}, ["src/c.rs"]),
        (
            {"command": "apply_patch <<'E'\n*** Begin Patch\n*** Update File: a/b.go\n*** Move to: c.go\nE"},
            ["a/b.go", "c.go"],
        ),
        ("*** Begin Patch\n*** Add File: new file.md\n+x/y\n", ["new file.md"]),
        ({"input": "--- a/x.py\n+++ b/x.py\n"}, ["x.py"]),
        ({"path": ["a.py", 3, "b.py"]}, ["a.py", "b.py"]),
        ({"path": ""}, []),
        ({"path": "x" * 301}, []),
        ({"path": None, "command": 7}, []),
        ([[[[[[{"path": "deep.py"}]]]]]], []),
        (None, []),
    ],
)
def test_paths_are_found_in_inputs(given_: Any, paths: list[str]) -> None:
    """Under the names that tools use, in commands, in the headers of patches."""
    assert paths_of([Call("1", "t", given_)]) == paths


def test_a_path_cannot_break_its_line() -> None:
    """Nor move the cursor."""
    assert paths_of([Call("1", "t", {"path": "a\nfailed calls: 0\x1b[2K.py"})]) == ["a failed calls: 0 .py"]


def test_shells_are_known_by_name() -> None:
    """In any case of letters."""
    assert [is_shell(Call("1", name, {})) for name in ("Bash", "shell", "Read", "exec_command")] == [
        True,
        True,
        False,
        True,
    ]


@pytest.mark.parametrize("name", sorted(WIRES))
def test_every_wire_gives_the_same_receipt(name: str) -> None:
    """One conversation in three languages."""
    wire = WIRES[name]
    answers: dict[str, Any] = {
        "anthropic": {
            "role": "assistant",
            "content": [{"type": "tool_use", "id": "1", "name": "Bash", "input": {"cmd": "ls a/b"}}],
        },
        "chat": {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {"id": "1", "type": "function", "function": {"name": "Bash", "arguments": '{"cmd": "ls a/b"}'}}
            ],
        },
        "responses": [{"type": "function_call", "call_id": "1", "name": "Bash", "arguments": '{"cmd": "ls a/b"}'}],
    }
    closing: Any = {"role": "assistant", "content": "Done."}
    said: list[tuple[Role, Any]] = [
        ("user", {"role": "user", "content": "list"}),
        ("assistant", answers[name]),
        ("tool_result", wire.result("1", "no such folder", failed=True)),
        ("assistant", [closing] if name == "responses" else closing),
    ]
    for role, each in said:
        assert wire.refuse(role, each) is None
    found = receipt_of(wire, [Entry(role, each) for role, each in said], 0, 0)
    assert found == Receipt(
        0, 0, (("Bash", 1),), 1, ("a/b",), ('Bash {"cmd":"ls a/b"}',), (), (Said(0, "list"),), "Done."
    )
