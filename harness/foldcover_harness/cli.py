"""The command line's front door: help at once, everything else through click.

Rule: the help of the group is a text and needs no import, so that asking what there is costs next
to nothing; click, and a subcommand's own modules, are imported when a command is called. An error is one
line on stderr. Exit codes are the subcommand's own; 2 is usage or what the system refuses (a full disk), 130
is Ctrl-C. A reader that goes away early (`| head`) is no error.
"""

from __future__ import annotations

import gc
import os
import sys
from typing import NoReturn

from foldcover_harness.menu import HELP


def main() -> NoReturn:
    """Run the command line and exit with its code."""
    # Where a stream was closed before we began, what is said there goes nowhere.
    sys.stdout = sys.stdout or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    sys.stderr = sys.stderr or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    try:
        if sys.argv[1:] in (["--help"], ["-h"]):
            sys.stdout.write(HELP)
            code = 0
        else:
            from foldcover_harness.group import run

            code = run()
        sys.stdout.flush()
    except KeyboardInterrupt:
        code = 130
    except BrokenPipeError:
        let_go_of_stdout()
        code = 0
    except OSError as error:
        # A full disk behind stdout, for instance.
        let_go_of_stdout()
        sys.stderr.write(f"foldcover: {error}\n")
        code = 2
    # The process ends: what is left of a long run needs no last look for cycles.
    gc.freeze()
    sys.exit(code)


def let_go_of_stdout() -> None:
    """Have what is still written to stdout go nowhere: it would fail again, at the latest at Python's exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
