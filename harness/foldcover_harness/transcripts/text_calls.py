"""Tool calls that a model writes into its text, and the results that come back in the user's place.

Rule: a call in tags (`<function=...>`) is one wherever it stands; a fenced block is one only where what
follows is an observation, or where one was a call before, since a model may show code to a user. The words
before the call are words.
"""

from __future__ import annotations

import re
from typing import Final

from foldcover_harness.transcripts.claude_code import NOT_HUMAN

_TAGS = re.compile(r"<function=[^>\n]{1,200}>|<tool_call>|<invoke name=|^```mswea_bash_command", re.MULTILINE)
_FENCE = re.compile(r"^[ \t]*(?:```|~~~)", re.MULTILINE)
_OBSERVATIONS: Final = (
    "EXECUTION RESULT of [",
    "OBSERVATION:",
    "Observation:",
    "<returncode>",
    "<tool_response>",
    "<function_results>",
    "<exception>",
    "Please always provide EXACTLY ONE action",
    "Your command ran successfully and did not produce any output",
)
_PROMPTS_OF_CLIENTS: Final = (
    "Please continue working on the task",
    "Please proceed to the next step",
    "<session_context>",
    "<system-reminder>",
    *NOT_HUMAN,
)


def is_observation(words: str, certain: bool = True) -> bool:
    """Whether a message in the user's place, which begins with `words`, is what a tool returned. After a
    call it is (not `certain`) unless a client put words of its own there.
    """
    return words.startswith(_OBSERVATIONS) if certain else not is_prompt_of_client(words)


def is_prompt_of_client(words: str) -> bool:
    """Whether a client said this in the user's place."""
    return words.startswith(_PROMPTS_OF_CLIENTS)


def split_call(text: str, fenced: bool) -> tuple[str, str] | None:
    """Return the words and the call of an answer; None where it calls nothing. `fenced` says that a fenced
    block is a call.
    """
    found = _TAGS.search(text)
    if found is None and fenced:
        found = _FENCE.search(text)
    return None if found is None else (text[: found.start()], text[found.start() :])
