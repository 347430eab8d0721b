"""A stranger's program that is asked one line and answers one line.

Rule: whatever it does, we neither hang, nor fill up, nor leave it behind. Each answer has a time limit and a bound on
its length; what it writes to stderr is read away and its end is kept; and its whole process group is killed at the end
of every run, whichever way that ends (POSIX only). What is in the lines is none of this file's business.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress

LONGEST_LINE = 16 << 20
"""Bytes that one answer may have."""
KEPT = 4096
"""Bytes of stderr that are kept."""
_CHUNK = 1 << 16
_GRACE = 0.5
_BRIEF = 0.02
"""Seconds between two looks whether the program lives."""
_READABLE = select.POLLIN | select.POLLHUP | select.POLLERR


class Broken(Exception):
    """The program did not answer as a program must; `late` when it only ran out of time."""

    def __init__(self, what: str, late: bool = False) -> None:
        super().__init__(what)
        self.late = late


class Child:
    """A running program, in a session of its own."""

    def __init__(self, argv: Sequence[str], timeout: float) -> None:
        """Start it. Raises OSError or ValueError when it cannot be started."""
        self._timeout = timeout
        self._heard = bytearray()
        self._said = b""
        self._over = False
        self._deaf = False
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(argv, stdin=pipe, stdout=pipe, stderr=pipe, bufsize=0, start_new_session=True)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        self._pipes = (self._process.stdin, self._process.stdout, self._process.stderr)
        self._stdin, self._stdout, self._stderr = (each.fileno() for each in self._pipes)
        self._poll = select.poll()
        for number in (self._stdin, self._stdout, self._stderr):
            os.set_blocking(number, False)
        self._poll.register(self._stdout, select.POLLIN)
        self._poll.register(self._stderr, select.POLLIN)

    def ask(self, line: bytes) -> bytes:
        """Send a line and return the one that answers it, both without their newline. Raises Broken."""
        self._quiet()
        return self._take_line(line + b"\n")

    def end(self, line: bytes) -> None:
        """Send a last line and close its stdin, upon which it must end with exit code 0, saying nothing. Raises Broken.

        What it leaves behind may hold its pipes for as long as it likes: the program itself is waited for.
        """
        self._quiet()
        rest, deadline = self._write(line + b"\n"), time.monotonic() + self._timeout
        too_late = f"the program did not end within {self._timeout:g} s"
        while rest:
            rest = self._turn(rest, deadline, too_late)
        if self._deaf:
            raise Broken(self._why_it_is_over())
        self._pipes[0].close()
        while (state := self._ended(0)) is None:
            self._turn(b"", deadline, too_late, _BRIEF)
            self._quiet()
        self._drain()
        self._quiet()
        if state != "with exit code 0":
            raise Broken(f"the program ended {state}{self.last_words()}")

    def _quiet(self) -> None:
        """Raises Broken where something has come that is no answer."""
        if self._heard:
            raise Broken(f"something that nobody asked for came: {_clip(self._heard)}")

    def kill(self) -> None:
        """End the program and whatever it left in its process group. May be called again."""
        if self._process.returncode is None:
            # Before the program is reaped, so that its number is still its own.
            try:
                os.killpg(self._process.pid, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                self._process.kill()
            self._process.wait()
        for each in self._pipes:
            each.close()

    def last_words(self) -> str:
        """The last line that it wrote to stderr, as a clause; nothing where there is none."""
        lines = [line for line in self._said.decode("utf-8", "replace").splitlines() if line.strip()]
        return f"; its stderr ends: {' / '.join(_clip(line.strip()) for line in lines[-3:])}" if lines else ""

    def _take_line(self, request: bytes) -> bytes:
        rest, deadline, searched = self._write(request), time.monotonic() + self._timeout, 0
        while True:
            stop = self._heard.find(b"\n", searched)
            if stop >= 0 and not rest:
                line = bytes(self._heard[:stop])
                del self._heard[: stop + 1]
                return line
            searched = len(self._heard)
            if searched > LONGEST_LINE or stop >= LONGEST_LINE:
                raise Broken(f"an answer of more than {LONGEST_LINE:,} bytes: {_clip(self._heard)}")
            if self._over or self._deaf:
                why = self._why_it_is_over()
                if self._heard.find(b"\n", searched) < 0:
                    raise Broken(why)
                continue
            rest = self._turn(rest, deadline, f"no answer within {self._timeout:g} s")

    def _turn(self, rest: bytes, deadline: float, too_late: str, most: float = 86_400.0) -> bytes:
        """Wait until something can be read or written, `most` seconds, and do that. Returns what is to be written."""
        left = deadline - time.monotonic()
        if left <= 0:
            if state := self._ended(0):
                raise Broken(f"{too_late}: the program ended {state}, and what it left behind lives on")
            raise Broken(too_late + self.last_words(), late=True)
        if not self._pipes[0].closed:
            # Nothing to write: then only that it is closed at the other end.
            self._poll.register(self._stdin, select.POLLOUT if rest else 0)
        for pipe, event in self._poll.poll(min(left, most) * 1000):
            if pipe == self._stdout and event & _READABLE:
                self._hear()
            elif pipe == self._stderr and event & _READABLE:
                self._listen()
            elif pipe == self._stdin and event & select.POLLERR:
                self._deaf, rest = True, b""
            elif pipe == self._stdin:
                rest = self._write(rest)
        self._silence(self._stdin)
        return rest

    def _hear(self) -> None:
        chunk = _read(self._stdout)
        if chunk == b"":
            self._over = True
            self._silence(self._stdout)
        elif chunk is not None:
            self._heard += chunk

    def _listen(self) -> bool:
        chunk = _read(self._stderr)
        if chunk == b"":
            self._silence(self._stderr)
        elif chunk is not None:
            self._said = (self._said + chunk)[-KEPT:]
        return bool(chunk)

    def _drain(self) -> None:
        """Read what is there by now, without waiting for more."""
        for _ in range(64):
            if not self._listen():
                break
        for _ in range(64):
            before = len(self._heard)
            self._hear()
            if len(self._heard) == before:
                break

    def _write(self, data: bytes) -> bytes:
        """Write what fits now; returns the rest. There is none where the program does not listen any more."""
        try:
            return data[os.write(self._stdin, data) :]
        except BlockingIOError:
            return data
        except BrokenPipeError:
            self._deaf = True
            return b""

    def _silence(self, pipe: int) -> None:
        with suppress(KeyError):
            self._poll.unregister(pipe)

    def _why_it_is_over(self) -> str:
        state = self._ended(_GRACE)
        self._drain()
        cut = f" in the middle of a line, {_clip(self._heard)}" if self._heard else ""
        closed = "stdin" if self._deaf else "stdout"
        how = f"closed its {closed} and lives on" if state is None else f"ended {state}"
        return f"no answer: the program {how}{cut}{self.last_words()}"

    def _ended(self, patience: float) -> str | None:
        """How the program ended; None if it has not within `patience` seconds. It is not reaped yet."""
        deadline = time.monotonic() + patience
        while True:
            state = os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG)
            if state is not None:
                break
            if time.monotonic() > deadline:
                return None
            time.sleep(0.002)
        if state.si_code == os.CLD_EXITED:
            return f"with exit code {state.si_status}"
        try:
            return f"by signal {signal.Signals(state.si_status).name}"
        except ValueError:  # a real-time signal has no name
            return f"by signal {state.si_status}"


def _read(pipe: int) -> bytes | None:
    """A chunk; b"" at the end; None when there is nothing just now."""
    try:
        return os.read(pipe, _CHUNK)
    except BlockingIOError:
        return None


def _clip(text: bytes | bytearray | str, most: int = 120) -> str:
    """The beginning of a stranger's text in printable characters."""
    whole = text if isinstance(text, str) else bytes(text[: most + 1]).decode("utf-8", "replace")
    plain = ascii(whole)[1:-1]
    return plain if len(plain) <= most else f"{plain[:most]} ..."
