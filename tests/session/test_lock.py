"""One writer a folder: the second gets a clear error, and the lock when the first is gone, however it went."""

import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import filelock
import pytest

from foldcover_harness.session.lock import NAME, Lock, Locked

HOLDER = """
import sys, pathlib
from foldcover_harness.session.lock import Lock
lock = Lock.acquire(pathlib.Path(sys.argv[1]))
print("held", flush=True)
sys.stdin.read()
"""


def holder(folder: Path) -> "subprocess.Popen[str]":
    """A process that holds the folder's lock until its input ends."""
    command = [sys.executable, "-c", HOLDER, str(folder)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


@pytest.mark.parametrize("end", ["leaves", "killed"])
def test_a_second_process_waits_for_nothing_and_comes_when_the_first_is_gone(tmp_path: Path, end: str) -> None:
    """Refused with the folder and the holder's id; taken after an orderly end and after kill -9."""
    with holder(tmp_path) as process:
        with pytest.raises(Locked) as refused:
            Lock.acquire(tmp_path)
        assert refused.value.pid == process.pid
        assert str(refused.value) == f"{tmp_path} is in use by process {process.pid}"
        if end == "killed":
            process.send_signal(signal.SIGKILL)
        else:
            assert process.stdin is not None
            process.stdin.close()
        process.wait(30)
    with Lock.acquire(tmp_path):
        assert (tmp_path / NAME).read_text() == f"{os.getpid()}\n"


def test_the_same_process_is_a_second_writer_too(tmp_path: Path) -> None:
    """Refused, says so; release twice is once and frees it."""
    lock = Lock.acquire(tmp_path)
    with pytest.raises(Locked, match=r"\(this process\)"):
        Lock.acquire(tmp_path)
    lock.release()
    lock.release()
    with Lock.acquire(tmp_path), pytest.raises(Locked):
        Lock.acquire(tmp_path)
    Lock.acquire(tmp_path).release()


@pytest.mark.parametrize("text", [b"", b"not a number", b"-3", b"9" * 100, b"\xff\0"])
def test_what_stands_in_the_file_decides_nothing(tmp_path: Path, text: bytes) -> None:
    """A held lock without a readable id is held all the same; a file that nobody holds is free."""
    (tmp_path / NAME).write_bytes(text)
    with Lock.acquire(tmp_path):
        (tmp_path / NAME).write_bytes(text)
        with pytest.raises(Locked) as refused:
            Lock.acquire(tmp_path)
    assert refused.value.pid is None
    assert "another process" in str(refused.value)


def test_a_removed_file_does_not_free_a_lock_by_halves(tmp_path: Path) -> None:
    """Who takes the new file's lock holds that one: the old holder's release does not free it."""
    old = Lock.acquire(tmp_path)
    (tmp_path / NAME).unlink()
    with Lock.acquire(tmp_path):
        old.release()
        with pytest.raises(Locked):
            Lock.acquire(tmp_path)


def test_a_file_removed_between_opening_and_locking_is_not_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The lock of a file without a name would keep nobody out."""
    real = filelock.lock_descriptor
    removed: list[Path] = []

    def late(file: int, *, blocking: bool) -> bool:
        if not removed:
            removed.append(tmp_path / NAME)
            removed[0].unlink()
        return real(file, blocking=blocking)

    monkeypatch.setattr(filelock, "lock_descriptor", late)
    with Lock.acquire(tmp_path), pytest.raises(Locked):
        Lock.acquire(tmp_path)
    assert removed


@pytest.mark.parametrize("mask", [0o000, 0o077], ids=oct)
def test_the_file_is_private(tmp_path: Path, mask: int) -> None:
    """0600 under every umask."""
    before = os.umask(mask)
    try:
        Lock.acquire(tmp_path).release()
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / NAME).stat().st_mode) == 0o600


def test_no_folder_and_a_link_are_errors_of_the_system(tmp_path: Path) -> None:
    """Neither makes a file somewhere."""
    with pytest.raises(FileNotFoundError):
        Lock.acquire(tmp_path / "none")
    (tmp_path / NAME).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError, match="symbolic"):
        Lock.acquire(tmp_path)
    assert not (tmp_path / "elsewhere").exists()


def test_help_does_not_load_the_lock_library() -> None:
    """It is loaded when a lock is taken."""
    code = "import sys, foldcover_harness.cli, foldcover_harness.session.lock; print('filelock' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"
