"""python -m foldcover_laws.symbolic: the same as foldcover laws --symbolic."""

from foldcover_laws.symbolic.command import symbolic

symbolic(prog_name="foldcover laws --symbolic")
