"""The session: what an agent's loop talks to.

    with Session.create(folder, wire="anthropic", standing={"model": ..., "system": ...}) as session:
        session.user({"role": "user", "content": "..."})
        body = session.request()                   send it, get the model's answer
        session.assistant(answer)
        for call in session.calls(answer):         run the tools
            session.tool_result(session.handle(call) if session.owns(call) else session.wire.result(call.id, ...))
        report = session.end_turn()                once the model calls no more tools

Rule: what a call was told is on the disk when it returns. A fold becomes part of the prompt at the end of a turn, in
this order: archive, journal, prompt. Folds and merges happen at the end of a turn and at no other time, so between them
each request begins with the one before; but for the emergency, a compaction (compacting.py). One session has one
writer; everything here is in that process, for one thread.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

from foldcover import Block
from foldcover_harness.session import checking, folding, prompt
from foldcover_harness.session.asking import answer, searched, titles
from foldcover_harness.session.card import card_of
from foldcover_harness.session.compacting import Emergency, Summarize
from foldcover_harness.session.counting import Counters
from foldcover_harness.session.disk import Disk
from foldcover_harness.session.exact import NotJson
from foldcover_harness.session.keeper import budget, keep
from foldcover_harness.session.legality import OURS, refuse_fold, refuse_message
from foldcover_harness.session.place import JOURNAL, Place, found, made
from foldcover_harness.session.replaying import replay
from foldcover_harness.session.reports import Reporter, SessionError, TurnReport
from foldcover_harness.session.search import Found, Search
from foldcover_harness.session.settings import settings_of
from foldcover_harness.session.state import Asked, apply, cover_lines
from foldcover_harness.session.tokens import Counter, correction, estimate
from foldcover_harness.session.wires import WIRES
from foldcover_harness.session.wires.values import copied, not_json
from foldcover_harness.session.wires.wire import Call, Json, Message, Role
from foldcover_harness.session.writers import Writer, index
from foldcover_harness.session.writing import line_writer


class Session(AbstractContextManager["Session"]):
    """A session in a folder. Made by `create` or `open`; a context manager, and `close` ends it."""

    def __init__(self, place: Place, disk: Disk, writer: Writer, summarize: Summarize | None, count: Counter) -> None:
        self.folder, self._journal, self._lock = place
        try:
            self.state, self.settings = replay(self._journal)
        except BaseException:
            self.close()
            raise
        self.standing: Mapping[str, Json] = self._journal.header["standing"]
        self.wire = self.state.wire
        self._disk, self._writer, self._count = disk, writer, count
        self._reporter = Reporter()
        self._sent: int | None = None
        self._emergency = Emergency(
            self.state, self.settings, self.load, summarize, self._archive_summary, self._fold_asked
        )

    # ---- made, opened, closed ----

    @classmethod
    def create(
        cls,
        folder: Path | str,
        *,
        wire: str = "anthropic",
        standing: Mapping[str, Json] | None = None,
        writer: Writer = index,
        summarize: Summarize | None = None,
        count: Counter = estimate,
        disk: Disk | None = None,
        **settings: Any,
    ) -> Session:
        """Make a session in a folder that holds none. SessionError for a wrong wire or setting; OSError, Locked.

        `standing`: the fields of a request that never change (model, system or instructions, tools, ...). `settings`:
        see `Settings`, for example window=200_000.
        """
        if wire not in WIRES:
            raise SessionError(f"no wire {wire!r}: one of {', '.join(WIRES)}")
        try:
            chosen = settings_of(settings)
        except (ValueError, TypeError) as error:
            raise SessionError(str(error)) from error
        real = disk or Disk()
        header = {"wire": wire, "standing": dict(standing or {}), "settings": chosen._asdict()}
        return cls(made(Path(folder), header, real), real, writer, summarize, count)

    @classmethod
    def open(
        cls,
        folder: Path | str,
        *,
        writer: Writer = index,
        summarize: Summarize | None = None,
        count: Counter = estimate,
        disk: Disk | None = None,
        read_only: bool = False,
    ) -> Session:
        """Open the session of a folder, as it was after the last event that came to the disk.

        `read_only`: needs no lock, and every call that would change something is a JournalError. JournalError where
        there is no session or the journal is damaged; Locked where somebody else writes; OSError.
        """
        real = disk or Disk()
        return cls(found(Path(folder), real, read_only), real, writer, summarize, count)

    def close(self) -> None:
        """Give the folder back. Nothing is lost by not calling it."""
        with self._lock or nullcontext():
            self._journal.close()

    def __exit__(self, *_: object) -> None:
        self.close()

    # ---- the log ----

    def user(self, message: Message) -> TurnReport | None:
        """Begin a turn. The card rides on this message when it is due.

        What still waits to be folded is folded first: then the report of that, else None.
        """
        self._check("user", message)
        report = self.end_turn() if self.state.asked else None
        self._message("user", message, card_of(self.state, self.settings, self._count))
        return report

    def host(self, words: str) -> None:
        """Begin a turn with the host's own words in the place of a user's: the rules of a strategy, what came of it.

        They are never taken for the user's: card, receipt and summary show them as the host's.
        """
        self._message("user", {"role": "user", "content": words}, host=True)

    def assistant(self, message: Message) -> None:
        """Note an answer of the model, exactly as it came: signed and encrypted parts, unknown fields, everything."""
        self._message("assistant", message)

    def tool_result(self, message: Message) -> None:
        """Note the result of a tool call."""
        self._message("tool_result", message)

    def usage(self, tokens: int) -> bool:
        """Tell how many tokens the provider counted for the last request; whether that was believed.

        Before or after its answer was noted, but in the same turn. A number that cannot be true (above the window, or
        far off the estimate) corrects nothing.
        """
        estimated = self.load(prompt.tail(self.state, self._sent)).tokens
        if correction(tokens, estimated, self.settings.window) is None:
            return False
        self._note({"e": "usage", "tokens": tokens, "estimated": estimated})
        return True

    def keep(self, name: str, value: Json) -> None:
        """Note what the host wants to find under this name when the session is opened again: the last value counts.
        It never goes into a prompt.
        """
        if wrong := not_json(value):
            raise SessionError(f"cannot be kept as JSON: {wrong}")
        self._note({"e": "keep", "name": name, "value": copied(value)})

    def kept(self, name: str) -> Json:
        """What was last kept under a name; None if nothing was."""
        return self.state.kept.get(name)

    # ---- the prompt ----

    def request(self) -> dict[str, Any]:
        """The body of the next request: standing part, cover, tail, with cache breakpoints where the wire has them.

        A turn that outgrows the window by itself is compacted here, where there is a `summarize` (compacting.py). The
        body shares its parts with the session: send it, do not change it. OSError where an archive cannot be written.
        """
        if self._lock is not None and (looked := self._emergency.before_request()):
            self._reporter.prompt(*looked)
        self._sent = len([*prompt.open_entries(self.state)])
        return prompt.request(self.state, self.standing, OURS)

    def tools(self) -> list[Json]:
        """Our tools in the wire's form: fold_unit, zoom, search. `request` sends them behind the caller's own."""
        return self.wire.tools(OURS)

    def load(self, instead: Sequence[Message] | None = None) -> prompt.Load:
        """What the next request weighs, by estimate; or what it would with these messages for its tail."""
        return prompt.load(self.state, self.standing, self._count, instead)

    def calls(self, message: Message) -> list[Call]:
        """The tool calls in an assistant message."""
        return self.wire.calls(message)

    def owns(self, call: Call) -> bool:
        """Whether a call is for one of our tools."""
        return any(tool.name == call.name for tool in OURS)

    def handle(self, call: Call) -> Message:
        """Answer a call of one of our tools: the message to be noted by `tool_result`. A wrong call gets a clear error
        there and changes nothing; a legal fold is done when the turn ends.
        """
        if not self.owns(call):
            raise SessionError(f"{call.name} is no tool of ours")
        answered = answer(self.state, call, self.search)
        if answered.asked is not None:
            asked = answered.asked
            self._note({"e": "asked", "first": asked.first, "last": asked.last, "title": asked.title})
        return self.wire.result(call.id, answered.text, answered.failed)

    # ---- the end of a turn ----

    def end_turn(self, compact: bool = False) -> TurnReport:
        """Fold what was asked for, keep the cover, and compact the tail if it alone nears the window, or at once.

        The report is of all that was folded since the last one, by `fold` too.
        """
        self._fold_asked()
        load = self.load()
        compacted, why = self._emergency.after_turn(load, compact)
        self._reporter.prompt(compacted, why)
        return self._reporter.report(self.load() if compacted else load)

    def fold(self, first: int, last: int, title: str | None = None) -> str:
        """Fold turns at once, outside of a model's call. The title; the next report has the rest. SessionError where
        it is not legal.
        """
        if refused := refuse_fold(self.state, first, last):
            raise SessionError(refused)
        return self._fold(Asked(first, last, title))

    def _fold_asked(self) -> None:
        for asked in list(self.state.asked):
            self._fold(asked)

    def _fold(self, asked: Asked) -> str:
        self._note(folding.fold_event(self.state, asked, self._disk, self.folder, self.settings.title, self._count))
        title = self.state.units[-1].title
        writer = line_writer(self.state, self._writer, self.settings.line, self._count)
        kept = keep(self.state, budget(self.state, self.settings), writer.write, writer.weigh, self._note)
        self._reporter.closed(title, kept)
        return title

    def _archive_summary(self, summary: str, staying: int | None) -> None:
        self._note(folding.compact_event(self.state, summary, staying, self._disk, self.folder, self.settings.window))

    # ---- looking ----

    def card(self, due: bool = True) -> str | None:
        """The card as it would ride on the next user message; None if there is nothing or, with `due`, too little."""
        return card_of(self.state, self.settings if due else self.settings._replace(card_calls=0), self._count)

    def cover(self) -> list[str]:
        """The cover: a line a shown block, oldest first."""
        return cover_lines(self.state)

    def zoom(self, block: Block) -> list[str]:
        """The titles of a block's units, in order; [] where it is no block of this session."""
        return titles(self.state, block)

    def search(self, text: str) -> Found:
        """Where a literal text stands: titles first, then archives, with file and line."""
        with Search(self.folder) as search:
            return search.find(text, searched(self.state))

    def counters(self) -> Counters:
        """Archive read-backs, tool calls repeated after a fold, folds that the next turn reopened."""
        return self.state.watch.counters

    def doctor(self) -> checking.Examined:
        """What is wrong with the files, if anything: journal, archives, and the life of the cover by the rule."""
        return checking.examine(self.folder, JOURNAL)

    # ---- inside ----

    def _check(self, role: Role, message: Message) -> None:
        if refused := refuse_message(self.state, role, message):
            raise SessionError(refused)

    def _message(self, role: Role, message: Message, card: str | None = None, host: bool = False) -> None:
        """Note a message as it is now, whatever its caller does to it later. SessionError where it cannot be noted."""
        self._check(role, message)
        event = {"e": "message", "role": role, "message": copied(message)}
        self._note(event | ({"note": card} if card else {}) | ({"host": True} if host else {}))

    def _note(self, event: dict[str, Any]) -> None:
        """Make an event durable, then true."""
        try:
            self._journal.append(event)
        except NotJson as error:
            raise SessionError(f"cannot be kept as JSON: {error}") from error
        apply(self.state, event)
        if event["e"] in ("fold", "compact"):
            self._sent = None
