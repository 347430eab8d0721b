"""Lines on stdout: with their style on a terminal, plain in a pipe.

Rule: as wide as the terminal, but no narrower than is readable and no wider than is; 80 columns where nobody says.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterable
from typing import Final

COLUMNS: Final = 80


def columns() -> int:
    """Return how wide lines may be."""
    return max(40, min(shutil.get_terminal_size((COLUMNS, 24)).columns, 120))


def write(lines: Iterable[tuple[str | None, str]]) -> None:
    """Write lines on stdout: with their style on a terminal, plain in a pipe."""
    # Texts hold any character; a terminal of another encoding shows what it can.
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="replace")
    if not sys.stdout.isatty():
        for _, line in lines:
            sys.stdout.write(line + "\n")
        return
    from rich.console import Console

    console = Console()
    for style, line in lines:
        console.print(line, style=style, markup=False, highlight=False, soft_wrap=True, emoji=False)
