"""The JavaScript binding: its own tests, its types, its build, and its port beside the Python core."""

import http.server
import importlib.util
import json
import os
import random
import re
import shutil
import subprocess
import sys
import threading
import tomllib
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from types import ModuleType

import pytest

import foldcover as fc
from foldcover import Block
from foldcover_laws import domain, views, wire
from foldcover_laws.messages import (
    BYE,
    HELLO,
    RANKS,
    RESET,
    Answer,
    Budgeted,
    Close,
    Greeting,
    Listed,
    Load,
    Refusal,
    Request,
    Shown,
    Write,
    Zoom,
)
from foldcover_laws.reading import Reading

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "bindings" / "js"
TYPESCRIPT = "typescript@5.9.3"


def tool(name: str) -> str:
    """A program that must be there."""
    program = shutil.which(name)
    if program is None:
        pytest.fail(f"{name} is missing: install Node.js 18 or newer, with npm, to test bindings/js", pytrace=False)
    return program


def run(*command: str, folder: Path = PACKAGE, line: bytes = b"") -> subprocess.CompletedProcess[str]:
    """What a command says."""
    done = subprocess.run(command, cwd=folder, input=line, capture_output=True, check=False, timeout=300)
    return subprocess.CompletedProcess(command, done.returncode, done.stdout.decode(), done.stderr.decode())


def build_script() -> ModuleType:
    """bindings/js/build.py, which is no part of a package."""
    spec = importlib.util.spec_from_file_location("foldcover_js_build", PACKAGE / "build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Port:
    """The port, running. Its answers are read as the laws read them."""

    def __init__(self) -> None:
        pipe = subprocess.PIPE
        self.process = subprocess.Popen([tool("node"), str(PACKAGE / "port.mjs")], stdin=pipe, stdout=pipe)
        self.asked = 0

    def ask(self, *requests: Request) -> Answer:
        """The answer for the last of some requests, which are sent at once."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        first = self.asked + 1
        lines = [wire.request_text(number, request) for number, request in enumerate(requests, first)]
        self.process.stdin.write("".join(f"{line}\n" for line in lines).encode())
        self.process.stdin.flush()
        self.asked += len(requests)
        found = [wire.parse(self.process.stdout.readline()) for _ in requests]
        assert [wire.id_of(each) for each in found] == [*range(first, self.asked + 1)]
        return wire.read_answer(found[-1], requests[-1])

    def end(self, line: bytes) -> int:
        """Say the last line; the exit code."""
        self.process.communicate(line, timeout=20)
        return self.process.returncode


@pytest.fixture
def port() -> Iterator[Port]:
    """The port, running; it must end well."""
    running = Port()
    try:
        yield running
        assert running.end(wire.request_text(0, BYE).encode() + b"\n") == 0
    finally:
        running.process.kill()


def test_its_own_tests_pass() -> None:
    """With node's own runner; each of them ran."""
    done = run(tool("node"), "--expose-gc", "--test", "--test-reporter=tap")
    assert done.returncode == 0, done.stdout + done.stderr
    counts = dict(re.findall(r"^# (pass|fail|skipped|cancelled|todo) (\d+)$", done.stdout, re.MULTILINE))
    assert int(counts.pop("pass")) >= 30
    assert {*counts.values()} == {"0"}


def test_the_readme_prints_what_it_says() -> None:
    """Its example, run as a user of the package would."""
    readme = (PACKAGE / "README.md").read_text("utf-8")
    found = re.search(r"```js\n(.*?)```\n\nIt prints\n\n```\n(.*?)```", readme, re.DOTALL)
    assert found is not None
    done = run(tool("node"), "--input-type=module", "--eval", found[1])
    assert (done.stdout, done.stderr) == (found[2], "")


def test_the_types_fit_their_use(tmp_path: Path) -> None:
    """What must compile does, under strict and without the types of browsers and node; what must not does not."""
    place = os.environ.get("FOLDCOVER_TYPESCRIPT", str(tmp_path))
    compiler = Path(place) / "node_modules" / "typescript" / "bin" / "tsc"
    if not compiler.exists():
        quiet = ("--silent", "--no-audit", "--no-fund", "--no-save")
        done = run(tool("npm"), "install", *quiet, "--prefix", place, TYPESCRIPT)
        assert done.returncode == 0, f"npm cannot install {TYPESCRIPT}: {done.stderr}"
    done = run(tool("node"), str(compiler), "--project", "types", "--listFilesOnly")
    assert {"foldcover.d.ts", "used.ts", "refused.ts"} <= {Path(name).name for name in done.stdout.split()}
    done = run(tool("node"), str(compiler), "--project", "types")
    assert done.returncode == 0, done.stdout


def test_the_package_is_whole_and_needs_nothing() -> None:
    """Every file that the module imports or loads is packed, and nothing else is asked for."""
    package = json.loads((PACKAGE / "package.json").read_text("utf-8"))
    assert not package.keys() & {"dependencies", "peerDependencies", "optionalDependencies"}
    assert package["private"] is True
    done = run(tool("npm"), "pack", "--dry-run", "--json")
    packed = {each["path"] for each in json.loads(done.stdout)[0]["files"]}
    assert packed == {*package["files"], "package.json", "README.md"}
    sources = "".join((PACKAGE / name).read_text("utf-8") for name in packed if name.endswith((".mjs", ".ts")))
    named = {Path(name).name for name in re.findall(r'"\./([\w./]+)"', sources)}
    assert named == packed - {"package.json", "README.md", "foldcover.d.ts", "port.mjs"}
    version = tomllib.loads((ROOT / "bindings" / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    assert package["version"] == version


def test_the_module_is_what_the_sources_compile_to() -> None:
    """The note fits the sources; with the compiler that made the module the bytes are the same again."""
    build = build_script()
    assert build.faults() == []
    noted = json.loads(build.NOTE.read_text("utf-8"))["ziglang"]
    if build.compiler() != noted:
        pytest.skip(
            f"only the sources were compared: the bytes are those of ziglang {noted}, here is {build.compiler()}"
        )


def test_a_module_that_is_stale_is_found_out(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Other bytes, another note and another source each are a fault, whatever compiler is there."""
    build = build_script()
    wasm, note = tmp_path / "foldcover.wasm", tmp_path / "foldcover.wasm.json"
    good = build.WASM.read_bytes()
    noted = build.note(good, build.compiler())
    monkeypatch.setattr(build, "WASM", wasm)
    monkeypatch.setattr(build, "NOTE", note)
    monkeypatch.setattr(build, "compiled", lambda: good)
    for bytes_now, note_now, faults in (
        (good, noted, 0),
        (good + b"\0", noted, 1),
        (good, noted | {"bytes": 1}, 1),
        (good, noted | {"sources": noted["sources"] | {"memory.c": "0"}}, 1),
        (good + b"\0", build.note(good + b"\0", build.compiler()), 1),
    ):
        wasm.write_bytes(bytes_now)
        note.write_text(json.dumps(note_now), "utf-8")
        assert len(build.faults()) == faults


def test_the_build_needs_its_compiler(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Without ziglang it says what to install."""
    build = build_script()
    monkeypatch.setattr(build, "compiler", lambda: None)
    monkeypatch.setattr(sys, "argv", ["build.py"])
    assert build.main() == 2
    assert "pip install ziglang" in capsys.readouterr().err


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves the package and says nothing."""

    def log_message(self, format: str, *args: object) -> None:
        """Nothing."""


@pytest.mark.skipif(not shutil.which("chromium"), reason="chromium is not installed: not tried in a browser")
def test_it_runs_in_a_browser(tmp_path: Path) -> None:
    """The page that checks the module, served over HTTP, says that all held."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(PACKAGE))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        page = f"http://127.0.0.1:{server.server_address[1]}/test/browser.html"
        headless = ("--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=20000")
        try:
            done = run(tool("chromium"), *headless, f"--user-data-dir={tmp_path}", "--dump-dom", page)
        finally:
            server.shutdown()
    said = re.search(r'<pre id="verdict">(.*?)</pre>', done.stdout)
    assert said is not None, done.stderr
    assert said[1] == "held: the worked example, growth of the memory, save and load"


def test_the_port_introduces_itself(port: Port) -> None:
    """It loads views and answers wanted."""
    assert port.ask(HELLO) == Greeting("foldcover for JavaScript", True, True)


def compare(port: Port, view: fc.View, budgets: Iterable[int], blocks: Iterable[Block]) -> None:
    """Every operation on a view, in both ranks."""
    load = Load(view)
    assert port.ask(load) == Shown(view)
    assert port.ask(load, Close(3)) == Shown(fc.close(view, 3))
    for block in blocks:
        assert port.ask(load, Write(block, 5)) == Shown(fc.write(view, block, 5))
        assert port.ask(load, Zoom(block)) == Listed(fc.zoom(view, block))
    for rank in RANKS.values():
        for budget in budgets:
            assert port.ask(load, Budgeted("wanted", budget, rank)) == Listed(fc.wanted(view, budget, rank))
            assert port.ask(load, Budgeted("settle", budget, rank)) == fc.settle(view, budget, rank)


def test_every_aligned_view_of_up_to_seven_units_is_treated_as_by_the_core(port: Port) -> None:
    """With every budget and every aligned block, and some blocks that are none."""
    compared = 0
    for total in range(8):
        blocks = [Block(start, 1 << bit) for bit in range(4) for start in range(0, total + 1, 1 << bit)]
        for view in views.aligned_views(total):
            compare(port, view, range(-2, fc.lines(view) + 1), (*blocks, Block(-1, 2), Block(1, 2), Block(0, 0)))
            compared += 1
    assert compared == 160


def test_views_of_eight_units_with_uneven_weights_are_treated_as_by_the_core(port: Port) -> None:
    """All of them, each with a budget of its own."""
    found = [views.reweighed(even, (3, 1, 4, 1, 5, 9, 2, 6, 0)) for even in views.aligned_views(8)]
    for number, view in enumerate(found):
        compare(port, view, [number % 30 - 2], ())
    assert len(found) == 723


def test_of_other_views_the_aligned_are_treated_as_by_the_core_and_the_rest_refused(port: Port) -> None:
    """Any nesting and order, and numbers up to 2^53 - 1. A refused view leaves what was there."""
    every = (*views.malformed_views(3), *views.HAND_MADE, *views.LARGE, (views.comb(200, 1),))
    inside = [view for view in every if domain.extent(view) is not None]
    before = (fc.Leaf(7),)
    refused = [view for view in inside if isinstance(port.ask(Load(before), Load(view)), Refusal)]
    for view in refused:
        assert not Reading(view).is_aligned()
        assert port.ask(Load(before), Load(view), Write(Block(0, 1), 1)) == Shown(before)
    taken = [view for view in inside if view not in refused]
    for view in taken:
        compare(port, view, (-1, 0, 1, 2, 5, domain.MOST), [Block(0, 2)])
    assert len(taken) > 10
    assert len(refused) > 100


@pytest.mark.parametrize("rank", RANKS.values(), ids=RANKS)
def test_random_histories_go_as_with_the_core(port: Port, rank: fc.Rank) -> None:
    """Closes, writes and settles in any order, with weights of either sign, view by view."""
    for seed in range(8):
        dice, view = random.Random(seed), fc.EMPTY
        port.ask(RESET)
        for _ in range(250):
            view = step(port, dice, view, rank)
        assert fc.units(view) > 50


def step(port: Port, dice: random.Random, view: fc.View, rank: fc.Rank) -> fc.View:
    """One operation, compared; the view after it."""
    weight, budget = dice.randint(-1, 9), dice.choice((-1, 0, 8, 30, 100, 10**6))
    match dice.randrange(6):
        case 0 | 1 | 2:
            view = fc.close(view, weight)
            assert port.ask(Close(weight)) == Shown(view)
        case 3:
            asked = fc.wanted(view, budget, rank)
            assert port.ask(Budgeted("wanted", budget, rank)) == Listed(asked)
            for block in asked[: dice.randrange(8)]:
                view = fc.write(view, block, weight)
                assert port.ask(Write(block, weight)) == Shown(view)
        case 4:
            settled = fc.settle(view, budget, rank)
            assert port.ask(Budgeted("settle", budget, rank)) == settled
            view = settled.view
        case _:
            block = Block(dice.randint(-1, fc.units(view) + 1), dice.randint(-1, 9))
            assert port.ask(Zoom(block)) == Listed(fc.zoom(view, block))
    return view


def wide(bits: int) -> fc.View:
    """The aligned view of 2**bits units, all of them shown."""
    trees: list[fc.Tree] = [fc.Leaf(1 + number % 7) for number in range(1 << bits)]
    while len(trees) > 1:
        trees = [fc.Split(*halves, None) for halves in zip(trees[::2], trees[1::2], strict=True)]
    return tuple(trees)


def test_a_line_of_megabytes_is_read_and_answered(port: Port) -> None:
    """A hundred thousand leaves, in a request that comes in many pieces."""
    view = wide(17)
    assert port.ask(Load(view)) == Shown(view)


def test_a_request_that_cannot_be_performed_is_answered(port: Port) -> None:
    """With an error, and nothing has changed."""
    port.ask(Close(7))
    for request in (Close(1 << 53), Load((fc.Merged(0),)), Write(Block(0, 1), 1 << 60), Zoom(Block(-(1 << 53), 1))):
        assert isinstance(port.ask(request), Refusal)
    assert port.ask(Close(1)) == Shown((fc.Split(fc.Leaf(7), fc.Leaf(1)),))


@pytest.mark.parametrize("more", ["", ',"op":"fold"', ',"op":"toString"', ',"op":1', ',"op":"close"', ',"op":"settle"'])
def test_a_request_without_its_parts_is_an_error(more: str) -> None:
    """No default is made up; what follows is answered. Other line separators are part of a line."""
    lines = f'{{"id":5{more}}}\n{{"id":6,"op":"reset","why":"\u2028"}}\r\n{{"id":7,"op":"bye"}}\n'
    done = run(tool("node"), "port.mjs", line=lines.encode())
    first, second = (json.loads(line) for line in done.stdout.split("\n")[:2])
    assert first.keys() == {"id", "error"}
    assert (first["id"], second, done.returncode) == (5, {"id": 6, "view": []}, 0)


@pytest.mark.parametrize("line", [b"", b"garbage", b"[1]", b"{}", b'{"id":"1"}', b"\xff", b"[" * 100_000, b"null"])
def test_a_line_that_is_no_request_ends_the_port_with_a_message(line: bytes) -> None:
    """Exit code 2, and one line that says why."""
    done = run(tool("node"), "port.mjs", line=line + b"\n")
    assert (done.returncode, done.stdout) == (2, "")
    assert re.fullmatch(r"port\.mjs: a line is no request with an id: .{2,80}\n", done.stderr)


def test_the_port_survives_a_reader_that_is_gone() -> None:
    """A closed pipe is a message and exit code 2."""
    reading, writing = os.pipe()
    os.close(reading)
    line = b'{"id":1,"op":"hello"}\n'
    program = [tool("node"), str(PACKAGE / "port.mjs")]
    done = subprocess.run(program, input=line, stdout=writing, stderr=subprocess.PIPE, check=False, timeout=20)
    os.close(writing)
    assert done.returncode == 2
    assert re.fullmatch(rb"port\.mjs: [^\n]+\n", done.stderr)
