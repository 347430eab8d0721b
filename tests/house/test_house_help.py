"""Every help text reads well in a terminal of eighty columns and ends with code 0."""

import subprocess
import sys
from pathlib import Path

import pytest

COMMANDS = [
    [],
    ["replay"],
    ["check"],
    ["measure"],
    ["measure", "found-rate"],
    ["measure", "attention"],
    ["measure", "reopen"],
    ["agent"],
    ["session"],
    *(["session", each] for each in ("import", "show", "card", "zoom", "search", "export", "doctor")),
    ["laws"],
    ["laws", "--symbolic"],
    ["mutants"],
    ["mutants", "--symbolic"],
    ["mutants", "--mutmut"],
    ["mutants", "--proofs"],
]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_help_fits_eighty_columns(command: list[str]) -> None:
    """The text, its examples and its exit codes."""
    foldcover = str(Path(sys.executable).with_name("foldcover"))
    done = subprocess.run([foldcover, *command, "--help"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert len(lines) > 5
    assert max(len(line) for line in lines) <= 80


def test_two_gates_at_once_are_refused() -> None:
    """One line that names both."""
    foldcover = str(Path(sys.executable).with_name("foldcover"))
    done = subprocess.run([foldcover, "mutants", "--proofs", "--mutmut"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "--mutmut and --proofs exclude each other" in done.stderr
