"""A program that is run once: bytes in, bytes out, within a time and a size.

Rule: whatever the program does, `run` and `ask` end: after the time limit, when they are told to stop, when the program
has ended although a child of its still holds its output, or when whoever takes the output has had enough. The program
has its own session, and whatever is left of that is killed before they return: its process group, and by /proc where
there is one the groups that its children made. Who made a session of its own (a daemon) is not found. Input that the
program does not read is no failure. POSIX only.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from threading import Event
from typing import IO, Final

MOST_BYTES: Final = 65_536
"""Bytes of the longest answer, and of the longest piece of output."""
PAUSE: Final = 0.02
"""Seconds between two looks at whether the program has ended."""
_LAST: Final = 16
"""Pieces of output that are read after the program has ended: more than a pipe holds."""


class Failed(Exception):
    """Why the program has no answer, in words that follow its name."""


class Late(Failed):
    """The program was killed at its time limit."""


class Stopped(Failed):
    """The program was killed because the caller's `stop` was set."""


def ask(argv: Sequence[str], text: bytes, timeout: float, env: Mapping[str, str]) -> bytes:
    """What the program writes to its standard output, given `text` on its standard input. Raises Failed."""
    answer = bytearray()

    def take(piece: bytes) -> None:
        answer.extend(piece)
        if len(answer) > MOST_BYTES:
            raise Failed(f"answered more than {MOST_BYTES:,} bytes")

    if code := run(argv, take, timeout, env, text=text):
        raise Failed(f"ended with exit code {code}")
    return bytes(answer)


# fmt: off
def run(
    argv: Sequence[str], take: Callable[[bytes], None], timeout: float, env: Mapping[str, str], *,
    text: bytes | None = None, errors: bool = False, folder: Path | None = None, stop: Event | None = None,
) -> int:
    # fmt: on
    """Run the program to its end: its exit code, or minus the number of the signal that ended it.

    `take` is given the output as it comes; what it raises ends the program and passes through, as KeyboardInterrupt
    does. `text` goes to its standard input, which without one is empty. `errors`: its standard error is output too,
    else it is dropped. `folder`: where it runs. Raises Failed where it cannot be started, Late, Stopped.
    """
    if stop is not None and stop.is_set():
        raise Stopped("was stopped")
    try:
        process = subprocess.Popen(
            list(argv),
            stdin=subprocess.DEVNULL if text is None else subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT if errors else subprocess.DEVNULL,
            cwd=folder,
            env=dict(env),
            start_new_session=True,
        )
    except (OSError, ValueError, IndexError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise Failed(f"could not be started: {reason}") from None
    try:
        _talk(process, take, memoryview(text or b""), time.monotonic() + timeout, stop)
    except TimeoutError:
        raise Late(f"had no answer within {timeout:g} seconds") from None
    finally:
        _end(process)
    return process.returncode


def _talk(
    process: subprocess.Popen[bytes], take: Callable[[bytes], None], left: memoryview, until: float, stop: Event | None
) -> None:
    """Write and read until the program has ended; what a child of its still holds open is not waited for."""
    stdin, stdout = process.stdin, process.stdout
    with selectors.DefaultSelector() as selector:
        for pipe, event in ((stdin, selectors.EVENT_WRITE), (stdout, selectors.EVENT_READ)):
            if pipe is not None:
                os.set_blocking(pipe.fileno(), False)
                selector.register(pipe, event)
        while not _ended(process):
            if stop is not None and stop.is_set():
                raise Stopped("was stopped")
            now = time.monotonic()
            if now >= until:
                raise TimeoutError
            for key, _ in selector.select(min(PAUSE, until - now)):
                if stdin is not None and key.fileobj is stdin:
                    left = _feed(selector, stdin, left)
                elif stdout is not None and not _drain(stdout, take):
                    selector.unregister(stdout)
    for _ in range(_LAST):
        if stdout is None or not _drain(stdout, take):
            break


def _ended(process: subprocess.Popen[bytes]) -> bool:
    """Whether the program has ended. It is not reaped where that can be: its group's number stays its own."""
    if hasattr(os, "waitid"):
        return os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    return process.poll() is not None


def _feed(selector: selectors.BaseSelector, stdin: IO[bytes], left: memoryview) -> memoryview:
    """Write a part of the input; close it when all is written or nobody reads."""
    try:
        left = left[os.write(stdin.fileno(), left[:MOST_BYTES]) :]
    except BlockingIOError:
        return left
    except OSError:
        left = left[:0]
    if not left:
        selector.unregister(stdin)
        with contextlib.suppress(OSError):
            stdin.close()
    return left


def _drain(stdout: IO[bytes], take: Callable[[bytes], None]) -> bool:
    """Read what is there; False at the end of the output."""
    try:
        read = os.read(stdout.fileno(), MOST_BYTES)
    except BlockingIOError:
        return True
    if read:
        take(read)
    return bool(read)


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill what is left of the program's session, and who forks meanwhile."""
    for _ in range(3):
        groups = {process.pid, *_groups(process.pid)}
        for group in groups:
            with contextlib.suppress(OSError):
                os.killpg(group, signal.SIGKILL)
        if len(groups) == 1:
            return


def _groups(session: int) -> Iterator[int]:
    """The process groups in which something of a session still runs, by /proc: none where the system has no such."""
    with contextlib.suppress(OSError):
        for name in filter(str.isdecimal, os.listdir("/proc")):
            with contextlib.suppress(OSError, ValueError, IndexError):
                state, _, group, of = Path("/proc", name, "stat").read_bytes().rpartition(b")")[2].split()[:4]
                if int(of) == session and state not in (b"Z", b"X"):
                    yield int(group)


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill what is left of the program, and wait for the program itself."""
    _kill(process)
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with contextlib.suppress(OSError):
                pipe.close()
