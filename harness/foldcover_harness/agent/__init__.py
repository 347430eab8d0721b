"""A terminal coding agent on the session library.

Read in this order: loop (all that an agent does), setup (what it is put together of), command, conversation, terminal,
status, spent, interrupts, folders, standing; then tools/, strategies/, and subagents with children/.
"""
