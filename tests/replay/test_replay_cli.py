"""`foldcover replay` from outside: what it prints where, its exit codes, and that it never shows a
traceback.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from foldcover_harness.replay.schedules import DEFAULT, SCHEDULES
from foldcover_harness.replay.sources import SAMPLE

Run = Callable[..., "subprocess.CompletedProcess[str]"]
FULL = Path("/dev/full")
COMMAND = [sys.executable, "-c", "from foldcover_harness.cli import main; main()"]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Run `foldcover replay` with an empty home."""
    home = tmp_path / "home"
    home.mkdir()

    def run_it(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "HOME": str(home), "COLUMNS": "80", "NO_COLOR": "", "LC_ALL": "C.UTF-8"}
        for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE"):
            environment.pop(name, None)
        done = subprocess.run(
            [*COMMAND, "replay", *map(str, arguments)],
            env=environment,
            capture_output=True,
            timeout=60,
            check=False,
        )
        out, err = done.stdout.decode(), done.stderr.decode()
        assert "Traceback" not in err
        return subprocess.CompletedProcess(done.args, done.returncode, out, err)

    return run_it


def session(requests: int, *more: dict[str, Any]) -> bytes:
    """Return a transcript of one turn with so many requests, and more lines."""
    lines: list[dict[str, Any]] = [{"type": "user", "uuid": "u", "message": {"role": "user", "content": "[bold]hi[/]"}}]
    lines += [
        {"type": "assistant", "uuid": "a", "message": {"id": f"m{n}", "content": [{"type": "text", "text": "ok"}]}}
        for n in range(requests)
    ]
    return b"".join(json.dumps(line).encode() + b"\n" for line in [*lines, *more])


def test_an_empty_home_uses_the_sample_and_says_so(run: Run) -> None:
    """On stderr; the result is on stdout, within 80 columns, without colours or boxes."""
    done = run()
    assert done.returncode == 0
    assert re.fullmatch(
        r"foldcover: no transcripts found in .*; using the sample that ships with foldcover\n", done.stderr
    )
    assert "tidetable.jsonl" in done.stdout
    assert all(len(line) <= 80 for line in done.stdout.splitlines())
    assert "\x1b" not in done.stdout
    assert not set(done.stdout) & set("│─┃━╭")
    for name in DEFAULT:
        assert re.search(rf"^  {re.escape(name)} +[\d,]+ +\d\.\d\d", done.stdout, re.MULTILINE)


def test_the_clients_own_folders_are_searched(run: Run, tmp_path: Path) -> None:
    """Of Claude Code and of Codex; what is no JSON file there is not looked at."""
    projects = tmp_path / "home" / ".claude" / "projects" / "-home-ada"
    projects.mkdir(parents=True)
    (projects / "one.jsonl").write_bytes(session(20))
    (projects / "memory.md").write_text("notes")
    rollouts = tmp_path / "home" / ".codex" / "sessions" / "2026"
    rollouts.mkdir(parents=True)
    (rollouts / "rollout.jsonl").write_text(
        '{"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"hi"}]}}\n'
    )
    done = run("--json")
    found = json.loads(done.stdout)
    assert [one["client"] for one in found["transcripts"]] == ["claude-code", "codex"]
    assert (done.returncode, done.stderr) == (0, "")


def test_the_sample_is_realistic() -> None:
    """Twelve user turns or more, forty requests or more, and prompts beyond the window."""
    done = subprocess.run([*COMMAND, "replay", "--json", str(SAMPLE)], capture_output=True, check=True)
    one = json.loads(done.stdout)["transcripts"][0]
    assert one["turns"] >= 14
    assert one["requests"] >= 40
    assert one["schedules"]["none"]["last_prompt"] > 100_000
    assert one["accuracy"]["requests_compared"] >= 40
    assert not one["unknown"]
    assert SAMPLE.stat().st_size < 600_000


def test_json_holds_all_figures(run: Run, tmp_path: Path) -> None:
    """Under the documented keys, for each transcript and for the total; short ones are left out of it and
    counted.
    """
    (tmp_path / "long.jsonl").write_bytes(session(20))
    (tmp_path / "short.jsonl").write_bytes(session(19))
    (tmp_path / "notes.txt").write_text("notes")
    done = run("--json", tmp_path, SAMPLE)
    assert done.returncode == 0
    found = json.loads(done.stdout)
    assert set(found) == {"version", "options", "transcripts", "total", "sweep", "refused", "notes"}
    assert [one["in_total"] for one in found["transcripts"]] == [True, False, True]
    total = found["total"]
    assert (total["transcripts"], total["transcripts_left_out"]) == (2, 1)
    assert list(total["schedules"]) == list(DEFAULT)
    # The short session records neither usage nor a compaction.
    assert found["transcripts"][0]["schedules"]["as recorded"] is None
    assert found["transcripts"][0]["recorded_usage"] is None
    assert total["schedules"]["as recorded"]["transcripts"] == 1
    for name in DEFAULT:
        parts = [one["schedules"][name] for one in found["transcripts"] if one["in_total"]]
        parts = [part for part in parts if part is not None]
        for key in ("cost", "prefix_rewrites", "requests"):
            assert total["schedules"][name][key] == pytest.approx(sum(part[key] for part in parts))
    assert total["schedules"]["compaction"]["ratio_to_compaction"] == 1
    assert sum(part["share"] for part in total["read"].values()) == pytest.approx(1)
    assert [(Path(each["path"]).name, each["named"]) for each in found["refused"]] == [("notes.txt", False)]
    assert "no JSON object" in found["refused"][0]["reason"]


def test_a_refused_file_is_named_with_the_reason(run: Run, tmp_path: Path) -> None:
    """Given by name it makes the exit code 1; what can be replayed is replayed all the same."""
    (tmp_path / "odd\x1b[31m.json").write_text('{"weather": []}')
    os.mkfifo(tmp_path / "pipe")
    done = run(SAMPLE, tmp_path / "odd\x1b[31m.json", tmp_path / "pipe", tmp_path / "missing")
    assert done.returncode == 1
    assert "odd.json: not a transcript" in done.stderr
    assert "pipe: not a regular file" in done.stderr
    assert "missing: no such file" in done.stderr
    assert "\x1b" not in done.stderr
    assert "Total of 1 transcript" in done.stdout


def test_nothing_to_replay_is_exit_code_1(run: Run, tmp_path: Path) -> None:
    """With a line that says so, and nothing on stdout; as JSON an empty report."""
    (tmp_path / "empty").mkdir()
    done = run(tmp_path / "empty")
    assert (done.returncode, done.stdout) == (1, "")
    assert "nothing could be replayed" in done.stderr
    done = run("--json", tmp_path / "empty")
    assert (done.returncode, json.loads(done.stdout)["transcripts"]) == (1, [])


def test_an_unknown_kind_is_told_once(run: Run, tmp_path: Path) -> None:
    """However often and in however many files it occurs; the counts are in the report."""
    for name in ("one", "two"):
        (tmp_path / f"{name}.jsonl").write_bytes(session(2, {"type": "novelty"}, {"type": "novelty"}))
    done = run(tmp_path / "one.jsonl", tmp_path / "two.jsonl")
    assert done.returncode == 0
    assert done.stderr.count("novelty") == 1
    assert done.stdout.count("unknown: line type 'novelty' (2)") == 2


def test_a_file_reached_twice_is_replayed_once(run: Run, tmp_path: Path) -> None:
    """By its name, by its folder, by a link."""
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "one.jsonl").write_bytes(session(20))
    (tmp_path / "link").symlink_to("logs/one.jsonl")
    done = run(tmp_path / "logs", tmp_path / "logs" / "one.jsonl", tmp_path / "link", "--json")
    found = json.loads(done.stdout)
    assert len(found["transcripts"]) == 1
    assert found["notes"] == ["2 paths to a file already taken"]


def test_texts_are_never_markup(run: Run, tmp_path: Path) -> None:
    """A user's words in brackets stand in the cover as they are."""
    more = {"type": "user", "uuid": "u", "message": {"role": "user", "content": "next"}}
    (tmp_path / "one.jsonl").write_bytes(session(20, more))
    assert "[0] [bold]hi[/] -> ok" in run(tmp_path / "one.jsonl").stdout


def test_the_cover_is_cut_unless_all_is_asked_for(run: Run) -> None:
    """Twelve lines, or all of them."""
    address = re.compile(r"^ +\[\d+\] ", re.MULTILINE)
    assert len(address.findall(run(SAMPLE).stdout)) == 12
    assert len(address.findall(run(SAMPLE, "--cover", "all").stdout)) == 16


def test_the_options_reach_the_prices(run: Run) -> None:
    """Estimator, window and standing part, a number or measured."""
    plain = json.loads(run(SAMPLE, "--json").stdout)["transcripts"][0]
    other = json.loads(run(SAMPLE, "--json", "--tokens", "bytes4", "--window", "20000").stdout)["transcripts"][0]
    assert other["schedules"]["none"]["cost"] != plain["schedules"]["none"]["cost"]
    assert other["schedules"]["compaction"]["compactions"] > plain["schedules"]["compaction"]["compactions"]
    measured = json.loads(run(SAMPLE, "--json", "--standing", "measured").stdout)["transcripts"][0]
    assert measured["standing_from"] == "measured"
    assert 15_000 < measured["standing"] < 18_000


@pytest.mark.parametrize(
    "arguments",
    [
        ("--window", "0"),
        ("--window", "x"),
        ("--standing", "-1"),
        ("--standing", "lots"),
        ("--boundaries", "moon"),
        ("--schedules", "moon"),
        ("--schedules", ""),
        ("--nope",),
    ],
)
def test_usage_errors(run: Run, arguments: tuple[str, ...]) -> None:
    """One line on stderr, exit code 2."""
    done = run(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert re.fullmatch(r"foldcover: [^\n]+\n", done.stderr)


def test_schedules_are_chosen(run: Run) -> None:
    """By name, in the order that was asked for, or all; the ratio to compaction needs no row of it."""
    chosen = json.loads(run(SAMPLE, "--json", "--schedules", "rule, half").stdout)["total"]["schedules"]
    assert list(chosen) == ["rule", "half"]
    everything = json.loads(run(SAMPLE, "--json", "--schedules", "all").stdout)["total"]["schedules"]
    assert list(everything) == list(SCHEDULES)
    assert chosen["rule"] == everything["rule"]
    assert chosen["rule"]["ratio_to_compaction"] == pytest.approx(
        everything["rule"]["cost"] / everything["compaction"]["cost"]
    )


def test_no_room_is_one_note_and_no_loop(run: Run) -> None:
    """A standing part that fills the window alone."""
    done = run(SAMPLE, "--standing", "95000")
    assert done.returncode == 0
    assert done.stdout.count("no compaction can make room") + done.stdout.count("fills the window alone") >= 1
    assert done.stdout.count("note: ") <= 2


def test_a_reader_that_goes_away_is_no_error() -> None:
    """The pipe is closed before anything is written."""
    process = subprocess.Popen(
        [*COMMAND, "replay", str(SAMPLE)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0
    )
    assert process.stdout is not None
    process.stdout.close()
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, b"")


def test_a_terminal_of_another_encoding_shows_what_it_can(tmp_path: Path) -> None:
    """No character is fatal."""
    path = tmp_path / "one.jsonl"
    more = {"type": "user", "uuid": "u", "message": {"role": "user", "content": "caf\u00e9 \U0001f642"}}
    path.write_bytes(session(1, more, more))
    done = subprocess.run(
        [*COMMAND, "replay", str(path)],
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        check=True,
    )
    assert b"[1] caf? ?" in done.stdout


@pytest.mark.skipif(not FULL.exists(), reason="this system has no device that is always full")
def test_a_full_disk_is_one_line() -> None:
    """And exit code 2: not a word about what was asked."""
    with FULL.open("wb") as stream:
        done = subprocess.run([*COMMAND, "replay", str(SAMPLE)], stdout=stream, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 2
    assert re.fullmatch(rb"foldcover: [^\n]+\n", done.stderr)


@pytest.mark.parametrize("arguments", [["--help"], ["replay"], ["laws", "--units=0", "--closes=2", "--lives=0"]])
def test_streams_that_are_closed_are_no_failure(arguments: list[str]) -> None:
    """Nothing to write to is no reason for another exit code."""
    foldcover = Path(sys.executable).with_name("foldcover")
    words = " ".join([str(foldcover), *arguments, *([str(SAMPLE)] if arguments == ["replay"] else [])])
    assert subprocess.run(f"{words} >&- 2>&-", shell=True, check=False).returncode == 0


def test_help_imports_none_of_the_rooms() -> None:
    """Neither click nor a subcommand nor what they need."""
    code = (
        "import sys; sys.argv[1:] = ['--help']\n"
        "import atexit; atexit.register(lambda: print(sorted(sys.modules), file=sys.stderr))\n"
        "from foldcover_harness.cli import main; main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert not {"click", "rich", "msgspec", "foldcover", "foldcover_laws", "foldcover_mutants"} & set(eval(done.stderr))
    for command in ("replay", "laws", "mutants"):
        assert re.search(rf"^  {command} ", done.stdout, re.MULTILINE)


@pytest.mark.parametrize(("arguments", "code"), [(["--version"], 0), ([], 2), (["nonsense"], 2), (["replay", "-h"], 0)])
def test_the_group(arguments: list[str], code: int) -> None:
    """Version, help without arguments, an unknown command, a command's help."""
    done = subprocess.run([*COMMAND, *arguments], capture_output=True, check=False, text=True)
    assert done.returncode == code
    assert (done.stdout + done.stderr).strip()
    assert "Traceback" not in done.stderr
