"""The stack of strategies, and what happens to it: values and pure functions.

Rule: nothing here touches a session. What is to be done next is a part of the value (`next`), so that it is kept before
it is begun, and whoever finds it again can tell what is left of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal

import msgspec

from foldcover_harness.agent.strategies.definitions import Strategy
from foldcover_harness.session.state import Turn

By = Literal["model", "user"]


class Frame(msgspec.Struct, frozen=True):
    """A strategy that is on. It holds what it needs of its definition, whose file may be gone tomorrow."""

    name: str
    label: str
    leave: str
    task: str
    first: int
    """The turn that its entering opened."""
    read_only: bool = False
    stronger: bool = False
    report: str | None = None
    """The slot: what the model wrote last."""


class Enter(msgspec.Struct, frozen=True, tag="enter"):
    """A strategy is to begin, with turn `turn`, which the host opens with `words`."""

    turn: int
    frame: Frame
    words: str
    begun: bool = False
    """Whether it is being done; before that it was only asked for, and who speaks first prevents it."""


class Leave(msgspec.Struct, frozen=True, tag="leave"):
    """The innermost strategy is to end, with turn `turn`, which the host opens with `words`."""

    turn: int
    by: By
    reason: str | None = None
    words: str = ""
    """Known when it is begun."""
    begun: bool = False


class Stack(msgspec.Struct, frozen=True):
    """The strategies that are on, outermost first, and the step that was begun or asked for."""

    frames: tuple[Frame, ...] = ()
    next: Enter | Leave | None = None

    @property
    def top(self) -> Frame | None:
        """The innermost strategy."""
        return self.frames[-1] if self.frames else None


def frame(strategy: Strategy, task: str, first: int) -> Frame:
    """A strategy as it begins."""
    return Frame(strategy.name, strategy.label, strategy.leave, task, first, strategy.read_only, strategy.stronger)


def reported(stack: Stack, report: str) -> Stack:
    """The stack with this report in the innermost slot. It has a strategy."""
    top = msgspec.structs.replace(stack.frames[-1], report=report)
    return msgspec.structs.replace(stack, frames=(*stack.frames[:-1], top))


def planned(stack: Stack, step: Enter | Leave | None) -> Stack:
    """The stack with another step before it, or none."""
    return msgspec.structs.replace(stack, next=step)


def done(stack: Stack) -> Stack:
    """The stack after its step."""
    if isinstance(stack.next, Enter):
        return Stack((*stack.frames, stack.next.frame))
    return Stack(stack.frames[:-1])


def runs(turns: Sequence[Turn], first: int, end: int) -> Iterator[tuple[int, int]]:
    """The maximal ranges of turns before `end` that are open, from `first` on: what can be folded, a unit each."""
    start = first
    for number in range(first, end + 1):
        if number == end or not turns[number].open:
            if start < number:
                yield start, number - 1
            start = number + 1


def units(turns: Sequence[Turn], first: int, end: int, folded: int) -> list[int]:
    """The units that hold the turns before `end`, from `first` on, when the open ones will be folded; `folded` units
    are there now.
    """
    there = {turn.unit for turn in turns[first:end] if turn.unit is not None}
    return sorted(there) + [folded + number for number, _ in enumerate(runs(turns, first, end))]


def decoded(kept: Any) -> Stack:
    """The stack that was kept; an empty one where nothing was. msgspec.ValidationError for something else."""
    return Stack() if kept is None else msgspec.convert(kept, Stack)


def encoded(stack: Stack) -> Any:
    """The stack as it is kept."""
    return {"frames": [*map(msgspec.to_builtins, stack.frames)], "next": msgspec.to_builtins(stack.next)}
