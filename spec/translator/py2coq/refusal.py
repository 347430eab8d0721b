"""How the translator says no: the place and the reason, never a guess."""

from __future__ import annotations

import ast


class Refused(Exception):
    """A construct outside the subset. Its text reads `file:line: reason: source`."""


class Source:
    """The file being translated; it knows how to speak of a node of itself."""

    def __init__(self, path: str) -> None:
        self.path = path

    def refused(self, node: ast.AST, reason: str) -> Refused:
        """What to raise for `node`."""
        line = getattr(node, "lineno", 0)
        return Refused(f"{self.path}:{line}: {reason}: {ast.unparse(node).splitlines()[0][:90]}")
