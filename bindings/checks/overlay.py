"""A copy of the binding in a folder of its own, compiled there from a source that may have been changed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from foldcover_mutants import Mutant

BINDINGS = Path(__file__).resolve().parents[1]
TIMEOUT = 600.0


class NoAnswer(Exception):
    """The copy could not be built, or what ran on it ended without an answer."""


def lay(folder: Path, mutant: Mutant | None, flags: str) -> None:
    """Copy the binding into `folder`, make the mutant's change there, compile with `flags`.

    Raises NotApplied where the change cannot be made, NoAnswer where it does not compile.
    """
    shutil.copytree(BINDINGS / "c", folder / "c")
    package = BINDINGS / "python" / "foldcover_native"
    ignored = shutil.ignore_patterns("*.so", "_ffi.c", "__pycache__")
    shutil.copytree(package, folder / "foldcover_native", ignore=ignored)
    shutil.copy(BINDINGS / "build_ffi.py", folder)
    source = folder / "c" / "foldcover.c"
    if mutant is not None:
        source.write_text(mutant.apply(source.read_text("utf-8")), "utf-8")
    run(folder, ["-c", "import build_ffi; build_ffi.builder.compile()"], {"CFLAGS": flags})


def imported(folder: Path, environment: Mapping[str, str] | None = None) -> bool:
    """Whether `import foldcover_native` finds the copy in `folder`."""
    found = run(folder, ["-c", "import foldcover_native._ffi as f; print(f.__file__)"], environment or {}).stdout
    return Path(found.strip()).resolve().is_relative_to(folder.resolve())


def run(
    folder: Path, command: list[str], environment: Mapping[str, str], may_fail: bool = False
) -> subprocess.CompletedProcess[str]:
    """Run Python in the folder, which comes first on its path. Raises NoAnswer if it takes too long or fails."""
    try:
        done = subprocess.run(
            [sys.executable, *command],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1", **environment},
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise NoAnswer(f"no answer within {TIMEOUT:g} s") from error
    if done.returncode and not may_fail:
        raise NoAnswer(last_line(done))
    return done


def last_line(done: subprocess.CompletedProcess[str]) -> str:
    """The exit code and the last line that was printed."""
    last = (done.stderr or done.stdout).strip().splitlines()[-1:] or ["no output"]
    return f"exit code {done.returncode}: {last[0]}"
