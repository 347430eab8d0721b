"""Strategies: modes that are a call on the session's own context.

Read in this order: definitions (what a strategy is; the TOML files beside it), stack (pure), words, calls, strategies.
"""

from foldcover_harness.agent.strategies.calls import tools
from foldcover_harness.agent.strategies.definitions import BadStrategy, Strategy, load
from foldcover_harness.agent.strategies.strategies import Strategies

__all__ = ["BadStrategy", "Strategies", "Strategy", "load", "tools"]
