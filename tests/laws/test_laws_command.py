"""foldcover laws from outside: rows, JSON, JUnit, exit codes, and what it says to bad input."""

import json
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

QUICK = ["--units=2", "--closes=5", "--stride=50", "--lives=1"]

BROKEN = "from foldcover import CORE\nIMPL = CORE._replace(write=lambda view, block, weight=1: view)\nOTHER = 3\n"


def laws(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run the command in a process of its own."""
    command = [str(Path(sys.executable).with_name("foldcover")), "laws", *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, check=False)


def test_a_row_a_law_and_exit_code_zero() -> None:
    """Every law and pin has a row with its cases; the last line sums up."""
    done = laws(*QUICK)
    assert done.returncode == 0
    assert done.stdout.count(" holds ") >= 22
    assert done.stdout.splitlines()[-1] == "22 laws and pins hold"
    assert max(len(line) for line in done.stdout.splitlines()) <= 80
    assert done.stderr == ""


def test_json_holds_the_same_and_nothing_else_is_printed() -> None:
    """One object, a record a law."""
    report = json.loads(laws(*QUICK, "--json").stdout)
    assert report["ok"] is True
    assert [law["slug"] for law in report["laws"]][:3] == ["covers_close", "covers_settle", "covers_write"]
    assert all(law["cases"] > 0 and law["verdict"] == "holds" for law in report["laws"])


def test_a_broken_implementation_is_exit_code_one_with_a_picture(tmp_path: Path) -> None:
    """--impl takes a module in the working folder."""
    (tmp_path / "mine.py").write_text(BROKEN)
    done = laws(*QUICK, "--impl", "mine:IMPL", cwd=tmp_path)
    assert done.returncode == 1
    assert "write_sets     BROKEN" in done.stdout
    assert "before: 2 units, 2 lines" in done.stdout
    assert done.stdout.splitlines()[-1] == "broken: write_sets"


def test_a_broken_law_is_exit_code_one_even_when_nobody_reads(tmp_path: Path) -> None:
    """The reader at the other end of the pipe goes away at once."""
    (tmp_path / "mine.py").write_text(BROKEN)
    foldcover = str(Path(sys.executable).with_name("foldcover"))
    command = [foldcover, "laws", *QUICK, "--impl", "mine:IMPL"]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    assert process.wait() == 1
    assert process.stderr.read() == b""
    process.stderr.close()


def test_wanted_of_an_implementation_can_be_judged_too(tmp_path: Path) -> None:
    """With --wanted the pin asks has cases; what the module prints does not spoil the report."""
    (tmp_path / "mine.py").write_text("print('hello')\nfrom foldcover import CORE, wanted\n")
    done = laws(*QUICK, "--json", "--impl", "mine:CORE", "--wanted", "mine:wanted", cwd=tmp_path)
    report = json.loads(done.stdout)
    assert report["laws"][-1]["slug"] == "asks"
    assert report["laws"][-1]["verdict"] == "holds"


def test_junit_names_the_broken_law(tmp_path: Path) -> None:
    """One test case a law and one for totality; a pin that is not offered is skipped, not passed."""
    (tmp_path / "mine.py").write_text(BROKEN)
    laws(*QUICK, "--impl", "mine:IMPL", "--junit", "out.xml", cwd=tmp_path)
    suite = ElementTree.parse(tmp_path / "out.xml").getroot()
    assert suite.attrib["tests"] == "23"
    failed = [case.attrib["name"] for case in suite if case.find("failure") is not None]
    skipped = [case.attrib["name"] for case in suite if case.find("skipped") is not None]
    assert (failed, skipped) == (["write_sets"], ["asks"])


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["--impl", "mine"], "MODULE:NAME"),
        (["--impl", "mine:NOTHING"], "NOTHING"),
        (["--impl", "mine:OTHER"], "not a foldcover.Impl"),
        (["--impl", "no_such_module:IMPL"], "no_such_module"),
        (["--impl", "leaves:IMPL"], "SystemExit"),
        (["--wanted", "mine:IMPL"], "--impl"),
        (["--impl", "mine:IMPL", "--wanted", "mine:OTHER"], "not a function"),
        (["--units", "many"], "many"),
        (["--units", "99"], "99"),
        (["--junit", "no/such/folder/out.xml", "--units=1", "--closes=2", "--stride=99"], "no/such/folder"),
    ],
    ids=str,
)
def test_bad_input_is_named_and_exit_code_two(tmp_path: Path, arguments: list[str], word: str) -> None:
    """A line that names it, no traceback."""
    (tmp_path / "mine.py").write_text(BROKEN)
    (tmp_path / "leaves.py").write_text("import sys\nsys.exit(0)\n")
    done = laws(*arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert word in done.stderr
    assert "Traceback" not in done.stderr
