"""Deliberate breaks of the core, and the gate that demands that exactly the right law sees each.

Read in this order: catalogue, overlay, gate, command.
"""

from foldcover_mutants.catalogue import LAW_MUTANTS, MUTANTS, PIN_MUTANTS, Mutant, NotApplied

__all__ = ["LAW_MUTANTS", "MUTANTS", "PIN_MUTANTS", "Mutant", "NotApplied"]
