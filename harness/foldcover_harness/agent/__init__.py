"""A terminal coding agent on the session library: the loop, its tools, strategies and subagents."""
