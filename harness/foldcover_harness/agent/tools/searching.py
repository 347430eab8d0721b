"""The search of `grep` where there is no ripgrep: a program of its own, so that it can be killed at its time limit.

    python searching.py PATTERN PATH GLOB [i]

Rule: prints `path NUL line:text` for each line that matches, in the order of the names. Ends with 0, with 1 where
nothing matches, with 2 where a file could not be read or, with a line that says why, for a wrong pattern. A glob with a
slash begins where the program runs. Needs the standard library only.
"""

from __future__ import annotations

import os
import re
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

LONGEST: Final = 1_500
"""Bytes of a line that are printed."""
_PIECE: Final = 1 << 20
_GLOB: Final = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}


class Search:
    """One search: what was found, and whether something could not be read."""

    def __init__(self, pattern: re.Pattern[str], glob: str) -> None:
        self.pattern = pattern
        self.excluded = glob.startswith("!")
        self.glob = of_glob(glob.removeprefix("!")) if glob else None
        self.by_name = "/" not in glob
        self.found = self.unread = False

    def look(self, path: Path) -> None:
        """Search a file, or all files below a folder."""
        for file in self._files(path):
            try:
                self._search(file)
            except OSError:
                self.unread = True

    def _files(self, path: Path) -> Iterator[Path]:
        if not path.is_dir():
            yield path
            return
        waiting = [path]
        while waiting:
            here = waiting.pop()
            try:
                mode = os.lstat(here).st_mode
                if stat.S_ISDIR(mode):
                    names = sorted((name for name in os.listdir(here) if not name.startswith(".")), reverse=True)
                    waiting += [here / name for name in names]
                elif stat.S_ISREG(mode) and self._meant(here):
                    yield here
            except OSError:
                self.unread = True

    def _meant(self, file: Path) -> bool:
        if self.glob is None:
            return True
        where = file.name if self.by_name else os.path.relpath(file)
        return (self.glob.fullmatch(where) is None) == self.excluded

    def _search(self, file: Path) -> None:
        number, told = 1, False
        with open(file, "rb") as stream:
            if b"\0" in stream.peek():
                return
            while piece := stream.readline(_PIECE):
                if b"\0" in piece:
                    return
                line = piece.decode("utf-8", "replace").rstrip("\r\n")
                if not told and self.pattern.search(line):
                    told = self.found = True
                    row = os.fsencode(file) + b"\0%d:" % number + line.encode()[:LONGEST] + b"\n"
                    sys.stdout.buffer.write(row)
                if piece.endswith(b"\n"):
                    number, told = number + 1, False


def of_glob(glob: str) -> re.Pattern[str]:
    """A glob as a regular expression: `**/` any folders, `*` and `?` within a name, `[...]`, `{one,other}`."""
    made: list[str] = []
    depth = 0
    for token in re.findall(r"\*\*/|\*\*|\[!?\]?[^\]]*\]|\\.|.", glob.lstrip("/"), re.S):
        if token in _GLOB:
            made.append(_GLOB[token])
        elif token[0] == "[" and len(token) > 1:
            inner = token[1:-1].replace("\\", r"\\").replace("[", r"\[")
            made.append(f"[^{inner[1:]}]" if inner.startswith("!") else f"[{inner}]")
        elif token == "{":
            depth += 1
            made.append("(?:")
        elif token in "},":
            made.append(re.escape(token) if not depth else "|" if token == "," else ")")
            depth -= token == "}" and depth > 0
        else:
            made.append(re.escape(token[-1]))
    return re.compile("".join(made), re.S)


def main(pattern: str, path: str, glob: str, flags: str) -> int:
    """Search, and the exit code."""
    try:
        search = Search(re.compile(pattern, re.IGNORECASE if flags else 0), glob)
    except (re.error, RecursionError, OverflowError, MemoryError) as error:
        print(f"wrong pattern or glob: {error}")
        return 2
    search.look(Path(path))
    return 2 if search.unread else 0 if search.found else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
