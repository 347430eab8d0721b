"""Compare the C core with the Python core while AddressSanitizer and UndefinedBehaviorSanitizer watch.

    python bindings/checks/sanitized.py

The binding is compiled with both in a folder of its own; then equal.py runs on it. Needs gcc. Exit codes: 0 clean and
equal · 1 a finding, which is printed · 2 it could not be built · 3 no answer in time.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from overlay import NoAnswer, imported, last_line, lay, run

FLAGS = "-O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all"
SCOPE = ("--units=7", "--operations=200000")


def main() -> int:
    """Build, check that the copy is what runs, compare."""
    with tempfile.TemporaryDirectory(prefix="foldcover-") as name:
        folder = Path(name)
        try:
            runtime = subprocess.run(
                ["gcc", "-print-file-name=libasan.so"], check=True, capture_output=True, text=True
            ).stdout.strip()
            # Python itself is not sanitized, so its own leaks at exit are of no interest.
            watch = {"LD_PRELOAD": runtime, "ASAN_OPTIONS": "detect_leaks=0", "UBSAN_OPTIONS": "print_stacktrace=1"}
            os.environ["CC"] = "gcc"
            lay(folder, None, FLAGS)
            if not imported(folder, watch):
                print("another binding would be run")
                return 2
        except (OSError, subprocess.CalledProcessError, NoAnswer) as error:
            print(f"cannot build the sanitized binding (needs gcc and its libasan): {error}")
            return 2
        try:
            done = run(folder, [str(Path(__file__).with_name("equal.py")), *SCOPE], watch, may_fail=True)
        except NoAnswer as error:
            print(f"undecided: {error}")
            return 3
    print(done.stdout.strip())
    if done.returncode:
        print(f"FOUND, {last_line(done)}\n{done.stderr[-4000:]}")
        return 1
    print("AddressSanitizer and UndefinedBehaviorSanitizer: nothing found")
    return 0


if __name__ == "__main__":
    sys.exit(main())
