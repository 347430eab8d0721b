"""foldcover session on the command line: what it shows, its exit codes, one line for what goes wrong."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from click.testing import CliRunner

import foldcover_harness
from foldcover_harness.session import Session
from foldcover_harness.session.checking import exact, original
from foldcover_harness.session.commands import session as cli
from foldcover_harness.session.importing import read
from foldcover_harness.session.place import JOURNAL

from .scripted import WIRE_NAMES, created, reads, result, says, turn, user

SAMPLE = Path(foldcover_harness.__file__).parent / "samples" / "tidetable.jsonl"
COMMANDS = ("import", "show", "card", "zoom", "search", "export", "doctor")


class Ran(NamedTuple):
    """What a command came to."""

    code: int
    out: str
    err: str


def run(*arguments: object) -> Ran:
    """Run a subcommand of `foldcover session` within this process."""
    done = CliRunner().invoke(cli, [str(each) for each in arguments])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return Ran(done.exit_code, done.stdout, done.stderr)


def started(*arguments: object) -> Ran:
    """Run `foldcover` as a process."""
    environment = {**os.environ, "COLUMNS": "80", "LC_ALL": "C.UTF-8", "NO_COLOR": "1"}
    command = [sys.executable, "-c", "from foldcover_harness.cli import main; main()", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    return Ran(done.returncode, done.stdout, done.stderr)


@pytest.fixture(name="folder", scope="module")
def _folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bundled transcript, imported."""
    folder = tmp_path_factory.mktemp("cli") / "work"
    done = run("import", SAMPLE, "--dir", folder)
    assert done.code == 0, done
    assert re.search(r"\d+ turns, \d+ of them folded; [\d,]+ tokens\nleft out: ", done.out)
    return folder


def test_import_and_export(folder: Path) -> None:
    """What the transcript holds comes out again, byte for byte, one line a message."""
    done = run("export", folder)
    taken = [exact(message) for _, message in read(SAMPLE).messages]
    assert done.code == 0
    assert [line for line in done.out.split("\n") if line] == taken


def test_show(folder: Path) -> None:
    """Ruler, cover, tail, tokens; as JSON the same."""
    done = run("show", folder)
    first, *lines = done.out.rstrip("\n").split("\n")
    with Session.open(folder, read_only=True) as session:
        assert first.startswith(f"{len(session.state.units)} units, {len(session.cover())} lines")
        assert lines[: len(session.cover())] == session.cover()
    assert re.fullmatch(r"[\d,]+ tokens: standing [\d,]+, cover [\d,]+, tail [\d,]+", lines[-1])
    assert "\x1b" not in done.out
    facts = json.loads(run("show", folder, "--json").out)
    assert facts["cover"] == lines[: len(facts["cover"])]
    assert sum(size for _, size in facts["blocks"]) == facts["units"]
    assert set(facts["counters"]) == {"read_backs", "repeated", "reopened"}


def test_zoom_and_search_and_card(folder: Path) -> None:
    """Titles of a range, places of a text, the card or a word that there is none."""
    zoomed = run("zoom", folder, 0, 1)
    assert zoomed.code == 0
    assert [line.partition(":")[0] for line in zoomed.out.splitlines()] == ["0", "1"]
    needle = next(word for word in re.findall(r"[a-z_]{7,}", json.dumps(read(SAMPLE).messages[0][1])))
    found = run("search", folder, needle)
    assert found.code == 0
    where, _, line = next(hit for hit in found.out.splitlines() if "archives/" in hit).partition(":")
    assert needle.lower() in (folder / where).read_text().split("\n")[int(line.partition(":")[0]) - 1].lower()
    assert run("search", folder, "no such text anywhere").code == 1
    assert "no card is due" in run("card", folder).out
    assert run("doctor", folder).code == 0


def test_doctor_names_damage(tmp_path: Path) -> None:
    """Exit code 1, the file and the turns; as JSON too."""
    with created(tmp_path) as session:
        turn(session, "task", [reads("c")])
        session.user(user("now"))
        session.fold(0, 0)
        archive = tmp_path / "archives" / session.state.units[0].archive
    assert json.loads(run("doctor", tmp_path, "--json").out)["operations_judged"] > 0
    archive.write_text("nothing")
    done = run("doctor", tmp_path)
    assert done.code == 1
    assert archive.name in done.out
    assert "1 troubles" in done.out
    assert archive.name in json.loads(run("doctor", tmp_path, "--json").out)["troubles"][0]


def test_help_says_what_it_is_in_eighty_columns() -> None:
    """Every command's help, as a process."""
    for command in ("", *COMMANDS):
        done = started("session", *([command] if command else []), "--help")
        assert (done.code, done.err) == (0, "")
        assert max(map(len, done.out.splitlines())) <= 80, command
        assert len(done.out.splitlines()) > 4
    assert all(command in started("session", "--help").out for command in COMMANDS)


@pytest.mark.parametrize("command", [c for c in COMMANDS if c != "import"])
def test_no_session_there(tmp_path: Path, command: str) -> None:
    """A folder without one, no folder, a file: exit code 2 and one line of error."""
    (tmp_path / "file").write_text("x")
    options: dict[str, list[object]] = {"zoom": [0, 1], "search": ["x"]}
    more = options.get(command, [])
    for where in (tmp_path, tmp_path / "nowhere", tmp_path / "file"):
        done = started("session", command, where, *more)
        _one_line(done)
        assert not (tmp_path / JOURNAL).exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file"]


def _one_line(done: Ran) -> None:
    assert done.code == 2, done
    assert done.out == ""
    assert "Traceback" not in done.err
    said = [line for line in done.err.splitlines() if line and not line.startswith(("Usage:", "Try "))]
    assert len(said) == 1, done.err


def test_what_cannot_be_imported(tmp_path: Path) -> None:
    """No transcript, a folder, nothing there, a target that is a file, holds a session, or lies nowhere."""
    (tmp_path / "text").write_text("hello")
    (tmp_path / "empty").write_bytes(b"")
    (tmp_path / "bytes").write_bytes(bytes(range(256)))
    (tmp_path / "list.json").write_text("[1, 2]")
    (tmp_path / "other.json").write_text('[{"role": "user", "parts": [{"text": "x"}]}]')
    (tmp_path / "full").mkdir()
    created(tmp_path / "full").close()
    for name in ("text", "empty", "bytes", "list.json", "other.json", "full", "nowhere"):
        _one_line(started("session", "import", tmp_path / name, "--dir", tmp_path / "new"))
        assert not (tmp_path / "new").exists(), name
    for target in ("full", "text", "nowhere/deep"):
        _one_line(started("session", "import", SAMPLE, "--dir", tmp_path / target))
    _one_line(started("session", "import", SAMPLE, "--dir", tmp_path / "new", "--window", "0"))
    _one_line(started("session", "zoom", tmp_path / "full", 0, 3))
    _one_line(started("session", "smoke"))


def test_a_damaged_session_is_one_line(tmp_path: Path) -> None:
    """What stands before the damage is exported; then the line is named."""
    with created(tmp_path) as session:
        turn(session, "task")
    (tmp_path / JOURNAL).write_bytes((tmp_path / JOURNAL).read_bytes() + b"broken\n" + b'{"e":"usage","tokens":1}\n')
    for command in ("show", "card"):
        _one_line(started("session", command, tmp_path))
    done = started("session", "export", tmp_path)
    assert (done.code, len(done.out.splitlines())) == (2, 2)
    assert "line 4" in done.err
    done = started("session", "doctor", tmp_path)
    assert done.code == 1
    assert "line 4" in done.out


@pytest.mark.parametrize("wire", WIRE_NAMES)
def test_what_is_shown_cannot_drive_a_terminal(tmp_path: Path, wire: str) -> None:
    """Escapes and lone surrogates in the user's words: shown as text, never as they are."""
    hostile = "\x1b[2J\x1b]0;x\x07 \ud83d \u202e red"
    with created(tmp_path, wire, card_calls=1) as session:
        turn(session, hostile, [reads("c", hostile)], hostile)
        session.user(user(hostile))
        session.fold(0, 0)
    for arguments in (["show"], ["card"], ["show", "--json"], ["search"], ["zoom"], ["export"]):
        command, *options = arguments
        needed: dict[str, list[object]] = {"search": ["red"], "zoom": [0, 0]}
        more = needed.get(command, [])
        done = started("session", command, tmp_path, *options, *more)
        assert done.code in (0, 1, 2)
        assert "Traceback" not in done.err
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u202e]", done.out), arguments


def test_import_speaks_every_wire(tmp_path: Path) -> None:
    """Claude Code, a Codex rollout, lists of Anthropic and of OpenAI messages, JSON lines with odd line ends."""
    call = {"id": "c", "type": "function", "function": {"name": "read", "arguments": "{}"}}
    chat = [
        {"role": "system", "content": "be brief"},
        user("do it \u2028 now"),
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": "fine"},
        says("chat", "Done."),
        user("next"),
    ]
    items = [user("do it"), {"type": "function_call", "call_id": "c", "name": "read", "arguments": "{}"}]
    items += [{"type": "function_call_output", "call_id": "c", "output": "fine"}, {"type": "message", **user("next")}]
    items[0] = {"type": "message", **items[0]}
    lines = [{"type": "response_item", "payload": item} for item in items]
    made = says("anthropic", "", reads("c"))
    plain = [user("do it"), made, result("anthropic", "c", "fine"), says("anthropic", "Done."), user("next")]
    sources = {
        "chat": json.dumps({"messages": chat}, ensure_ascii=False),
        "chat-lines": "\n".join(json.dumps(each, ensure_ascii=False) for each in chat),
        "responses": "\n".join(json.dumps(line) for line in lines),
        "anthropic": json.dumps(plain),
    }
    expected = {"chat": chat[1:], "chat-lines": chat[1:], "anthropic": plain}
    for name, source in sources.items():
        (tmp_path / f"{name}.json").write_text(source)
        done = run("import", tmp_path / f"{name}.json", "--dir", tmp_path / name)
        assert done.code == 0, done
        assert "2 turns, 1 of them folded" in done.out
        if name in expected:
            assert list(original(tmp_path / name, JOURNAL)) == expected[name]
        with Session.open(tmp_path / name, read_only=True) as session:
            assert session.state.wire.name == name.partition("-")[0]
            assert session.state.wire.problems(session.request()) == []


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    """One line with the folder and what the system says."""
    done = run("import", SAMPLE, "--dir", tmp_path / "none" / "work")
    assert done.code == 2
    assert "none/work: No such file or directory" in done.err
