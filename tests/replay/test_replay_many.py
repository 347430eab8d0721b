"""Many transcripts: in processes side by side, with a death, a Ctrl-C, a kill in between; the figures are the same."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import subprocess
import sys
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from foldcover_harness.replay import run, running, sources
from foldcover_harness.replay.report import Options, Report
from foldcover_harness.replay.sources import SAMPLE, Source

CODE = "from foldcover_harness.cli import main; main()"
COMMAND = [sys.executable, "-c", CODE, "replay"]
LIMIT = 60
"""Seconds after which a test fails instead of waiting on."""
HOOK = """
import os, signal
from pathlib import Path

def plain(prompt, window):
    victim = prompt[0].tokens > 2000
    if len(prompt) == 1:
        with open("log", "a") as log:
            log.write("victim\\n" if victim else "other\\n")
    if victim and os.path.exists("die"):
        os.kill(os.getpid(), signal.SIGKILL)
    if victim and os.path.exists("gate"):
        with open("gate", "w") as gate:
            gate.write("here\\n")
            gate.flush()
            signal.pause()
    return prompt
"""
OWN = ("--schedules", "compaction", "--schedule", "hook:plain")


def session(requests: int, words: str = "hi", kind: str = "user") -> bytes:
    """Return a transcript of one turn with so many requests."""
    lines = [{"type": "user", "uuid": "u", "message": {"role": "user", "content": words}}]
    lines += [
        {"type": "assistant", "uuid": "a", "message": {"id": f"m{n}", "content": [{"type": "text", "text": "ok" * n}]}}
        for n in range(requests)
    ]
    lines += [{"type": kind, "uuid": "x", "message": {"role": "user", "content": "next"}}]
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with transcripts: `logs` holds five, one of them the hook's victim; beside it stands the hook."""
    logs = tmp_path / "logs"
    logs.mkdir()
    for number in range(4):
        (logs / f"{number}.jsonl").write_bytes(session(20 + number))
    (logs / "2-victim.jsonl").write_bytes(session(25, "long " * 3000))
    (tmp_path / "hook.py").write_text(HOOK)
    return tmp_path


def foldcover(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run `foldcover replay` in a folder, and see that it shows no traceback."""
    done = subprocess.run(
        [*COMMAND, *arguments], cwd=folder, capture_output=True, text=True, timeout=LIMIT, check=False
    )
    assert "Traceback" not in done.stderr
    return done


@pytest.fixture
def begin(folder: Path) -> Iterator[Callable[..., tuple[subprocess.Popen[bytes], int]]]:
    """Begin a run in a process group of its own, and return it, with a pipe that is open as long as the process that
    reads the victim lives, when that process has come to the victim.
    """
    begun: list[subprocess.Popen[bytes]] = []
    gates: list[int] = []

    def begin_it(*arguments: str) -> tuple[subprocess.Popen[bytes], int]:
        os.mkfifo(folder / "gate")
        process = subprocess.Popen(
            [*COMMAND, "logs", "--json", *OWN, *arguments],
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        begun.append(process)
        gate = os.open(folder / "gate", os.O_RDONLY)
        gates.append(gate)
        assert os.read(gate, 5) == b"here\n"
        return process, gate

    yield begin_it
    for process in begun:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate(timeout=LIMIT)
    for gate in gates:
        os.close(gate)


def test_processes_change_nothing(folder: Path) -> None:
    """Every byte of the report and every notice, in the order of the files, whatever is unknown or refused."""
    (folder / "logs" / "1-odd.jsonl").write_bytes(session(20, kind="novelty"))
    (folder / "logs" / "3-notes.txt").write_text("notes")
    (folder / "logs" / "4.jsonl").write_bytes(SAMPLE.read_bytes())
    arguments = ("logs", "--json", "--sweep", "--schedules", "all", "--schedule", "hook:plain")
    alone = foldcover(folder, *arguments, "--jobs", "1")
    assert len(json.loads(alone.stdout)["transcripts"]) == 7
    assert "novelty" in alone.stderr
    assert "3-notes.txt" in alone.stderr
    for jobs in ("2", "5"):
        beside = foldcover(folder, *arguments, "--jobs", jobs)
        assert (beside.stdout, beside.stderr, beside.returncode) == (alone.stdout, alone.stderr, 0)


def test_a_process_that_is_killed_costs_one_transcript(folder: Path) -> None:
    """It is refused with the reason, by name with exit code 1; the others go on as ever."""
    (folder / "die").touch()
    names = sorted(str(path.relative_to(folder)) for path in (folder / "logs").iterdir())
    done = foldcover(folder, *names, "--json", *OWN, "--jobs", "2")
    assert done.returncode == 1
    assert done.stderr == "foldcover: logs/2-victim.jsonl: the process that read it was killed (out of memory?)\n"
    found = json.loads(done.stdout)
    assert [one["path"] for one in found["transcripts"]] == [f"logs/{number}.jsonl" for number in range(4)]
    assert [each["path"] for each in found["refused"]] == ["logs/2-victim.jsonl"]


@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize("everyone", [True, False], ids=["terminal", "this process"])
def test_an_interrupt_ends_all_at_once(
    begin: Callable[..., tuple[subprocess.Popen[bytes], int]], jobs: str, everyone: bool
) -> None:
    """As a terminal sends it, to the whole group, or to the program alone: code 130, not a word, nobody is left."""
    process, gate = begin("--jobs", jobs)
    (os.killpg if everyone else os.kill)(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=LIMIT)
    assert (process.returncode, out, err.strip()) == (130, b"", b"")
    assert os.read(gate, 1) == b""


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_killed_run_goes_on_where_it_was(
    folder: Path, begin: Callable[..., tuple[subprocess.Popen[bytes], int]], jobs: str
) -> None:
    """What was kept is not worked out again, and the report is that of a run that nobody killed."""
    process, _ = begin("--jobs", "1", "--keep", "kept")
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate(timeout=LIMIT)
    assert len(list((folder / "kept").glob("*.kept"))) == 2
    for name in ("gate", "log"):
        (folder / name).unlink()
    again = foldcover(folder, "logs", "--json", *OWN, "--keep", "kept", "--jobs", jobs)
    assert sorted((folder / "log").read_text().split()) == ["other", "other", "victim"]
    whole = foldcover(folder, "logs", "--json", *OWN)
    assert (again.returncode, again.stderr, again.stdout) == (0, "", whole.stdout)
    (folder / "log").unlink()
    assert foldcover(folder, "logs", "--json", *OWN, "--keep", "kept").stdout == whole.stdout
    assert not (folder / "log").exists()


def test_processes_end_when_the_run_is_killed(
    folder: Path, begin: Callable[..., tuple[subprocess.Popen[bytes], int]]
) -> None:
    """Each at the end of its transcript: nobody takes the answer."""
    hook = folder / "hook.py"
    hook.write_text(hook.read_text().replace("signal.pause()", "open('wait').read()"))
    os.mkfifo(folder / "wait")
    process, gate = begin("--jobs", "2")
    process.kill()
    process.wait(timeout=LIMIT)
    (folder / "gate").unlink()
    with open(folder / "wait", "w"):
        pass
    assert os.read(gate, 1) == b""


def test_processes_are_started_where_it_is_worth_it() -> None:
    """As many as asked for, but not more than transcripts; unasked only from a certain size on."""
    small = [Source(SAMPLE, True, 1000)] * 10
    large = [Source(SAMPLE, True, running.WORTH)] * 10
    assert [running.processes(small, asked) for asked in (None, 1, 4, 40)] == [1, 1, 4, 10]
    assert running.processes(large, None) == min(10, len(os.sched_getaffinity(0)))
    assert [running.processes([], asked) for asked in (None, 4)] == [1, 1]


@pytest.mark.parametrize(
    "arguments",
    [
        ("--jobs", "0"),
        ("--jobs", "x"),
        ("--jobs", "2", "--dask", "tcp://h:1"),
        ("--dask", "h:1"),
        ("--dask", "tcp://h"),
    ],
)
def test_usage_errors(folder: Path, arguments: tuple[str, ...]) -> None:
    """One line on stderr, exit code 2."""
    done = foldcover(folder, *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert re.fullmatch(r"foldcover: [^\n]+\n", done.stderr)


def test_a_plain_run_imports_nothing_of_it(folder: Path) -> None:
    """Neither Dask nor fsspec nor what starts processes."""
    code = (
        "import sys, atexit; atexit.register(lambda: print(*sys.modules, file=sys.stderr))\n"
        "from foldcover_harness.cli import main; main()"
    )
    command = [sys.executable, "-c", code, "replay", "logs/0.jsonl"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=LIMIT, check=True)
    assert not {"dask", "distributed", "fsspec", "multiprocessing"} & set(done.stderr.split())


def test_memory_does_not_grow_with_the_transcripts(tmp_path: Path) -> None:
    """But for the results: a tenth of a transcript of 200 kB at most."""
    words = "word " * 40_000
    for number in range(60):
        (tmp_path / f"{number}.jsonl").write_bytes(session(20, words))

    def peak(files: list[Source]) -> int:
        options = Options()
        tracemalloc.start()
        try:
            run.run(files, options, Report(options))
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    files = sources.gather([tmp_path]).files
    few = peak(files[:10])
    assert peak(files) - few < 50 * 20_000


@pytest.mark.parametrize("arguments", [("--jobs", "1"), ("--jobs", "2"), ("--jobs", "2", "--keep", "kept")])
def test_a_terminal_sees_how_far_it_is(folder: Path, arguments: tuple[str, ...]) -> None:
    """In every way of running, up to the end, with an estimate of the time left; then the notices."""
    (folder / "logs" / "notes.txt").write_text("notes")
    code = f"from foldcover_harness.replay import running; running.LONG_WORK = 0\n{CODE}"
    ours, theirs = pty.openpty()
    command = [sys.executable, "-c", code, "replay", "logs", "--json", *arguments]
    with subprocess.Popen(
        command, cwd=folder, env={**os.environ, "TERM": "xterm"}, stdout=subprocess.PIPE, stderr=theirs
    ) as process:
        os.close(theirs)
        shown = b""
        with suppress(OSError):  # the terminal's other end is closed
            while more := os.read(ours, 1 << 16):
                shown += more
        out, _ = process.communicate(timeout=LIMIT)
    os.close(ours)
    text = re.sub(rb"\x1b\[[0-9;?]*[a-zA-Z]", b"", shown)
    assert b"reading" in text
    assert b"100% 0:00:00" in text
    assert text.rstrip().endswith(b"notes.txt: not a transcript: no JSON object in it")
    assert out.decode() == foldcover(folder, "logs", "--json").stdout
