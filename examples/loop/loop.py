"""A whole agent around a Session, in a bare loop: the model folds what it has finished.

    python examples/loop/loop.py FOLDER          a scripted model, no account and no network

Put your own model in the place of `Scripted`: anything that takes the body of an Anthropic Messages request and returns
the answer message. The same loop serves OpenAI's two wires: only `wire` and the shape of user messages differ.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

from foldcover_harness.session import Call, Session

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
            session.tool_result(session.handle(call) if session.owns(call) else own_tool(call))
        if not calls:
            break
    report = session.end_turn()
    for title in report.folded:
        print(f"folded: {title}")
    for line in report.said:
        print(f"note: {line}")


def own_tool(call: Call) -> Json:
    """The result of one of the agent's own tools, as the wire wants it."""
    result = {"type": "tool_result", "tool_use_id": call.id, "content": bash(call.input["command"])}
    return {"role": "user", "content": [result]}


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


def main() -> None:
    """Twelve turns; the card is due after three tool calls here."""
    standing = {"model": "scripted", "max_tokens": 1000, "system": "You are a careful agent.", "tools": [SHELL]}
    with Session.create(sys.argv[1], wire="anthropic", standing=standing, card_calls=3) as session:
        model = Scripted()
        for number in range(12):
            turn(session, model, f"Please do step {number}.")
        print("\n".join(session.cover()))


if __name__ == "__main__":
    main()
