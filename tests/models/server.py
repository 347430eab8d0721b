"""A scripted model behind HTTP: speaks a provider's protocol, keeps and checks what it is asked.

    with Server("anthropic", ["Hello.", Say(calls=[Call("t1", "read", {"path": "a"})]), Fail(529)]) as server:
        ...base_url=server.url...            a process of its own may ask, too
    assert server.problems == []

The script is a list of answers, one a request, or a function from a request's body to an answer. An answer is a text, a
`Say`, a `Fail` (HTTP error) or `Raw` bytes; see speaking.py. Without more answers the server refuses, and that is a
problem.

Each request is checked: valid by the session's own `problems`, at the protocol's path, with a key, and

- within a turn it begins with all messages of the request before it, and the rest of the body (`standing`) is the same,
  in the same order of fields. Several conversations may go on at once; a request belongs to the one that it continues,
  if it can to one with its standing part.
- where a turn begins (the last message is the user's words) it may begin anew: its number is then in `begun`. Asserting
  that list says where a conversation began or was folded.
"""

from __future__ import annotations

import json
import select
import socket
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

from foldcover_harness.session.wires import WIRES

from .speaking import Fail, Raw, Say, frames

__all__ = ["Fail", "Raw", "Reply", "Request", "Say", "Script", "Server"]

Reply = str | Say | Fail | Raw
Script = Sequence[Reply] | Callable[[dict[str, Any]], Reply]
PATHS = {"anthropic": "/v1/messages", "chat": "/v1/chat/completions", "responses": "/v1/responses"}
_ADDED = ("stream", "stream_options")
"""Fields of the transport, not of the standing part."""


class Request(NamedTuple):
    """What came."""

    path: str
    headers: Mapping[str, str]
    """By name in small letters."""
    body: dict[str, Any]


class Server(AbstractContextManager["Server"]):
    """The server, on a free port of this machine, from `__init__` to `__exit__`."""

    def __init__(self, wire: str, script: Script, *, compacts: bool = False) -> None:
        """`compacts`: a request may begin anew within a turn, as after a compaction."""
        self.wire, self.script, self.compacts = wire, script, compacts
        self.requests: list[Request] = []
        """Everything that was asked, in order."""
        self.problems: list[str] = []
        """What is wrong with it: to be asserted empty."""
        self.begun: list[int] = []
        """The numbers of the requests (from 0) that continued none before."""
        self.standings: list[str] = []
        """The standing parts that came, as JSON, each once."""
        self.waiting = threading.Event()
        """Set when an answer waits at its gate."""
        self.left = threading.Event()
        """Set when a client went away in the middle of an answer."""
        self._known: list[tuple[str, list[Any]]] = []
        self._lock = threading.Lock()
        self._http = _Http(("127.0.0.1", 0), _handler(self))
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()
        port = self._http.server_address[1]
        self.url = f"http://127.0.0.1:{port}" + ("" if wire == "anthropic" else "/v1")
        """The base URL."""

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()

    @property
    def bodies(self) -> list[dict[str, Any]]:
        """The bodies of the requests."""
        return [request.body for request in self.requests]

    def reply(self, request: Request) -> Reply:
        """Note and check a request; the answer to it."""
        with self._lock:
            number = len(self.requests)
            self.requests.append(request)
            self.problems += [f"request {number}: {fault}" for fault in self._faults(number, request)]
            if callable(self.script):
                return self.script(request.body)
            if number < len(self.script):
                return self.script[number]
            self.problems.append(f"request {number}: the script has no more answers")
            return Fail(400, {"error": {"type": "invalid_request_error", "message": "the script has no more answers"}})

    def _faults(self, number: int, request: Request) -> Iterator[str]:
        body = request.body
        if request.path != PATHS[self.wire]:
            yield f"asked for {request.path}"
        if not (request.headers.get("x-api-key") or request.headers.get("authorization")):
            yield "no key"
        if body.get("stream") is not True:
            yield "stream is not true"
        if not isinstance(body.get("model"), str):
            yield "no model"
        if self.wire == "anthropic" and not isinstance(body.get("max_tokens"), int):
            yield "no max_tokens"
        yield from WIRES[self.wire].problems(body)
        messages, standing = flat(self.wire, body), standing_of(self.wire, body)
        if standing not in self.standings:
            self.standings.append(standing)
        yield from self._continues(number, standing, messages)

    def _continues(self, number: int, standing: str, messages: list[Any]) -> Iterator[str]:
        before = [each for each in self._known if messages[: len(each[1])] == each[1]]
        before = [each for each in before if each[0] == standing] or [e for e in before if len(e[1]) < len(messages)]
        if before:
            last = max(before, key=lambda each: len(each[1]))
            if last[0] != standing:
                yield "the standing part is another than in the request that this one continues"
            self._known.remove(last)
        else:
            self.begun.append(number)
            if not self.compacts and not opens_a_turn(messages):
                yield "within a turn, and it does not begin with the request before"
        self._known.append((standing, messages))


def standing_of(wire: str, body: Mapping[str, Any]) -> str:
    """Everything but the messages, as JSON in the order that it came in."""
    left = ("input" if wire == "responses" else "messages", *_ADDED)
    return json.dumps({name: value for name, value in body.items() if name not in left})


def flat(wire: str, body: Mapping[str, Any]) -> list[Any]:
    """The messages, one by one (anthropic: the blocks, with their roles), without breakpoints of the cache."""
    if wire != "anthropic":
        return list(body.get("input" if wire == "responses" else "messages") or ())
    found: list[Any] = []
    for message in body.get("messages", ()):
        content = message["content"]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        for block in blocks:
            kept = {name: value for name, value in block.items() if name != "cache_control"}
            found.append({"role": message["role"], "block": kept})
    return found


def opens_a_turn(messages: list[Any]) -> bool:
    """Whether the last message is words of the user."""
    last: dict[str, Any] = messages[-1] if messages else {}
    block: dict[str, Any] = last.get("block") or {}
    return last.get("role") == "user" and block.get("type") != "tool_result"


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that goes away is no news."""


def _handler(server: Server) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        """One connection."""

        protocol_version = "HTTP/1.1"
        timeout = 60
        disable_nagle_algorithm = True

        def log_message(self, format: str, *args: Any) -> None:
            """Says nothing."""

        def do_GET(self) -> None:
            """Nothing to get."""
            self._send(404, "text/plain", b"")

        def do_POST(self) -> None:
            """Answer a request."""
            given = self.rfile.read(int(self.headers.get("content-length", 0)))
            headers = {name.lower(): value for name, value in self.headers.items()}
            said = server.reply(Request(self.path, headers, json.loads(given)))
            if isinstance(said, Fail):
                text = said.body if isinstance(said.body, str) else json.dumps(said.body)
                kind = "text/html" if text.startswith("<") else "application/json"
                self._send(said.status, kind, text.encode(), said.headers)
            elif isinstance(said, Raw):
                self._send(said.status, said.kind, said.body)
            else:
                self._stream(Say(said) if isinstance(said, str) else said)

        def _send(self, status: int, kind: str, body: bytes, more: Mapping[str, str] | None = None) -> None:
            self.send_response(status)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(body)))
            for name, value in (more or {}).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def _stream(self, said: Say) -> None:
            self.send_response(200)
            self.send_header("content-type", "text/event-stream; charset=utf-8")
            self.send_header("transfer-encoding", "chunked")
            self.end_headers()
            made = frames(server.wire, said)
            left = said.cut if said.cut is not None else sum(map(len, made))
            with suppress(OSError):
                for number, frame in enumerate(made):
                    if said.gate is not None and number == len(made) // 2 and not self._opened(said.gate):
                        server.left.set()
                        self.close_connection = True
                        return
                    sent = frame[:left]
                    left -= len(sent)
                    if sent:
                        self.wfile.write(b"%x\r\n%b\r\n" % (len(sent), sent))
                if said.cut is None:
                    self.wfile.write(b"0\r\n\r\n")
            if said.cut is not None:
                self.close_connection = True
                with suppress(OSError):
                    self.connection.shutdown(socket.SHUT_RDWR)

        def _opened(self, gate: threading.Event) -> bool:
            """Wait at a gate; whether the client waits too."""
            server.waiting.set()
            with suppress(OSError):
                while not gate.wait(0.01):
                    if select.select([self.connection], [], [], 0)[0] and not self.connection.recv(1, socket.MSG_PEEK):
                        return False
                return True
            return False

    return Handler
