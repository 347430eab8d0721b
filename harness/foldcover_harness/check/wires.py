"""What each provider would say to a conversation that was sent as it stands.

Rule: the rules of refusal are those that a session keeps (session/wires/*_problems.py). They are asked about
a request with the same roles, calls and results in the same order and with one-letter texts. On the
transcript's own wire ids and empty texts are as they are, and a file that is a request body is asked about
itself; on another wire they are what a converter would write, so that only pairing and order are judged.
Messages of one side that stand together are one, as providers and clients join them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import groupby
from typing import Any, Final, NamedTuple

from foldcover_harness.check.recorder import Piece, Recorder, Role, Said, What
from foldcover_harness.session.wires import anthropic_problems, chat_problems, responses_problems

OWN: Final = {
    "claude-code": "anthropic",
    "anthropic-messages": "anthropic",
    "openai-chat": "chat",
    "mini-swe-agent": "chat",
    "codex": "responses",
}
"""The wire that a client's messages were of."""

PROVIDERS: Final = {
    "anthropic": "Anthropic Messages",
    "chat": "OpenAI Chat Completions",
    "responses": "OpenAI Responses",
}

_INDEX = re.compile(r"^(?:messages|input)[.\[](\d+)\]?: ")
_WHOLE = re.compile(r"^(?:messages|input): ")
_IDS = re.compile(r"(?<=: )\S+(?:, \S+)*$|(?<=call_id )\S+$|(?<=the call )\S+$")


class Refusal(NamedTuple):
    """The first request that a provider would refuse for one reason. `request` counts from 1, and is None
    where the fault stands behind the last one: the next would be refused. `at` is the place of that request,
    `place` that of the message that is at fault, `ids` what it is about.
    """

    provider: str
    own: bool
    why: str
    place: int
    request: int | None
    at: int | None
    times: int


class Element(NamedTuple):
    """What stands behind an element of a request: pieces, each with the number of its message."""

    number: int
    pieces: list[tuple[int, Piece]]

    def first(self, what: What, empty: bool = False) -> int:
        """Return the message of the first such piece, or of the element itself."""
        found = (number for number, piece in self.pieces if piece.what is what and piece.empty >= empty)
        return next(found, self.number)


Wire = tuple[dict[str, Any], list[Element]]
Live = list[tuple[int, Said]]


def refusals(recorder: Recorder, client: str, body: dict[str, Any] | None = None) -> list[Refusal]:
    """Return what each provider would refuse of the conversation, the first request for each reason. `body`
    is the request that the file itself is, where it is one.
    """
    live = recorder.live()
    found: list[Refusal] = []
    for wire, (make, judge) in _WIRES.items():
        own = OWN.get(client) == wire
        told: dict[str, Refusal] = {}
        # Faults of single texts would hide those of pairing and order.
        for plain in (False, True) if own else (True,):
            asked, elements = make(live, plain, own)
            if not elements:
                break
            problems = _of_body(body, judge) if own and not plain else None
            if problems is not None and body is not None:
                asked, elements = body, _at_places(body, live)
            known = set(told)
            for problem in judge(asked) if problems is None else problems:
                why = _IDS.sub("", _WHOLE.sub("", _INDEX.sub("", problem))).rstrip(" :")
                if why in told:
                    told[why] = told[why]._replace(times=told[why].times + (why not in known))
                    continue
                refusal = _refusal(recorder, live, why, _number(problem, asked, elements))
                if refusal is not None:
                    told[why] = refusal._replace(provider=wire, own=own)
        found += told.values()
    return found


def _of_body(body: dict[str, Any] | None, judge: Callable[..., list[str]]) -> list[str] | None:
    """Return what is wrong with a body; None where there is none, or none that the rules can speak of: a
    field of another type is told by the reader, and roles and ids are judged all the same.
    """
    if body is None or not body["messages"]:
        return None
    try:
        return judge(body)
    except (KeyError, TypeError, AttributeError):
        return None


def _at_places(body: dict[str, Any], live: Live) -> list[Element]:
    """Return the elements of a body: each is the message that was read from its place, or the next one."""
    elements: list[Element] = []
    coming = 0
    for place in range(len(body["messages"])):
        while coming < len(live) - 1 and live[coming][1].place < place:
            coming += 1
        elements.append(Element(live[coming][0], []))
    return elements


def _number(problem: str, body: dict[str, Any], elements: list[Element]) -> int:
    """Return the number of the message that a problem is about."""
    index = _INDEX.match(problem)
    # An unanswered call is named, and what is at fault is the call.
    named = _IDS.search(problem) if index is None or "no tool message" in problem else None
    first = named[0].split(", ")[0] if named else None
    if first is not None:
        asking: list[dict[str, Any]] = body.get("messages") or body.get("input") or []
        for element, made in zip(elements, asking, strict=True):
            asked: list[dict[str, Any]] = made.get("tool_calls", [])
            if any(call["id"] == first for call in asked):
                return element.number
            if made.get("type") == "function_call" and made["call_id"] == first:
                return element.number
    element = elements[int(index[1]) if index else 0]
    if "tool_use ids" in problem:
        return element.first(What.CALL)
    if "tool_result" in problem:
        return element.first(What.RESULT)
    if "text content" in problem:
        return element.first(What.TEXT, empty=True)
    return element.number


def _refusal(recorder: Recorder, live: Live, why: str, number: int) -> Refusal | None:
    asked = next((each for each in live if each[0] > number and each[1].request is not None), None)
    until = asked[0] if asked else recorder.message + 1
    if any(number < each[0] <= until and each[0] in recorder.compacted for each in live):
        # The client had dropped it before it asked again.
        return None
    place = recorder.said[number].place
    rank = None if asked is None else 1 + sum(each[1].request is not None for each in live if each[0] < asked[0])
    return Refusal("", False, why, place, rank, None if asked is None else asked[1].place, 1)


def _joined(live: Live) -> Iterator[tuple[str, Element]]:
    """Yield the messages with those of one side that stand together joined."""
    for role, group in groupby(live, lambda each: _side(each[1])):
        messages = list(group)
        yield role, Element(messages[-1][0], [(number, piece) for number, said in messages for piece in said.pieces])


def _side(said: Said) -> str:
    return "assistant" if said.role is Role.ANSWER else "user"


class _Ids(dict[str, str]):
    """Ids as a converter would write them: as many as there were."""

    def __missing__(self, key: str) -> str:
        self[key] = f"c{len(self)}"
        return self[key]


class _Same(dict[str, str]):
    """Ids as they are."""

    def __missing__(self, key: str) -> str:
        return key


def _anthropic(live: Live, plain: bool, own: bool) -> Wire:
    ids = _Same() if own and not plain else _Ids()
    messages: list[dict[str, Any]] = []
    elements: list[Element] = []
    for role, element in _joined(live):
        pieces = element.pieces
        if role == "user":
            # Whoever joins puts results first.
            pieces = sorted(pieces, key=lambda each: each[1].what is not What.RESULT)
        blocks = [_block(piece, ids, plain) for _, piece in pieces]
        messages.append({"role": role, "content": blocks or ([{"type": "text", "text": "x"}] if plain else [])})
        elements.append(element)
    return {"messages": messages}, elements


def _block(piece: Piece, ids: dict[str, str], plain: bool) -> dict[str, Any]:
    if piece.what is What.CALL:
        return {"type": "tool_use", "id": ids[piece.wire], "name": "t", "input": {}}
    if piece.what is What.RESULT:
        return {"type": "tool_result", "tool_use_id": ids[piece.wire], "content": "x"}
    if piece.what is What.THINKING and not plain:
        return {"type": "thinking", "thinking": "x", "signature": "x"}
    return {"type": "text", "text": "x" if plain or not piece.empty else ""}


def _chat(live: Live, plain: bool, own: bool) -> Wire:
    messages: list[dict[str, Any]] = []
    elements: list[Element] = []
    for number, said in live:
        calls = [piece.wire for piece in said.pieces if piece.what is What.CALL]
        results = [piece.wire for piece in said.pieces if piece.what is What.RESULT]
        texts = [piece for piece in said.pieces if piece.what is What.TEXT]
        made: list[dict[str, Any]] = [{"role": "tool", "tool_call_id": wire, "content": "x"} for wire in results]
        if said.role is Role.ANSWER:
            words = "x" if plain or any(not piece.empty for piece in texts) else None
            asked = [{"id": wire, "type": "function", "function": {"name": "t", "arguments": "{}"}} for wire in calls]
            made.append({"role": "assistant", "content": words, **({"tool_calls": asked} if asked else {})})
        elif texts or not results:
            made.append({"role": "user", "content": "x"})
        messages += made
        elements += [Element(number, [])] * len(made)
    return {"messages": messages}, elements


def _responses(live: Live, plain: bool, own: bool) -> Wire:
    items: list[dict[str, Any]] = []
    elements: list[Element] = []
    for number, said in live:
        for piece in said.pieces:
            if piece.what is What.CALL:
                items.append({"type": "function_call", "call_id": piece.wire, "name": "t", "arguments": "{}"})
            elif piece.what is What.RESULT:
                items.append({"type": "function_call_output", "call_id": piece.wire, "output": "x"})
            elif piece.what is What.TEXT:
                content = "x" if plain or not piece.empty else ""
                items.append({"type": "message", "role": _side(said), "content": content})
            else:
                continue
            elements.append(Element(number, []))
    return {"input": items}, elements


_WIRES: Final[dict[str, tuple[Callable[[Live, bool, bool], Wire], Callable[..., list[str]]]]] = {
    "anthropic": (_anthropic, anthropic_problems.problems),
    "chat": (_chat, chat_problems.problems),
    "responses": (_responses, responses_problems.problems),
}
