"""Measurements: what a reader of the cover still finds, what a long cover costs, what was needed again.

Rule: everything is a pure function of texts and a seed, but for reading files and asking programs or models.
"""

SECTIONS = ("sizes", "ages", "groups", "bytes", "budgets")
"""The parts of a found-rate report, in its order."""
