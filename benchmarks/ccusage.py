"""`foldcover replay` against `ccusage`, a program that only adds up recorded usage, on the same Claude Code files.

    npm install ccusage@20 && python benchmarks/ccusage.py FOLDER --ccusage node_modules/.bin/ccusage

Both are started anew, turn by turn, compiled as an installation leaves them, and print JSON; ours reads every text,
prices ten schedules and settles the cover. ccusage passes over links, so the files are copied. Exit status: 0 the aim
is met, 1 it is not, 2 something is missing.
"""

from __future__ import annotations

import argparse
import compileall
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import foldcover
import foldcover_harness

TURNS = 15
AIM = 1.5


def run(command: list[str], environment: dict[str, str]) -> tuple[float, float]:
    """Seconds that a command takes: by the clock, and of processor time."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    took = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return took, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> int:
    """Print both times and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where Claude Code transcripts (*.jsonl) are")
    parser.add_argument("--ccusage", default="ccusage", help="the program (default: the one on the PATH)")
    options = parser.parse_args()
    program: str | None = shutil.which(str(options.ccusage))
    files = sorted(options.folder.rglob("*.jsonl"))
    if program is None or not files:
        print("no ccusage" if program is None else f"no *.jsonl in {options.folder}", file=sys.stderr)
        return 2
    for package in (foldcover, foldcover_harness):
        compileall.compile_dir(Path(package.__file__ or "").parent, quiet=1)
    with tempfile.TemporaryDirectory(prefix="foldcover-") as name:
        projects = Path(name) / "projects" / "all"
        projects.mkdir(parents=True)
        for number, file in enumerate(files):
            shutil.copyfile(file, projects / f"{number}.jsonl")
        size = sum(file.stat().st_size for file in projects.iterdir())
        environment = {**os.environ, "CLAUDE_CONFIG_DIR": name, "HOME": name}
        ours = [str(Path(sys.executable).with_name("foldcover")), "replay", "--json", str(projects)]
        theirs = [program, "session", "--offline", "--json"]
        times = [(run(ours, environment), run(theirs, environment)) for _ in range(TURNS)]
    (clock, cpu), (other_clock, other_cpu) = [
        tuple(min(each[which][kind] for each in times) for kind in (0, 1)) for which in (0, 1)
    ]
    print(f"{len(files)} files, {size / 1e6:.0f} MB")
    print(f"foldcover replay --json   {clock * 1e3:7.0f} ms   processor time {cpu * 1e3:7.0f} ms")
    print(f"ccusage session --json    {other_clock * 1e3:7.0f} ms   processor time {other_cpu * 1e3:7.0f} ms")
    print(f"ratio {clock / other_clock:.2f} (aim {AIM}); of processor time {cpu / other_cpu:.2f}")
    return 0 if clock <= AIM * other_clock else 1


if __name__ == "__main__":
    sys.exit(main())
