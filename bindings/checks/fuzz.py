"""Fuzz the C core, guided by coverage, under AddressSanitizer and UndefinedBehaviorSanitizer.

    python bindings/checks/fuzz.py                 both targets; CI makes fewer runs
    python bindings/checks/fuzz.py --runs 10000000

Targets: any bytes as nodes for fc_load; any bytes as operations on one view, with memory that runs out. What each
demands stands in its source. Needs clang with its runtime (Debian: clang libclang-rt-14-dev). Exit codes: 0 nothing
found · 1 found, with the input that shows it · 2 it could not be built.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
C = HERE.parent / "c"
TARGETS = {"load": 1_500_000, "operations": 300_000}
FLAGS = ("-std=c11", "-O1", "-g", "-fsanitize=fuzzer,address,undefined", "-fno-sanitize-recover=all")


def build(target: str, folder: Path) -> Path:
    """Compile a target. Raises OSError or CalledProcessError where clang or its runtime is missing."""
    program = folder / target
    sources = (str(HERE / f"fuzz_{target}.c"), str(C / "foldcover.c"))
    subprocess.run(
        ["clang", *FLAGS, f"-I{C}", *sources, "-o", str(program)], check=True, capture_output=True, text=True
    )
    return program


def fuzz(target: str, runs: int, folder: Path) -> tuple[bool, str]:
    """Run a target so often: whether nothing was found, and what to say of it."""
    program = build(target, folder)
    corpus = folder / f"{target}-corpus"
    corpus.mkdir()
    done = subprocess.run(
        [program, f"-runs={runs}", "-seed=1", "-max_len=600", f"-artifact_prefix={folder}/", str(corpus)],
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    last = re.findall(r"#(\d+)\s+DONE\s+cov: (\d+)", done.stderr)
    if done.returncode or not last:
        found = "\n".join(f"  {file.name}: {file.read_bytes().hex()}" for file in folder.glob("*-*") if file.is_file())
        return False, f"{target}: FOUND (exit code {done.returncode})\n{done.stderr[-3000:]}\n{found}"
    made, covered = last[-1]
    return int(made) >= runs, f"{target}: {int(made):,} runs, {covered} edges covered, nothing found"


def main() -> int:
    """Fuzz both targets at once."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--runs", type=int, help="of each target (default: " + str(TARGETS) + ")")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="foldcover-") as name, ThreadPoolExecutor() as pool:
        ended = [pool.submit(fuzz, target, asked.runs or runs, Path(name)) for target, runs in TARGETS.items()]
        try:
            results = [done.result() for done in ended]
        except (OSError, subprocess.CalledProcessError) as error:
            detail = getattr(error, "stderr", "") or str(error)
            print(f"cannot build the fuzz targets (Debian: clang libclang-rt-14-dev): {detail.strip()[-800:]}")
            return 2
    print(*(said for _, said in results), sep="\n")
    return 0 if all(fine for fine, _ in results) else 1


if __name__ == "__main__":
    sys.exit(main())
