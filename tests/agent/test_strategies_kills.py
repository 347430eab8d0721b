"""Entering and leaving a strategy, ended at every operation of the disk: nothing is lost, nothing is done twice."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.session.faults import Died, Fault, FaultyDisk, Kind, Loss
from tests.session.scripted import Made, problems, reads

from foldcover_harness.session.disk import Disk
from foldcover_harness.session.journal import Event, Journal, JournalError
from foldcover_harness.session.place import JOURNAL

from .rigged import Rig, Told, enters, reports, rigged, yields

BEGINS = '[foldcover strategy] The strategy "errand" begins'
OVER = '[foldcover strategy] The strategy "errand" is over'
REPORT = "it is the port"
HOW: tuple[tuple[Kind, Loss], ...] = (
    ("full", "nothing"),
    ("dies half", "half"),
    ("dies after", "nothing"),
    ("dies after", "all"),
)


def prepared(folder: Path) -> None:
    """A session with a turn that is over."""
    rig = rigged(folder, actions=[Told("read")])
    rig.turn("hello", "hi")
    rig.session.close()


def inside(folder: Path) -> None:
    """A session within an errand that has a report, a turn of the user, and an earlier fold."""
    prepared(folder)
    rig = rigged(folder, actions=[Told("read")])
    rig.turn("go", [enters("errand", "look")], [reports(REPORT)], "In.")
    rig.turn("more", "Yes.")
    rig.turn("and more", "Yes.")
    rig.session.fold(3, 3, "by hand")
    rig.session.close()


def by_user(rig: Rig) -> None:
    """The user enters."""
    rig.strategies.enter("errand", "look")


def by_model(rig: Rig) -> None:
    """The model enters, and goes on."""
    rig.turn("go", [enters("errand", "look"), reads("a")], "In.")


def back(rig: Rig) -> None:
    """The user leaves."""
    rig.strategies.back()


def yielded(rig: Rig) -> None:
    """The model leaves, has folded something in the same answer, and goes on."""
    rig.turn("end", [Made("f", "fold_unit", {"from": 2, "to": 2}), yields(), reads("b")], "Out.")


def looked_at(folder: Path) -> tuple[int, int]:
    """How often a strategy began and ended in the session, now that it is opened again; all is as it must be.

    Whatever was left half done is finished by opening it; opening it once more does nothing.
    """
    rig = rigged(folder, actions=[Told("read")])
    rig.session.close()
    size = (folder / JOURNAL).stat().st_size
    rig = rigged(folder, actions=[Told("read")])
    assert not rig.strategies.settle()
    assert (folder / JOURNAL).stat().st_size == size
    assert rig.session.doctor().troubles == ()
    opened = [event for event in Journal.open(Disk(), folder / JOURNAL, read_only=True).events() if _opens(event)]
    by_host = {number: event["message"]["content"] for number, event in enumerate(opened) if event.get("host")}
    begun = [number for number, words in by_host.items() if words.startswith(BEGINS)]
    over = [number for number, words in by_host.items() if words.startswith(OVER)]
    assert len(by_host) == len(begun) + len(over)
    assert rig.labels == ["errand"] * (len(begun) - len(over))
    turns, units = rig.session.state.turns, rig.session.state.units
    assert turns[0].open
    for end in over:
        assert by_host[end].endswith(f"\n{REPORT}")
        assert "went into units 0-2 of the cover" in by_host[end]
        assert {turn.unit for turn in turns[begun[0] : end]} == {0, 1, 2}
        assert len(units) == 3
        assert all(turn.open for turn in turns[end:])
    rig.turn("still there?", "Yes.")
    assert problems(rig.session) == []
    rig.session.close()
    return len(begun), len(over)


def _opens(event: Event) -> bool:
    return bool(event["e"] == "message" and event["role"] == "user")


@pytest.mark.parametrize(
    ("prepare", "act", "seen"),
    [
        (prepared, by_user, {(0, 0), (1, 0)}),
        (prepared, by_model, {(0, 0), (1, 0)}),
        (inside, back, {(1, 0), (1, 1)}),
        (inside, yielded, {(1, 0), (1, 1)}),
    ],
)
def test_at_every_operation(
    tmp_path: Path, prepare: Callable[[Path], None], act: Callable[[Rig], None], seen: set[tuple[int, int]]
) -> None:
    """Errors of the disk, kills and losses of power: the strategy began, or ended, once or not at all."""
    model = tmp_path / "model"
    model.mkdir()
    prepare(model)
    disk, first = acted(model, tmp_path / "whole", None, act)
    found: list[tuple[int, int]] = []
    for fault in (Fault(at, *how) for at in range(first, disk.count) for how in HOW):
        folder = tmp_path / "folder"
        acted(model, folder, fault, act)
        found.append(looked_at(folder))
        shutil.rmtree(folder)
    assert set(found) == seen
    assert looked_at(tmp_path / "whole") == max(seen)
    print(f"{len(found)} faults")


def acted(model: Path, folder: Path, fault: Fault | None, act: Callable[[Rig], None]) -> tuple[FaultyDisk, int]:
    """Act in a copy of a session's folder, with a fault. The disk, and its operations before the act."""
    shutil.copytree(model, folder)
    disk = FaultyDisk(folder)
    rig = rigged(folder, actions=[Told("read")], disk=disk)
    first = disk.count
    disk.set(fault)
    with contextlib.suppress(Died, OSError, JournalError):
        act(rig)
    # The lock of a process ends with it.
    with contextlib.suppress(Died, OSError):
        rig.session.close()
    disk.forget()
    return disk, first


def test_a_full_disk_in_the_middle_is_made_good_in_the_same_process(tmp_path: Path) -> None:
    """The disk has room again: the next answer finishes what was begun."""
    model, folder = tmp_path / "model", tmp_path / "folder"
    model.mkdir()
    inside(model)
    whole, first = acted(model, tmp_path / "whole", None, back)
    for at in range(first, whole.count):
        shutil.copytree(model, folder)
        disk = FaultyDisk(folder, Fault(at, "full"))
        rig = rigged(folder, actions=[Told("read")], disk=disk)
        with contextlib.suppress(OSError, JournalError):
            rig.strategies.back()
        with contextlib.suppress(JournalError):
            rig.strategies.settle()
        with contextlib.suppress(OSError):
            rig.session.close()
        disk.forget()
        looked_at(folder)
        shutil.rmtree(folder)
    assert whole.count - first > 20
