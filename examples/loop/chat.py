"""The loop of loop.py over OpenAI Chat Completions: only the standing part and the model differ.

python examples/loop/chat.py FOLDER          a scripted model, no account and no network
"""

from __future__ import annotations

import json
import sys
from typing import Any

from loop import SHELL, steps

from foldcover_harness.session import Session

Json = Any
FUNCTION = {"name": SHELL["name"], "description": SHELL["description"], "parameters": SHELL["input_schema"]}
STANDING = {
    "model": "scripted",
    "messages": [{"role": "system", "content": "You are a careful agent."}],
    "tools": [{"type": "function", "function": FUNCTION}],
}


class Scripted:
    """A model that runs one command a turn, and folds what the card offers."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, body: dict[str, Json]) -> Json:
        """The next answer to a request."""
        last = body["messages"][-1]
        if last["role"] == "tool":
            return {"role": "assistant", "content": "Done: the command ran."}
        text = (
            last["content"] if isinstance(last["content"], str) else "\n".join(part["text"] for part in last["content"])
        )
        if "[foldcover card]" in text:
            turns = [int(line.split()[1]) for line in text.splitlines() if line.startswith("turn ")]
            return self._call("fold_unit", {"from": turns[0], "to": turns[-1]})
        return self._call("bash", {"command": f"echo step {self.calls}"})

    def _call(self, name: str, given: Json) -> Json:
        self.calls += 1
        function = {"name": name, "arguments": json.dumps(given)}
        call = {"id": f"call_{self.calls}", "type": "function", "function": function}
        return {"role": "assistant", "content": None, "tool_calls": [call]}


def main() -> None:
    """The card is due after three tool calls here."""
    with Session.create(sys.argv[1], wire="chat", standing=STANDING, card_calls=3) as session:
        steps(session, Scripted())


if __name__ == "__main__":
    main()
