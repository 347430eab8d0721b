"""`foldcover measure found-rate`: output, exit codes, one line for every error."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from .made import transcript

FOLDCOVER = str(Path(sys.executable).with_name("foldcover"))


def run(*arguments: str | Path, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """Run the command."""
    command = [FOLDCOVER, "measure", "found-rate", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=env)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Four transcripts of two projects, the later ones named first."""
    for number in range(4):
        transcript(
            tmp_path,
            range(number * 10, number * 10 + 10),
            f"{9 - number}.jsonl",
            f"/home/me/{'port' if number % 2 else 'harbour'}/.worktrees/3" if number else "/home/me/harbour",
            day=number + 1,
        )
    return tmp_path


def test_the_table_fits_eighty_columns_and_has_every_part(folder: Path) -> None:
    """And the same again for the same seed."""
    done = run(folder)
    assert (done.returncode, done.stderr) == (0, "")
    assert max(map(len, done.stdout.splitlines())) <= 80
    for part in ("40 units of 4 transcripts", "By units under", "ceiling", "By age", "project port", "bytes", "KB"):
        assert part in done.stdout
    assert run(folder).stdout == done.stdout


def test_json_has_the_documented_keys(folder: Path) -> None:
    """Those of spec/found-rate.md; a time stamp decides the order."""
    done = run("--json", "--only", "sizes,groups", folder)
    found = json.loads(done.stdout)
    assert (found["units"], found["transcripts"], found["copies"]) == (40, 4, 0)
    assert [row["units"] for row in found["sizes"]] == [1, 2, 4, 8, 16, 32]
    assert found["ages"] == found["budgets"] == []
    assert {row["name"] for row in found["groups"] if row["by"] == "project"} == {"harbour", "port"}
    mean = found["sizes"][0]["uniform"]["all"]["mean"]
    assert mean["low"] <= mean["rate"] <= mean["high"]
    spec = (Path(__file__).parents[2] / "spec" / "found-rate.md").read_text("utf-8")
    for key in {*found, *found["sizes"][0], *found["sizes"][0]["uniform"], *mean}:
        assert f"`{key}`" in spec


def test_held_out_transcripts_and_the_others_share_nothing(folder: Path) -> None:
    """Together they are all questions."""
    asked = [
        sum(json.loads(run("--json", "--only", "groups", *more, folder).stdout)["questions"].values())
        for more in ((), ("--held-out", "0.5"), ("--held-out", "0.5", "--others"))
    ]
    assert asked[0] == asked[1] + asked[2]
    assert min(asked) > 0


def test_a_copy_is_counted_once(folder: Path) -> None:
    """A resumed session repeats turns word for word."""
    (folder / "copy.jsonl").write_bytes((folder / "9.jsonl").read_bytes())
    found = json.loads(run("--json", "--only", "groups", folder).stdout)
    assert (found["units"], found["copies"]) == (40, 10)


def test_commands_write_and_read(folder: Path) -> None:
    """Their failures are told."""
    done = run(
        "--writer",
        "command:head -n 1",
        "--reader",
        "command:sh -c 'cat > /dev/null; echo 1'",
        "--questions",
        "3",
        "--only",
        "ages",
        folder,
    )
    assert done.returncode == 0
    assert "failed" not in done.stdout
    failing = run("--reader", "command:false", "--questions", "2", "--only", "ages", folder)
    assert failing.returncode == 0
    assert "failed 12 times: ended with exit code 1" in failing.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--writer", "poems"], "no writer 'poems'"),
        (["--against", "poems"], "no writer 'poems'"),
        (["--reader", "oracle"], "no reader 'oracle'"),
        (["--reader", "command:"], "names no command"),
        (["--writer", "command:'x"], "no closing quotation"),
        (["--tokens", "5", "--bytes", "5"], "exclude each other"),
        (["--others"], "--others needs --held-out"),
        (["--held-out", "1"], "--held-out"),
        (["--only", "moons"], "no section 'moons'"),
        (["--seed", "-1"], "--seed"),
    ],
)
def test_wrong_usage_is_one_line(arguments: list[str], said: str, folder: Path) -> None:
    """Exit code 2, nothing on stdout."""
    done = run(*arguments, folder)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert said in done.stderr


def test_nothing_to_measure(tmp_path: Path) -> None:
    """An empty folder, a file that is no transcript, one that is not there: exit code 1 and what is wrong."""
    home = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}
    (tmp_path / "empty").mkdir()
    (tmp_path / "notes.txt").write_text("no transcript")
    for arguments, said in (
        ([tmp_path / "empty"], "nothing to measure"),
        ([], "nothing to measure"),
        ([tmp_path / "notes.txt"], "notes.txt"),
        ([tmp_path / "absent.jsonl"], "no such file"),
    ):
        done = run(*arguments, env=home)
        assert (done.returncode, done.stdout) == (1, "")
        assert said in done.stderr
        assert "Traceback" not in done.stderr


def test_a_refused_file_does_not_hide_the_others(folder: Path) -> None:
    """They are measured, and the exit code is 1."""
    done = run("--only", "ages", folder, folder / "absent.jsonl")
    assert done.returncode == 1
    assert "absent.jsonl: no such file" in done.stderr
    assert "By age" in done.stdout


def test_a_missing_library_is_one_clear_line(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """It names the extra."""
    code = (
        "import sys, importlib.util as u; real = u.find_spec\n"
        "u.find_spec = lambda name, *a: None if name == 'bm25s' else real(name, *a)\n"
        f"sys.argv = ['foldcover', 'measure', 'found-rate', {str(folder)!r}]\n"
        "from foldcover_harness.cli import main; main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert "pip install 'foldcover[measure]'" in done.stderr


@pytest.mark.parametrize("command", [["measure"], ["measure", "found-rate"]])
def test_help_fits_eighty_columns(command: list[str]) -> None:
    """With examples."""
    done = subprocess.run([FOLDCOVER, *command, "--help"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "Examples:" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80
