"""The tool `bash`: a command in the working folder.

Rule: a command is not confined, so it is shown in full and confirmed before it runs. It ends: at its time limit, at
`stop` or at an interrupt it is killed with its children, and what it left running in the background is killed when it
has ended (session/program.py). Its output is bounded while it comes. It has no input and no terminal.
"""

from __future__ import annotations

import os
import shutil
import signal
from threading import Event
from typing import Annotated, Final

import msgspec
from msgspec import Meta

from foldcover_harness.agent.tools.given import Made
from foldcover_harness.agent.tools.output import Output, visible
from foldcover_harness.agent.tools.tool import Action, Result, Unable
from foldcover_harness.agent.tools.workspace import Workspace
from foldcover_harness.session.program import Failed, Late, Stopped, run

TIMEOUT: Final = 120.0
MOST_SECONDS: Final = 1_800.0


class Given(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """The arguments."""

    command: Annotated[str, Meta(min_length=1, description="the command, in the words of bash")]
    timeout: Annotated[float, Meta(gt=0, le=MOST_SECONDS, description="seconds that it may take")] = TIMEOUT


def action(workspace: Workspace) -> Action:
    """The tool over a workspace."""
    return Made(
        "bash",
        "Run a command in the working folder, once the user has confirmed it: its output, errors and exit code. It has "
        "no input and no terminal, and each command is a new shell. Of a long output the middle is left out. "
        "What it leaves running in the background is killed when it ends.",
        Given,
        lambda given, stop: _bash(workspace, given, stop),
        writes=True,
    )


def _bash(workspace: Workspace, given: Given, stop: Event | None) -> Result:
    if not workspace.confirm(question(workspace, given.command)):
        raise Unable("the user declined this command; it was not run")
    output = Output()
    shell = shutil.which("bash") or "/bin/sh"
    argv = [shell, "-c", "--", given.command]
    try:
        code = run(argv, output.take, given.timeout, os.environ, errors=True, folder=workspace.root, stop=stop)
        ended = _code(code)
    except Late:
        code, ended = 1, f"killed with its children after {given.timeout:g} seconds, its time limit"
    except Stopped:
        code, ended = 1, "stopped, and killed with its children"
    except Failed as failed:
        raise Unable(f"the command {failed}") from None
    return Result("\n".join(part for part in (output.text(), f"[{ended}]") if part), failed=code != 0)


def question(workspace: Workspace, command: str) -> str:
    """What the user is asked before a command runs: all of it, with nothing hidden in it."""
    shown = "\n".join(f"  {line}" for line in visible(command).split("\n"))
    return f"Run this command in {visible(str(workspace.root))}?\n{shown}"


def _code(code: int) -> str:
    """How a command ended. A shell tells the signal that ended its last child as 128 and its number."""
    if code < 0:
        return f"killed by {_signal(-code)}"
    return f"exit code {code}, as after {_signal(code - 128)}" if 128 < code < 160 else f"exit code {code}"


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
