"""The loop of loop.py over OpenAI Responses: only the standing part and the model differ. An answer is a list of items.

python examples/loop/responses.py FOLDER     a scripted model, no account and no network
"""

from __future__ import annotations

import json
import sys
from typing import Any

from loop import SHELL, steps

from foldcover_harness.session import Session

Json = Any
STANDING = {
    "model": "scripted",
    "instructions": "You are a careful agent.",
    "store": False,
    "tools": [
        {
            "type": "function",
            "name": SHELL["name"],
            "description": SHELL["description"],
            "parameters": SHELL["input_schema"],
        }
    ],
}


class Scripted:
    """A model that runs one command a turn, and folds what the card offers."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, body: dict[str, Json]) -> Json:
        """The items of the next answer to a request."""
        last = body["input"][-1]
        if last.get("type") == "function_call_output":
            said = [{"type": "output_text", "text": "Done: the command ran."}]
            return [{"type": "message", "role": "assistant", "content": said}]
        text = (
            last["content"] if isinstance(last["content"], str) else "\n".join(part["text"] for part in last["content"])
        )
        if "[foldcover card]" in text:
            turns = [int(line.split()[1]) for line in text.splitlines() if line.startswith("turn ")]
            return self._call("fold_unit", {"from": turns[0], "to": turns[-1]})
        return self._call("bash", {"command": f"echo step {self.calls}"})

    def _call(self, name: str, given: Json) -> Json:
        self.calls += 1
        call = {"type": "function_call", "call_id": f"call_{self.calls}", "name": name, "arguments": json.dumps(given)}
        return [call]


def main() -> None:
    """The card is due after three tool calls here."""
    with Session.create(sys.argv[1], wire="responses", standing=STANDING, card_calls=3) as session:
        steps(session, Scripted())


if __name__ == "__main__":
    main()
