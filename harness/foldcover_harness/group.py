"""The click group, whose subcommands are imported only when they are called.

Rule: a subcommand's exit code is what it returns, or hands to `ctx.exit` or `sys.exit`; nothing else
decides it.
"""

from __future__ import annotations

from importlib import import_module

import click
from click.exceptions import NoArgsIsHelpError

from foldcover_harness.menu import COMMANDS, HELP


class ReaderGone(Exception):
    """Whoever read our output went away."""


class LazyGroup(click.Group):
    """A group that imports a subcommand when it is called, and not to list it."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the subcommands."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the subcommand; None where there is none of that name."""
        if cmd_name not in COMMANDS:
            return None
        module, _, attribute = COMMANDS[cmd_name].partition(":")
        command = getattr(import_module(module), attribute)
        if not isinstance(command, click.Command):
            raise click.ClickException(f"{COMMANDS[cmd_name]} is no command")
        return command

    def invoke(self, ctx: click.Context) -> object:
        """Run the subcommand. Raises ReaderGone, which click passes on, in the place of BrokenPipeError,
        which it does not.
        """
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:
            raise ReaderGone from error

    def get_help(self, ctx: click.Context) -> str:
        """Return the one text that there is."""
        return HELP.rstrip()


@click.command(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="foldcover", message="%(prog)s %(version)s")
def group() -> None:
    """The command line."""


def run() -> int:
    """Run what the arguments ask for and return the exit code. Raises KeyboardInterrupt and
    BrokenPipeError.
    """
    try:
        code: object = group.main(prog_name="foldcover", standalone_mode=False)
    except NoArgsIsHelpError as error:
        error.show()
        return error.exit_code
    except click.ClickException as error:
        _complain(error)
        return error.exit_code
    except ReaderGone as error:
        raise BrokenPipeError from error
    except click.Abort as error:
        raise KeyboardInterrupt from error
    return code if isinstance(code, int) else 0


def _complain(error: click.ClickException) -> None:
    hint = f" (see '{error.ctx.command_path} --help')" if isinstance(error, click.UsageError) and error.ctx else ""
    click.echo(f"foldcover: {' '.join(error.format_message().split())}{hint}", err=True)
