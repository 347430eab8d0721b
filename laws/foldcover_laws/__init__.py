"""The thirteen laws and the pins of the cover rule, as relations, and what runs them.

    from foldcover_laws import check
    assert check().ok                        # the core
    report = check(Impl(close, write, settle, zoom))   # somebody else's four operations
    report.broken                            # slugs of what is broken

Read in this order: reading, events, thirteen, pins, catalogue, performer, domain, subject, views, cases, lives, judge,
ruler, command. Then what is outside of Python: messages, wire, child, stopping, port; follow, trace.
"""

from foldcover_laws.catalogue import LAWS, PINS, THIRTEEN, Law
from foldcover_laws.judge import Report, Scope, Tally, Verdict, check, run
from foldcover_laws.subject import Subject

__all__ = ["LAWS", "PINS", "THIRTEEN", "Law", "Report", "Scope", "Subject", "Tally", "Verdict", "check", "run"]
