"""What is chosen when a session is made, and never changes in its life.

Rule: sizes are in tokens of the estimator unless they say otherwise. Stored in the journal's header; unknown fields
of a newer version are refused there, not guessed.
"""

from __future__ import annotations

from typing import Any, NamedTuple


class Settings(NamedTuple):
    """The constants of a session (second post, "The constants"; first post, "The card")."""

    window: int = 200_000
    """The model's context window, in tokens."""
    share: float = 0.1
    """What part of the window the cover may take: the budget B is share x window."""
    full: float = 0.92
    """From what part of the window on a prompt counts as nearly full: then the tail is compacted."""
    card_calls: int = 20
    """Tool calls since the last fold after which the card is shown."""
    card_tokens: int = 100_000
    """Tokens since the last fold after which the card is shown."""
    title: int = 240
    """Characters of a title at most."""
    line: int = 60
    """Tokens that a merged line is written for."""
    bytes: int = 24_000_000
    """Bytes of a request that count as nearly full, since providers limit bodies beside tokens."""
    images: int = 90
    """Images in a request that count as nearly full."""


def settings_of(stored: dict[str, Any]) -> Settings:
    """The settings from a journal's header. Raises ValueError where one is unknown or no number in its range."""
    unknown = stored.keys() - set(Settings._fields)
    if unknown:
        raise ValueError(f"unknown settings: {', '.join(sorted(unknown))}")
    settings = Settings(**stored)
    for name, value in settings._asdict().items():
        allowed = (int, float) if name in ("share", "full") else (int,)
        if isinstance(value, bool) or not isinstance(value, allowed) or not value > 0:
            raise ValueError(f"setting {name}: a positive {'number' if len(allowed) > 1 else 'integer'}, not {value!r}")
    if not settings.share < settings.full <= 1:
        raise ValueError(f"settings: share {settings.share} must be below full {settings.full}, and that at most 1")
    return settings
