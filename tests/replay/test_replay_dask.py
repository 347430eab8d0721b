"""A Dask cluster of two workers over TCP: the same figures, also where a worker is killed in between."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from foldcover_harness.replay.cluster import attempt_there
from foldcover_harness.replay.run import WayError

pytest.importorskip("distributed")
LIMIT = 60
# A worker that is gone is given up sooner than Dask would, and a worker has one transcript at a time.
SETTINGS = {
    "DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": "4s",
    "DASK_DISTRIBUTED__SCHEDULER__WORKER_SATURATION": "1.0",
}
CODE = "from foldcover_harness.cli import main; main()"
HOOK = """
import os, signal

HERE = os.path.dirname(os.path.abspath(__file__))

def plain(prompt, window):
    if prompt[0].tokens > 2000 and len(prompt) == 1:
        if os.path.exists(f"{HERE}/deadly"):
            os.kill(os.getpid(), signal.SIGKILL)
        try:
            os.rename(f"{HERE}/once", f"{HERE}/done")
        except FileNotFoundError:
            return prompt
        with open(f"{HERE}/gate", "w") as gate:
            gate.write(f"{os.getpid()}\\n")
            gate.flush()
            signal.pause()
    return prompt
"""


def session(requests: int, words: str) -> bytes:
    """Return a transcript of two turns with so many requests."""
    lines = [{"type": "user", "uuid": "u", "message": {"role": "user", "content": words}}]
    lines += [
        {"type": "assistant", "uuid": "a", "message": {"id": f"m{n}", "content": [{"type": "text", "text": "ok" * n}]}}
        for n in range(requests)
    ]
    lines += [{"type": "user", "uuid": "x", "message": {"role": "user", "content": "next"}}]
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Twelve transcripts, one of them the hook's victim, a file that is none, and the hook."""
    logs = tmp_path / "logs"
    logs.mkdir()
    for number in range(12):
        words = "long " * 3000 if number == 5 else "hi"
        (logs / f"{number:02}.jsonl").write_bytes(session(20 + number, words))
    (logs / "notes.txt").write_text("notes")
    (tmp_path / "hook.py").write_text(HOOK)
    return tmp_path


@contextmanager
def process(folder: Path, module: str, *arguments: str, **more: str) -> Generator[subprocess.Popen[str]]:
    """A process of Dask, in a working folder of its own, that ends with the block; its stderr can be read."""
    elsewhere = folder / "elsewhere"
    elsewhere.mkdir(exist_ok=True)
    settings = {**os.environ, **SETTINGS, **more, "PYTHONPATH": str(folder)}
    command = [sys.executable, "-m", f"distributed.cli.{module}", *arguments]
    started = subprocess.Popen(
        command,
        cwd=elsewhere,
        env=settings,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    with started:
        try:
            yield started
        finally:
            started.kill()


@contextmanager
def cluster(folder: Path, workers: int = 2, **more: str) -> Generator[tuple[str, subprocess.Popen[str]]]:
    """A scheduler with workers of one thread, over TCP on this machine; yields its address and the scheduler."""
    with ExitStack() as stack:
        scheduler = stack.enter_context(
            process(folder, "dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", **more)
        )
        address = said(scheduler, r"Scheduler at: +(tcp://\S+)")
        begun = [
            stack.enter_context(
                process(folder, "dask_worker", address, "--nthreads", "1", "--no-nanny", "--no-dashboard", **more)
            )
            for _ in range(workers)
        ]
        for each in begun:
            said(each, r"(Registered to): ")
        yield address, scheduler


def said(process: subprocess.Popen[str], pattern: str) -> str:
    """Read what a process says until it says that."""
    assert process.stderr is not None
    for line in process.stderr:
        found = re.search(pattern, line)
        if found:
            return found[1]
    raise AssertionError(f"it ended without a word of {pattern}")


def command(*arguments: str, code: str = CODE) -> list[str]:
    """Return the command of `foldcover replay` as JSON."""
    own = ("--schedules", "compaction,rule", "--schedule", "hook:plain")
    return [sys.executable, "-c", code, "replay", "--json", *own, *arguments]


def foldcover(folder: Path, *arguments: str, code: str = CODE) -> subprocess.CompletedProcess[str]:
    """Run `foldcover replay`, and see that nobody but it speaks."""
    done = subprocess.run(
        command(*arguments, code=code), cwd=folder, capture_output=True, text=True, timeout=LIMIT, check=False
    )
    assert all(line.startswith("foldcover: ") for line in done.stderr.splitlines()), done.stderr
    return done


def test_a_killed_worker_changes_nothing(folder: Path) -> None:
    """What it had is done by the other one: the same bytes as without a cluster. URLs are opened by the workers."""
    alone = foldcover(folder, "logs", "--jobs", "1")
    with cluster(folder) as (address, _):
        (folder / "once").touch()
        os.mkfifo(folder / "gate")
        running = subprocess.Popen(
            command("logs", "--dask", address), cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        with running:
            with open(folder / "gate") as gate:
                os.kill(int(gate.readline()), signal.SIGKILL)
            out, err = running.communicate(timeout=LIMIT)
        assert (err, running.returncode, out) == (alone.stderr, 0, alone.stdout)
        by_url = foldcover(folder, f"file://{folder}/logs", "--dask", address)
        assert by_url.returncode == 0
        assert by_url.stdout.replace(f"file://{folder}/", "") == alone.stdout


@pytest.mark.parametrize("lost", [True, False], ids=["scheduler lost", "interrupted"])
def test_an_end_in_between_is_quick_and_quiet(folder: Path, lost: bool) -> None:
    """One line where the scheduler went away, none at Ctrl-C."""
    with cluster(folder) as (address, scheduler):
        (folder / "once").touch()
        os.mkfifo(folder / "gate")
        with subprocess.Popen(
            command("logs", "--dask", address), cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as running:
            with open(folder / "gate") as gate:
                gate.readline()
            (scheduler if lost else running).send_signal(signal.SIGKILL if lost else signal.SIGINT)
            out, err = running.communicate(timeout=LIMIT)
    if lost:
        assert (running.returncode, out) == (2, "")
        assert re.fullmatch(rf"foldcover: --dask {address}: the scheduler went away[^\n]*\n", err)
    else:
        assert (running.returncode, out, err.strip()) == (130, "", "")


def test_a_transcript_that_kills_workers_is_refused(folder: Path) -> None:
    """After as many as the scheduler allows; the others go on."""
    (folder / "deadly").touch()
    with cluster(folder, DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES="0") as (address, _):
        done = foldcover(folder, "logs", "--dask", address)
    found = json.loads(done.stdout)
    assert len(found["transcripts"]) == 11
    assert found["refused"][0]["path"] == "logs/05.jsonl"
    assert found["refused"][0]["reason"] == "every worker that read it died (out of memory?)"
    assert done.returncode == 0


def test_nobody_there_is_one_line(folder: Path) -> None:
    """Within a bounded time: no scheduler, and a scheduler without a worker."""
    hurried = f"from foldcover_harness.replay import cluster; cluster.PATIENCE = 1\n{CODE}"
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{taken.getsockname()[1]}"
        done = foldcover(folder, "logs", "--dask", address, code=hurried)
    assert (done.returncode, done.stdout) == (2, "")
    assert re.fullmatch(rf"foldcover: --dask {address}: no scheduler answers there: [^\n]+\n", done.stderr)
    with cluster(folder, workers=0) as (address, _):
        done = foldcover(folder, "logs", "--dask", address, code=hurried)
    assert (done.returncode, done.stdout) == (2, "")
    assert "the scheduler had no worker for 1 s" in done.stderr


def test_a_missing_extra_is_named(folder: Path) -> None:
    """In one line, with what to install."""
    done = foldcover(
        folder, "logs", "--dask", "tcp://h:1", code=f"import sys; sys.modules['distributed'] = None\n{CODE}"
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert "--dask tcp://h:1: needs the extra 'dask': pip install 'foldcover[dask]'" in done.stderr


def test_a_worker_of_another_program_is_not_used() -> None:
    """It says so before it looks at anything."""
    with pytest.raises(WayError, match="another version of foldcover"):
        attempt_there(b"no source", "another", b"no options")
