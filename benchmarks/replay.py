"""How fast `foldcover replay` is, as ratios within one run: `python benchmarks/replay.py FOLDER`.

Measured, best of several rounds taken in turn:

- reading all Claude Code transcripts (JSON lines) below FOLDER and pricing all schedules, against `orjson.loads` on
  every line of the same files (a line that is no JSON is passed over there);
- the peak memory of a child process that does the former, and how much more one more transcript takes;
- `foldcover --help` against `python -c pass`;
- without an aim: the command in two processes against one, and where it finds every result kept.

The aims: at most 1.5 times, under 50 MB, at most a tenth of the transcript's size, at most 5 times. The exit code is 1
if one is missed. A time is of this machine and this hour; the ratios are what to look at.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

ROUNDS: Final = 9
AIMS: Final = {"replay": 1.5, "memory": 50.0, "growth": 0.1, "help": 5.0}
COPIES: Final = 8
"""How often the transcripts are there where it matters that they are many."""

CHILD: Final = """
import resource, sys
from pathlib import Path
from foldcover_harness.replay import report, run, schedules, sources
found = sources.gather([Path(path) for path in sys.argv[1:]])
options = report.Options(schedules=tuple(schedules.SCHEDULES))
result = run.run(found.files, options, report.Report(options))
print(len(result.replayed), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def transcripts(folder: Path) -> list[Path]:
    """Return the Claude Code transcripts (JSON lines) below `folder`."""
    from foldcover_harness.transcripts.recognise import Layout, RefusedError, recognise

    found: list[Path] = []
    for path in sorted(folder.rglob("*")):
        if not path.is_file():
            continue
        try:
            with path.open("rb") as stream:
                opened = recognise(stream)
        except RefusedError:
            continue
        if opened.client == "claude-code" and opened.layout is Layout.LINES:
            found.append(path)
    return found


def seconds(work: Callable[[], object]) -> float:
    """Return how long `work` takes once."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def load_with_orjson(paths: list[Path]) -> None:
    """Parse every line, and keep nothing."""
    import orjson

    for path in paths:
        with path.open("rb") as stream:
            for line in stream:
                # Not `suppress`: it would cost time that is not the parser's.
                try:  # noqa: SIM105
                    orjson.loads(line)
                except orjson.JSONDecodeError:
                    pass


def replay_all(paths: list[Path]) -> None:
    """Read and price every transcript, under all schedules."""
    from foldcover_harness.replay import report, run, schedules, sources

    options = report.Options(schedules=tuple(schedules.SCHEDULES))
    run.run(sources.gather(paths).files, options, report.Report(options))


def peak(paths: list[Path]) -> float:
    """Return the peak memory of a process that replays them, in MB."""
    child = subprocess.run([sys.executable, "-c", CHILD, *map(str, paths)], check=True, capture_output=True, text=True)
    count, kilobytes = map(int, child.stdout.split())
    if count != len(paths):
        raise SystemExit(f"the child replayed {count} of {len(paths)} transcripts")
    return kilobytes * 1024 / 1e6


def many(paths: list[Path], command: str) -> bool:
    """Measure on COPIES times as many transcripts; return whether the aim is met."""
    with tempfile.TemporaryDirectory() as folder:
        copies = [
            Path(shutil.copyfile(path, f"{folder}/{copy}-{number}.jsonl"))
            for copy in range(COPIES)
            for number, path in enumerate(paths)
        ]
        size = sum(path.stat().st_size for path in copies)
        growth = (peak(copies) - peak(copies[: len(paths)])) * 1e6 / (size * (COPIES - 1) / COPIES)
        met = say("memory that one more transcript takes / its size", growth, AIMS["growth"], "x")
        replaying = [command, "replay", "--json", folder]

        def replayed(*more: str) -> Callable[[], object]:
            return lambda: subprocess.run([*replaying, *more], check=True, capture_output=True)

        two, one = best(replayed("--jobs", "2"), replayed("--jobs", "1"), 3)
        print(f"{size:,} bytes: two processes {two * 1000:.0f} ms, one {one * 1000:.0f} ms: {two / one:.2f}x")
        with tempfile.TemporaryDirectory() as kept:
            replayed("--keep", kept)()
            again, _ = best(replayed("--keep", kept), lambda: None, 3)
        print(f"every result kept {again * 1000:.0f} ms: {again / one:.2f}x")
    return met


def best(one: Callable[[], object], other: Callable[[], object], rounds: int) -> tuple[float, float]:
    """Return the best time of each, taken in turn so that both see the same machine."""
    pairs = [(seconds(one), seconds(other)) for _ in range(rounds)]
    return min(first for first, _ in pairs), min(second for _, second in pairs)


def say(what: str, figure: float, aim: float, unit: str) -> bool:
    """Print one figure beside its aim; return whether it is met."""
    met = figure <= aim
    print(f"{what:<44} {figure:8.2f}{unit} (aim {aim:g}{unit}) {'met' if met else 'MISSED'}")
    return met


def main() -> int:
    """Measure all, print, and return the exit code."""
    parser = argparse.ArgumentParser(description="Measure foldcover replay.")
    parser.add_argument("folder", type=Path, help="where Claude Code transcripts lie")
    paths = transcripts(parser.parse_args().folder)
    if not paths:
        print("no Claude Code transcripts there: nothing was measured", file=sys.stderr)
        return 2
    size = sum(path.stat().st_size for path in paths)
    print(f"{len(paths)} transcripts, {size:,} bytes, Python {sys.version.split()[0]}, best of {ROUNDS} rounds")

    ours, theirs = best(lambda: replay_all(paths), lambda: load_with_orjson(paths), ROUNDS)
    print(f"replay {ours * 1000:.1f} ms, orjson.loads {theirs * 1000:.1f} ms")
    met = [say("replay / orjson.loads on every line", ours / theirs, AIMS["replay"], "x")]

    met.append(say("peak memory of a process that replays", peak(paths), AIMS["memory"], " MB"))

    command = str(Path(sys.executable).with_name("foldcover"))
    met.append(many(paths, command))

    helping = [command, "--help"]
    passing = [sys.executable, "-c", "pass"]
    help_, pass_ = best(
        lambda: subprocess.run(helping, check=True, capture_output=True),
        lambda: subprocess.run(passing, check=True, capture_output=True),
        ROUNDS,
    )
    print(f"foldcover --help {help_ * 1000:.1f} ms, python -c pass {pass_ * 1000:.1f} ms")
    met.append(say("foldcover --help / python -c pass", help_ / pass_, AIMS["help"], "x"))
    return 0 if all(met) else 1


if __name__ == "__main__":
    sys.exit(main())
