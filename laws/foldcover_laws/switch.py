"""A command with switches: a flag that hands all other arguments to a command of another module.

`foldcover laws --symbolic --units 4` is the symbolic checker with `--units 4`. Its module is imported only then.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import click


class Switched(click.Command):
    """A command whose `switches` map a flag to the `module:attribute` of the command that takes over."""

    def __init__(self, *args: Any, switches: Mapping[str, str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.switches = switches

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """Make the context of the command that takes over, or this one's own. Two switches are a usage error."""
        given = [flag for flag in self.switches if flag in args]
        if len(given) > 1:
            raise click.UsageError(f"{' and '.join(given)} exclude each other")
        if not given:
            return super().make_context(info_name, args, parent, **extra)
        (flag,) = given
        module, _, attribute = self.switches[flag].partition(":")
        command: click.Command = getattr(import_module(module), attribute)
        rest = [argument for argument in args if argument != flag]
        return command.make_context(f"{info_name} {flag}", rest, parent, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command of the context."""
        return super().invoke(ctx) if ctx.command is self else ctx.command.invoke(ctx)
