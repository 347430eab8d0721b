"""What tool calls touched, from their inputs alone.

Rule: mechanical, and in bounded time: a path is what stands under a name that tools give to paths, what a patch names
in its headers, or a word of a shell command that is written like a path. Nothing is looked up on a disk. What a command
touches without naming it is not seen.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

from foldcover_harness.session.lines import one_line
from foldcover_harness.session.wires.values import is_list, is_object
from foldcover_harness.session.wires.wire import Call

SHELLS: Final = frozenset(
    [
        "bash",
        "sh",
        "shell",
        "terminal",
        "powershell",
        "exec",
        "exec_command",
        "execute_bash",
        "execute_command",
        "run_command",
        "run_shell_command",
        "run_terminal_cmd",
        "shell_command",
        "local_shell",
        "container.exec",
    ]
)
"""Tools that run a shell command, in lower case."""
LONGEST: Final = 300
"""Characters of a path."""
_READ: Final = 20_000
"""Characters of a text in which paths are looked for."""
_DEEP: Final = 4
_PATHS: Final = frozenset(
    [
        "path",
        "paths",
        "file",
        "files",
        "file_path",
        "file_paths",
        "filepath",
        "filename",
        "notebook_path",
        "target_file",
        "relative_path",
        "absolute_path",
        "source_path",
        "destination_path",
        "old_path",
        "new_path",
        "dir_path",
        "directory",
    ]
)
_COMMANDS: Final = frozenset(("command", "commands", "cmd", "script"))
_PATCHES: Final = frozenset(("input", "patch", "diff"))
_PATCHED = re.compile(
    r"^(?:\*\*\* (?:Add File|Update File|Delete File|Move to): |(?:\+\+\+|---) [ab]/)([^\r\n\t]+)", re.M
)
_WORD = re.compile(r"[^\s\"'`;|&<>()$={}\[\],*?!\\^#]+")
_PATH = re.compile(r"(?:~|\.{1,2})?(?:/[\w.+@~%:-]+)+/?|[\w.+@-]+(?:(?:/[\w.+@~%-]+)+/?|/)")
_FILE = re.compile(
    r"[\w+-][\w.+-]*\.(?:[ch]|[ch]pp|cc|cfg|conf|cs|css|csv|dart|ex|exs|go|gradle|html?|ini|ipynb|java|jsx?|json[cl]?|kt|"
    r"lean|less|lock|lua|md|mjs|mk|ml|php|pl|proto|ps1|py|pyi|r|rb|rs|rst|scala|scss|sh|sol|sql|svelte|swift|tex|tf|toml|"
    r"tsx?|txt|v|vue|xml|ya?ml|zig)",
    re.I,
)
_NO_PATH = re.compile(r"[sy]/|/dev/|/(?:usr/)?(?:local/)?s?bin/|[\d./:-]+$|//")


def paths_of(calls: Iterable[Call]) -> list[str]:
    """The paths that the calls name, each once, in the order in which they were first named."""
    found: dict[str, None] = {}
    for call in calls:
        for path in _named(call.input, _DEEP):
            line = one_line(path, LONGEST)
            if line:
                found.setdefault(line)
    return list(found)


def is_shell(call: Call) -> bool:
    """Whether the call runs a shell command."""
    return call.name.lower() in SHELLS


def _named(given: Any, depth: int) -> Iterator[str]:
    if isinstance(given, str):
        yield from _PATCHED.findall(given[:_READ])
        return
    if is_list(given) and depth:
        for each in given:
            yield from _named(each, depth - 1)
    if not is_object(given) or not depth:
        return
    for name, value in given.items():
        key = name.lower()
        texts = [each for each in (value if is_list(value) else [value]) if isinstance(each, str)]
        if key in _PATHS:
            yield from (text for text in texts if text and len(text) <= LONGEST)
        elif key in _COMMANDS:
            text = " ".join(texts)[:_READ]
            patched = _PATCHED.findall(text)
            yield from patched or filter(_like_a_path, _WORD.findall(text))
        elif key in _PATCHES:
            for text in texts:
                yield from _PATCHED.findall(text[:_READ])
        if is_object(value) or is_list(value):
            yield from _named(value, depth - 1)


def _like_a_path(word: str) -> bool:
    if len(word) > LONGEST or word.startswith("-") or "://" in word or _NO_PATH.match(word):
        return False
    return bool(_PATH.fullmatch(word) or _FILE.fullmatch(word))
