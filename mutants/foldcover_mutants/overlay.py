"""A copy of the core in a folder of its own, with one mutant in it, and the command that makes Python see it first."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import foldcover
from foldcover_mutants.catalogue import Mutant


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
