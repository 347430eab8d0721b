"""A recorder of the core's operations: a trace that `foldcover laws --trace` judges (spec/ports.md).

Rule: it performs what the core performs and decides nothing. Each operation is written, request and answer, and flushed
before its result is given back, so that a kill costs at most the operation under way. Where a view is given that the
trace does not stand at, a `reset` or `load` says so first.
"""

from __future__ import annotations

from typing import IO

import foldcover
from foldcover import Block, Rank, Settled, View, smallest_first
from foldcover_laws.messages import RESET, Answer, Budgeted, Close, Listed, Load, Request, Shown, Write
from foldcover_laws.wire import answer_text, request_text


class Recorder:
    """The core's operations, recorded in `file` as text. Every method raises OSError when it cannot be written."""

    def __init__(self, file: IO[str]) -> None:
        self._file = file
        self._number = 0
        self._view: View | None = None

    def begin(self) -> None:
        """Begin a life at the empty view."""
        self._view = foldcover.EMPTY
        self._record(RESET, Shown(foldcover.EMPTY))

    def close(self, view: View, weight: int = 1) -> View:
        """Append a unit, as the core does."""
        self._stand(view)
        return self._shown(Close(weight), foldcover.close(view, weight))

    def write(self, view: View, block: Block, weight: int = 1) -> View:
        """Note that a line exists, as the core does."""
        self._stand(view)
        return self._shown(Write(block, weight), foldcover.write(view, block, weight))

    def wanted(self, view: View, budget: int, rank: Rank = smallest_first) -> tuple[Block, ...]:
        """Name the lines that settle will need, as the core does. The rank must be one of the core's own."""
        self._stand(view)
        blocks = foldcover.wanted(view, budget, rank)
        self._record(Budgeted("wanted", budget, rank), Listed(blocks))
        return blocks

    def settle(self, view: View, budget: int, rank: Rank = smallest_first) -> Settled:
        """Merge down to half the budget, as the core does. The rank must be one of the core's own."""
        self._stand(view)
        settled = foldcover.settle(view, budget, rank)
        self._view = settled.view
        self._record(Budgeted("settle", budget, rank), settled)
        return settled

    def _stand(self, view: View) -> None:
        if self._view is view or self._view == view:
            return
        if view == foldcover.EMPTY:
            self.begin()
        else:
            self._shown(Load(view), view)

    def _shown(self, request: Request, view: View) -> View:
        self._view = view
        self._record(request, Shown(view))
        return view

    def _record(self, request: Request, answer: Answer) -> None:
        self._number += 1
        self._file.write(f"{request_text(self._number, request)}\n{answer_text(self._number, answer)}\n")
        self._file.flush()
