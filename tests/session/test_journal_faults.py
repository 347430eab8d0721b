"""A journal holds what was acknowledged, and nothing by halves: at every fault, at every loss, under real kills."""

import os
import shutil
import signal
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

import pytest

from foldcover_harness.session.disk import Disk, temporary_name
from foldcover_harness.session.journal import Journal, JournalError

from .faults import Fault, FaultyDisk, Kind, lose_power, runs

HEADER: dict[str, Any] = {"wire": "chat", "standing": {}, "settings": {}}
EVENTS: list[dict[str, Any]] = [{"e": "usage", "tokens": -1}, {"e": "message", "text": "y" * 300}]


@pytest.fixture(name="path")
def _path(tmp_path: Path) -> Path:
    """A journal with the events above, closed."""
    path = tmp_path / "journal.jsonl"
    with Journal.create(Disk(), path, HEADER) as journal:
        for event in EVENTS:
            journal.append(event)
    return path


def read(path: Path) -> list[dict[str, Any]]:
    """Its events, as a reader sees them."""
    return list(Journal.open(Disk(), path, read_only=True).events())


def append_two(disk: Disk, folder: Path) -> None:
    """Open, mend, append twice; a note outside the disk says how far that came."""
    notes = folder.with_name(f"{folder.name}.notes")
    notes.write_text("")
    with Journal.open(disk, folder / "journal.jsonl") as journal:
        for number in range(2):
            journal.append({"e": "usage", "tokens": number, "text": "x" * 50})
            notes.write_text("+" * (number + 1))


def test_append_at_every_fault(tmp_path: Path, path: Path) -> None:
    """Every acknowledged event is there, at most the one under way besides, and the journal goes on."""
    met = 0
    with path.open("ab") as file:
        file.write(b'{"e":"usage","tok')
    (tmp_path / "runs").mkdir()
    for run in runs(tmp_path / "runs", lambda folder: shutil.copy(path, folder), append_two):
        acknowledged = len((tmp_path / "runs" / f"{run.folder.name}.notes").read_text())
        events = read(run.folder / "journal.jsonl")
        assert events[:2] == EVENTS, run
        later = [event["tokens"] for event in events[2:]]
        assert later == [*range(len(later))], run
        assert acknowledged <= len(later) <= acknowledged + 1, run
        if isinstance(run.raised, (OSError, JournalError)) and run.fault.kind == "full":
            assert len(later) == acknowledged, run
        with Journal.open(Disk(), run.folder / "journal.jsonl") as journal:
            journal.append({"e": "more"})
        assert read(run.folder / "journal.jsonl") == [*events, {"e": "more"}], run
        met += run.raised is not None
    assert met > 150


def test_create_at_every_fault(tmp_path: Path) -> None:
    """No journal or a whole one, a whole one for certain once it returned; afterwards it can be made or opened."""

    def prepare(folder: Path) -> None:
        temporary_name(folder / "journal.jsonl").write_bytes(b"left by a kill")

    def work(disk: Disk, folder: Path) -> None:
        Journal.create(disk, folder / "journal.jsonl", HEADER).close()

    for run in runs(tmp_path, prepare, work):
        path = run.folder / "journal.jsonl"
        if path.exists():
            assert read(path) == [], run
        else:
            assert not run.returned, run
            work(Disk(), run.folder)
            assert os.listdir(run.folder) == [path.name], run


@contextmanager
def opened(path: Path, kind: Kind, name: str) -> Generator[tuple[Journal, FaultyDisk]]:
    """The journal with one more event, on a disk whose next operation of that name fails."""
    disk = FaultyDisk(path.parent)
    with Journal.open(disk, path) as journal:
        count = disk.count
        journal.append({"e": "x"})
        at = count + disk.done[count:].index(name)
        disk.set(Fault(disk.count + at - count, kind))
        yield journal, disk
    disk.forget()


@pytest.mark.parametrize("kind", ["full", "broken"])
def test_after_a_failed_write_the_next_append_works(path: Path, kind: Kind) -> None:
    """A full disk and a write that broke half-way: taken back, reported, and then it goes on."""
    with opened(path, kind, "write") as (journal, _):
        before = path.read_bytes()
        with pytest.raises(JournalError, match="nothing was written") as error:
            journal.append({"e": "lost", "text": "x" * 100})
        assert isinstance(error.value.__cause__, OSError)
        assert path.read_bytes() == before
        journal.append({"e": "y"})
    assert read(path) == [*EVENTS, {"e": "x"}, {"e": "y"}]


@pytest.mark.parametrize(("kind", "name"), [("broken", "flush"), ("stays full", "write")])
def test_after_what_cannot_be_trusted_it_is_closed_until_opened_again(path: Path, kind: Kind, name: str) -> None:
    """A flush that failed, and a write that could not be taken back."""
    with opened(path, kind, name) as (journal, disk):
        with pytest.raises(JournalError, match="closed for writing"):
            journal.append({"e": "lost"})
        disk.set(None)
        with pytest.raises(JournalError, match="closed for writing"):
            journal.append({"e": "lost"})
    with Journal.open(Disk(), path) as again:
        again.append({"e": "y"})
    assert read(path) == [*EVENTS, {"e": "x"}, {"e": "y"}]


def test_what_was_read_to_write_on_is_there_for_certain(path: Path) -> None:
    """An event that its process could not flush before a kill, and that the next one builds on."""
    disk = FaultyDisk(path.parent)
    file = disk.open_to_append(path)
    disk.write(file, b'{"e":"x"}\n')
    disk.close(file)
    with Journal.open(disk, path) as journal:
        events = list(journal.events())
    lose_power(disk)
    assert read(path) == events == [*EVENTS, {"e": "x"}]


def append_until_killed(path: Path, acknowledged: int) -> None:
    """Count the events, then append numbered ones for ever, each confirmed by one byte; some take many pages."""
    with Journal.open(Disk(), path) as journal:
        number = sum(1 for _ in journal.events())
        while True:
            size = 1 << 18 if number % 16 == 0 else number * 997 % 10_000
            journal.append({"e": "n", "number": number, "text": "x" * size})
            os.write(acknowledged, b"+")
            number += 1


def killed(path: Path, after: int, moment: float) -> int:
    """Kill a process that appends: some time after so many confirmations. How many there were in all."""
    outlet, inlet = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            append_until_killed(path, inlet)
        finally:
            os._exit(1)
    os.close(inlet)
    count = 0
    while count < after and (more := os.read(outlet, 1)):
        count += len(more)
    end = time.perf_counter() + moment
    while time.perf_counter() < end:
        pass
    os.kill(child, signal.SIGKILL)
    assert os.WIFSIGNALED(os.waitpid(child, 0)[1])
    while more := os.read(outlet, 4096):
        count += len(more)
    os.close(outlet)
    return count


def test_two_hundred_kills(tmp_path: Path) -> None:
    """Every acknowledged append is there, in order and whole, and at most one more for each kill."""
    path = tmp_path / "journal.jsonl"
    Journal.create(Disk(), path, HEADER).close()
    random = Random(7)
    there = acknowledged = 0
    for _ in range(200):
        count = killed(path, random.randrange(4), random.random() * 0.004)
        journal = Journal.open(Disk(), path, read_only=True)
        numbers = [event["number"] for event in journal.events()]
        assert numbers == [*range(len(numbers))]
        assert there + count <= len(numbers) <= there + count + 1
        there, acknowledged = len(numbers), acknowledged + count
        if path.stat().st_size > 1 << 20:
            path.unlink()
            Journal.create(Disk(), path, HEADER).close()
            there = 0
    assert acknowledged >= 200
