"""Writers: whatever they do, there is a bounded line or a reason why there is none, and nothing is left running."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import foldcover as fc
from foldcover_harness.session import writers
from foldcover_harness.session.index_line import rarity_of
from foldcover_harness.session.writers import Either, Inputs, Written, bounded, command, index, write_line

INPUTS = Inputs(
    fc.Block(0, 2), ("first title", "второй\nзаголовок"), ([("parser", 2.0)], [("x.py", 3.0)]), rarity_of([]), 40
)


def python(code: str, timeout: float = 20.0) -> writers.Writer:
    """A writer that runs a piece of Python."""
    return command([sys.executable, "-S", "-c", code], timeout)


def written(writer: writers.Writer, most: int = 40) -> Written:
    """What comes of a writer, weighed in characters."""
    return write_line(writer, INPUTS._replace(most=most), len)


def gone(pid: int) -> bool:
    """Whether a process has ended (a zombie that nobody has waited for has)."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] in "ZX"
    except OSError:
        return True


def soon(true: Callable[[], bool]) -> bool:
    """Whether it becomes true within some seconds."""
    until = time.monotonic() + 10
    while not true() and time.monotonic() < until:
        os.sched_yield()
    return true()


def test_the_index_writer_needs_no_model() -> None:
    """Its line is made of the terms; without terms there is none, with a reason."""
    assert written(index) == Written("parser x.py")
    assert write_line(index, INPUTS._replace(terms=()), len) == Written(None, "the writer returned nothing")


def test_a_program_sees_its_inputs_and_answers() -> None:
    """One input a line, oldest first, each one line; the bound is in the environment."""
    code = "import sys, os; rows = sys.stdin.buffer.read().splitlines(); print(len(rows), os.environ['FOLDCOVER_MOST'])"
    assert written(python(code)) == Written("2 40")
    code = "import sys, os; sys.stdout.buffer.write(b'|'.join(sys.stdin.buffer.read().splitlines()) + b' 40')"
    assert written(python(code)) == Written("first title|второй заголовок 40")


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("import sys; print('half'); sys.exit(3)", "ended with exit code 3"),
        ("import os; os.kill(os.getpid(), 9)", "ended with exit code -9"),
        ("pass", "answered 0 lines instead of one"),
        ("print(' \\n\\t')", "answered 0 lines instead of one"),
        ("print('a\\nb')", "answered 2 lines instead of one"),
        ("import sys; sys.stdout.buffer.write(b'\\xff\\xfe')", "answered bytes that are not UTF-8"),
        ("while True: print('flood' * 1000)", "answered more than 65,536 bytes"),
        ("print('\\u200b\\u202e')", None),
    ],
)
def test_a_program_that_fails_is_no_line(code: str, why: str | None) -> None:
    """Exit codes, signals, empty answers, several lines, other encodings, floods: None and a reason."""
    answer = written(python(f"import sys; sys.stdout.reconfigure(encoding='utf-8')\n{code}"))
    assert answer.line is None
    assert answer.why == (f"{Path(sys.executable).name} {why}" if why else "the writer returned an empty line")


@pytest.mark.parametrize("argv", [[], ["/no/such/program"], ["nul\0"], ["/"]])
def test_a_program_that_cannot_be_started_is_no_line(argv: list[str]) -> None:
    """No exception, and the reason says so."""
    answer = written(command(argv))
    assert answer.line is None
    assert "could not be started" in answer.why


def test_a_program_that_hangs_is_killed_with_its_children(tmp_path: Path) -> None:
    """After its time the program and what it started are gone, and it is said how long it had."""
    note = tmp_path / "pids"
    code = f"""
import subprocess, sys, os, time
child = subprocess.Popen([sys.executable, "-S", "-c", "import signal, time; signal.pause()"])
open({str(note)!r}, "w").write(f"{{os.getpid()}} {{child.pid}}")
import signal; signal.pause()
"""
    answer = written(python(code, timeout=1.5))
    assert answer == Written(None, f"{Path(sys.executable).name} had no answer within 1.5 seconds")
    pids = [int(pid) for pid in note.read_text().split()]
    assert len(pids) == 2
    assert soon(lambda: all(gone(pid) for pid in pids))


def test_a_child_that_outlives_the_program_is_not_waited_for(tmp_path: Path) -> None:
    """The answer counts when the program has ended although a child holds its output open; the child is killed."""
    note = tmp_path / "pid"
    code = f"""
import subprocess, sys
child = subprocess.Popen([sys.executable, "-S", "-c", "import signal; signal.pause()"])
open({str(note)!r}, "w").write(str(child.pid))
print("the line")
"""
    assert written(python(code, timeout=60)) == Written("the line")
    assert soon(lambda: gone(int(note.read_text())))


def test_inputs_that_are_not_read_are_no_failure() -> None:
    """A program may answer without reading, also inputs larger than a pipe."""
    inputs = INPUTS._replace(lines=("x" * 4_000,) * 100)
    assert write_line(python("print('short')"), inputs, len) == Written("short")
    code = "import sys; print(len(sys.stdin.read().splitlines()))"
    assert write_line(python(code), inputs, len) == Written("100")


def test_a_callable_may_do_anything() -> None:
    """Exceptions, other types and blank lines become None with a reason; a line becomes one line."""

    def raising(inputs: Inputs) -> str | None:
        raise KeyError("no\nmodel")

    def wrong(inputs: Inputs) -> str | None:
        return 7  # type: ignore[return-value] # pyright: ignore[reportReturnType]

    assert written(raising).why == "the writer raised KeyError: 'no\\nmodel'"
    assert written(wrong).why == "the writer returned int, not text"
    assert written(lambda _: " \n ").why == "the writer returned an empty line"
    assert written(lambda _: None).why == "the writer returned nothing"
    assert written(lambda _: "two\nlines\x1b[31m \ud800") == Written("two lines \ufffd")


def test_either_falls_back_and_says_why() -> None:
    """The second writer's line with the first one's reason; both reasons where there is none."""
    failing = command(["/no/such/program"])
    both = written(Either(failing, index))
    assert both.line == "parser x.py"
    assert "program could not be started" in both.why
    assert written(Either(index, failing)) == Written("parser x.py")
    neither = written(Either(failing, lambda _: None))
    assert neither.line is None
    assert neither.why.endswith("; the writer returned nothing")


def test_a_heavy_line_is_cut_and_said_to_be() -> None:
    """To the weight of the pair; where nothing fits there is no line."""
    assert written(lambda _: "a" * 100, most=10) == Written("a" * 9 + "…", cut=True)
    assert written(lambda _: "a" * 10, most=10) == Written("a" * 10)
    nothing = written(lambda _: "abc", most=1)
    assert (nothing.line, nothing.cut) == (None, True)
    assert written(lambda _: "abc", most=-1).line is None


@given(st.text(st.characters(), max_size=300), st.integers(-1, 80), st.integers(1, 7))
def test_bounded_never_exceeds(text: str, most: int, rate: int) -> None:
    """Whatever the text: one line, no heavier than allowed; uncut only where all of it is there."""

    def weigh(line: str) -> int:
        return len(line.encode("utf-8", "replace")) * rate // 3

    line, cut = bounded(text, most, weigh)
    assert line == "" or weigh(line) <= most
    assert len(line.splitlines()) <= 1
    if not cut and line:
        assert not line.endswith("…") or "…" in text
