"""The tools of the agent: read, grep, edit, write and bash, over one workspace.

Read in this order: tool (what a tool is), given (how a call becomes arguments), workspace, then a file a tool.
"""

from foldcover_harness.agent.tools import bash, edit, grep, read, write
from foldcover_harness.agent.tools.tool import Action, Result
from foldcover_harness.agent.tools.workspace import Workspace, always

__all__ = ["Action", "Result", "Workspace", "actions", "always"]


def actions(workspace: Workspace) -> tuple[Action, ...]:
    """The five tools over a workspace, always in the same order: they are a part of the standing prompt."""
    return (
        read.action(workspace),
        grep.action(workspace),
        edit.action(workspace),
        write.action(workspace),
        bash.action(workspace),
    )
