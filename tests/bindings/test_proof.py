"""bindings/c/prove.py: that it says no where there is no proof. The proof itself is a stage of its own (.ci/run)."""

import importlib.util
import json
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

PROVE = Path(__file__).parents[2] / "bindings" / "c" / "prove.py"
SOURCE = PROVE.parent / "foldcover.c"

REAL = SOURCE.read_text(encoding="utf-8")


def loaded() -> ModuleType:
    """The program, which is no module of a package."""
    spec = importlib.util.spec_from_file_location("foldcover_c_prove", PROVE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


prove: Any = loaded()


def run(*arguments: str, path: str | None = None) -> subprocess.CompletedProcess[str]:
    """Ask it, with only `path` to find tools on, where that is given."""
    env = None if path is None else {"PATH": path}
    return subprocess.run([sys.executable, PROVE, *arguments], capture_output=True, text=True, env=env, timeout=240)


def broken(folder: Path, right: str, wrong: str) -> Path:
    """A copy of the source with one place changed."""
    assert REAL.count(right) == 1, f"the place to break is not there once: {right}"
    copy = folder / "foldcover.c"
    copy.write_text(REAL.replace(right, wrong), encoding="utf-8")
    return copy


def need_frama_c() -> None:
    """Without the tools this is no pass."""
    tool = prove.missing()
    if tool is not None:
        pytest.fail(prove.WANTED.format(tool))


def test_says_what_to_install_when_a_tool_is_missing(tmp_path: Path) -> None:
    """One line, exit status 2."""
    ended = run(path=str(tmp_path))
    assert ended.returncode == 2
    assert ended.stdout == ""
    assert len(ended.stderr.splitlines()) == 1
    for word in ("frama-c-base", "why3", "z3", "cvc4"):
        assert word in ended.stderr


def test_ends_when_its_time_is_over() -> None:
    """One line, exit status 3."""
    need_frama_c()
    ended = run("--limit", "0")
    assert (ended.returncode, ended.stdout) == (3, "")
    assert len(ended.stderr.splitlines()) == 1


def test_proves_a_function_that_is_right() -> None:
    """So that a no below is not just any no."""
    need_frama_c()
    ended = run("--functions", "alive,room_for", "--json")
    outcome = json.loads(ended.stdout)
    assert outcome["wrong"] == []
    assert ended.returncode == 0
    assert set(outcome["functions"]) >= {"alive", "room_for"}
    assert outcome["proved"] == outcome["total"] > 0


@pytest.mark.parametrize(
    ("name", "right", "wrong"),
    [
        ("alive", "nodes[at].span <= length - at)", "nodes[at].span <= length - at + 1)"),
        ("keep", "index < count && kept < view->room / 2", "index < count && kept <= view->room / 2"),
        ("carry", "size *= 2;", "size = size * 2 + 1;"),
    ],
)
def test_leaves_goals_unproved_where_one_place_is_wrong(tmp_path: Path, name: str, right: str, wrong: str) -> None:
    """The negative control: a bound or a size one off, and the rest of the function still proved."""
    need_frama_c()
    ended = run("--source", str(broken(tmp_path, right, wrong)), "--functions", name, "--patience", "2", "--json")
    outcome = json.loads(ended.stdout)
    assert ended.returncode == 1
    assert 0 < outcome["proved"] < outcome["total"]
    assert any(reason.startswith(f"{name}: ") for reason in outcome["wrong"])


def test_every_function_has_a_contract_and_nothing_is_taken_for_granted() -> None:
    """As the source stands."""
    assert prove.complaints(REAL) == []
    assert len(prove.defined(REAL)) > 60


def test_sees_a_function_without_a_contract() -> None:
    """A comment for people is none."""
    bare = "static int twice(int one) {\n    return 2 * one;\n}\n"
    assert prove.complaints(bare) == ["twice has no contract"]
    assert prove.complaints("/*@ assigns \\nothing; */\n" + bare) == []
    assert prove.complaints("/* Twice. */\n" + bare) == ["twice has no contract"]


@pytest.mark.parametrize("granted", ["//@ admit 0 == 1;", "/*@ axiomatic A { axiom a: 0 == 1; } */"])
def test_sees_what_is_taken_for_granted(granted: str) -> None:
    """Words that assume instead of proving."""
    assert len(prove.complaints(REAL + granted + "\n")) == 1


def test_no_goal_is_no_proof() -> None:
    """Zero goals are no pass."""
    assert "no goal ran" in prove.judge(REAL, "", [], [])


def test_a_function_that_was_not_analysed_is_no_proof() -> None:
    """Frama-C must have said that it took it up."""
    assert "fc_close was not analysed" in prove.judge(REAL, "", [], ["fc_close"])


def test_finds_every_function_that_the_compiler_sees(tmp_path: Path) -> None:
    """The program finds functions by how they are laid out; the compiler knows better."""
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        pytest.fail("no C compiler")
    built = tmp_path / "foldcover.o"
    command = [compiler, "-std=c11", "-O0", f"-I{SOURCE.parent}", "-c", str(SOURCE), "-o", str(built)]
    subprocess.run(command, check=True, timeout=60)
    listed = subprocess.run(["nm", str(built)], check=True, capture_output=True, text=True, timeout=60).stdout
    symbols = {line.split()[-1] for line in listed.splitlines() if line.split()[-2] in "tT"}
    assert symbols == set(prove.defined(REAL))
