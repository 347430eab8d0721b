"""The command line: one group, whose subcommands are imported only when they are called.

Rule: `foldcover --help` imports click and nothing of ours but this file. An error is one line on stderr.
Exit codes are the subcommand's own; 2 is usage, 130 is Ctrl-C. A reader that goes away early (`| head`) is
no error.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import Final, NamedTuple, NoReturn

import click
from click.exceptions import NoArgsIsHelpError


class Room(NamedTuple):
    """Where a subcommand lives, and its line in the help."""

    where: str
    help: str


COMMANDS: Final = {
    "replay": Room(
        "foldcover_harness.replay.command:replay",
        "Price recorded sessions under seven ways of keeping the prompt short.",
    ),
    "laws": Room("foldcover_laws.command:laws", "Check the laws: on the core, on a port in any language, on a trace."),
    "mutants": Room(
        "foldcover_mutants.command:mutants",
        "Break the core on purpose and see that a law notices each break.",
    ),
}


class LazyGroup(click.Group):
    """A group that imports a subcommand when it is called, and not to list it."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the subcommands."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the subcommand; None where there is none of that name."""
        room = COMMANDS.get(cmd_name)
        if room is None:
            return None
        module, _, attribute = room.where.partition(":")
        command = getattr(import_module(module), attribute)
        if not isinstance(command, click.Command):
            raise click.ClickException(f"{room.where} is no command")
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the subcommands from COMMANDS alone."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, room.help) for name, room in COMMANDS.items()])


EPILOG: Final = """\b
Examples:
  foldcover replay                        what folding would have cost you
  foldcover laws                          the laws, on the core itself
  foldcover laws --port 'node core.mjs'   the laws, on your own port
"""


@click.command(
    cls=LazyGroup,
    epilog=EPILOG,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(package_name="foldcover", message="%(prog)s %(version)s")
def group() -> None:
    """Keep an agent's prompt short: fold finished work into one line a unit, by a proven rule."""


def main() -> NoReturn:
    """Run the command line and exit with its code."""
    try:
        code = group.main(prog_name="foldcover", standalone_mode=False)
        sys.stdout.flush()
    except NoArgsIsHelpError as error:
        error.show()
        code = error.exit_code
    except click.ClickException as error:
        _complain(error)
        code = error.exit_code
    except (click.Abort, KeyboardInterrupt):
        code = 130
    except BrokenPipeError:
        # Nobody reads any more. What Python would still write at its exit goes nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        code = 0
    sys.exit(code if isinstance(code, int) else 0)


def _complain(error: click.ClickException) -> None:
    hint = f" (see '{error.ctx.command_path} --help')" if isinstance(error, click.UsageError) and error.ctx else ""
    click.echo(f"foldcover: {' '.join(error.format_message().split())}{hint}", err=True)
