"""The three tools by which the model enters a strategy, reports in it and leaves it.

Rule: they are the same for the life of a session, whichever strategy is on: a part of the standing prompt. What is
wrong with a call is answered at once; what a right one asks for happens when all calls of the answer have results.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Final

import msgspec
from msgspec import Meta

from foldcover_harness.agent.strategies.definitions import Strategy
from foldcover_harness.agent.tools.given import Made
from foldcover_harness.session.wires.wire import Tool

REQUEST: Final = "strategy_request"
REPORT: Final = "strategy_report"
YIELD: Final = "strategy_yield"
_Words = Annotated[str, Meta(pattern=r"\S", max_length=20_000)]


class Request(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """The arguments of strategy_request."""

    name: Annotated[str, Meta(description="the strategy")]
    task: Annotated[_Words, Meta(description="what is to be done in it, and what the report must answer")]


class Report(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """The arguments of strategy_report."""

    report: Annotated[_Words, Meta(description="the whole report: it takes the place of the one before")]


class Yield(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """The arguments of strategy_yield."""

    reason: Annotated[_Words, Meta(description="why it ends now, in one sentence")]


def actions(
    strategies: Sequence[Strategy],
    request: Callable[[Request], str],
    report: Callable[[Report], str],
    leave: Callable[[Yield], str],
) -> tuple[Made[Request], Made[Report], Made[Yield]]:
    """The tools, and what is done for each."""
    names = "; ".join(f"{each.name}: {each.about}" for each in strategies)
    return (
        Made(
            REQUEST,
            "Enter a strategy: a detour of which only its report stays in the prompt when it ends. Its rules come as a "
            f"message. Strategies: {names}.",
            Request,
            lambda given, _: request(given),
            writes=False,
        ),
        Made(
            REPORT,
            "Write the report of the strategy that is on. It is its return value: the current state of the work and "
            "not its history, each time whole. Write it whenever you learn something that matters.",
            Report,
            lambda given, _: report(given),
            writes=False,
        ),
        Made(
            YIELD,
            "End the strategy that is on. Its turns fold away, and the last report stays exactly as it is: write it "
            "before.",
            Yield,
            lambda given, _: leave(given),
            writes=False,
        ),
    )


def tools(strategies: Sequence[Strategy]) -> tuple[Tool, ...]:
    """The tools as the standing part holds them."""
    return tuple(made.tool for made in actions(strategies, str, str, str))
