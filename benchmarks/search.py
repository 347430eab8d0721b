"""What a search over archives costs, beside ripgrep on the same files.

Makes a folder of archives (`--size 200MB` unless told otherwise) of generated text: words with the frequencies of
language over a vocabulary, repeated lines as tool outputs repeat, some Cyrillic and Chinese. Then, turn by turn: a
literal that stands once, a common one, a word of two characters, by the index and by `rg` where it is installed
(`--no-ignore -F -n`, all lines of the rare one, the first 50 of each file for the others). Prints the best of a few
turns, the ratio, and the size of the index to that of the text. Exit code 1 where an aim is missed: a rare literal in
0.3 of ripgrep's time, an index of 0.15 of the text.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from itertools import accumulate
from pathlib import Path

from foldcover_harness.session.search import Entry, Search

TURNS = 7
RARE = "zylophant_Qx7"
ARCHIVE = 400_000
UNITS = {"KB": 10**3, "MB": 10**6, "GB": 10**9}


def size(text: str) -> int:
    """Bytes from a number with KB, MB or GB behind it."""
    for unit, factor in UNITS.items():
        if text.upper().endswith(unit):
            return int(float(text[: -len(unit)]) * factor)
    return int(text)


def vocabulary(rng: random.Random) -> list[str]:
    """Words of three scripts, names and hashes, the commonest first."""
    letters, weights = "etaoinsrhldcumfpgwybvkxjqz", [26 - place for place in range(26)]
    latin = ["".join(rng.choices(letters, weights, k=rng.randint(2, 11))) for _ in range(20_000)]
    names = [f"{rng.choice(latin)}_{rng.choice(latin)}.{rng.choice(('py', 'rs', 'md', 'go'))}" for _ in range(4_000)]
    hashes = [f"{rng.getrandbits(80):020x}" for _ in range(4_000)]
    russian = ["".join(rng.choice("аеиноткрслвмдпу") for _ in range(rng.randint(2, 9))) for _ in range(2_000)]
    chinese = ["".join(chr(0x4E00 + int(rng.paretovariate(1) * 40) % 3_000) for _ in range(2)) for _ in range(500)]
    words = latin + names + hashes + russian + chinese
    rng.shuffle(words)
    return ["error", "test", *words]


def make(folder: Path, total: int) -> list[Entry]:
    """Write archives of `total` bytes; the rare literal stands in one line."""
    rng = random.Random(7)
    words = vocabulary(rng)
    weights = list(accumulate(1 / (rank + 5) for rank in range(len(words))))
    repeated = [" ".join(rng.choices(words, cum_weights=weights, k=14)) for _ in range(4_000)]
    (folder / "archives").mkdir(mode=0o700)
    entries: list[Entry] = []
    for number in range(max(total // ARCHIVE, 1)):
        lines = [f"foldcover archive 1; unit {number}", "---- messages, one JSON a line ----"]
        written = 0
        while written < ARCHIVE:
            said = " ".join(rng.choices(words, cum_weights=weights, k=60))
            output = "\n".join(rng.choices(repeated, k=20))
            if number == total // ARCHIVE // 3 and written == 0:
                said += f" {RARE} "
            message = {"role": "user", "content": [{"type": "text", "text": said}, {"type": "text", "text": output}]}
            lines.append(json.dumps(message, ensure_ascii=False, separators=(",", ":")))
            written += len(lines[-1].encode())
        name = f"{number:016x}.txt"
        (folder / "archives" / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
        entries.append(Entry(number, f"unit {number}", name))
    return entries


def ripgrep(folder: Path, query: str, most: int | None) -> None:
    """All lines that hold the query, or at most `most` of each file."""
    limit = [] if most is None else ["-m", str(most)]
    command = ["rg", "--no-config", "--no-ignore", "-F", "-n", *limit, "--", query, str(folder / "archives")]
    subprocess.run(command, stdout=subprocess.DEVNULL, check=False)


def turns(jobs: list[Callable[[], object]]) -> list[float]:
    """The best wall time of each job, taken turn by turn."""
    best = [float("inf")] * len(jobs)
    for _ in range(TURNS):
        for number, job in enumerate(jobs):
            start = time.perf_counter()
            job()
            best[number] = min(best[number], time.perf_counter() - start)
    return best


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=size, default=size("200MB"))
    parser.add_argument("--folder", type=Path, help="where the archives are made (a new folder)")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=chosen.folder) as made:
        return measure(Path(made), chosen.size)


def measure(folder: Path, total: int) -> int:
    """Build, search, compare."""
    entries = make(folder, total)
    text = sum(each.stat().st_size for each in (folder / "archives").iterdir())
    missed = 0
    with Search(folder) as search:
        start = time.process_time()
        search.update(entries)
        built = time.process_time() - start
        share = (folder / "search.sqlite").stat().st_size / text
        missed += share > 0.15
        print(f"{text / 1e6:,.0f} MB in {len(entries):,} archives; index {share:.3f} of the text (aim 0.15), ", end="")
        print(f"built in {built:,.1f} s of CPU time ({text / 1e6 / built:.1f} MB/s)")
        start = time.perf_counter()
        with Search(folder) as again:
            again.find(RARE, entries)
        print(f"first search of a process, checksum included: {(time.perf_counter() - start) * 1e3:.1f} ms")
        print(f"{'query':<12}{'hits':>6}{'index ms':>10}{'rg ms':>10}{'ratio':>8}")
        for kind, query, most in (("rare", RARE, None), ("common", "error", 50), ("two letters", "да", 50)):
            hits = len(search.find(query, entries).hits)
            jobs: list[Callable[[], object]] = [partial(search.find, query, entries)]
            if shutil.which("rg"):
                jobs.append(partial(ripgrep, folder, query, most))
            best = turns(jobs)
            ratio = best[0] / best[1] if len(best) > 1 else 0.0
            missed += kind == "rare" and ratio > 0.3
            beside = f"{best[1] * 1e3:>10.2f}{ratio:>8.2f}" if len(best) > 1 else f"{'no rg':>10}"
            print(f"{kind:<12}{hits:>6}{best[0] * 1e3:>10.2f}{beside}", flush=True)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
