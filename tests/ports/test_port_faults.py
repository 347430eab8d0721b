"""Whatever a stranger's program does: one line that says what, an exit code, and no process left behind."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from xml.etree import ElementTree

import pytest

FAULTY = Path(__file__).with_name("faulty.py")
FOLDCOVER = str(Path(sys.executable).with_name("foldcover"))
QUICK = ["--units=0", "--closes=1", "--stride=500", "--lives=0", "--short=0"]

FAULTS = [
    ("no json", 2, "no JSON: close: done"),
    ("no object", 2, "no JSON object: [1, 2]"),
    ("no utf-8", 2, "no UTF-8"),
    ("nul", 2, r"no JSON: \x00"),
    ("twice a key", 2, "a key that occurs twice"),
    ("nan", 2, "NaN, which is no JSON"),
    ("a float", 2, 'no tree: {"leaf":1.0}'),
    ("an exponent", 2, 'no tree: {"leaf":1000.0}'),
    ("a bool", 2, 'no tree: {"leaf":true}'),
    ("a bomb", 2, "nested without end"),
    ("a huge number", 2, "a number too long, of more than 1,000 digits: 999"),
    ("wrong id", 2, "an answer with id 12, not 5"),
    ("no id", 2, 'no id: {"number":1'),
    ("id in quotes", 2, 'id is no integer: "5"'),
    ("wrong shape", 2, "view is no list of trees"),
    ("no view", 2, "view is no list of trees: null"),
    ("two answers", 2, "that nobody asked for came: |an answer with id 5, not 6"),
    ("exit 3", 2, "ended with exit code 3; its stderr ends: one / two / panic: no memory left"),
    ("killed", 2, "ended by signal SIGSEGV"),
    ("cut", 2, "ended with exit code 0 in the middle of a line"),
    ("flood", 2, "an answer of more than 16,777,216 bytes: xxx"),
    ("flood of lines", 2, "no JSON: x"),
    ("closes stdout", 2, "the program closed its stdout and lives on"),
    ("closes stdin", 2, "no answer: the program closed its stdin and lives on"),
    ("real-time signal", 2, "ended by signal 37"),
    ("daemon dies", 2, "no answer within 0.5 s: the program ended with exit code 0, and what it left behind lives on"),
    ("hangs", 3, "no answer within 0.5 s"),
]


def command(kind: str, pids: Path, *flags: str) -> list[str]:
    """Foldcover laws on the port that misbehaves in this way."""
    return [FOLDCOVER, "laws", "--port", f"{sys.executable} {FAULTY} '{kind}' {pids}", *QUICK, *flags]


def laws(kind: str, pids: Path, *flags: str) -> subprocess.CompletedProcess[str]:
    """Run it to its end."""
    return subprocess.run(command(kind, pids, *flags), capture_output=True, text=True, check=False)


def alive(pids: Path) -> list[int]:
    """The port and its child, as far as they live; a dead process that nobody reaped does not."""
    found: list[int] = []
    for number in map(int, pids.read_text().split()):
        try:
            os.kill(number, 0)
            state = Path(f"/proc/{number}/stat")
            if not state.exists() or state.read_text().rpartition(")")[2].split()[0] != "Z":
                found.append(number)
        except (ProcessLookupError, FileNotFoundError):
            pass
    return found


def gone(pids: Path) -> bool:
    """Whether all have ended; the system may take a moment over a kill."""
    for _ in range(100):
        if not alive(pids):
            return True
        time.sleep(0.02)
    return False


@pytest.mark.parametrize(("kind", "code", "words"), FAULTS, ids=[kind for kind, _, _ in FAULTS])
def test_a_fault_in_mid_run_is_named_with_its_request(kind: str, code: int, words: str, tmp_path: Path) -> None:
    """The last line names request 5, its operation and what came; nothing holds after it; no process is left."""
    pids = tmp_path / "pids"
    done = laws(kind, pids, "--timeout=0.5" if code == 3 or "0.5 s" in words else "--timeout=10")
    last = done.stdout.splitlines()[-1]
    assert done.returncode == code
    assert last.startswith(("cut short, request 5 (close): ", "cut short, request 6 ("))
    assert any(word in last for word in words.split("|"))
    assert " holds " not in done.stdout
    assert "every call was answered" not in done.stdout
    assert '{"id":5,"op":"close","weight":' in done.stdout
    assert "undecided" in done.stdout
    assert done.stderr == ""
    assert gone(pids)


@pytest.mark.parametrize(
    ("kind", "code", "words"),
    [
        ("deaf", 3, "request 1 (hello): no answer within 3 s"),
        ("greets wrongly", 2, "request 1 (hello): hello needs a name"),
        ("ignores bye", 3, "(bye): the program did not end within 3 s"),
        ("speaks after bye", 2, "(bye): something that nobody asked for came: goodbye"),
        ("answers bye", 2, "(bye): something that nobody asked for came: {"),
        ("leaves with 4", 2, "(bye): the program ended with exit code 4"),
    ],
)
def test_a_fault_at_the_beginning_or_the_end(kind: str, code: int, words: str, tmp_path: Path) -> None:
    """Hello and bye are part of the protocol."""
    done = laws(kind, tmp_path / "pids", "--timeout=3")
    assert done.returncode == code
    assert words in done.stdout.splitlines()[-1]
    assert gone(tmp_path / "pids")


@pytest.mark.parametrize(
    ("port", "words"),
    [
        ("/no/such/program", "cannot be started: no such program: /no/such/program"),
        ("", "cannot be started: in CMD: no command"),
        ("'", "cannot be started: in CMD: no closing quotation"),
        ("true", "request 1 (hello): no answer: the program ended with exit code 0"),
        (
            f"{sys.executable} -c 'raise SystemExit(\"no such model\")'",
            "with exit code 1; its stderr ends: no such model",
        ),
        ("cat", "request 1 (hello): hello needs a name"),
        ("yes", "request 1 (hello): no JSON: y"),
    ],
)
def test_what_cannot_be_run_is_exit_code_two(port: str, words: str) -> None:
    """It does not start, ends at once, or is no port."""
    done = subprocess.run([FOLDCOVER, "laws", "--port", port, *QUICK], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert words in done.stdout.splitlines()[-1]


def test_much_stderr_blocks_nothing(tmp_path: Path) -> None:
    """More than a pipe holds, at every request."""
    done = laws("much stderr", tmp_path / "pids")
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("kind", ["leaves a child on stdout", "ends with its stdin"])
def test_the_end_is_that_of_the_program_itself(kind: str, tmp_path: Path) -> None:
    """Whoever holds its stdout; and its stdin is closed after bye, for whatever only waits for that."""
    started = time.monotonic()
    done = laws(kind, tmp_path / "pids", "--timeout=60")
    assert done.returncode == 0, done.stdout
    assert time.monotonic() - started < 40
    assert gone(tmp_path / "pids")


def test_a_child_left_behind_after_a_proper_bye_is_ended(tmp_path: Path) -> None:
    """The port is right and says bye; its child sleeps on."""
    done = laws("right", tmp_path / "pids")
    assert done.returncode == 0, done.stdout
    assert gone(tmp_path / "pids")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_to_us_ends_the_port_too(number: signal.Signals, tmp_path: Path) -> None:
    """In mid-run, while we wait for an answer."""
    pids = tmp_path / "pids"
    quiet = subprocess.DEVNULL
    process = subprocess.Popen(command("hangs", pids, "--timeout=60"), stdout=quiet, stderr=quiet)
    for _ in range(500):
        if pids.exists() and pids.read_text():
            break
        time.sleep(0.02)
    assert alive(pids)
    process.send_signal(number)
    assert process.wait() == (130 if number == signal.SIGINT else 128 + number)
    assert gone(pids)


def test_a_law_found_broken_before_the_fault_is_exit_code_one(tmp_path: Path) -> None:
    """Both are told."""
    script = tmp_path / "forgets.py"
    script.write_text(
        "import json, sys\n"
        "for line in sys.stdin:\n"
        "    asked = json.loads(line)\n"
        "    if asked['id'] == 9: sys.exit(5)\n"
        "    more = {'merged': [], 'outcome': 'fits', 'name': 'forgets', 'load': False, 'wanted': False}\n"
        "    print(json.dumps({'id': asked['id'], 'view': [], **more}), flush=True)\n"
    )
    port = f"{sys.executable} {script}"
    junit = tmp_path / "out.xml"
    arguments = [FOLDCOVER, "laws", "--port", port, "--json", f"--junit={junit}", *QUICK]
    done = subprocess.run(arguments, capture_output=True, text=True, check=False)
    report = json.loads(done.stdout)
    assert done.returncode == report["exit_code"] == 1
    verdicts = {law["slug"]: law["verdict"] for law in report["laws"]}
    assert verdicts["covers_close"] == "broken"
    assert "holds" not in verdicts.values()
    assert verdicts["asks"] == "not judged"
    assert "request 9" in report["fault"]
    assert "exit code 5" in report["fault"]
    assert report["subject"] == "forgets"
    suite = ElementTree.parse(junit).getroot()
    passed = [case.attrib["name"] for case in suite.iter("testcase") if len(case) == 0]
    assert passed == []
