"""The example agents, one a wire: each is short, it folds, and nothing of what it did is lost."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from foldcover_harness.session.wires import WIRES

ROOT = Path(__file__).parents[2]
LOOPS = sorted((ROOT / "examples" / "loop").glob("*.py"))
every_loop = pytest.mark.parametrize("loop", LOOPS, ids=lambda path: path.stem)


@every_loop
def test_the_example_folds_and_everything_is_kept(tmp_path: Path, loop: Path) -> None:
    """Twelve turns become three titles and an open tail; the doctor finds nothing, the export has every message."""
    done = subprocess.run([sys.executable, loop, tmp_path], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert [line[:3] for line in done.stdout.splitlines()[-3:]] == ["0: ", "1: ", "2: "]
    doctor = foldcover("doctor", tmp_path)
    assert doctor.returncode == 0, doctor.stdout
    messages = [json.loads(line) for line in foldcover("export", tmp_path).stdout.splitlines()]
    assert messages.count({"role": "user", "content": "Please do step 3."}) == 1
    assert len(messages) > 36


@every_loop
def test_the_example_is_a_page(loop: Path) -> None:
    """Under a hundred lines, imports included."""
    assert len(loop.read_text("utf-8").splitlines()) < 100


def test_there_is_one_for_each_wire() -> None:
    """By the name that the session is made with."""
    assert all(any(f'wire="{wire}"' in loop.read_text("utf-8") for loop in LOOPS) for wire in WIRES)


def foldcover(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a session command."""
    program = str(Path(sys.executable).with_name("foldcover"))
    return subprocess.run([program, "session", command, folder], capture_output=True, text=True, check=False)
