"""python -m foldcover_laws.symbolic."""

from foldcover_laws.symbolic.command import symbolic

symbolic(prog_name="python -m foldcover_laws.symbolic")
