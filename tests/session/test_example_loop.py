"""The example agent: it is short, it folds, and nothing of what it did is lost."""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
LOOP = ROOT / "examples" / "loop" / "loop.py"


def test_the_example_folds_and_everything_is_kept(tmp_path: Path) -> None:
    """Twelve turns become three titles and an open tail; the doctor finds nothing, the export has every message."""
    done = subprocess.run([sys.executable, LOOP, tmp_path], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert [line[:3] for line in done.stdout.splitlines()[-3:]] == ["0: ", "1: ", "2: "]
    doctor = foldcover("doctor", tmp_path)
    assert doctor.returncode == 0, doctor.stdout
    messages = [json.loads(line) for line in foldcover("export", tmp_path).stdout.splitlines()]
    assert sum(message["content"] == "Please do step 3." for message in messages) == 1
    assert len(messages) > 36


def test_the_example_is_a_page() -> None:
    """Under a hundred lines, imports included."""
    assert len(LOOP.read_text("utf-8").splitlines()) < 100


def foldcover(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a session command."""
    program = str(Path(sys.executable).with_name("foldcover"))
    return subprocess.run([program, "session", command, folder], capture_output=True, text=True, check=False)
