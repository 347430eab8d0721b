"""What requests came to, as the providers reported it.

Rule: tokens that were read from a cache count once. A request whose tokens were not reported is counted as such, so
that no sum without it looks whole.
"""

from __future__ import annotations

from typing import Final

import msgspec

from foldcover_harness.models.model import Usage
from foldcover_harness.session.lines import counted

NOT_REPORTED: Final = "tokens not reported"


class Spent(msgspec.Struct, frozen=True):
    """All requests together; `unreported` are those of them whose tokens are not in the sums."""

    requests: int = 0
    unreported: int = 0
    prompt: int = 0
    cached: int = 0
    output: int = 0

    def plus(self, usage: Usage | None) -> Spent:
        """With one request more."""
        requests = self.requests + 1
        if usage is None:
            return msgspec.structs.replace(self, requests=requests, unreported=self.unreported + 1)
        prompt, cached, output = self.prompt + usage.prompt, self.cached + usage.cached, self.output + usage.output
        return Spent(requests, self.unreported, prompt, cached, output)

    @property
    def usage(self) -> Usage | None:
        """What was reported; None where nothing was."""
        return Usage(self.prompt, self.cached, self.output) if self.unreported < self.requests else None

    @property
    def tokens(self) -> str:
        """The tokens in words."""
        if self.requests and self.usage is None:
            return NOT_REPORTED
        missing = f"; {counted(self.unreported, 'request')} without a report" if self.unreported else ""
        return f"{self.prompt:,} tokens in, {self.cached:,} of them from the cache; {self.output:,} out{missing}"
