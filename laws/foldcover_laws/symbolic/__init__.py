"""The laws and pins on views that are not known: CrossHair follows every path through the core and the relation.

A contract is one law or pin on views of n units. The shape follows from n; which blocks are split, whose line is
written, what each line weighs, the budget, the rank, the new title, the block to write are unknown. The law's own
relation, the one that judges literals and ports, judges the result. Confirmed means: over all paths.

    encoding   a view spelt by unknown booleans and integers
    contracts  one function for each law and n, generated from one template
    crosshair  run CrossHair, and believe nothing but "Confirmed over all paths"
    run        all contracts, on all processor cores; the witness replayed and drawn
    opaque     steps on nodes with children that nobody may look at: no bound on n
    command    python -m foldcover_laws.symbolic
"""

from foldcover_laws.symbolic.contracts import Contract, contracts
from foldcover_laws.symbolic.crosshair import Answer, Verdict
from foldcover_laws.symbolic.run import Report, run

__all__ = ["Answer", "Contract", "Report", "Verdict", "contracts", "run"]
