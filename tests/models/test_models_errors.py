"""What cannot be asked, and whom: one clear line for each, before or instead of an answer."""

from __future__ import annotations

import math
import re
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from foldcover_harness.models.choose import choose
from foldcover_harness.models.model import ModelError, Refused

from .asked import AT_ONCE, BODIES, NAMES, WIRES, answer_of, model_at
from .server import Fail, Raw, Reply, Server

KEYS = {"anthropic": "ANTHROPIC_API_KEY", "chat": "OPENAI_API_KEY", "responses": "OPENAI_API_KEY"}
ADDRESSES = {"anthropic": "ANTHROPIC_BASE_URL", "chat": "OPENAI_BASE_URL", "responses": "OPENAI_BASE_URL"}
LIBRARIES = {"anthropic": "anthropic", "chat": "openai", "responses": "openai"}
LOOP = Fail(307, "", {"location": "/v1/elsewhere"})

FAILURES: dict[str, tuple[Reply, str]] = {
    "wrong key": (Fail(401, {"error": {"message": "invalid x-api-key"}}), "key was refused (401 Unauthorized: invalid"),
    "no right": (Fail(403, "<html>no</html>"), "key was refused (403 Forbidden)"),
    "no credit": (Fail(429, {"error": {"code": "insufficient_quota", "message": "You are out"}}), "no credit"),
    "unknown model": (Fail(404, {"error": {"message": "model: m"}}), "no such model"),
    "a wrong address": (Fail(404, "<html>not here</html>"), "nothing that answers at http://127.0.0.1"),
    "a web page": (Raw(b"<!doctype html><title>Welcome</title>", "text/html; charset=utf-8"), "a web page"),
    "no stream": (Raw(b'{"id": "x", "choices": []}', "application/json"), "does not stream"),
    "an error in JSON": (Raw(b'{"error": {"code": 401, "message": "who?"}}', "application/json"), "refused"),
    "broken JSON": (Raw(b'{"error', "application/json"), "not JSON"),
    "a redirect": (LOOP, "redirects to /v1/elsewhere: not followed"),
    "a teapot": (Fail(418, "\x1b[2Jtea\u202e"), "418 I'm a Teapot: tea)"),
    "payment": (Fail(402, {"detail": "pay"}), "402 Payment Required: pay"),
}


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("what", FAILURES)
def test_a_failure_is_one_line(wire: str, what: str) -> None:
    """With the provider's words, bounded and without control characters."""
    said, words = FAILURES[what]
    often = 3 if what == "broken JSON" else 1
    with Server(wire, [said] * often) as server, pytest.raises(ModelError) as caught:
        answer_of(server)
    line = str(caught.value)
    assert line.startswith(f"{NAMES[wire]}: ")
    assert words in line
    assert line.isprintable()
    assert not isinstance(caught.value, Refused)
    assert len(server.requests) == often
    assert not [problem for problem in server.problems if "elsewhere" in problem]


def one_line(ask: Callable[[], Any]) -> str:
    """The line of the error that asking ends with."""
    with pytest.raises(ModelError) as caught:
        ask()
    assert str(caught.value).isprintable()
    return str(caught.value)


@pytest.mark.parametrize("wire", WIRES)
def test_no_key(wire: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Said before anything is asked: not set, blank, or no key at all; also where the provider's address is given."""
    assert f"set {KEYS[wire]}" in one_line(lambda: choose(NAMES[wire]))
    own = "https://api.anthropic.com/v1/" if wire == "anthropic" else "https://api.openai.com/v1/"
    assert f"set {KEYS[wire]}" in one_line(lambda: choose(NAMES[wire], base_url=own))
    monkeypatch.setenv(KEYS[wire], "  ")
    assert f"set {KEYS[wire]}" in one_line(lambda: choose(NAMES[wire]))
    monkeypatch.setenv(KEYS[wire], "kéy")
    assert f"{KEYS[wire]} holds characters" in one_line(lambda: choose(NAMES[wire]))


@pytest.mark.parametrize("wire", WIRES)
def test_the_key_and_the_address_of_the_environment(wire: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are taken, the key without the line end that a file gave it; a base URL goes before."""
    monkeypatch.setenv(KEYS[wire], "secret\n")
    with Server(wire, ["Yes.", "Yes."]) as server:
        monkeypatch.setenv(ADDRESSES[wire], server.url)
        choose(NAMES[wire], retries=AT_ONCE).answer(BODIES[wire])
        monkeypatch.setenv(ADDRESSES[wire], "http://127.0.0.1:1")
        model_at(server).answer(BODIES[wire])
    for request in server.requests:
        assert "secret" in (
            request.headers.get("x-api-key"),
            request.headers.get("authorization", "")[len("Bearer ") :],
        )
    assert server.problems == []


def test_a_token_serves_where_there_is_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """ANTHROPIC_AUTH_TOKEN goes into the other header."""
    monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", "token")
    with Server("anthropic", ["Yes."]) as server:
        answer_of(server)
    assert server.requests[0].headers["authorization"] == "Bearer token"
    assert "x-api-key" not in server.requests[0].headers


@pytest.mark.parametrize("wire", WIRES)
def test_a_refused_port_and_a_wrong_protocol(wire: str) -> None:
    """Nobody there; somebody who speaks no TLS."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{taken.getsockname()[1]}"
        model = choose(NAMES[wire], base_url=address, retries=AT_ONCE)
        line = one_line(lambda: model.answer(BODIES[wire]))
    assert f"cannot reach {address}" in line
    assert "refused" in line
    with Server(wire, []) as server:
        model = choose(NAMES[wire], base_url=server.url.replace("http:", "https:"), retries=AT_ONCE)
        assert "no safe connection to https://127.0.0.1" in one_line(lambda: model.answer(BODIES[wire]))


@pytest.mark.parametrize("wire", WIRES)
def test_a_host_that_does_not_exist(wire: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Or no network: the name cannot be looked up. A password in the address is not told."""

    def nobody(*_: object, **__: object) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", nobody)
    model = choose(NAMES[wire], base_url="http://me:secret@nobody.invalid/v1", retries=AT_ONCE)
    line = one_line(lambda: model.answer(BODIES[wire]))
    assert re.search("cannot reach http://nobody.invalid(/v1)?: ", line)
    assert "Name or service not known" in line


@pytest.mark.parametrize("wire", WIRES)
def test_a_wrong_key_is_told_where_it_came_from(wire: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Or that none was set, where a server of one's own wants one after all."""
    with Server(wire, [Fail(401)] * 2) as server:
        assert f"{KEYS[wire]} is not set" in one_line(lambda: answer_of(server))
        monkeypatch.setenv(KEYS[wire], "wrong")
        assert f"the key is the one in {KEYS[wire]}" in one_line(lambda: answer_of(server))


NO_ADDRESS = [
    *("localhost:8080", "ftp://x", "http://", "http:///v1", "http://[::1", "http://a b/v1", "http:// /"),
    *("http://x:99999/", "http://x:port/", "http://a..b/v1", "http:x", "x", "http://x/\nv1", "http://x/v1?k=v"),
]


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("address", NO_ADDRESS)
def test_no_address(wire: str, address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is none is said to be none before anything is asked, wherever it came from."""
    line = one_line(lambda: choose(NAMES[wire], base_url=address))
    assert repr(address.partition("?")[0]) in line
    assert "is no address of a server" in line
    monkeypatch.setenv(ADDRESSES[wire], address)
    assert one_line(lambda: choose(NAMES[wire])) == line


@pytest.mark.parametrize("wire", WIRES)
def test_an_empty_address_is_none(wire: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """An unset variable of a shell sends nothing to the provider; the provider's own, empty, says nothing."""
    monkeypatch.setenv(KEYS[wire], "key")
    assert "'' is no address" in one_line(lambda: choose(NAMES[wire], base_url=""))
    monkeypatch.setenv(ADDRESSES[wire], "")
    assert choose(NAMES[wire]).id == "m"


@pytest.mark.parametrize("address", ["ftp://me:secret@x/v1", "http://me:sec/ret@x/v1", "http://me:s@secret@/v1"])
def test_an_address_that_is_none_is_told_without_its_password(address: str) -> None:
    """However it is written."""
    line = one_line(lambda: choose("openai:m", base_url=address))
    assert "is no address" in line
    assert "sec" not in line


@pytest.mark.parametrize("wire", WIRES)
def test_how_an_address_may_be_written(wire: str) -> None:
    """A scheme has no case; a slash at the end and the version that some addresses end with change nothing."""
    with Server(wire, ["Yes."] * 4) as server:
        address = server.url.replace("http://", "HTTP://")
        written = [address, f"{address}/", f" {address}\n"]
        written += [f"{address}/v1/"] if wire == "anthropic" else []
        for each in written:
            choose(NAMES[wire], base_url=each, retries=AT_ONCE).answer(BODIES[wire])
    assert len(server.requests) == len(written)
    assert server.problems == []


@pytest.mark.parametrize("wire", WIRES)
def test_a_body_that_is_no_json(wire: str) -> None:
    """A lone surrogate cannot be sent; an object neither."""
    with Server(wire, []) as server:
        for wrong in ("\ud800", object()):
            one_line(lambda wrong=wrong: model_at(server).answer({**BODIES[wire], "wrong": wrong}))  # type: ignore[misc]
    assert server.requests == []


@pytest.mark.parametrize("name", ["", "m", "openai:", "responses: ", "anthropic", "gemini:x", ":", "localhost:x"])
def test_a_name_that_names_no_model(name: str) -> None:
    """The forms are told."""
    assert "openai:NAME, responses:NAME" in one_line(lambda: choose(name))


@pytest.mark.parametrize("name", ["llama3", "qwen:0.5b", "org/model:free"])
def test_a_bare_name_with_an_address_is_asked_by_chat_completions(name: str) -> None:
    """Colons that mean nothing here are part of the name."""
    model = choose(name, base_url="http://127.0.0.1:1/v1")
    assert (model.name, model.id, model.wire) == (name, name, "chat")


@pytest.mark.parametrize("wire", WIRES)
def test_a_models_name_id_and_wire(wire: str) -> None:
    """As the user wrote it; as the provider calls it."""
    name = f"{NAMES[wire]}:free"
    model = choose(name, base_url="http://127.0.0.1:1/v1")
    assert (model.name, model.id, model.wire) == (name, "m:free", wire)


@pytest.mark.parametrize("wire", WIRES)
def test_a_library_that_is_not_installed(wire: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The line says what to install."""
    library = LIBRARIES[wire]
    monkeypatch.setitem(sys.modules, library, None)
    expected = f"{NAMES[wire]}: needs the {library} library: pip install 'foldcover[{library}]'"
    assert one_line(lambda: choose(NAMES[wire], base_url="http://127.0.0.1:1")) == expected


def test_a_local_file_that_is_none(tmp_path: Path) -> None:
    """Whether the library is there or not; nor is there the home of a user whom nobody knows."""
    assert "local" in one_line(lambda: choose(f"local:{tmp_path / 'no.gguf'}"))
    assert one_line(lambda: choose("local:~nobody-of-this-name/no.gguf"))


@pytest.mark.parametrize("timeout", [math.nan, math.inf, 0, -1])
def test_a_timeout_that_is_none(timeout: float) -> None:
    """Said before anything is asked: the libraries would fail in the middle, or wait for ever."""
    line = one_line(lambda: choose("openai:m", base_url="http://127.0.0.1:1/v1", timeout=timeout))
    assert line == f"{timeout:g} is no number of seconds to wait for an answer"


def test_no_library_is_imported_before_a_model_is_chosen() -> None:
    """Neither the providers' nor the local one's; and a chosen one brings its own only."""
    code = (
        "import sys; import foldcover_harness.models.choose as c, foldcover_harness.models.asking; "
        "heavy = lambda: sorted({'openai', 'anthropic', 'httpx2', 'pydantic', 'llama_cpp'} & set(sys.modules)); "
        "print(heavy()); c.choose('m', base_url='http://127.0.0.1:1'); print('anthropic' in heavy())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("[]\nFalse\n", "")
