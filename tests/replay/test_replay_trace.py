"""`foldcover replay --trace FILE`: never over what it reads, and all of it or nothing."""

import gzip
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from foldcover_harness.replay.sources import SAMPLE

FOLDCOVER = str(Path(sys.executable).with_name("foldcover"))
KEPT = "kept\n"


def replay(*arguments: str | Path, **more: object) -> subprocess.CompletedProcess[str]:
    """Replay with an empty home."""
    environment = {**os.environ, "HOME": "/nonexistent"}
    command = [FOLDCOVER, "replay", *map(str, arguments)]
    given = {"capture_output": True, "text": True, "check": False, "env": environment, "timeout": 60, **more}
    return subprocess.run(command, **given)  # type: ignore[call-overload,no-any-return]


@pytest.fixture
def session(tmp_path: Path) -> Path:
    """A transcript in a folder of its own."""
    folder = tmp_path / "sessions"
    folder.mkdir()
    copy = folder / "one.jsonl"
    copy.write_bytes(SAMPLE.read_bytes())
    return copy


def one_line(done: subprocess.CompletedProcess[str], words: str) -> None:
    """Exit code 2 and one line of error, with these words."""
    said = [line for line in done.stderr.splitlines() if "rror" in line or "--trace" in line]
    assert done.returncode == 2
    assert done.stdout == ""
    assert words in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr
    assert len(said) <= 2


@pytest.mark.parametrize("kind", ["itself", "in the folder", "hard link", "symbolic link", "appended to by the shell"])
def test_an_output_that_is_an_input_is_refused(kind: str, session: Path, tmp_path: Path) -> None:
    """Whatever it is called; the transcript stays as it was."""
    other = tmp_path / "other.jsonl"
    replayed = session.parent if kind == "in the folder" else session
    if kind == "appended to by the shell":
        with session.open("a") as out:
            done = replay(replayed, "--trace", "-", capture_output=False, stdout=out, stderr=subprocess.PIPE)
        assert done.returncode == 2
    else:
        if kind == "hard link":
            other.hardlink_to(session)
        if kind == "symbolic link":
            other.symlink_to(session)
        done = replay(replayed, "--trace", other if "link" in kind else session)
        one_line(done, "it is a file that is replayed")
    assert session.read_bytes() == SAMPLE.read_bytes()
    assert sorted(path.name for path in session.parent.iterdir()) == ["one.jsonl"]


def test_the_sample_itself_is_never_written() -> None:
    """With nothing else to replay it is an input."""
    before = SAMPLE.read_bytes()
    one_line(replay("--trace", SAMPLE), "it is a file that is replayed")
    assert SAMPLE.read_bytes() == before


def test_nothing_replayed_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    """And makes none where there was none."""
    kept, none = tmp_path / "kept", tmp_path / "none"
    kept.write_text(KEPT)
    for place in (kept, none):
        assert replay("no/such/session", "--trace", place).returncode == 1
    assert kept.read_text() == KEPT
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]


def test_an_old_trace_is_replaced_with_its_mode_and_behind_its_link(session: Path, tmp_path: Path) -> None:
    """Through a symbolic link, which stays one."""
    real, link = tmp_path / "real", tmp_path / "link"
    real.write_text(KEPT)
    real.chmod(0o640)
    link.symlink_to(real)
    done = replay(session, "--trace", link)
    assert done.returncode == 0, done.stderr
    assert link.is_symlink()
    assert real.read_text().startswith('{"id":1,"op":"reset"}\n')
    assert real.stat().st_mode & 0o777 == 0o640
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link", "real", "sessions"]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("", "--trace '': a file name is missing"),
        (".", "--trace .: a folder, not a file"),
        ("no/such/folder/t", "--trace no/such/folder/t: its folder does not exist"),
        ("/dev/full", "--trace /dev/full: No space left on device"),
    ],
)
def test_what_can_take_no_trace_is_one_line(name: str, words: str, session: Path) -> None:
    """Exit code 2."""
    one_line(replay(session, "--trace", name), words)


@pytest.mark.parametrize("name", ["-", "/dev/stdout"])
def test_stdout_carries_the_trace_alone(name: str, session: Path, tmp_path: Path) -> None:
    """The table is on stderr; as a file behind stdout too."""
    done = replay(session, "--trace", name)
    assert done.returncode == 0
    assert {line[:6] for line in done.stdout.splitlines()} == {'{"id":'}
    assert "rule" in done.stderr
    with (tmp_path / "out").open("w") as out:
        assert replay(session, "--trace", name, capture_output=False, stdout=out).returncode == 0
    assert (tmp_path / "out").read_text() == done.stdout
    one_line(replay(session, "--json", "--trace", name), "--json would both go to stdout")
    judged = subprocess.run([FOLDCOVER, "laws", "--trace", "-"], input=done.stdout, text=True, capture_output=True)
    assert judged.returncode == 0


def test_gz_is_packed_and_a_pipe_is_written_straight(session: Path, tmp_path: Path) -> None:
    """Both hold what the plain file holds; the packed one is the same each time."""
    plain, packed, pipe = tmp_path / "t.jsonl", tmp_path / "t.jsonl.gz", tmp_path / "pipe"
    os.mkfifo(pipe)
    heard: list[bytes] = []
    reader = threading.Thread(target=lambda: heard.append(pipe.read_bytes()), daemon=True)
    reader.start()
    for place in (plain, packed, pipe):
        assert replay(session, "--trace", place).returncode == 0
    reader.join(20)
    assert heard == [plain.read_bytes()]
    assert gzip.decompress(packed.read_bytes()) == plain.read_bytes()
    assert len(packed.read_bytes()) < len(plain.read_bytes()) // 3
    before = packed.read_bytes()
    assert replay(session, "--trace", packed).returncode == 0
    assert packed.read_bytes() == before
    assert subprocess.run([FOLDCOVER, "laws", "--trace", packed], capture_output=True).returncode == 0
