"""bindings/c/prove.py: that it says no where there is no proof. The proof itself is a stage of its own (.ci/run)."""

import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

PROVE = Path(__file__).parents[2] / "bindings" / "c" / "prove.py"
SOURCE = PROVE.parent / "foldcover.c"

REAL = SOURCE.read_text(encoding="utf-8")

SUM = """\
/*@ requires \\valid_read(numbers + (0 .. count - 1)) && 0 <= count <= 1000;
    requires \\forall integer i; 0 <= i < count ==> 0 <= numbers[i] <= 1000;
    terminates \\true;
    exits \\false;
    assigns \\nothing;
    ensures 0 <= \\result <= 1000 * count; */
static int sum(const int *numbers, int count) {
    int all = 0;
    /*@ loop invariant 0 <= at <= count && 0 <= all <= 1000 * at;
        loop assigns at, all;
        loop variant count - at; */
    for (int at = 0; at < count; at++) all += numbers[at];
    return all;
}
"""


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


def run(*arguments: str | Path, path: str | None = None) -> subprocess.CompletedProcess[str]:
    """Ask it, with only `path` to find tools on, where that is given."""
    env = None if path is None else {"PATH": path}
    return subprocess.run([sys.executable, PROVE, *arguments], capture_output=True, text=True, env=env, timeout=240)


def asked(folder: Path, source: str) -> tuple[int, dict[str, Any]]:
    """The exit status and the outcome for a small source."""
    file = folder / "small.c"
    file.write_text(source, encoding="utf-8")
    ended = run("--source", file, "--patience", "2", "--json")
    return ended.returncode, json.loads(ended.stdout)


def changed(source: str, right: str, wrong: str) -> str:
    """A source with one place changed."""
    assert source.count(right) == 1, f"the place to break is not there once: {right}"
    return source.replace(right, wrong)


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
    ended = run("--limit", "0")
    assert (ended.returncode, ended.stdout) == (3, "")
    assert len(ended.stderr.splitlines()) == 1


def test_proves_what_is_right(tmp_path: Path) -> None:
    """So that a no below is not just any no."""
    status, outcome = asked(tmp_path, SUM)
    assert outcome["wrong"] == []
    assert status == 0
    assert outcome["proved"] == outcome["total"] > 0


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("\\result <= 1000 * count", "\\result < 1000 * count"),
        ("at < count;", "at <= count;"),
        ("numbers[i] <= 1000", "numbers[i]"),
        ("\n        loop variant count - at;", ""),
        ("at++", "at += 0"),
    ],
    ids=["a contract that is false", "an access out of bounds", "an overflow", "no measure", "no end"],
)
def test_proves_nothing_that_is_wrong(tmp_path: Path, right: str, wrong: str) -> None:
    """One place wrong: a goal stays open, and says where."""
    status, outcome = asked(tmp_path, changed(SUM, right, wrong))
    assert status == 1
    assert 0 < outcome["proved"] < outcome["total"]
    assert any(reason.startswith("sum: ") for reason in outcome["wrong"])


def test_sees_a_bound_that_is_one_off_in_the_core(tmp_path: Path) -> None:
    """The negative control on the real source."""
    broken = changed(REAL, "newer <= high - low && base_of", "newer <= high - low + 1 && base_of")
    copy = tmp_path / "foldcover.c"
    copy.write_text(broken, encoding="utf-8")
    right, wrong = (
        json.loads(run("--source", source, "--functions", "place", "--patience", "2", "--json").stdout)
        for source in (SOURCE, copy)
    )
    assert right["wrong"] == []
    assert 0 < wrong["proved"] < wrong["total"]


def test_every_function_of_the_core_has_a_contract_and_nothing_is_taken_for_granted() -> None:
    """As the source stands."""
    assert prove.complaints(REAL) == []
    assert len(prove.defined(REAL)) > 60


def test_sees_a_function_without_a_contract() -> None:
    """A comment for people is none."""
    bare = SUM[SUM.index("static") :]
    assert prove.complaints(bare) == ["sum has no contract"]
    assert prove.complaints("/* The sum. */\n" + bare) == ["sum has no contract"]
    assert prove.complaints(SUM) == []


def test_sees_a_contract_that_lets_a_function_run_for_ever() -> None:
    """Frama-C asks for the end of a loop only where the contract does."""
    assert prove.complaints(changed(SUM, "    terminates \\true;\n", "")) == ["sum is not said to end"]


@pytest.mark.parametrize(
    "granted",
    [
        "//@ admit 0 == 1;",
        "/*@ axiomatic A { axiom a: 0 == 1; } */",
        "/*@ requires \\false; */",
        "/*@ ensures \\false; */",
        "#ifdef __FRAMAC__\n#define sure admit\n#endif",
        "/*@ assigns \\nothing; */\nint foreign(int one);",
        "#ifdef __FRAMAC__\nint other(void) { return 0; }\n#endif",
        "#ifdef __FRAMAC__\n#define count 0\n#endif",
    ],
)
def test_sees_what_is_taken_for_granted(granted: str) -> None:
    """Words that assume, functions that nobody defines, code that only Frama-C sees."""
    assert prove.complaints(f"{granted}\n\n{SUM}") != []


def test_no_goal_is_no_proof() -> None:
    """Zero goals are no pass."""
    assert "no goal ran" in prove.judge(REAL, "", [], [])


def test_a_function_that_was_not_analysed_is_no_proof() -> None:
    """Frama-C must have said that it took it up."""
    assert "fc_close was not analysed" in prove.judge(REAL, "", [], ["fc_close"])


def test_finds_every_function_that_the_compiler_sees(tmp_path: Path) -> None:
    """The program finds functions by how they are laid out; the compiler knows better."""
    built = tmp_path / "foldcover.o"
    # Not as GNU C: there the functions that are always compiled in place have no symbol.
    command = ["cc", "-std=c11", "-O0", "-fkeep-inline-functions", "-U__GNUC__", f"-I{SOURCE.parent}"]
    command += ["-c", str(SOURCE), "-o", str(built)]
    subprocess.run(command, check=True, timeout=60)
    listed = subprocess.run(["nm", str(built)], check=True, capture_output=True, text=True, timeout=60).stdout
    symbols = {line.split()[-1] for line in listed.splitlines() if line.split()[-2] in "tT"}
    ghosts = set(re.findall(r"^    void (\w+)\(", REAL, re.MULTILINE))
    assert symbols | ghosts == set(prove.defined(REAL))
