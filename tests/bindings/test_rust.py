"""The Rust crate: its own tests, its package, and its port beside the Python core.

Everything is built below bindings/rust/target, which git ignores, so that a second run is fast.
"""

import os
import random
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

import foldcover as fc
from foldcover import Block
from foldcover_laws import domain, views, wire
from foldcover_laws.messages import (
    BYE,
    HELLO,
    RANKS,
    RESET,
    Answer,
    Budgeted,
    Close,
    Greeting,
    Listed,
    Load,
    Refusal,
    Request,
    Shown,
    Write,
    Zoom,
)
from foldcover_laws.reading import Reading

ROOT = Path(__file__).parents[2]
CRATE = ROOT / "bindings" / "rust"
TARGET = CRATE / "target"


def cargo(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run cargo in the crate."""
    program = shutil.which("cargo")
    if program is None:
        pytest.fail("cargo is missing: install Rust (https://rustup.rs) to test bindings/rust", pytrace=False)
    environment = {**os.environ, "CARGO_TERM_COLOR": "never", "CARGO_TARGET_DIR": str(TARGET), **environment}
    return subprocess.run(
        [program, *arguments], cwd=CRATE, env=environment, capture_output=True, text=True, check=False
    )


class Port:
    """The port, running. Its answers are read as the laws read them."""

    def __init__(self, program: Path) -> None:
        pipe = subprocess.PIPE
        self.process = subprocess.Popen([program], stdin=pipe, stdout=pipe)
        self.asked = 0

    def say(self, line: bytes) -> bytes:
        """A line for a line."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()
        return self.process.stdout.readline()

    def ask(self, request: Request) -> Answer:
        """An answer for a request."""
        self.asked += 1
        found = wire.parse(self.say(wire.request_text(self.asked, request).encode()))
        assert wire.id_of(found) == self.asked
        return wire.read_answer(found, request)

    def end(self, line: bytes = b"") -> int:
        """Say the last line; the exit code."""
        self.process.communicate(line, timeout=20)
        return self.process.returncode


@pytest.fixture(scope="module")
def program() -> Path:
    """The port, built."""
    built = cargo("build", "--offline", "--release")
    assert built.returncode == 0, built.stderr
    return TARGET / "release" / "foldcover-port"


@pytest.fixture
def port(program: Path) -> Iterator[Port]:
    """The port, running; it must end well."""
    running = Port(program)
    yield running
    assert running.end(wire.request_text(0, BYE).encode() + b"\n") == 0


def test_the_crates_own_tests_pass() -> None:
    """Unit tests, integration tests and documentation; each of them ran some."""
    done = cargo("test", "--offline")
    assert done.returncode == 0, done.stdout + done.stderr
    passed = [int(count) for count in re.findall(r"test result: ok\. (\d+) passed; 0 failed; 0 ignored", done.stdout)]
    assert len(passed) == 8
    assert sum(passed) >= 40
    assert "Doc-tests foldcover" in done.stderr
    assert passed[-1] == 2


def test_it_is_formatted_and_clippy_finds_nothing() -> None:
    """Where they are installed; a Rust without them can do all the rest."""
    if not shutil.which("cargo-clippy") or not shutil.which("cargo-fmt"):
        pytest.skip("cargo clippy or cargo fmt is not installed")
    done = cargo("clippy", "--offline", "--all-targets", "--", "-D", "warnings")
    assert done.returncode == 0, done.stderr
    done = cargo("fmt", "--check")
    assert done.returncode == 0, done.stdout


def test_it_depends_on_nothing_and_the_c_source_is_in_the_package() -> None:
    """One package in Cargo.lock; cargo follows the symbolic link to the C source, and the package builds on its own."""
    assert (CRATE / "Cargo.lock").read_text("utf-8").count("[[package]]") == 1
    assert (CRATE / "c").resolve() == ROOT / "bindings" / "c"
    done = cargo("package", "--offline", "--allow-dirty", "--list")
    assert {"c/foldcover.c", "c/foldcover.h", "layout.c", "build.rs", "LICENSE"} <= {*done.stdout.split()}, done.stderr
    done = cargo("package", "--offline", "--allow-dirty")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("tool", "says"),
    [("CC", "the C compiler cannot be started"), ("AR", "the archiver cannot be started")],
)
def test_without_a_compiler_the_build_says_what_is_missing(tool: str, says: str, tmp_path: Path) -> None:
    """And what to do about it."""
    done = cargo("build", "--offline", CARGO_TARGET_DIR=str(tmp_path), **{tool: "/nowhere/tool"})
    assert done.returncode != 0
    assert says in done.stderr
    assert "install them (Debian: gcc and binutils), or name them in CC and AR" in done.stderr


def test_the_port_introduces_itself(port: Port) -> None:
    """It loads views and answers wanted."""
    assert port.ask(HELLO) == Greeting("foldcover for Rust", True, True)


def test_every_aligned_view_of_up_to_seven_units_is_treated_as_by_the_core(port: Port) -> None:
    """Close, settle and wanted with every budget in both ranks, write of every block."""
    compared = 0
    for total in range(8):
        for view in views.aligned_views(total):
            compared += 1
            assert port.ask(Load(view)) == Shown(view)
            assert port.ask(Close(3)) == Shown(fc.close(view, 3))
            for block in [Block(start, size) for size in range(total + 2) for start in range(-1, total + 1)]:
                after = fc.write(view, block, 5)
                if after != view or (block.start + block.size) % 4 == 0:
                    port.ask(Load(view))
                    assert port.ask(Write(block, 5)) == Shown(after)
            for rank in RANKS.values():
                for budget in range(-2, fc.lines(view) + 1):
                    port.ask(Load(view))
                    assert port.ask(Budgeted("wanted", budget, rank)) == Listed(fc.wanted(view, budget, rank))
                    assert port.ask(Budgeted("settle", budget, rank)) == fc.settle(view, budget, rank)
    assert compared == 160


def test_views_of_eight_units_are_settled_as_by_the_core(port: Port) -> None:
    """All of them, with weights that differ, each with a budget and a rank of its own."""
    for number, even in enumerate(views.aligned_views(8)):
        view = views.reweighed(even, (3, 1, 4, 1, 5, 9, 2, 6, 0))
        budget, rank = number % 30 - 2, [*RANKS.values()][number % 2]
        assert port.ask(Load(view)) == Shown(view)
        assert port.ask(Budgeted("wanted", budget, rank)) == Listed(fc.wanted(view, budget, rank))
        assert port.ask(Budgeted("settle", budget, rank)) == fc.settle(view, budget, rank)
    assert port.asked == 3 * 723


def test_of_other_views_the_aligned_are_treated_as_by_the_core_and_the_rest_refused(port: Port) -> None:
    """Any nesting and order, and large sizes. A refused view leaves what was there."""
    compared = refused = 0
    for view in (*views.malformed_views(3), *views.HAND_MADE, *views.LARGE, (views.comb(200, 1),)):
        if domain.extent(view) is None:
            continue
        port.ask(Load((fc.Leaf(7),)))
        if isinstance(port.ask(Load(view)), Refusal):
            assert not Reading(view).is_aligned()
            assert port.ask(Write(Block(0, 1), 1)) == Shown((fc.Leaf(7),))
            refused += 1
            continue
        compared += 1
        assert port.ask(Load(view)) == Shown(view)
        for rank in RANKS.values():
            for budget in (-1, 0, 1, 2, 5):
                port.ask(Load(view))
                assert port.ask(Budgeted("wanted", budget, rank)) == Listed(fc.wanted(view, budget, rank))
                assert port.ask(Budgeted("settle", budget, rank)) == fc.settle(view, budget, rank)
        port.ask(Load(view))
        assert port.ask(Close(-1)) == Shown(fc.close(view, -1))
    assert compared > 10
    assert refused > 100


@pytest.mark.parametrize("rank", RANKS.values(), ids=RANKS)
def test_random_histories_go_as_with_the_core(port: Port, rank: fc.Rank) -> None:
    """Closes, writes and settles in any order, with weights of either sign, view by view."""
    for seed in range(8):
        dice, view = random.Random(seed), fc.EMPTY
        port.ask(RESET)
        for _ in range(250):
            view = step(port, dice, view, rank)
        assert fc.units(view) > 50


def step(port: Port, dice: random.Random, view: fc.View, rank: fc.Rank) -> fc.View:
    """One operation, compared; the view after it."""
    weight, budget = dice.randint(-1, 9), dice.choice((-1, 0, 8, 30, 100, 10**6))
    match dice.randrange(6):
        case 0 | 1 | 2:
            view = fc.close(view, weight)
            assert port.ask(Close(weight)) == Shown(view)
        case 3:
            asked = fc.wanted(view, budget, rank)
            assert port.ask(Budgeted("wanted", budget, rank)) == Listed(asked)
            for block in asked[: dice.randrange(8)]:
                view = fc.write(view, block, weight)
                assert port.ask(Write(block, weight)) == Shown(view)
        case 4:
            settled = fc.settle(view, budget, rank)
            assert port.ask(Budgeted("settle", budget, rank)) == settled
            view = settled.view
        case _:
            block = Block(dice.randint(-1, fc.units(view) + 1), dice.randint(-1, 9))
            assert port.ask(Zoom(block)) == Listed(fc.zoom(view, block))
    return view


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"garbage",
        b"[1]",
        b"{}",
        b'{"id":"1"}',
        b"\xff",
        b"[" * 100_000,
        b'{"id":1,"id":1}',
        b'{"id":1' + b" " * 99,
    ],
)
def test_a_line_that_is_no_request_ends_the_port_with_a_message(program: Path, line: bytes) -> None:
    """Exit code 2 and one line that says why; it never panics."""
    done = subprocess.run([program], input=line + b"\n", capture_output=True, check=False, timeout=20)
    assert (done.returncode, done.stdout) == (2, b"")
    assert re.fullmatch(rb"foldcover-port: [^\n]{5,100}\n", done.stderr)


def test_a_request_that_cannot_be_performed_is_answered(port: Port) -> None:
    """With an error, and nothing has changed."""
    port.ask(Close(7))
    for more in (b"", b',"op":"fold"', b',"op":"close"', b',"op":"load","view":[{"leaf":1.5}]'):
        found = wire.parse(port.say(b'{"id":5%b}' % more))
        assert found.keys() == {"id", "error"}
    assert port.ask(Close(1)) == Shown((fc.Split(fc.Leaf(7), fc.Leaf(1)),))


def test_the_port_survives_a_reader_that_is_gone(program: Path) -> None:
    """A closed pipe is a message and exit code 2, no panic."""
    reading, writing = os.pipe()
    os.close(reading)
    line = b'{"id":1,"op":"hello"}\n'
    done = subprocess.run([program], input=line, stdout=writing, stderr=subprocess.PIPE, check=False, timeout=20)
    os.close(writing)
    assert done.returncode == 2
    assert b"panicked" not in done.stderr
