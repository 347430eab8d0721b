"""The steps on opaque nodes are confirmed, break where the core is broken, and nobody looks into an opaque node."""

import json
import subprocess
import sys
from pathlib import Path

from foldcover_laws.symbolic.crosshair import Verdict
from foldcover_laws.symbolic.run import check_steps
from foldcover_mutants import MUTANTS
from foldcover_mutants.overlay import environment, lay

BY_SLUG = {mutant.breaks: mutant for mutant in MUTANTS}
ASK = (
    "import json\nfrom foldcover_laws.symbolic.run import check_steps\n"
    "print(json.dumps({step.name: step.verdict.value for step in check_steps(30)}))"
)


def on_mutant(slug: str, folder: Path) -> dict[str, str]:
    """The verdicts on the steps of a changed core."""
    lay(folder, BY_SLUG[slug])
    command = [sys.executable, "-c", ASK]
    done = subprocess.run(command, cwd=folder, env=environment(folder), capture_output=True, text=True, check=True)
    answer: dict[str, str] = json.loads(done.stdout)
    return answer


def test_every_step_is_confirmed() -> None:
    """On the core as it is."""
    steps = check_steps(60)
    assert len(steps) == 8
    assert {step.verdict for step in steps} == {Verdict.CONFIRMED}


def test_a_step_of_a_broken_core_is_refuted(tmp_path: Path) -> None:
    """The step that speaks of the changed place, and no other."""
    for slug, step in (("coarsen_write", "write_marks"), ("shape", "carry_moves"), ("pair", "join_measures")):
        folder = tmp_path / slug
        folder.mkdir()
        assert [name for name, verdict in on_mutant(slug, folder).items() if verdict != "confirmed"] == [step]


def test_a_core_that_looks_into_an_opaque_node_is_undecided(tmp_path: Path) -> None:
    """The mutant matches on the tree it should only measure: no step may be called confirmed by that."""
    assert "confirmed" not in on_mutant("coarsen_close", tmp_path).values()
