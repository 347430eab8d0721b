"""A whole agent around a Session, in a bare loop: the model folds what it has finished.

    python examples/loop/loop.py FOLDER          a scripted model, no account and no network

Put your own model in the place of `Scripted`: anything that takes the body of an Anthropic Messages request and returns
the answer message. chat.py and responses.py beside it are the same loop over OpenAI's two wires.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

from foldcover_harness.session import Session

Json = Any
SHELL = {
    "name": "bash",
    "description": "Run a shell command.",
    "input_schema": {"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]},
}


def bash(command: str) -> str:
    """What a command prints."""
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=60, check=False)
    return (done.stdout + done.stderr)[-20_000:] or "(no output)"


def turn(session: Session, model: Callable[[dict[str, Json]], Json], words: str) -> None:
    """One turn: until the model calls no more tools."""
    session.user({"role": "user", "content": words})
    while True:
        answer = model(session.request())
        session.assistant(answer)
        calls = session.calls(answer)
        for call in calls:
            ours = session.owns(call)
            session.tool_result(
                session.handle(call) if ours else session.wire.result(call.id, bash(call.input["command"]))
            )
        if not calls:
            break
    report = session.end_turn()
    for title in report.folded:
        print(f"folded: {title}")
    for line in report.said:
        print(f"note: {line}")


class Scripted:
    """A model that runs one command a turn, and folds what the card offers."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, body: dict[str, Json]) -> Json:
        """The next answer to a request."""
        last = body["messages"][-1]["content"]
        text = last if isinstance(last, str) else "\n".join(part.get("text", "") for part in last)
        if "tool_result" in str(last):
            return {"role": "assistant", "content": [{"type": "text", "text": "Done: the command ran."}]}
        if "[foldcover card]" in text:
            turns = [int(line.split()[1]) for line in text.splitlines() if line.startswith("turn ")]
            return self._call("fold_unit", {"from": turns[0], "to": turns[-1]})
        return self._call("bash", {"command": f"echo step {self.calls}"})

    def _call(self, name: str, given: Json) -> Json:
        self.calls += 1
        part = {"type": "tool_use", "id": f"call_{self.calls}", "name": name, "input": given}
        return {"role": "assistant", "content": [part]}


def steps(session: Session, model: Callable[[dict[str, Json]], Json]) -> None:
    """Twelve turns, and the cover that they leave."""
    for number in range(12):
        turn(session, model, f"Please do step {number}.")
    print("\n".join(session.cover()))


def main() -> None:
    """The card is due after three tool calls here."""
    standing = {"model": "scripted", "max_tokens": 1000, "system": "You are a careful agent.", "tools": [SHELL]}
    with Session.create(sys.argv[1], wire="anthropic", standing=standing, card_calls=3) as session:
        steps(session, Scripted())


if __name__ == "__main__":
    main()
