"""Where a tool is missing, the tests that need it are not collected, and the summary says so.

With FOLDCOVER_ALL=1 in the environment, as in CI, a missing tool is an error instead.
"""

from __future__ import annotations

import importlib.util
import os
import shutil

import pytest

NEEDS = {
    "test_native.py": (("foldcover_native", "pip install ./bindings"), ("cc", "a C compiler")),
    "test_checks.py": (("foldcover_native", "pip install ./bindings"), ("clang", "Debian: clang libclang-rt-14-dev")),
    "test_js.py": (("node", "Node.js 18 or later"), ("npm", "npm"), ("ziglang", "pip install ziglang==0.17.1")),
    "test_proof.py": (
        ("frama-c", "Debian: frama-c-base"),
        ("why3", "Debian: why3"),
        ("z3", "Debian: z3"),
        ("cvc4", "Debian: cvc4"),
        ("cc", "a C compiler"),
    ),
    "test_rust.py": (("cargo", "Rust 1.77 or later"), ("cc", "a C compiler")),
}
MODULES = ("foldcover_native", "ziglang")


def _is_there(tool: str) -> bool:
    return (importlib.util.find_spec if tool in MODULES else shutil.which)(tool) is not None


MISSING = {
    file: [f"{tool} ({how})" for tool, how in tools if not _is_there(tool)]
    for file, tools in NEEDS.items()
    if not all(_is_there(tool) for tool, _ in tools)
}
collect_ignore = [*MISSING]

if MISSING and os.environ.get("FOLDCOVER_ALL") == "1":
    raise pytest.UsageError(f"missing for the tests of the bindings: {MISSING}")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say which bindings could not be checked here; nothing is skipped in silence."""
    for file, tools in MISSING.items():
        terminalreporter.write_line(f"bindings/{file} NOT run: missing {', '.join(tools)}")
