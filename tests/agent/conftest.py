"""What the tests of the command need: the providers' libraries, and tmux for those of the terminal.

Where one is missing, its tests are not collected and the summary says so; with FOLDCOVER_ALL=1 in the environment, as
in CI, that is an error instead.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
from pathlib import Path

import pytest

MISSING = [
    f"{module} (pip install 'foldcover[{module}]')"
    for module in ("anthropic", "openai")
    if importlib.util.find_spec(module) is None
]
NO_TMUX = [] if shutil.which("tmux") else ["tmux (Debian: tmux)"]
collect_ignore = ["test_agent_terminal.py"] if NO_TMUX else []
_LONG = "test_agent_long.py"
"""Talks over no wire."""
if MISSING:
    collect_ignore = [path.name for path in Path(__file__).parent.glob("test_agent_*.py") if path.name != _LONG]

if (MISSING or NO_TMUX) and os.environ.get("FOLDCOVER_ALL") == "1":
    raise pytest.UsageError(f"missing for the tests of the agent: {MISSING + NO_TMUX}")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say which tests could not run here; nothing is skipped in silence."""
    if collect_ignore:
        missing = ", ".join(MISSING + NO_TMUX)
        terminalreporter.write_line(f"agent/{', '.join(sorted(collect_ignore))} NOT run: missing {missing}")
