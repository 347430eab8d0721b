"""Turns the plain subset of Python in which the core is written into Coq definitions, and refuses everything else."""
