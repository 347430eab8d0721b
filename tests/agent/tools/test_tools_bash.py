"""bash: confirmed, within a time and a size, and nothing of it is left running."""

from __future__ import annotations

import os
import re
import tracemalloc
from threading import Event

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foldcover_harness.agent.tools.output import Output, plain, visible

from .bench import Bench, When, gone

BLOCKS = "sleep 86400"
"""A command that does not end by itself in any time that matters, and holds its output open."""


def test_it_runs_in_the_working_folder(bench: Bench) -> None:
    """A command of bash, output and errors in the order in which they came, and the exit code."""
    assert bench.call("bash", command="pwd; echo {a,b} >&2; echo end") == f"{bench.root}\na b\nend\n[exit code 0]"
    assert bench.call("bash", command="true") == "[exit code 0]"
    assert bench.call("bash", command="echo a > -b; cat ./-b") == "a\n[exit code 0]"


@pytest.mark.parametrize(
    ("command", "ended"),
    [
        ("exit 3", "exit code 3"),
        ("no-such-program 2>/dev/null", "exit code 127"),
        ("kill -TERM $$", "killed by SIGTERM"),
        ("bash -c 'kill -KILL $$'; exit $?", "exit code 137, as after SIGKILL"),
        ("kill -40 $$", "killed by signal 40"),
        ("exit 255", "exit code 255"),
    ],
)
def test_how_it_ended_is_told(bench: Bench, command: str, ended: str) -> None:
    """Exit codes and signals; anything but 0 has failed."""
    result = bench.run("bash", {"command": command})
    assert result.failed
    assert result.text.endswith(f"[{ended}]")


def test_each_command_is_confirmed_and_shown_in_full(bench: Bench) -> None:
    """All of its lines, with nothing hidden; a declined one is not run."""
    command = "echo one\nprintf '\x1b[2K\r' \t\u202e \x7f" + "x" * 5_000 + "; touch made"
    bench.yes = False
    assert bench.fails("bash", command=command) == "bash: the user declined this command; it was not run"
    bench.yes = True
    bench.call("bash", command=command)
    assert bench.files() == {"made": b""}
    shown = f"  echo one\n  printf '\u241b[2K\u240d' \u2409<U+202E> \u2421{'x' * 5_000}; touch made"
    assert bench.asked == [f"Run this command in {bench.root}?\n{shown}"] * 2


def test_it_has_no_input_and_no_terminal(bench: Bench) -> None:
    """What asks for either is told so at once."""
    assert bench.call("bash", command="cat; read line || echo none") == "none\n[exit code 0]"
    assert "exit code 1" in bench.run("bash", {"command": "echo < /dev/tty"}).text


def test_a_time_limit(bench: Bench) -> None:
    """What it said until then is there, and that it was killed."""
    result = bench.run("bash", {"command": f"echo begun; {BLOCKS}", "timeout": 0.5})
    assert result.failed
    assert result.text.endswith("[killed with its children after 0.5 seconds, its time limit]")
    for wrong in (0, -1, 1e9, float("nan")):
        assert "timeout" in bench.fails("bash", command="true", timeout=wrong)


FAMILY = f"""
{BLOCKS} & echo $! >> pids.new
(trap '' TERM INT HUP; {BLOCKS} & echo $! >> pids.new; wait) &
set -m
{BLOCKS} & echo $! >> pids.new
(timeout 1000 {BLOCKS} & echo $! >> pids.new; wait) &
echo $$ >> pids.new
until [ $(wc -l < pids.new) = 5 ]; do :; done
mv pids.new pids
"""
"""A command with children: plain ones, some that ignore signals, some in process groups of their own."""


def pids(bench: Bench) -> list[int]:
    """The processes that the command noted."""
    noted = [int(pid) for pid in (bench.root / "pids").read_text().split()]
    assert len(noted) == 5
    return noted


def test_a_stop_kills_it_with_its_children(bench: Bench) -> None:
    """All of them, with what it had said."""
    stop = When((bench.root / "pids").exists)
    result = bench.run("bash", {"command": f"echo begun; {FAMILY}{BLOCKS}"}, stop)
    assert result == ("begun\n[stopped, and killed with its children]", True)
    assert all(map(gone, pids(bench)))


def test_an_interrupt_kills_it_with_its_children(bench: Bench) -> None:
    """And passes through."""
    with pytest.raises(KeyboardInterrupt):
        bench.run("bash", {"command": f"{FAMILY}kill -INT {os.getpid()}; {BLOCKS}"})
    assert all(map(gone, pids(bench)))


def test_what_it_leaves_behind_is_not_waited_for(bench: Bench) -> None:
    """Children that hold its output open, or write without end, are killed when it has ended."""
    result = bench.run("bash", {"command": f"{FAMILY}yes & echo end; exit 0"})
    assert not result.failed
    assert result.text.startswith(("end", "y"))
    assert result.text.endswith("[exit code 0]")
    assert all(map(gone, pids(bench)))


def test_a_stop_before_it_begins(bench: Bench) -> None:
    """It does not begin."""
    stop = Event()
    stop.set()
    assert bench.run("bash", {"command": "touch made"}, stop).failed
    assert bench.files() == {}


def test_a_flood_is_bounded_while_it_comes(bench: Bench) -> None:
    """Head and tail are kept, the bytes between them counted, and little memory is used."""
    tracemalloc.start()
    try:
        text = bench.call("bash", command="echo first; head -c 200000000 /dev/zero | tr '\\0' x; echo; echo last")
        assert tracemalloc.get_traced_memory()[1] < 5_000_000
    finally:
        tracemalloc.stop()
    head, dropped, tail, ended = re.split(r"\n\[|\]\n|\n(?=\[)", text)
    assert head == "first\n" + "x" * (15_000 - 6)
    assert dropped == f"{200_000_012 - 30_000:,} bytes left out"
    assert tail == "x" * (15_000 - 6) + "\nlast"
    assert ended == "exit code 0]"


def test_output_that_is_no_plain_text(bench: Bench) -> None:
    """Escape sequences go, carriage returns are newlines, what is not UTF-8 is replaced."""
    command = r"printf '\033[1;31mred\033[0m\033]0;title\007 10%%\r20%%\r\n\377\000\b\tend'"
    assert bench.call("bash", command=command) == "red 10%\n20%\n\ufffd\tend\n[exit code 0]"


@pytest.mark.parametrize("command", ["a" * 3_000_000, "if", "echo '"])
def test_what_is_no_command_fails(bench: Bench, command: str) -> None:
    """With the system's reason or the shell's."""
    assert bench.run("bash", {"command": command}).failed


def test_a_folder_that_is_gone(bench: Bench) -> None:
    """Is a failed result."""
    bench.root.rmdir()
    assert "could not be started" in bench.run("bash", {"command": "true"}).text


@given(st.lists(st.binary(max_size=30)), st.integers(1, 20))
def test_head_and_tail(pieces: list[bytes], most: int) -> None:
    """Whatever the pieces: all of a short output, else both ends and the count of the rest."""
    output = Output(most)
    for piece in pieces:
        output.take(piece)
    whole = b"".join(pieces)
    if len(whole) <= 2 * most:
        assert output.text() == plain(whole).rstrip()
    else:
        left = f"\n[{len(whole) - 2 * most:,} bytes left out]\n"
        assert output.text() == plain(whole[:most]) + left + plain(whole[-most:]).rstrip()


@given(st.lists(st.sampled_from([b"\x1b", b"[", b"]", b"P", b"0;", b"m", b"\x07", b"\\", b"\xc2\x9b", b"\n", b"a"])))
def test_plain_text_has_no_controls(parts: list[bytes]) -> None:
    """Whatever sequences are broken off or nested; and lines of plain text stay."""
    text = plain(b"before\n" + b"".join(parts) + b"\nafter")
    assert not [each for each in text if each < " " and each not in "\n\t"]
    assert text.startswith("before\n")
    assert text.endswith("\nafter")


@given(st.text(st.characters()))
def test_nothing_hides_in_what_is_shown(text: str) -> None:
    """Every character has a shape, and texts without hidden ones are as they were."""
    shown = visible(text)
    assert all(each == "\n" or each.isprintable() or each.isspace() for each in shown)
    assert visible(shown) == shown
    if text.isascii() and text.isprintable():
        assert shown == text
