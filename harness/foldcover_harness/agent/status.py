"""The status line: what the prompt amounts to, what of it the provider had in its cache, which mode is on.

Rule: figures are the host's estimate unless the provider reported them; what was not reported is not shown.
"""

from __future__ import annotations

from collections.abc import Sequence

from foldcover_harness.models.model import Usage
from foldcover_harness.session import Session
from foldcover_harness.session.keeper import budget
from foldcover_harness.session.lines import counted


def status(session: Session, last: Usage | None, labels: Sequence[str], running: int) -> str:
    """The line, in parts, the mode first: where there is little room the end is cut. `last` is the usage of the last
    request, `running` counts subagents.
    """
    load, most = session.load(), budget(session.state, session.settings)
    lines = len(session.cover())
    parts = [
        f"{load.tokens:,}/{session.settings.window:,} tokens",
        f"cover {counted(lines, 'line')}, {load.cover:,}/{most:,}",
    ]
    if last is not None and last.prompt:
        parts.append(f"{last.cached / last.prompt:.0%} cached")
    if running:
        parts.append(f"{counted(running, 'subagent')} at work")
    return " · ".join([*labels, *parts])
