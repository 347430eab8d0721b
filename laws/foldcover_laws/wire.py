"""Requests, answers and views as lines of JSON: strict in what is read, compact in what is written.

Rule: texts and values only; nothing is sent, and no request is followed up here. A number is a JSON integer: 1.0, 1e3,
true and "1" are none. A key that occurs twice, NaN, bytes that are no UTF-8 and nesting without end are malformed. Keys
that nobody asked for are ignored. spec/ports.md is the protocol in words.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, TypeGuard, cast

from foldcover import Block, Leaf, Merged, Outcome, Settled, Split, Tree, View
from foldcover_laws.messages import (
    RANKS,
    Answer,
    Budgeted,
    Close,
    Greeting,
    Listed,
    Load,
    Plain,
    Refusal,
    Request,
    Shown,
    Write,
    Zoom,
)

MOST_DIGITS = 1000
"""Digits of a number, far beyond the domain. Python itself would write no more than 4,300."""
OUTCOMES = {outcome.value: outcome for outcome in Outcome}


class Malformed(ValueError):
    """What came is no request, or no answer to the request; the message says why, in printable characters."""


def printable(text: object, most: int = 160) -> str:
    """A stranger's text on one line of plain characters, cut where it is long."""
    if isinstance(text, bytes):
        text = text[: most + 1].decode("utf-8", "backslashreplace")
    plain = ascii(text if isinstance(text, str) else json_text(text))[1:-1]
    return plain if len(plain) <= most else f"{plain[:most]} ..."


def told(value: object) -> str:
    """What was found where something else should be: JSON on one line, cut where it is long."""
    return printable(json_text(value))


def view_told(view: View) -> str:
    """A view as JSON, cut where it is long."""
    return printable(json_text([*view]), 400)


def json_text(value: object) -> str:
    """A value as it was read, trees included, as JSON again."""
    try:
        if _is_tree(value):
            return _tree_text(value)
        if isinstance(value, dict):
            pairs = cast("dict[str, object]", value).items()
            return f"{{{','.join(f'{json_text(key)}:{json_text(own)}' for key, own in pairs)}}}"
        if isinstance(value, list):
            return f"[{','.join(map(json_text, cast('list[object]', value)))}]"
        return json.dumps(value, ensure_ascii=False, default=str)
    except RecursionError:
        return "(nested too deep to be shown)"


def after_reading(op: str) -> str:
    """A hint, where the request before was one that changes nothing."""
    return f", right after a {op}, which must change nothing" if op in ("zoom", "wanted") else ""


# Writing.


def view_text(view: View) -> str:
    """The view as JSON."""
    return f"[{','.join(map(_tree_text, view))}]"


def _tree_text(tree: Tree) -> str:
    match tree:
        case Leaf(weight=weight):
            return f'{{"leaf":{weight}}}'
        case Merged(size=size, weight=weight):
            return f'{{"merged":[{size},{weight}]}}'
        case Split(left=left, right=right, line=line):
            return f'{{"split":[{_tree_text(left)},{_tree_text(right)},{"null" if line is None else line}]}}'


def blocks_text(blocks: Iterable[Block]) -> str:
    """The blocks as JSON: [start, size] each."""
    return f"[{','.join(f'[{block.start},{block.size}]' for block in blocks)}]"


def request_text(number: int, request: Request) -> str:
    """The request as a line of JSON, without its newline."""
    head = f'{{"id":{number},"op":"{request.op}"'
    match request:
        case Plain():
            return head + "}"
        case Load(view=view):
            return f'{head},"view":{view_text(view)}}}'
        case Close(weight=weight):
            return f'{head},"weight":{weight}}}'
        case Write(block=block, weight=weight):
            return f'{head},"start":{block.start},"size":{block.size},"weight":{weight}}}'
        case Budgeted(budget=budget, rank=rank):
            return f'{head},"budget":{budget},"rank":"{rank.__name__}"}}'
        case Zoom(block=block):
            return f'{head},"start":{block.start},"size":{block.size}}}'


def answer_text(number: int, answer: Answer) -> str:
    """The answer as a line of JSON, without its newline."""
    head = f'{{"id":{number}'
    match answer:
        case Greeting(name=name, load=load, wanted=wanted):
            return json.dumps({"id": number, "name": name, "load": load, "wanted": wanted}, separators=(",", ":"))
        case Shown(view=view):
            return f'{head},"view":{view_text(view)}}}'
        case Settled(view=view, merged=merged, outcome=outcome):
            return f'{head},"view":{view_text(view)},"merged":{blocks_text(merged)},"outcome":"{outcome.value}"}}'
        case Listed(blocks=blocks):
            return f'{head},"blocks":{blocks_text(blocks)}}}'
        case Refusal(error=error):
            return f'{head},"error":{json.dumps(error)}}}'


# Reading.


def parse(line: bytes) -> dict[str, Any]:
    """The object on a line. Trees in it are already trees, where they have the form of one. Raises Malformed."""
    try:
        found: object = _DECODER.decode(line.decode("utf-8"))
    except Malformed:
        raise
    except UnicodeDecodeError as error:
        raise Malformed(f"bytes that are no UTF-8: {printable(line)}") from error
    except RecursionError as error:
        raise Malformed(f"nested without end: {printable(line)}") from error
    except ValueError as error:
        raise Malformed(f"no JSON: {printable(line)}") from error
    if not isinstance(found, dict):
        raise Malformed(f"no JSON object: {printable(line)}")
    return cast("dict[str, Any]", found)


def id_of(found: dict[str, Any]) -> int:
    """The id of a request or an answer. Raises Malformed."""
    if "id" not in found:
        raise Malformed(f"no id: {told(found)}")
    return _number(found["id"], "id")


def read_request(found: dict[str, Any]) -> Request:
    """The request in an object. Raises Malformed."""
    match found.get("op"):
        case "hello" | "reset" | "bye" as op:
            return Plain(op)
        case "load":
            return Load(_view(found.get("view")))
        case "close":
            return Close(_number(found.get("weight"), "weight"))
        case "write":
            return Write(_range(found), _number(found.get("weight"), "weight"))
        case "settle" | "wanted" as op:
            rank = found.get("rank")
            if not isinstance(rank, str) or rank not in RANKS:
                raise Malformed(f"rank {told(rank)}, not one of {', '.join(RANKS)}")
            return Budgeted(op, _number(found.get("budget"), "budget"), RANKS[rank])
        case "zoom":
            return Zoom(_range(found))
        case other:
            raise Malformed(f"no operation of that name: {told(other)}")


def read_answer(found: dict[str, Any], request: Request) -> Answer:
    """The answer in an object, of the form that the request asks for. Raises Malformed."""
    if "error" in found:
        if not isinstance(found["error"], str):
            raise Malformed(f"an error that is no text: {told(found['error'])}")
        return Refusal(found["error"])
    match request.op:
        case "hello":
            return _greeting(found)
        case "settle":
            outcome = found.get("outcome")
            if not isinstance(outcome, str) or outcome not in OUTCOMES:
                raise Malformed(f"outcome {told(outcome)}, not one of {', '.join(OUTCOMES)}")
            return Settled(_view(found.get("view")), _blocks(found.get("merged")), OUTCOMES[outcome])
        case "zoom" | "wanted":
            return Listed(_blocks(found.get("blocks")))
        case _:
            return Shown(_view(found.get("view")))


def _greeting(found: dict[str, Any]) -> Greeting:
    name, load, wanted = found.get("name"), found.get("load"), found.get("wanted")
    if not isinstance(name, str) or not isinstance(load, bool) or not isinstance(wanted, bool):
        raise Malformed(f"hello needs a name (text), load and wanted (true or false): {told(found)}")
    return Greeting(printable(name, 60), load, wanted)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any] | Tree:
    """A tree, where the object has the form of one; a dict otherwise."""
    if len(pairs) == 1:
        match pairs[0]:
            case ("leaf", weight) if type(weight) is int:
                return Leaf(weight)
            case ("merged", [size, weight]) if type(size) is int and type(weight) is int:
                return Merged(size, weight)
            case ("split", [left, right, line]) if _is_tree(left) and _is_tree(right):
                if line is None or type(line) is int:
                    return Split(left, right, line)
            case _:
                pass
    found = dict(pairs)
    if len(found) != len(pairs):
        raise Malformed(f"a key that occurs twice, among {told([key for key, _ in pairs])}")
    return found


def _no_constant(name: str) -> None:
    raise Malformed(f"{name}, which is no JSON")


def _integer(text: str) -> int:
    if len(text) > MOST_DIGITS:
        raise Malformed(f"a number too long, of more than {MOST_DIGITS:,} digits: {printable(text, 40)}")
    return int(text)


_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_no_constant, parse_int=_integer)


def _is_tree(value: object) -> TypeGuard[Tree]:
    return isinstance(value, Leaf | Merged | Split)


def _number(value: object, name: str) -> int:
    if type(value) is not int:
        raise Malformed(f"{name} is no integer: {told(value)}")
    return value


def _range(found: dict[str, Any]) -> Block:
    return Block(_number(found.get("start"), "start"), _number(found.get("size"), "size"))


def _view(value: Any) -> View:
    trees = _list(value, "view is no list of trees")
    for tree in trees:
        if not _is_tree(tree):
            raise Malformed(f"no tree: {told(tree)}")
    return tuple(trees)


def _blocks(value: Any) -> tuple[Block, ...]:
    return tuple(map(_block, _list(value, "no list of blocks")))


def _list(value: Any, otherwise: str) -> list[Any]:
    match value:
        case [*found]:
            return found
        case _:
            raise Malformed(f"{otherwise}: {told(value)}")


def _block(value: Any) -> Block:
    match value:
        case [start, size] if type(start) is int and type(size) is int:
            return Block(start, size)
        case _:
            raise Malformed(f"no block [start, size]: {told(value)}")
