"""Measurements of what a reader of the cover still finds.

Rule: everything is a pure function of texts and a seed, but for reading files and asking programs.
"""

SECTIONS = ("sizes", "ages", "groups", "bytes", "budgets")
"""The parts of a found-rate report, in its order."""
