"""The C core from Python: the rule's examples, what is refused, ranks of one's own, the distribution."""

from __future__ import annotations

import re
import subprocess
import sys
import zipfile
from pathlib import Path
from shlex import quote
from typing import Any

import pytest

import foldcover as fc
from foldcover_laws import Scope, check
from foldcover_laws.port import judge_port
from foldcover_native import IMPL, Cover, wanted
from foldcover_native._ffi import lib

ROOT = Path(__file__).parents[2]
BINDINGS = ROOT / "bindings"
BLOCKS_OF_NINE = (fc.Block(0, 4), fc.Block(4, 2), fc.Block(6, 2), fc.Block(8, 1))


def grown(closes: int, budget: int, cover: Cover) -> list[fc.Outcome]:
    """Close, write what is wanted, settle; how each settle ended."""
    ended: list[fc.Outcome] = []
    for _ in range(closes):
        cover.close()
        while asked := cover.wanted(budget):
            for block in asked:
                assert cover.write(block)
        ended.append(cover.settle(budget).outcome)
    return ended


def test_nine_closes_at_a_budget_of_eight() -> None:
    """The rule's first example: five lines written, one settle that merged."""
    cover = Cover()
    assert grown(9, 8, cover) == [fc.Outcome.FITS] * 8 + [fc.Outcome.SETTLED]
    assert cover.cover() == BLOCKS_OF_NINE
    assert (cover.units, cover.lines, cover.weight) == (9, 4, 4)


def test_seven_closes_at_a_budget_of_three_are_stuck() -> None:
    """The coarsest view has a line for each one-bit of n."""
    cover = Cover()
    assert grown(7, 3, cover)[-1] is fc.Outcome.STUCK
    assert [block.size for block in cover.cover()] == [4, 2, 1]
    assert cover.settle(2) == ((), fc.Outcome.STUCK)


def test_the_laws_hold_for_the_port() -> None:
    """All laws and pins, by the same relations as for the core; malformed views may be refused."""
    report = judge_port(f"{quote(sys.executable)} -m foldcover_native.port", 10, Scope(4, closes=12, stride=9, lives=1))
    assert report.ok, report.broken
    assert all(tally.cases for tally in report.tallies)


def test_the_laws_hold_for_the_impl() -> None:
    """All laws and pins, a rank of one's own among the ranks; it answers for views that are not aligned, too."""
    report = check(IMPL, wanted, Scope(units=4, closes=12, stride=9, lives=1))
    assert report.ok
    assert all(tally.cases for tally in report.tallies)


@pytest.mark.parametrize("weight", [1 << 63, -(1 << 63) - 1, 1 << 70])
def test_a_weight_beyond_64_bits_is_an_overflow(weight: int) -> None:
    """And nothing is changed by it."""
    cover = Cover((fc.Leaf(3),))
    with pytest.raises(OverflowError):
        cover.close(weight)
    with pytest.raises(OverflowError):
        cover.load((fc.Leaf(weight),))
    assert cover.save() == (fc.Leaf(3),)


def test_weights_that_add_up_to_more_than_64_bits_are_an_overflow() -> None:
    """Written lines count, although they are not shown."""
    large = (1 << 62) - 1
    cover = Cover()
    cover.close(large)
    cover.close(-large)
    with pytest.raises(OverflowError):
        cover.close(large)
    with pytest.raises(OverflowError):
        cover.write(fc.Block(0, 2), large)
    assert cover.save() == (fc.Split(fc.Leaf(large), fc.Leaf(-large)),)


@pytest.mark.parametrize(
    ("view", "error"),
    [
        ((fc.Merged(0),), ValueError),
        ((fc.Split(fc.Leaf(), fc.Merged(-2)),), ValueError),
        ((fc.Merged(1 << 70),), OverflowError),
        ((fc.Leaf(), fc.Merged(1 << 48)), OverflowError),
        ((fc.Merged((1 << 48) + 1),), ValueError),
        ((fc.Merged(1 << 49),), ValueError),
        ((fc.Merged(3),), ValueError),
        ((fc.Merged(2), fc.Leaf()), ValueError),
        ((fc.Leaf(), fc.Leaf()), ValueError),
        ((fc.Split(fc.Leaf(), fc.Merged(2)), fc.Merged(4)), ValueError),
    ],
)
def test_a_view_that_is_not_aligned_or_beyond_the_limits_is_refused(view: fc.View, error: type[Exception]) -> None:
    """Each with its kind of error, and the view is as it was."""
    cover = Cover((fc.Leaf(3),))
    with pytest.raises(error):
        cover.load(view)
    assert cover.save() == (fc.Leaf(3),)


def test_the_largest_view_cannot_grow() -> None:
    """2^48 units are the most."""
    cover = Cover((fc.Merged(1 << 48),))
    with pytest.raises(OverflowError):
        cover.close()
    assert cover.units == 1 << 48


def test_blocks_of_any_size_can_be_asked_for() -> None:
    """What no view can hold is not there: nothing is written, nothing read."""
    cover = Cover((fc.Split(fc.Leaf(), fc.Leaf()),))
    for block in (fc.Block(1 << 70, 2), fc.Block(0, 1 << 70), fc.Block(-1, 2), fc.Block(0, 0)):
        assert not cover.write(block)
        assert cover.zoom(block) == ()


@pytest.mark.parametrize("budget", [1 << 63, 1 << 80])
def test_a_budget_beyond_64_bits_fits(budget: int) -> None:
    """No view that C holds weighs more."""
    assert Cover((fc.Leaf(5),)).settle(budget) == ((), fc.Outcome.FITS)
    assert Cover((fc.Leaf(5),)).wanted(budget) == ()


def newest_first(block: fc.Block, total: int) -> int:
    """A rank of the caller's own."""
    return -block.start


def four_pairs() -> fc.View:
    """Four written pairs below two written blocks below one."""
    pair = fc.Split(fc.Leaf(), fc.Leaf(), 1)
    four = fc.Split(pair, pair, 1)
    return (fc.Split(four, four, 1),)


def test_a_rank_of_ones_own_gives_the_order() -> None:
    """The same as in the Python core."""
    settled = fc.settle(four_pairs(), 5, newest_first)
    assert Cover(four_pairs()).settle(5, newest_first) == (settled.merged, settled.outcome)
    assert Cover(four_pairs()).wanted(5, newest_first) == fc.wanted(four_pairs(), 5, newest_first)


def test_a_rank_that_raises_changes_nothing() -> None:
    """Its exception comes out, wherever in the settle it was raised."""
    asked: list[fc.Block] = []

    def fails(block: fc.Block, total: int) -> int:
        asked.append(block)
        if len(asked) > 3:
            raise ZeroDivisionError("mine")
        return block.start

    cover = Cover(four_pairs())
    for call in (lambda: cover.settle(2, fails), lambda: cover.wanted(0, fails)):
        asked.clear()
        with pytest.raises(ZeroDivisionError, match="mine"):
            call()
        assert cover.save() == four_pairs()
        assert cover.cover() == tuple(fc.Block(unit, 1) for unit in range(8))


def test_deep_views_come_back_as_they_were() -> None:
    """As deep as a view of so many units can be, a line written on every other level."""
    tree: fc.Tree = fc.Split(fc.Leaf(), fc.Merged(1))
    for level in range(1, 47):
        tree = fc.Split(tree, fc.Merged(1 << level, level), level if level % 2 else None)
    cover = Cover((fc.Leaf(), tree))
    assert cover.save() == (fc.Leaf(), tree)
    assert cover.wanted(0) == fc.wanted((fc.Leaf(), tree), 0)
    assert cover.settle(0).merged == fc.settle((fc.Leaf(), tree), 0).merged


def test_many_covers_live_beside_each_other() -> None:
    """Their memory is their own, and given back."""
    covers = [Cover() for _ in range(200)]
    for number, cover in enumerate(covers):
        grown(number, 5, cover)
    assert [cover.units for cover in covers] == [*range(200)]


def test_the_stub_names_what_the_header_declares() -> None:
    """Every function of the header that the binding uses has its type in the stub, and none is there that is not."""
    header = (BINDINGS / "c" / "foldcover.h").read_text("utf-8")
    declared = set(re.findall(r"^[a-z_0-9 ]+\*?(fc_[a-z_]+)\(", header, re.MULTILINE))
    stub = (BINDINGS / "python" / "foldcover_native" / "_ffi.pyi").read_text("utf-8")
    typed = set(re.findall(r"def (fc_[a-z_]+)\(", stub))
    assert len(declared) > 15
    assert typed <= declared
    assert all(hasattr(lib, name) for name in declared)


def test_the_header_is_c_and_cplusplus_by_itself(tmp_path: Path) -> None:
    """Included first and twice, with every warning an error."""
    text = '#include "foldcover.h"\n#include "foldcover.h"\nint main(void) { return (int)fc_abi() - FC_ABI; }\n'
    for language, standard in (("c", "c11"), ("c++", "c++11")):
        source = tmp_path / f"use.{'c' if language == 'c' else 'cpp'}"
        source.write_text(text, "utf-8")
        flags = ["-x", language, f"-std={standard}", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only"]
        done = run("cc", *flags, f"-I{BINDINGS / 'c'}", str(source))
        assert done.returncode == 0, done.stderr


def test_the_source_has_no_warning_and_needs_nothing_but_memory_moves(tmp_path: Path) -> None:
    """Of the C library only memcpy and memmove, and what compilers themselves call."""
    flags = ["-std=c11", "-O2", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror"]
    compiled = tmp_path / "foldcover.o"
    done = run("cc", *flags, "-c", str(BINDINGS / "c" / "foldcover.c"), "-o", str(compiled))
    assert done.returncode == 0, done.stderr
    undefined = re.findall(r"^ +U (\w+)$", run("nm", "-u", str(compiled)).stdout, re.MULTILINE)
    assert set(undefined) <= {"memcpy", "memmove", "memset", "__stack_chk_fail", "_GLOBAL_OFFSET_TABLE_"}


def test_the_wheel_holds_the_package_and_nothing_else(tmp_path: Path) -> None:
    """Only foldcover_native is installed: its modules, its stub, the compiled core."""
    done = run(
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "-q",
        "--no-deps",
        "--no-build-isolation",
        "-w",
        str(tmp_path),
        str(BINDINGS),
    )
    assert done.returncode == 0, done.stderr
    (wheel,) = tmp_path.glob("*.whl")
    names = [name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info" not in name]
    assert {name.partition("/")[0] for name in names} == {"foldcover_native"}
    ours = {f"foldcover_native/{file.name}" for file in (BINDINGS / "python" / "foldcover_native").glob("*.p*")}
    assert ours <= set(names)
    assert any(re.fullmatch(r"foldcover_native/_ffi.*\.so", name) for name in names)


def test_the_port_ends_with_bye_and_answers_errors() -> None:
    """A refused request has an error and changes nothing."""
    lines = (
        '{"id":1,"op":"close","weight":1}',
        '{"id":2,"op":"load","view":[{"merged":[0,1]}]}',
        '{"id":3,"op":"settle","budget":0,"rank":"none"}',
        '{"id":4,"op":"zoom","start":0,"size":1}',
        '{"id":5,"op":"bye"}',
    )
    done = run(sys.executable, "-m", "foldcover_native.port", given="\n".join(lines))
    assert done.returncode == 0, done.stderr
    first, refused, unknown, zoomed = done.stdout.splitlines()
    assert first == '{"id": 1, "view": [{"leaf": 1}]}'
    assert '"error"' in refused
    assert '"error"' in unknown
    assert zoomed == '{"id": 4, "blocks": [[0, 1]]}'


def run(*command: str, given: str | None = None) -> subprocess.CompletedProcess[Any]:
    """Run a command and keep what it prints."""
    return subprocess.run(command, input=given, capture_output=True, text=True, check=False)
