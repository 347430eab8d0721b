"""The house: imports go one way, only our names are installed, no second copy of the core, the spec names every law."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from foldcover_laws import LAWS
from foldcover_mutants import MUTANTS

ROOT = Path(__file__).parents[2]
ROOMS = ("core", "laws", "mutants", "harness")


def run(*command: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """Run a command and keep what it prints."""
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The names in a freshly built wheel."""
    folder = tmp_path_factory.mktemp("wheel")
    done = run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder))
    assert done.returncode == 0, done.stderr
    (file,) = folder.glob("*.whl")
    return zipfile.ZipFile(file).namelist()


def test_imports_go_one_way() -> None:
    """The import-linter contracts of pyproject.toml: mutants -> laws -> core, harness -> laws -> core,
    and within the harness.
    """
    done = run(str(Path(sys.executable).with_name("lint-imports")), "--no-cache")
    assert done.returncode == 0, done.stdout
    assert "Contracts: 3 kept, 0 broken." in done.stdout


def test_only_foldcover_names_are_installed(wheel: list[str]) -> None:
    """No top-level core, laws, tests or spec, where they would shadow other people's packages."""
    tops = {name.partition("/")[0] for name in wheel}
    assert {top for top in tops if ".dist-info" not in top} == {
        "foldcover",
        "foldcover_harness",
        "foldcover_laws",
        "foldcover_mutants",
    }


def test_the_wheel_holds_every_source_file(wheel: list[str]) -> None:
    """Every file below the source roots: .gitignore, which hatchling obeys too, hides none of them."""
    files = [file for room in ROOMS for file in (ROOT / room).rglob("*")]
    sources = [file.relative_to(ROOT) for file in files if file.is_file() and "__pycache__" not in file.parts]
    ours = {"/".join(file.parts[1:]) for file in sources}
    assert ours == {name for name in wheel if ".dist-info" not in name}
    assert {"foldcover/py.typed", "foldcover_laws/py.typed", "foldcover_harness/py.typed"} <= ours


def test_a_source_root_holds_one_package_and_nothing_else() -> None:
    """core/ is a folder on the path, not a package."""
    for room in ROOMS:
        names = {entry.name for entry in (ROOT / room).iterdir()} - {"__pycache__"}
        assert len(names) == 1
        assert names.pop().startswith("foldcover")


def test_nothing_imports_the_core_through_its_folder() -> None:
    """`import core.foldcover` from the repo root would make a second copy of every class."""
    sources = [file for room in (*ROOMS, "tests", "benchmarks", "examples") for file in (ROOT / room).rglob("*.py")]
    assert len(sources) > 20
    wrong = [f"{before}{room}.foldcover" for before in ("import ", "from ") for room in ROOMS]
    for file in sources:
        if file != Path(__file__):
            text = file.read_text("utf-8")
            assert not [word for word in wrong if word in text], file


def test_files_are_small_and_open_with_their_rule() -> None:
    """At most 300 lines, and a docstring first."""
    for room in ROOMS:
        for file in (ROOT / room).rglob("*.py"):
            text = file.read_text("utf-8")
            assert text.startswith('"""'), file
            assert len(text.splitlines()) <= 300, file


def test_the_spec_has_a_section_for_every_law_with_relation_mutant_and_theorem() -> None:
    """spec/laws.md and the code name the same things."""
    sections = dict(part.split("\n", 1) for part in (ROOT / "spec" / "laws.md").read_text("utf-8").split("### ")[1:])
    assert [*sections] == [law.slug for law in LAWS]
    for law, mutant in zip(LAWS, MUTANTS, strict=True):
        section = sections[law.slug]
        assert law.sentence.lower() in section.lower()
        assert mutant.story in section
        assert f"(proofs/P_{law.slug}.v)" in section
        assert f"Theorem {law.slug}" in (ROOT / "spec" / "proofs" / f"P_{law.slug}.v").read_text("utf-8")
        for relation in law.relations.values():
            assert f"{relation.__module__.rpartition('.')[2]}.{relation.__name__}" in section


def test_every_decision_is_listed() -> None:
    """spec/decisions/README.md links each file."""
    folder = ROOT / "spec" / "decisions"
    listed = (folder / "README.md").read_text("utf-8")
    files = [file.name for file in folder.glob("0*.md")]
    assert files
    assert all(f"({name})" in listed for name in files)
