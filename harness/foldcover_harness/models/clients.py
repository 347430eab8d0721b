"""The providers' own libraries, opened for one answer.

Rule: the only file that imports them, and only when a model is made: a library that is not installed, a key that is not
set, an address that is none is said then, not in the middle of a session. A client lives for one answer and closes with
it, wherever an interrupt comes: that costs some 30 ms, which no answer notices. Redirects are not followed: the key and
the prompt go to the address that was given, or nowhere.
"""

from __future__ import annotations

import os
import re
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from typing import Final
from urllib.parse import urlsplit

from foldcover_harness.models.errors import Place
from foldcover_harness.models.model import ModelError
from foldcover_harness.models.remote import Opened, Stream
from foldcover_harness.session.wires.wire import Json

NO_KEY: Final = "none"
"""What a server of one's own is sent for a key where none is set."""
OPENAI: Final = "https://api.openai.com/v1"
ANTHROPIC: Final = "https://api.anthropic.com"
CONNECT: Final = 15.0
"""Seconds for a connection to be made."""


def openai(path: str, base_url: str | None, timeout: float) -> tuple[Place, Opened]:
    """Where OpenAI's library asks, and how."""
    try:
        from openai import OpenAI, Timeout
        from openai import Stream as Streamed
    except ImportError as missing:
        raise ModelError("needs the openai library: pip install 'foldcover[openai]'") from missing
    address = _address(base_url, "OPENAI_BASE_URL", OPENAI)
    key, source = _key(address.rstrip("/") != OPENAI, "OPENAI_API_KEY")
    limits = Timeout(timeout, connect=min(timeout, CONNECT))

    @contextmanager
    def opened(body: Mapping[str, Json]) -> Generator[Stream]:
        with (
            OpenAI(api_key=key, base_url=address, max_retries=0, timeout=limits) as client,
            client.post(
                path,
                body=dict(body),
                cast_to=object,
                options={"follow_redirects": False},
                stream=True,
                stream_cls=Streamed[object],
            ) as stream,
        ):
            yield stream

    return _place(address, source, "OPENAI_API_KEY", timeout), opened


def anthropic(path: str, base_url: str | None, timeout: float) -> tuple[Place, Opened]:
    """Where Anthropic's library asks, and how."""
    try:
        from anthropic import Anthropic, Timeout
        from anthropic import Stream as Streamed
    except ImportError as missing:
        raise ModelError("needs the anthropic library: pip install 'foldcover[anthropic]'") from missing
    address = _without_version(_address(base_url, "ANTHROPIC_BASE_URL", ANTHROPIC))
    key, source = _key(address != ANTHROPIC, "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN")
    token = source == "ANTHROPIC_AUTH_TOKEN"
    limits = Timeout(timeout, connect=min(timeout, CONNECT))

    @contextmanager
    def opened(body: Mapping[str, Json]) -> Generator[Stream]:
        with (
            Anthropic(
                api_key=None if token else key,
                auth_token=key if token else None,
                base_url=address,
                max_retries=0,
                timeout=limits,
            ) as client,
            client.post(
                path,
                body=dict(body),
                cast_to=object,
                options={"follow_redirects": False},
                stream=True,
                stream_cls=Streamed[object],
            ) as stream,
        ):
            yield stream

    return _place(address, source, "ANTHROPIC_API_KEY", timeout), opened


def _address(given: str | None, variable: str, usual: str) -> str:
    """The address that is asked: the given one, that of the variable, or the provider's."""
    return _checked(given if given is not None else os.environ.get(variable) or usual)


def with_login(address: str) -> str | None:
    """The same address in one of the providers' variables, with the user and the password that it has there."""
    for name in ("OPENAI_BASE_URL", "ANTHROPIC_BASE_URL"):
        with suppress(ModelError):
            given = _checked(os.environ.get(name, ""))
            if _login(given) and _without_version(_shown(given)) == _without_version(address):
                return given
    return None


def _checked(address: str) -> str:
    """The address of a server as it is asked: http or https, a host. ModelError where it is none."""
    given = address.strip()
    try:
        parts = urlsplit(given)
        host, _ = (parts.hostname or "").encode("idna"), parts.port
    except ValueError:
        parts, host = None, b""
    odd = not given.isprintable() or any(each in " ?#" for each in given)
    if parts is None or parts.scheme not in ("http", "https") or not host or odd:
        shown = re.split("[?#]", given.rpartition("@")[2])[0]
        raise ModelError(f"{shown!r} is no address of a server: one is http://HOST/... or https://HOST/...")
    return parts.geturl()


def _without_version(address: str) -> str:
    """Anthropic's paths begin with the version, which other addresses end with."""
    parts = urlsplit(address)
    return parts._replace(path=parts.path.rstrip("/").removesuffix("/v1")).geturl()


def _key(own: bool, *names: str) -> tuple[str, str]:
    """The first key that is set, and the variable that holds it; a placeholder and "" where a server of one's `own`
    may need none.
    """
    for name in names:
        key = os.environ.get(name, "").strip()
        if key and not (key.isascii() and key.isprintable()):
            raise ModelError(f"{name} holds characters that no key has")
        if key:
            return key, name
    if not own:
        raise ModelError(f"no key: set {names[0]} (a server of your own needs none: give its address)")
    return NO_KEY, ""


def _place(address: str, source: str, name: str, timeout: float) -> Place:
    key = f"the key is the one in {source}" if source else f"{name} is not set"
    return Place(_shown(address), key, timeout, _login(address))


def _login(address: str) -> bool:
    return "@" in urlsplit(address).netloc


def _shown(address: str) -> str:
    parts = urlsplit(address)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()
