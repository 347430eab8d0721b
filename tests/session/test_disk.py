"""The disk does what it says, whatever the umask and however few bytes the system takes; so does the faulty one."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from foldcover_harness.session.disk import Disk, temporary_name

from .faults import Died, Fault, FaultyDisk, every_fault, lose_power, runs


@pytest.fixture(params=[0o000, 0o022, 0o077, 0o777], ids=oct)
def umask(request: pytest.FixtureRequest) -> Iterator[None]:
    """One umask after the other."""
    before = os.umask(request.param)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    """The permission bits of a path."""
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.usefixtures("umask")
def test_modes_are_private_under_every_umask(tmp_path: Path) -> None:
    """0700 and 0600, also for a file that took another's place."""
    Disk().make_folder(tmp_path / "folder")
    path = tmp_path / "folder" / "file"
    Disk().put(path, b"one")
    assert (mode(path.parent), mode(path)) == (0o700, 0o600)
    path.chmod(0o644)
    Disk().put(path, b"two")
    assert mode(path) == 0o600


def test_a_file_that_is_there_is_not_made_again(tmp_path: Path) -> None:
    """Create is exclusive, a link that leads nowhere included."""
    (tmp_path / "file").write_bytes(b"mine")
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    for name in ("file", "link"):
        with pytest.raises(FileExistsError):
            Disk().create(tmp_path / name)
    assert (tmp_path / "file").read_bytes() == b"mine"
    assert not (tmp_path / "elsewhere").exists()


def test_make_folder_takes_what_is_there_but_no_file(tmp_path: Path) -> None:
    """Twice is once, the mode stays, parents are the caller's."""
    folder = tmp_path / "folder"
    folder.mkdir(mode=0o755)
    Disk().make_folder(folder)
    assert mode(folder) == 0o755
    (tmp_path / "file").touch()
    with pytest.raises(FileExistsError):
        Disk().make_folder(tmp_path / "file")
    with pytest.raises(FileNotFoundError):
        Disk().make_folder(tmp_path / "no" / "parent")


class Stingy(Disk):
    """A system that takes at most three bytes at a time, and at a given place none."""

    def __init__(self, none_after: int = -1) -> None:
        self._left = none_after

    def write_some(self, file: int, data: memoryview) -> int:
        """Take three, or none."""
        self._left -= 1
        return 0 if self._left == 0 else super().write_some(file, data[:3])


def test_short_writes_are_completed_or_reported(tmp_path: Path) -> None:
    """All bytes arrive; a system that takes none is an error, not a loop, and leaves what was there."""
    path = tmp_path / "file"
    Stingy().put(path, b"ten bytes.")
    assert path.read_bytes() == b"ten bytes."
    with pytest.raises(OSError, match="took no bytes"):
        Stingy(none_after=2).put(path, b"other bytes")
    assert path.read_bytes() == b"ten bytes."
    assert os.listdir(tmp_path) == ["file"]


def test_state_tells_a_file_from_its_successor(tmp_path: Path) -> None:
    """None where there is none, an error where there is something else."""
    path = tmp_path / "file"
    assert Disk().state(path) is None
    path.write_bytes(b"abc")
    before = Disk().state(path)
    assert before is not None
    assert before.size == 3
    Disk().put(path, b"abd")
    assert Disk().state(path) != before
    for other in (tmp_path, Path("/dev/null")):
        with pytest.raises(OSError, match="not a plain file"):
            Disk().state(other)


def test_put_is_all_or_nothing_at_every_fault(tmp_path: Path) -> None:
    """The old bytes or the new ones; the new ones for certain once it returned; no leftover unless the process died."""

    def prepare(folder: Path) -> None:
        (folder / "file").write_bytes(b"old bytes")
        temporary_name(folder / "file").write_bytes(b"left by a kill")

    def work(disk: Disk, folder: Path) -> None:
        disk.put(folder / "file", b"the new bytes")

    kinds = set[str]()
    for run in runs(tmp_path, prepare, work):
        kinds.add(run.fault.kind)
        held = (run.folder / "file").read_bytes()
        assert held in (b"old bytes", b"the new bytes"), run
        if run.returned:
            assert held == b"the new bytes", run
        elif not isinstance(run.raised, Died) and run.fault.kind != "stays full" and run.fault.at > 0:
            assert len(os.listdir(run.folder)) == 1, run
    assert len(kinds) == 6


@pytest.mark.parametrize("missing", ["flush", "flush_folder"])
def test_a_missing_flush_is_noticed(tmp_path: Path, missing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The simulated disk loses what was not flushed: else the tests above would show nothing."""

    def forgotten(disk: FaultyDisk, where: object) -> None:
        """Not done."""

    monkeypatch.setattr(FaultyDisk, missing, forgotten)
    outcomes = set[bytes]()
    for fault in every_fault(12):
        folder = tmp_path / f"{fault.at} {fault.kind} {fault.loss}"
        folder.mkdir()
        (folder / "file").write_bytes(b"old")
        disk = FaultyDisk(folder, fault)
        put = False
        try:
            disk.put(folder / "file", b"new")
            put = True
            disk.end()
        except (OSError, Died):
            if put:
                outcomes.add((folder / "file").read_bytes())
        disk.forget()
    assert outcomes - {b"new"}, "every acknowledged write survived without the flush"


def test_a_folder_that_an_earlier_process_made_is_there_for_certain(tmp_path: Path) -> None:
    """Made and not flushed before a kill: what is put into it later must not be lost with it."""
    disk = FaultyDisk(tmp_path)
    disk.mkdir(tmp_path / "folder")
    disk.make_folder(tmp_path / "folder")
    lose_power(disk)
    assert (tmp_path / "folder").is_dir()


def test_a_dead_disk_does_nothing_more(tmp_path: Path) -> None:
    """Whoever catches the death and goes on meets it again."""
    disk = FaultyDisk(tmp_path, Fault(0, "dies half"))
    for _ in range(2):
        with pytest.raises(Died):
            disk.mkdir(tmp_path / "folder")
    assert os.listdir(tmp_path) == []
