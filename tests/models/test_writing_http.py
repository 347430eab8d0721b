"""The measurements that ask a model, from the command line to a server and back."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from ..measure.made import transcript
from .asked import NAMES, WIRES
from .server import Fail, Reply, Server

FOLDCOVER = str(Path(sys.executable).with_name("foldcover"))
NEEDS = ("openai", "bm25s", "numpy")
pytestmark = pytest.mark.skipif(
    any(find_spec(name) is None for name in NEEDS), reason=f"needs {', '.join(NEEDS)}: pip install 'foldcover[test]'"
)


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run a measurement."""
    return subprocess.run(
        [FOLDCOVER, "measure", *map(str, arguments)], capture_output=True, text=True, check=False, env=dict(os.environ)
    )


def said(body: dict[str, Any]) -> tuple[str, str]:
    """What the server was asked: the recipe, and the words."""
    system, user = body["messages"]
    return system["content"], user["content"]


def test_a_model_writes_and_reads_in_found_rate(tmp_path: Path) -> None:
    """The writer sees titles, the reader lines and a question; the figures are those of its answers."""
    path = transcript(tmp_path, range(32))

    def play(body: dict[str, Any]) -> Reply:
        system, words = said(body)
        if "one line of an index" in system:
            names = re.findall(r"Done with (\w+)", words)
            return "Line: " + (" ".join(names) or words.splitlines()[1])
        _, _, question = words.partition("<question>\n")
        asked = set(re.findall(r"[a-z]{4,}", question.lower()))
        lines = words.partition("\n</lines>")[0].splitlines()[1:]
        best = max(lines, key=lambda line: len(asked & set(line.lower().split())))
        return best.partition(":")[0]

    with Server("chat", play) as server:
        done = run(
            *("found-rate", "--writer", "model:m", "--reader", "model:m", "--base-url", server.url),
            *("--against", "none", "--questions", "4", "--only", "ages", "--json", path),
        )
    assert (done.returncode, done.stderr, server.problems) == (0, "", [])
    found = json.loads(done.stdout)
    assert found["failures"] == {}
    assert found["lines_missing"] == 0
    assert found["settings"]["writer"] == "model:m"
    asked = [said(body)[0] for body in server.bodies]
    # Every unit's line and those of two blocks of sixteen, each once; then the readers.
    assert sum("one line of an index" in system for system in asked) == 34
    assert any("numbers of up to three lines" in system for system in asked)


def test_a_writer_of_summaries_has_its_own_recipe_and_a_failure_is_a_missing_line(tmp_path: Path) -> None:
    """Counted with its reason, as of any writer."""
    path = transcript(tmp_path, range(16))
    with Server("chat", lambda _: Fail(400, {"error": {"message": "not today"}})) as server:
        done = run(
            *("found-rate", "--writer", "summary:m", "--base-url", server.url),
            *("--against", "none", "--questions", "1", "--only", "ages", path),
        )
    assert done.returncode == 0
    assert "has lasting effect" in said(server.bodies[0])[0]
    assert re.search(r"failed 17 times: .*not today", done.stdout)


@pytest.mark.parametrize("name", ["model:anthropic:", "summary:", "model:local:/nowhere/m.gguf"])
def test_a_model_that_is_none_is_wrong_usage(name: str, tmp_path: Path) -> None:
    """Before anything is read."""
    done = run("found-rate", "--writer", name, transcript(tmp_path, range(4)))
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)


@pytest.mark.parametrize("wire", WIRES)
def test_attention_over_every_wire(wire: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that knows nothing is asked everything; its counts of the prompt are taken."""
    if wire == "anthropic":
        pytest.importorskip("anthropic")
    for key in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.setenv(key, "k")
    path = transcript(tmp_path, range(30))
    with Server(wire, lambda _: "I do not know.") as server:
        done = run(
            *("attention", "--model", NAMES[wire], "--base-url", server.url, "--sizes", "0,300"),
            *("--questions", "3", "--json", path),
        )
    assert (done.returncode, done.stderr, server.problems) == (0, "", [])
    found = json.loads(done.stdout)
    assert [(row["right"], row["answered"], row["reported"]) for row in found["rows"]] == [(0, 3, True)] * 2
    assert len(server.requests) == 6
