"""What the command line offers: the help of the group as text, and where each subcommand lives.

Rule: nothing is imported here, so that asking what there is costs next to nothing.
"""

from __future__ import annotations

HELP = """\
Usage: foldcover [OPTIONS] COMMAND [ARGS]...

  Keep an agent's prompt short: fold finished work into one line a unit, by a
  proven rule.

Options:
  --version   Show the version and exit.
  -h, --help  Show this message and exit.

Commands:
  replay   Price recorded sessions under many ways of keeping the prompt short.
  check    Say what is wrong in transcripts, and what providers would refuse.
  agent    A coding agent whose prompt stays short.
  session  Fold a transcript into a session, and look at sessions.
  measure  Measure what is still found, what attention costs, what reopens.
  laws     Run the thirteen laws and the pins on the core, your own Impl, a port
           in any language, or a recorded trace.
  mutants  Break the core on purpose and see that a law notices each break.

Examples:
  foldcover replay                        what folding would have cost you
  foldcover replay session.jsonl          one recorded session
  foldcover check session.jsonl           what is wrong in it, and where
  foldcover agent --model local           an agent; no account, no network
  foldcover laws                          the laws, on the core itself
  foldcover mutants                       each law notices its own break
"""

COMMANDS = {
    "replay": "foldcover_harness.replay.command:replay",
    "check": "foldcover_harness.check.command:check",
    "agent": "foldcover_harness.agent.command:agent",
    "session": "foldcover_harness.session.commands:session",
    "measure": "foldcover_harness.measure.command:measure",
    "laws": "foldcover_laws.command:laws",
    "mutants": "foldcover_mutants.command:mutants",
}
"""Where each subcommand lives: module and attribute."""
