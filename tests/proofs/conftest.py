"""Where there is no Coq, the tests that need it are not collected, and the summary says so."""

from __future__ import annotations

import shutil

import pytest

HAVE_COQ = shutil.which("coqc") is not None and shutil.which("coqchk") is not None

collect_ignore = [] if HAVE_COQ else ["test_compiled.py"]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say whether the proofs could be checked here; nothing is skipped in silence."""
    if not HAVE_COQ:
        terminalreporter.write_line(
            "proofs NOT checked: no coqc here. Install Coq 8.16 or later (Debian: coq), "
            "then: python spec/proofs/check.py"
        )
