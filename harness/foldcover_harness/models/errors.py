"""What went wrong with a request, in one line, and whether asking again can help.

Rule: pure. Knows no SDK by import: both providers' libraries raise errors of one make (a status_code, a body, a cause),
and what a transport raises is known by the names of its classes. What others wrote is shown on one line, bounded, and
without control characters.
"""

from __future__ import annotations

import ssl
from http import HTTPStatus
from typing import Any, Final, NamedTuple

from foldcover_harness.models.model import ModelError, Refused
from foldcover_harness.session.lines import one_line
from foldcover_harness.session.wires.values import compact, is_list, is_object

MOST_SHOWN: Final = 400
"""Characters of other people's words in an error."""
_REFUSED: Final = (400, 413, 422)
_BUSY: Final = (408, 409, 425, 429)
_REFUSALS: Final = ("invalid_request_error", "invalid_prompt", "context_length_exceeded", "request_too_large")
_CREDIT: Final = ("insufficient_quota", "billing_error", "billing_hard_limit_reached")
_NO_KEY: Final = ("authentication_error", "permission_error", "invalid_api_key")


class Broken(ModelError):
    """No answer this time; asking again may help. `wait`: the seconds that the provider asked to wait, if it did."""

    def __init__(self, why: str, wait: float | None = None) -> None:
        super().__init__(why)
        self.wait = wait


class Place(NamedTuple):
    """Where requests go."""

    address: str
    """As it is shown: without a password."""
    key: str
    """Where the key comes from, as a clause."""
    timeout: float
    """Seconds of silence that count as broken off."""
    login: bool = False
    """Whether the address that is asked has a password or a user, which is not shown."""


def words_of(body: object) -> str:
    """The provider's own words in the body of an error; "" where there are none."""
    if isinstance(body, str):
        return "" if body.lstrip().startswith("<") else one_line(body, MOST_SHOWN)
    if is_list(body):
        return words_of(body[0]) if body else ""
    if not is_object(body):
        return ""
    for name in ("error", "message", "detail", "msg"):
        found = words_of(body.get(name))
        if found:
            return found
    return one_line(compact(body), MOST_SHOWN) if body else ""


def of_event(body: Any) -> ModelError:
    """The error that an error event within a stream stands for."""
    names = _names(body)
    words = words_of(body) or "an error without words"
    status = next((name for name in names if isinstance(name, int) and name >= 400), None)
    if status is not None:
        return of_status(status, words, None)
    if any(name in _CREDIT for name in names):
        return ModelError(f"no credit is left there: {words}")
    if any(name in _REFUSALS for name in names):
        return Refused(f"the request was refused: {words}")
    if any(name in _NO_KEY for name in names):
        return ModelError(f"the key was refused: {words}")
    return Broken(f"the answer broke off: {words}")


def of_status(status: int, words: str, wait: float | None, *, place: Place | None = None) -> ModelError:
    """The error that an HTTP status stands for."""
    try:
        said = f"{status} {HTTPStatus(status).phrase}"
    except ValueError:
        said = str(status)
    said = f"{said}: {words}" if words else said
    if status in _REFUSED:
        return Refused(f"the request was refused ({said})")
    if status in (401, 403):
        where = f"; {place.key}" if place else ""
        return ModelError(f"the key was refused ({said}){where}")
    if status == 404:
        where = f" at {place.address}" if place else ""
        return ModelError(f"no such model, or nothing that answers{where} ({said})")
    if status in _BUSY or status >= 500:
        return Broken(f"busy or out of order ({said})", wait)
    return ModelError(f"no answer ({said})")


def of_exception(error: Exception, place: Place) -> ModelError:
    """What an error raised by a provider's library, or by the transport below it, stands for."""
    status, body = getattr(error, "status_code", None), getattr(error, "body", None)
    if isinstance(status, int) and status >= 300:
        if any(name in _CREDIT for name in _names(body)):
            return of_event(body)
        headers = getattr(getattr(error, "response", None), "headers", {})
        if status < 400:
            where = one_line(headers.get("location", "nowhere"), MOST_SHOWN)
            return ModelError(f"{place.address} redirects to {where}: not followed")
        return of_status(status, words_of(body), _seconds(headers.get("retry-after")), place=place)
    if body is not None:
        return of_event(body)
    return _of_transport(error, place)


def _of_transport(error: Exception, place: Place) -> ModelError:
    chain: list[BaseException] = [error]
    while (below := chain[-1].__cause__ or chain[-1].__context__) is not None and below not in chain:
        chain.append(below)
    names = {kind.__name__ for each in chain for kind in type(each).__mro__}
    why = next((one_line(str(each), MOST_SHOWN) for each in reversed(chain) if str(each)), type(chain[-1]).__name__)
    if "ConnectError" in names and any(isinstance(each, ssl.SSLError) for each in chain):
        return ModelError(f"no safe connection to {place.address}: {why}")
    if "ConnectTimeout" in names:
        return Broken(f"cannot reach {place.address}: no answer to the connection")
    if "ConnectError" in names:
        return Broken(f"cannot reach {place.address}: {why}")
    if names & {"UnsupportedProtocol", "InvalidURL", "LocalProtocolError", "UnicodeEncodeError"}:
        return ModelError(f"cannot ask {place.address}: {why}")
    if "TimeoutException" in names or "TimeoutError" in names:
        return Broken(f"silent for {place.timeout:g} s")
    if names & {"TransportError", "APIConnectionError", "OSError"}:
        return Broken(f"the connection broke off: {why}")
    if names & {"ValueError", "RecursionError"}:
        return Broken(f"what came is not JSON: {why}")
    return ModelError(f"no answer: {why}")


def _names(body: object) -> list[Any]:
    """What the error in a body calls itself: its code and its type."""
    inner = body.get("error") if is_object(body) else None
    error = inner if is_object(inner) else body
    return [error.get("code"), error.get("type")] if is_object(error) else []


def _seconds(value: str | None) -> float | None:
    """A Retry-After in seconds; a date there is left to the usual pauses."""
    try:
        return max(0.0, float(value)) if value is not None else None
    except ValueError:
        return None
