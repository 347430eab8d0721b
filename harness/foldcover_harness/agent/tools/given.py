"""How the input of a call becomes arguments, and a function over arguments becomes a tool.

Rule: a tool's arguments are one Struct, from which its JSON schema is made and by which its input is checked. What is
null is as if it were not there; "3" is 3; an unknown name is refused, not overlooked. No text may hold a lone surrogate
or a NUL, which no path, command or text file has.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from threading import Event
from typing import Final, Generic, TypeVar

import msgspec

from foldcover_harness.agent.tools.tool import Result, Unable
from foldcover_harness.session.disk import reason
from foldcover_harness.session.lines import one_line
from foldcover_harness.session.wires.values import is_object
from foldcover_harness.session.wires.wire import Json, Tool

G = TypeVar("G", bound=msgspec.Struct)
MOST_REASON: Final = 1_000
"""Characters of the longest refusal."""
_FAULTS: Final = (ValueError, RecursionError, TypeError, OverflowError)
"""What msgspec raises on values that do not fit (its own errors are ValueErrors)."""
_UNHELD = re.compile("[\ud800-\udfff\0]")


class Made(Generic[G]):
    """A tool made of a function over checked arguments: an Action.

    `do` answers with a text or a Result; it may raise Unable and OSError, which become failed results.
    """

    # fmt: off
    def __init__(
        self, name: str, description: str, kind: type[G], do: Callable[[G, Event | None], str | Result], *, writes: bool
    ) -> None:
        # fmt: on
        self.tool, self.writes = Tool(name, description, _schema(kind)), writes
        self._kind, self._do = kind, do

    def run(self, given: Json, stop: Event | None = None) -> Result:
        """Check the input, do it, and say what came of it."""
        try:
            done = self._do(_arguments(given, self._kind), stop)
        except Unable as unable:
            return _failed(self.tool.name, str(unable))
        except OSError as error:
            return _failed(self.tool.name, reason(error))
        return done if isinstance(done, Result) else Result(done)


def _failed(name: str, why: str) -> Result:
    return Result(one_line(f"{name}: {why}", MOST_REASON), failed=True)


def _schema(kind: type[msgspec.Struct]) -> dict[str, Json]:
    _, parts = msgspec.json.schema_components((kind,))
    return {key: value for key, value in parts[kind.__name__].items() if key not in ("title", "description")}


def _arguments(given: Json, kind: type[G]) -> G:
    if not is_object(given):
        raise Unable(f"the input is no JSON object with {_names(kind)}")
    present = {key: value for key, value in given.items() if value is not None}
    try:
        made = msgspec.convert(present, kind, strict=False)
    except _FAULTS as error:
        raise Unable(f"{one_line(str(error), 300)}; it takes {_names(kind)}") from None
    for name in kind.__struct_fields__:
        value = getattr(made, name)
        if isinstance(value, str) and (held := _UNHELD.search(value)):
            what = "a NUL character" if held[0] == "\0" else "half of a character (a lone surrogate)"
            raise Unable(f"`{name}` holds {what} at position {held.start()}")
    return made


def _names(kind: type[msgspec.Struct]) -> str:
    return ", ".join(kind.__struct_fields__)
