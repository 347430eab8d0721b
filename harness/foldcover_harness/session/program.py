"""A program that is asked once: bytes in, bytes out, within a time and a size.

Rule: whatever the program does, `ask` ends: after the time limit, or when the program has ended although a child of
its still holds its output, or when it has written too much. The program has its own process group, and whatever is
left of that group is killed before `ask` returns. Input that the program does not read is no failure. POSIX only.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from typing import IO, Final

MOST_BYTES: Final = 65_536
"""Bytes of the longest answer."""
PAUSE: Final = 0.02
"""Seconds between two looks at whether the program has ended."""


class Failed(Exception):
    """Why the program has no answer, in words that follow its name."""


def ask(argv: Sequence[str], text: bytes, timeout: float, env: Mapping[str, str]) -> bytes:
    """What the program writes to its standard output, given `text` on its standard input. Raises Failed."""
    try:
        process = subprocess.Popen(
            list(argv),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=dict(env),
            start_new_session=True,
        )
    except (OSError, ValueError, IndexError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise Failed(f"could not be started: {reason}") from None
    try:
        answer = _talk(process, text, time.monotonic() + timeout)
    except TimeoutError:
        raise Failed(f"had no answer within {timeout:g} seconds") from None
    finally:
        _end(process)
    if process.returncode:
        raise Failed(f"ended with exit code {process.returncode}")
    return answer


def _talk(process: subprocess.Popen[bytes], text: bytes, until: float) -> bytes:
    """Write and read until the program has ended; what a child of its still holds open is not waited for."""
    stdin, stdout = process.stdin, process.stdout
    if stdin is None or stdout is None:
        return b""
    answer = bytearray()
    with selectors.DefaultSelector() as selector:
        for pipe, event in ((stdin, selectors.EVENT_WRITE), (stdout, selectors.EVENT_READ)):
            os.set_blocking(pipe.fileno(), False)
            selector.register(pipe, event)
        left = memoryview(text)
        while True:
            ended = _ended(process)
            ready = selector.select(0 if ended else max(min(PAUSE, until - time.monotonic()), 0))
            more = False
            for key, _ in ready:
                if key.fileobj is stdin:
                    left = _feed(selector, stdin, left)
                elif _drain(stdout, answer):
                    more = True
                else:
                    selector.unregister(stdout)
            if ended and not more:
                return bytes(answer)
            if time.monotonic() >= until:
                raise TimeoutError
            if not selector.get_map():
                time.sleep(PAUSE / 10)


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


def _drain(stdout: IO[bytes], answer: bytearray) -> bool:
    """Read what is there; False at the end of the output."""
    try:
        read = os.read(stdout.fileno(), MOST_BYTES)
    except BlockingIOError:
        return True
    answer += read
    if len(answer) > MOST_BYTES:
        raise Failed(f"answered more than {MOST_BYTES:,} bytes")
    return bool(read)


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill what is left of the program's group, and wait for the program itself."""
    with contextlib.suppress(OSError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with contextlib.suppress(OSError):
                pipe.close()
