"""A model behind an address: one request out, its answer read as it comes.

Rule: the effects of the three wires, once. Each wire brings how a stream is opened (its library) and how its events
become an answer (a pure reader). Threads may ask at once: nothing is kept from one answer to the next but that a server
refuses a field of ours.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack
from threading import Event
from typing import Any, Protocol

from foldcover_harness.models.errors import Broken, Place, of_event, of_exception
from foldcover_harness.models.model import Answer, ModelError, Refused, Show, Stopped
from foldcover_harness.models.retrying import Retries, check, repeated
from foldcover_harness.session.wires.values import is_object
from foldcover_harness.session.wires.wire import Json

Events = Iterator[dict[str, Any]]
Read = Callable[[Events, Show], Answer]
"""An answer out of the events of its stream. Broken where they end too early, ModelError where they make no sense."""


class Response(Protocol):
    """What is looked at of an HTTP response."""

    @property
    def headers(self) -> Mapping[str, str]:
        """By name, in any case."""
        ...

    def read(self) -> bytes:
        """The whole body."""
        ...


class Stream(Protocol):
    """The stream of either library."""

    @property
    def response(self) -> Response:
        """The response that it reads."""
        ...

    def __iter__(self) -> Iterator[object]: ...


Opened = Callable[[Mapping[str, Json]], AbstractContextManager[Stream]]
"""Sends a body and gives the stream of its answer; closes the connection."""


class Remote:
    """A model of a provider. A `Model`."""

    def __init__(
        self,
        name: str,
        id: str,
        place: Place,
        opened: Opened,
        read: Read,
        *,
        wire: str,
        extra: Mapping[str, Json] | None = None,
        retries: Retries,
    ) -> None:
        """`extra`: fields that every body gets and that a server may refuse by name; then they are left out."""
        self.name, self.id, self.wire = name, id, wire
        self.place, self._opened, self._read = place, opened, read
        self._extra, self._retries = dict(extra or {}), retries

    def answer(self, body: Mapping[str, Json], show: Show | None = None, stop: Event | None = None) -> Answer:
        """The answer to a request. Raises ModelError."""
        try:
            return repeated(lambda: self._once(body, show or _nothing, stop), self._retries, show, stop)
        except Stopped:
            raise
        except ModelError as error:
            raise type(error)(f"{self.name}: {error}") from error

    def _once(self, body: Mapping[str, Json], show: Show, stop: Event | None) -> Answer:
        extra = {name: value for name, value in self._extra.items() if name not in body}
        try:
            return self._asked({**body, **extra, "stream": True}, show, stop)
        except Refused as refused:
            if not any(name in str(refused) for name in extra):
                raise
            self._extra = {}
            return self._asked({**body, "stream": True}, show, stop)

    def _asked(self, body: Mapping[str, Json], show: Show, stop: Event | None) -> Answer:
        with ExitStack() as stack:
            try:
                stream = stack.enter_context(self._opened(body))
                _refuse_page(stream.response, self.place)
            except ModelError:
                raise
            except Exception as error:
                raise of_exception(error, self.place) from error
            return self._read(_events(stream, stop, self.place), show)


def _events(stream: Stream, stop: Event | None, place: Place) -> Events:
    """The events of a stream. Whatever its library raises is a reason why there is no answer."""
    coming = iter(stream)
    while True:
        check(stop)
        try:
            event = next(coming)
        except StopIteration:
            return
        except Exception as error:
            raise of_exception(error, place) from error
        if not is_object(event):
            raise Broken("what came is not an event of the protocol")
        yield event


def _refuse_page(response: Response, place: Place) -> None:
    """A 200 with something else than a stream."""
    kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind == "text/html":
        raise ModelError(f"{place.address} answers with a web page: is the address right?")
    if kind == "application/json":
        body = json.loads(response.read())
        if is_object(body) and "error" in body:
            raise of_event(body)
        raise ModelError(f"{place.address} does not stream its answers")


def _nothing(*_: str) -> None:
    """Shows nothing."""
