"""The vectors are frozen, fit their schema, hold for the core, and each deliberate break of the core fails one."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from foldcover_laws import LAWS
from foldcover_mutants import MUTANTS, Mutant
from foldcover_mutants.overlay import ask

VECTORS = Path(__file__).parents[2] / "spec" / "vectors"
FILES = [file for file in sorted(VECTORS.glob("*.json")) if file.name != "schema.json"]


@pytest.fixture(scope="module")
def schema() -> Any:
    """The schema, itself checked."""
    schema = json.loads((VECTORS / "schema.json").read_text("utf-8"))
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


def test_they_are_frozen() -> None:
    """A difference is a change of the rule."""
    done = subprocess.run([sys.executable, VECTORS / "make.py", "--check"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, f"{len(FILES)} files of vectors are as they were\n")


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_they_fit_their_schema(file: Path, schema: Any) -> None:
    """Every file, and it is named for its theme."""
    vectors = json.loads(file.read_text("utf-8"))
    assert vectors["theme"] == file.stem
    assert [error.message for error in schema.iter_errors(vectors)] == []


SINGLE: dict[str, Any] = {
    "name": "x",
    "why": "y",
    "law": "reads",
    "view": [{"leaf": 1}],
    "op": "zoom",
    "start": 0,
    "size": 1,
    "expect": {"blocks": [[0, 1]]},
}


@pytest.mark.parametrize(
    "change",
    [
        {"law": "nothing"},
        {"view": [{"leaf": 1.5}]},
        {"view": [{"merged": [0, 1]}]},
        {"view": [{"split": [{"leaf": 1}, {"leaf": 1}]}]},
        {"op": "close"},
        {"size": 1 << 60},
        {"expect": {"view": []}},
        {"more": 1},
    ],
    ids=str,
)
def test_the_schema_refuses_what_is_wrong(change: dict[str, Any], schema: Any) -> None:
    """The right case passes; with one change it does not."""
    file = {"theme": "t", "about": "a", "cases": [SINGLE]}
    assert schema.is_valid(file)
    assert not schema.is_valid({**file, "cases": [{**SINGLE, **change}]})


def run_on(mutant: Mutant | None, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What spec/vectors/run.py says of the core with this change."""
    monkeypatch.setenv("PYTHONPATH", str(VECTORS))
    return ask(mutant, "run", ["--json"], 60)


def test_the_core_passes_them_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """A few hundred."""
    answer = run_on(None, monkeypatch)
    assert answer["failed"] == []
    assert answer["cases"] > 200


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.breaks)
def test_each_mutant_fails_a_vector_of_its_law(mutant: Mutant, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that names the law or pin that the mutant breaks."""
    failed = set(run_on(mutant, monkeypatch)["failed"])
    laws = {case["law"] for file in FILES for case in _cases(file) if f"{file.stem}: {case['name']}" in failed}
    assert mutant.breaks in laws


def test_every_law_has_a_vector() -> None:
    """Thirteen laws and nine pins."""
    assert {case["law"] for file in FILES for case in _cases(file)} == {law.slug for law in LAWS}


def _cases(file: Path) -> list[dict[str, Any]]:
    cases: list[dict[str, Any]] = json.loads(file.read_text("utf-8"))["cases"]
    return cases
