"""What the provider itself reported about a conversation, summed up.

Rule: counted are the requests for which both the prompt and its cached part are recorded, nothing is filled in;
a cached part is believed up to the whole prompt. The cost follows the rule that the schedules are priced by.
"""

from __future__ import annotations

from typing import NamedTuple

from foldcover_harness.transcripts.model import Conversation


class Usage(NamedTuple):
    """Sums over `requests` requests, in tokens. `output` is None where no request records it."""

    requests: int
    prompts: int
    cached: int
    output: int | None

    @property
    def cost(self) -> float:
        """The cost of reading in token-equivalents: a cached token counts a tenth."""
        return (10 * self.prompts - 9 * self.cached) / 10

    def plus(self, other: Usage) -> Usage:
        """Return both together."""
        outputs = [each for each in (self.output, other.output) if each is not None]
        return Usage(
            self.requests + other.requests,
            self.prompts + other.prompts,
            self.cached + other.cached,
            sum(outputs) if outputs else None,
        )


NOTHING = Usage(0, 0, 0, None)


def usage(conversation: Conversation) -> Usage:
    """Return what is recorded in `conversation`."""
    requests = prompts = cached = 0
    outputs: list[int] = []
    for request in conversation.requests:
        if request.reported is not None and request.cache_read is not None:
            requests += 1
            prompts += request.reported
            cached += min(request.cache_read, request.reported)
            if request.output is not None:
                outputs.append(request.output)
    return Usage(requests, prompts, cached, sum(outputs) if outputs else None)


def recorded(conversation: Conversation) -> bool:
    """Whether the transcript tells what its own tool did: it holds a compaction, or a reported prompt."""
    return bool(conversation.compactions) or any(request.reported is not None for request in conversation.requests)
