"""Importing the core costs next to nothing and brings nothing along."""

import subprocess
import sys

SCRIPT = """
import sys
import __future__, dataclasses, enum, typing
before = set(sys.modules)
import foldcover
print(*sorted({name.partition(".")[0] for name in set(sys.modules) - before}))
"""


def test_the_core_imports_no_module_beyond_what_dataclasses_and_enum_bring() -> None:
    """No third-party module, no fractions, no json: whoever imports foldcover gets foldcover."""
    done = subprocess.run(
        [sys.executable, "-S", "-c", SCRIPT], capture_output=True, text=True, check=False, env=_path()
    )
    assert done.stderr == ""
    assert done.stdout.split() == ["foldcover"]


def _path() -> dict[str, str]:
    """Python without site-packages (-S) still has to find the core."""
    from pathlib import Path

    import foldcover

    return {"PYTHONPATH": str(Path(foldcover.__file__).parent.parent)}
