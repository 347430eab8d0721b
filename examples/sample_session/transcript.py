"""Write a session in the form of a Claude Code transcript.

Rule: what the tools answer follows from the files as they stand, so the session is consistent: an edit is
seen by the next read. Usage is what a client would report: it grows with what was said, and within one
message from line to line.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID, uuid5

SPACE = UUID("6f0c3d52-3f43-4d0e-9d9c-7a5b1a0f9e21")
SESSION = str(uuid5(SPACE, "session"))
STANDING = 16_240
ROOT = "/home/ada/tidetable"


class Session:
    """A session that is being written. Each method adds lines."""

    def __init__(self, files: dict[str, str]) -> None:
        self.files = dict(files)
        self.lines: list[dict[str, Any]] = []
        self.clock = datetime(2026, 4, 2, 8, 30, tzinfo=UTC)
        self.parent: str | None = None
        self.read = STANDING
        self.cached = 0
        self.count = 0

    def save(self, path: Path) -> None:
        """Write all lines."""
        text = "\n".join(json.dumps(line, ensure_ascii=False, separators=(",", ":")) for line in self.lines)
        path.write_text(text + "\n", encoding="utf-8")

    def _line(self, kind: str, seconds: int, **more: Any) -> None:
        self.clock += timedelta(seconds=seconds)
        own = str(uuid5(SPACE, f"line {len(self.lines)}"))
        self.lines.append(
            {
                "parentUuid": self.parent,
                "isSidechain": False,
                "userType": "external",
                "cwd": ROOT,
                "sessionId": SESSION,
                "version": "2.1.42",
                "gitBranch": "main",
                "type": kind,
                **more,
                "uuid": own,
                "timestamp": self.clock.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            }
        )
        self.parent = own

    def _grow(self, text: str, bytes_per_token: float) -> int:
        # A tokenizer is never as even as a rate: a little noise that is the same at every run.
        tokens = round(len(text.encode()) / bytes_per_token * (1 + ((len(text) * 7919) % 21 - 10) / 100))
        self.read += tokens
        return tokens

    def user(self, text: str) -> None:
        """The user says something."""
        self._line("user", 95, message={"role": "user", "content": text})
        self._grow(text, 4.0)

    def think_and_say(self, thinking: str, text: str, calls: list[tuple[str, dict[str, Any], str]]) -> None:
        """One message of the model: a line for each block, the results after them."""
        self.count += 1
        name = f"msg_sample{self.count:05d}"
        before, fresh = self.cached, self.read - self.cached
        self.cached = self.read
        blocks: list[dict[str, Any]] = []
        if thinking:
            blocks.append({"type": "thinking", "thinking": thinking, "signature": f"c2lnbmVk{self.count:04d}" * 12})
        if text:
            blocks.append({"type": "text", "text": text})
        names = [f"toolu_sample{self.count:05d}{place:02d}" for place in range(len(calls))]
        for call, (tool, given, _) in zip(names, calls, strict=True):
            blocks.append({"type": "tool_use", "id": call, "name": tool, "input": given})
        written = 0
        for place, block in enumerate(blocks):
            written += self._grow(_spoken(block), 3.7 if block["type"] != "tool_use" else 3.2)
            last = place == len(blocks) - 1
            usage = {
                "input_tokens": 4,
                "cache_creation_input_tokens": fresh - 4,
                "cache_read_input_tokens": before,
                "output_tokens": written if last else min(written, 8),
                "service_tier": "standard",
            }
            stop = ("tool_use" if calls else "end_turn") if last else None
            message = {
                "model": "claude-sample-1",
                "id": name,
                "type": "message",
                "role": "assistant",
                "content": [block],
                "stop_reason": stop,
                "stop_sequence": None,
                "usage": usage,
            }
            self._line("assistant", 4, message=message, requestId=f"req_sample{self.count:05d}")
        self.read += 70 * len(calls) + 12
        for call, (tool, _, answer) in zip(names, calls, strict=True):
            result = {"tool_use_id": call, "type": "tool_result", "content": answer}
            self._line("user", 2, message={"role": "user", "content": [result]})
            self._grow(answer, 2.8 if tool in ("Bash", "Grep") else 3.0)

    # What the tools answer.

    def reads(self, path: str, first: int = 1, count: int = 400) -> tuple[str, dict[str, Any], str]:
        """A file is read: numbered lines."""
        rows = self.files[path].split("\n")[first - 1 : first - 1 + count]
        text = "\n".join(f"{number:>6}\u2192{row}" for number, row in enumerate(rows, first))
        given: dict[str, Any] = {"file_path": f"{ROOT}/{path}"}
        if first > 1 or count != 400:
            given |= {"offset": first, "limit": count}
        return "Read", given, text

    def edits(self, path: str, old: str, new: str) -> tuple[str, dict[str, Any], str]:
        """A part of a file is replaced."""
        if self.files[path].count(old) != 1:
            raise ValueError(f"{old!r} stands {self.files[path].count(old)} times in {path}")
        self.files[path] = self.files[path].replace(old, new)
        at = self.files[path][: self.files[path].index(new)].count("\n")
        snippet = self.files[path].split("\n")[max(at - 4, 0) : at + new.count("\n") + 5]
        shown = "\n".join(f"{number:>6}\u2192{row}" for number, row in enumerate(snippet, max(at - 4, 0) + 1))
        answer = f"The file {ROOT}/{path} has been updated. Here's the result of `cat -n` on a snippet:\n{shown}"
        return "Edit", {"file_path": f"{ROOT}/{path}", "old_string": old, "new_string": new}, answer

    def writes(self, path: str, text: str) -> tuple[str, dict[str, Any], str]:
        """A file is written."""
        self.files[path] = text
        given = {"file_path": f"{ROOT}/{path}", "content": text}
        return "Write", given, f"File created successfully at: {ROOT}/{path}"

    def runs(self, command: str, answer: str) -> tuple[str, dict[str, Any], str]:
        """A shell command is run."""
        return "Bash", {"command": command, "description": command.split("|")[0].strip()[:60]}, answer

    def greps(self, pattern: str) -> tuple[str, dict[str, Any], str]:
        """The files are searched for a text."""
        found = [
            f"{path}:{number}:{row}"
            for path, text in sorted(self.files.items())
            for number, row in enumerate(text.split("\n"), 1)
            if pattern in row
        ]
        answer = "\n".join(found[:250]) or "No matches found"
        return "Grep", {"pattern": pattern, "output_mode": "content", "-n": True}, answer


def _spoken(block: dict[str, Any]) -> str:
    if block["type"] == "tool_use":
        return block["name"] + json.dumps(block["input"], separators=(",", ":"))
    return str(block.get("thinking") or block.get("text"))
