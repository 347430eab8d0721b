"""Calls and their results, in the order in which a provider takes them.

Rule: the calls of the model's messages that stand together are a *group*. A result that comes while its group is open
stands in its place. A group is closed by whatever comes next, and then every call of it that has no result gets one
made by the host. A result that has no open call (its call is unknown, or has a result already, or the group is closed)
is shown behind the group as text: nothing that was recorded is hidden from the model, and no result stands twice.

What is said of a log never depends on what comes later, but for calls that are still open at its end: their results are
not made up, and what came out of place waits until they are there. So a longer log begins with the request of a shorter
one.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, Literal, NamedTuple

NO_RESULT: Final = "no result was recorded for this call"
"""The text of a result that the host makes."""
OUT_OF_PLACE: Final = "The host recorded this result of the tool call {id} out of its place:"
"""Heads a result that is shown as text."""


class Said(NamedTuple):
    """A message as pairing sees it. `calls` are ids with the parts that hold them; `answers` the same for results;
    `beside` are other parts of a tool result message.
    """

    by: Literal["user", "model", "tools"]
    message: Any
    calls: tuple[tuple[str, Any], ...] = ()
    answers: tuple[tuple[str, Any], ...] = ()
    beside: tuple[Any, ...] = ()


class Step(NamedTuple):
    """What a request says next.

    user, model: the whole message (`ids` are the ids that the model's calls have in the request) · answer: a result in
    its place, `ids` the id of its call · missing: a call that needs a made result · further: a result to be shown as
    text · beside: a part that stood beside results.
    """

    kind: Literal["user", "model", "answer", "missing", "further", "beside"]
    value: Any
    ids: tuple[str, ...] = ()


class _Open(NamedTuple):
    id: str
    sent: str
    call: Any


class _Pairing:
    def __init__(self, seen: set[str] | None) -> None:
        self.steps: list[Step] = []
        self.open: list[_Open] = []
        self.late: list[Step] = []
        self.everywhere = seen is not None
        self.seen = seen if seen is not None else set[str]()

    def take(self, said: Said) -> None:
        if said.by == "model":
            self.model(said)
        elif said.by == "user":
            self.close()
            self.steps.append(Step("user", said.message))
        else:
            for id_, part in said.answers:
                self.answer(id_, part)
            self.late.extend(Step("beside", part) for part in said.beside)
            if not self.open:
                self.release()

    def model(self, said: Said) -> None:
        together = bool(self.steps) and self.steps[-1].kind == "model" and not self.late
        if not together:
            self.close()
            if not self.everywhere:
                self.seen.clear()
        ids: list[str] = []
        for id_, call in said.calls:
            sent = self.fresh(id_)
            ids.append(sent)
            self.open.append(_Open(id_, sent, call))
        self.steps.append(Step("model", said.message, tuple(ids)))

    def fresh(self, id_: str) -> str:
        """Return the id under which a call goes out: another one where this one is taken."""
        sent, number = id_, 1
        while sent in self.seen:
            number += 1
            sent = f"{id_}-{number}"
        self.seen.add(sent)
        return sent

    def answer(self, id_: str, part: Any) -> None:
        for place, each in enumerate(self.open):
            if each.id == id_:
                del self.open[place]
                self.steps.append(Step("answer", part, (each.sent,)))
                return
        self.late.append(Step("further", part, (id_,)))

    def close(self) -> None:
        self.steps.extend(Step("missing", each.call, (each.sent,)) for each in self.open)
        self.open = []
        self.release()

    def release(self) -> None:
        self.steps.extend(self.late)
        self.late = []


def pair(log: Iterable[Said], seen: set[str] | None) -> list[Step]:
    """The steps of a log.

    `seen` holds the ids that are taken where a call's id must be the only one of its name in the whole request; it
    grows. None where it need only be so within its group.
    """
    pairing = _Pairing(seen)
    for said in log:
        pairing.take(said)
    return pairing.steps


def out_of_place(id_: str, text: str) -> str:
    """The text that shows a result which has no open call."""
    head = OUT_OF_PLACE.format(id=id_)
    return f"{head}\n\n{text}" if text else f"{head} it was empty"
