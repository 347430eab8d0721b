"""One file, examined: what is wrong in it, and which provider would refuse what.

Rule: the file is read once, as replay reads it; beside the conversation stand the faults of its lines and of
its ids. A kind of fault is told once, with how often it occurs and where first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from foldcover_harness.check import texts as lines
from foldcover_harness.check.recorder import NAMELESS, Fault, Recorder, Role, Said, What
from foldcover_harness.check.wires import Refusal, refusals
from foldcover_harness.session.wires.values import is_list, is_object
from foldcover_harness.transcripts import jsonlines
from foldcover_harness.transcripts.model import Conversation
from foldcover_harness.transcripts.recognise import FORMATS, Layout, opened, recognise, texts_of
from foldcover_harness.transcripts.tolerant import CUT, FAULTS, MENDED, UNREADABLE

KINDS: Final = {
    "unanswered-call": "calls without a result",
    "orphan-result": "results without a call",
    "early-result": "results before their call",
    "repeated-result": "further results of a call",
    "repeated-call-id": "call ids used again",
    "repeated-id": "ids of lines or messages used again",
    "broken-chain": "parents that are not in the file",
    lines.GLUED: "lines with several objects",
    lines.CUT: "lines that break off",
    lines.NOT_JSON: "lines that are no JSON",
    lines.SURROGATE: "lone surrogates",
    lines.ESCAPE: "escapes that JSON does not know",
    lines.CONTROL: "raw control characters",
    lines.UTF8: "text that is not UTF-8",
    "empty": "messages without content",
    "first-role": "begins with an answer or a result",
    "answers-in-a-row": "answers with nothing between",
    "unknown": "kinds or types unknown to the reader",
    "no-request": "no answer of a model",
    "crossed-id": "ids that another file has too",
}
"""What is looked for, in the order in which it is told, in a few words."""

# Told in other words by the faults of the lines themselves.
_TOLD: Final = frozenset((CUT, MENDED, UNREADABLE))


BODIES: Final = frozenset(("openai-chat", "anthropic-messages"))
"""Clients whose files may be request bodies of a provider."""
BODY: Final = 8 << 20
"""Bytes of the longest body that is judged as it stands; of a longer one roles and ids are."""


class Finding(NamedTuple):
    """A kind of fault: how often, where first, and what it is about there. `other` is the file that has the
    same ids.
    """

    kind: str
    times: int
    place: int | None
    what: str
    other: Path | None = None


@dataclass(slots=True)
class Examined:
    """A file and what is wrong with it. `ids` holds every id of a line, a message or a call, for the
    comparison with other files.
    """

    path: Path
    client: str
    layout: Layout
    turns: int
    requests: int
    calls: int
    results: int
    findings: list[Finding]
    refusals: list[Refusal]
    ids: dict[str, int] = field(default_factory=dict[str, int])


def examine(path: Path, passed: Callable[[int], object] | None = None) -> Examined:
    """Return what is wrong in the file at `path`. Raises RefusedError where it is no transcript."""
    with opened(path) as stream:
        found = recognise(stream)
        recorder = Recorder(found.client)
        texts = texts_of(stream, found.layout)
        body: dict[str, Any] | None = None
        if found.layout is Layout.OBJECT:
            whole = list(texts)
            body, texts = _body(found.client, whole[0] or b""), iter(whole)
        tapped = _tapped(texts, found.layout, recorder, passed)
        conversation = FORMATS[found.client].read(tapped, recorder)
    return Examined(
        path,
        found.client,
        found.layout,
        len(conversation.turns),
        len(conversation.requests),
        len(recorder.calls),
        recorder.result_count,
        _findings(recorder, conversation),
        refusals(recorder, found.client, body),
        _ids(recorder),
    )


def _body(client: str, text: bytes) -> dict[str, Any] | None:
    """Return the request that a file is; None where it is none, or too long to be held as one."""
    if client not in BODIES or len(text) > BODY:
        return None
    try:
        value = msgspec.json.decode(jsonlines.repaired(text))
    except FAULTS:
        return None
    return {"messages": value["messages"]} if is_object(value) and is_list(value.get("messages")) else None


def _tapped(
    texts: Iterable[bytes | None],
    layout: Layout,
    recorder: Recorder,
    passed: Callable[[int], object] | None,
) -> Iterator[bytes | None]:
    """Yield the texts of a file; keep where the reader is, and what is wrong with them."""
    for place, text in enumerate(texts, 1 if layout is Layout.LINES else 0):
        recorder.place = place
        at = None if layout is Layout.OBJECT else place
        if text is None:
            recorder.faults.append(Fault(lines.CUT, at))
        else:
            recorder.faults += [Fault(kind, at) for kind in lines.faults(text)]
            if passed is not None:
                passed(len(text))
        yield text


def _findings(recorder: Recorder, conversation: Conversation) -> list[Finding]:
    faults = [fault for fault in recorder.faults if fault.what not in _TOLD]
    faults += [Fault("unanswered-call", call.place, named(call.name)) for call in recorder.calls if not call.results]
    faults += recorder.orphans()
    faults += _of_entries(recorder)
    faults += _of_messages([said for _, said in recorder.live()])
    told: dict[tuple[str, str], Finding] = {}
    for fault in faults:
        # Of unknown kinds each is told.
        key = (fault.kind, fault.what if fault.kind == "unknown" else "")
        known = told.get(key)
        if known is None:
            told[key] = Finding(fault.kind, 1, fault.place, fault.what)
        else:
            earlier = (fault.place or 0) < (known.place or 0)
            place, what = (fault.place, fault.what) if earlier else (known.place, known.what)
            told[key] = known._replace(times=known.times + 1, place=place, what=what)
    if not conversation.requests:
        told["no-request", ""] = Finding("no-request", 1, None, "")
    return in_order(told.values())


def in_order(findings: Iterable[Finding]) -> list[Finding]:
    """Return the findings in the order in which their kinds are told."""
    order = list(KINDS)
    return sorted(findings, key=lambda finding: order.index(finding.kind))


def named(call: str) -> str:
    """Return the id of a call; "" where it has none of its own."""
    return "" if call.startswith(NAMELESS) else call


def _of_entries(recorder: Recorder) -> Iterator[Fault]:
    seen: set[str] = set()
    for entry, place in zip(recorder.entries, recorder.entry_places, strict=True):
        if entry.id in seen:
            yield Fault("repeated-id", place, entry.id)
        seen.add(entry.id)
    for entry, place in zip(recorder.entries, recorder.entry_places, strict=True):
        if entry.parent is not None and entry.parent not in seen:
            yield Fault("broken-chain", place, entry.parent)


def _of_messages(messages: list[Said]) -> Iterator[Fault]:
    if messages and messages[0].role in (Role.ANSWER, Role.RESULT):
        yield Fault("first-role", messages[0].place, (messages[0].role or Role.USER).value)
    before: Said | None = None
    for said in messages:
        if said.role is not Role.RESULT and all(piece.what is What.TEXT and piece.empty for piece in said.pieces):
            yield Fault("empty", said.place, "answer" if said.role is Role.ANSWER else "message")
        if said.role is Role.ANSWER and before is not None and before.role is Role.ANSWER:
            yield Fault("answers-in-a-row", said.place)
        before = said


def _ids(recorder: Recorder) -> dict[str, int]:
    ids: dict[str, int] = {}
    for entry, place in zip(recorder.entries, recorder.entry_places, strict=True):
        ids.setdefault(entry.id, place)
    for call in recorder.calls:
        if named(call.name):
            ids.setdefault(call.name, call.place)
    return ids
