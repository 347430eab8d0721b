"""What the arguments of `foldcover replay` may be.

Rule: a value that cannot be meant is refused with the values that can.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

if TYPE_CHECKING:
    from foldcover_harness.replay.place import Url

MOST: Final = 10**9
"""The largest window, or standing part, that is taken, in tokens."""


class Names(click.ParamType[tuple[str, ...]]):
    """Names of schedules between commas, or "all"."""

    name = "NAMES"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, ...]:
        """Return the names in their order, each once."""
        from foldcover_harness.replay.schedules import SCHEDULES

        if value == "all":
            return tuple(SCHEDULES)
        names = tuple(dict.fromkeys(name.strip() for name in str(value).split(",")))
        for name in names:
            if name not in SCHEDULES:
                self.fail(f"no schedule {name!r}: there are {', '.join(SCHEDULES)}, and 'all'", param, ctx)
        return names


class Standing(click.ParamType[int | None]):
    """A number of tokens, or "measured" (None)."""

    name = "N|measured"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int | None:
        """Return the number; None for "measured"."""
        if value is None or value == "measured":
            return None
        try:
            number = int(str(value))
        except ValueError:
            number = -1
        if not 0 <= number <= MOST:
            self.fail(f"{value!r} is neither a number of tokens nor 'measured'", param, ctx)
        return number


class PlaceType(click.ParamType["Path | Url"]):
    """A path, or a URL."""

    name = "PATH"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> Path | Url:
        """Return what is named, whether it is there or not."""
        from foldcover_harness.replay.place import place

        return place(str(value))


class Address(click.ParamType[str]):
    """Where a scheduler listens."""

    name = "ADDRESS"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return it as it was written."""
        found = re.fullmatch(r"(?:tcp|tls)://[^\s/]+:(\d{1,5})", str(value))
        if found is None or not 0 < int(found[1]) < 1 << 16:
            self.fail(f"{value!r} is no address: write tcp://host:port", param, ctx)
        return str(value)
