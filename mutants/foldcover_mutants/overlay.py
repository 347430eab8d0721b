"""A copy of the core in a folder of its own, with one mutant in it, and a checker that runs on that copy.

The checker is a module that prints JSON and names the core it imported under `foldcover`: an answer about any other
core is no answer about the mutant.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import foldcover
from foldcover_mutants.catalogue import Mutant, NotApplied


class NoAnswer(Exception):
    """The checker ran out of time, or ended without an answer."""


def core_source() -> Path:
    """The folder of the core that is imported now."""
    return Path(foldcover.__file__).parent


def lay(folder: Path, mutant: Mutant | None) -> None:
    """Copy the core into `folder` and make the mutant's change there. Raises NotApplied, and then leaves no copy."""
    source = core_source()
    changed = None if mutant is None else mutant.apply((source / f"{mutant.module}.py").read_text("utf-8"))
    copy = folder / source.name
    shutil.copytree(source, copy, ignore=shutil.ignore_patterns("__pycache__"))
    if mutant is not None and changed is not None:
        (copy / f"{mutant.module}.py").write_text(changed, "utf-8")


def environment(folder: Path) -> dict[str, str]:
    """The environment in which `import foldcover` finds the copy in `folder`, and everything else where it is."""
    path = [str(folder), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(path), "PYTHONDONTWRITEBYTECODE": "1"}


def ask(mutant: Mutant | None, module: str, flags: Sequence[str], timeout: float) -> dict[str, Any]:
    """What the checker `module` answers about the core changed by `mutant`; None: the core as it is.

    Raises NotApplied if the change could not be made or another core was run, NoAnswer if nothing came back.
    """
    with tempfile.TemporaryDirectory(prefix="foldcover-") as name:
        folder = Path(name)
        lay(folder, mutant)
        answer = _run(folder, [sys.executable, "-m", module, *flags], timeout)
        if not Path(answer["foldcover"]).resolve().is_relative_to(folder.resolve()):
            raise NotApplied(f"another core was run: {answer['foldcover']}")
        return answer


def _run(folder: Path, command: Sequence[str], timeout: float) -> dict[str, Any]:
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            env=environment(folder),
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise NoAnswer(f"no answer within {timeout:g} s") from error
    try:
        answer: dict[str, Any] = json.loads(done.stdout)
    except json.JSONDecodeError as error:
        last = done.stderr.strip().splitlines()[-1:] or ["no output"]
        raise NoAnswer(f"the checker ended with exit code {done.returncode}: {last[0]}") from error
    return answer
