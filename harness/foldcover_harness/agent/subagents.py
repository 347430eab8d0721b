"""Subagents: a tool that thinks. A goal goes in, a receipt comes out.

    children = Children(session, lambda: actions(Workspace(...)), agents(model, standing))
    Agent(session, [*actions, children.action], strategies, children, screen)
    children.close()

Rule: a child works in a thread, in a folder of its own below the session's, and touches nothing of its parent. The
session keeps which children are out, and at which turn a receipt was handed over; so each arrives once, whatever is
killed: what was handed over and does not stand in the log is handed over again. A child that fails is an honest
receipt, never the end of its parent. (First post, "Subagents: a tool that thinks".)
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Condition, Event, Thread, Timer
from time import monotonic
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta

from foldcover_harness.agent.children.child import ENDED, Ending, Make, Watch
from foldcover_harness.agent.children.receipt import head, receipt
from foldcover_harness.agent.tools.given import Made
from foldcover_harness.agent.tools.tool import Action, Unable
from foldcover_harness.session import Session, SessionError
from foldcover_harness.session.disk import Disk
from foldcover_harness.session.lines import one_line
from foldcover_harness.session.wires.wire import Tool

KEPT: Final = "children"
"""The name under which the session keeps them, and that of their folder."""
TOOL: Final = "subagent"
MOST: Final = 4
"""Children at work at once."""
_TITLE: Final = 80


class Given(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """The arguments of the tool."""

    brief: Annotated[
        str,
        Meta(pattern=r"\S", max_length=100_000, description="all that it will know: the goal, and what it must answer"),
    ]
    tools: Annotated[
        list[str], Meta(description="names of the tools that it gets; all that there are if none is named")
    ] = []
    title: Annotated[str, Meta(description="a few words, for its receipt")] = ""


class Out(msgspec.Struct, frozen=True):
    """A child whose receipt does not stand in the log yet, and the turn at which it was handed over."""

    number: int
    title: str
    turn: int | None = None


class Kept(msgspec.Struct, frozen=True):
    """What the session keeps: how many children were started, and those that are out."""

    started: int = 0
    out: tuple[Out, ...] = ()


def tool(actions: Sequence[Action], most: int = MOST) -> Tool:
    """The tool as the standing part holds it; `actions` are those that children get."""
    return _made([action.tool.name for action in actions], most, lambda given, _: "").tool


def _made(names: Sequence[str], most: int, act: Callable[[Given, Event | None], str]) -> Made[Given]:
    return Made(
        TOOL,
        "Have a fresh agent do a piece of work beside you. It sees nothing but its brief, works in the background "
        "with tools of its own, and its conclusion arrives as a message of the host: its receipt. Good for "
        "searches whose way does not matter, for work side by side, and for an opinion that does not know yours. "
        f"At most {most} at once. Tools: {', '.join(names)}.",
        Given,
        act,
        writes=False,
    )


class Children:
    """The subagents of a session. They are its loop's `Arrivals`; `action` is the tool. For the session's thread."""

    def __init__(
        self,
        session: Session,
        actions: Callable[[], Sequence[Action]],
        make: Make,
        *,
        most: int = MOST,
        seconds: float | None = 1800.0,
        tokens: int | None = 2_000_000,
        read_only: Callable[[], bool] = lambda: False,
    ) -> None:
        """`actions` gives a child's tools, anew for each; they must ask nobody. `most` children work at once, further
        ones are refused; `seconds` and `tokens` limit each. While `read_only`, a new one gets no tool that writes.
        SessionError where what the session keeps of them was not kept by us.
        """
        self._session, self._actions, self._make = session, actions, make
        self._most, self._seconds, self._tokens, self._read_only = most, seconds, tokens, read_only
        self._folder = session.folder / KEPT
        self._changed = Condition()
        self._live: dict[int, tuple[Thread, Watch]] = {}
        self._endings: dict[int, Ending] = {}
        self._closed = False
        self.action: Action = _made(
            [action.tool.name for action in actions()], most, lambda given, _: self._start(given)
        )
        try:
            self._kept()
        except msgspec.ValidationError as error:
            raise SessionError(f"{session.folder}: what it keeps of its subagents: {error}") from error

    def running(self) -> int:
        """How many are at work."""
        with self._changed:
            return len(self._live)

    def ready(self) -> Sequence[str]:
        """The receipts that have arrived, each once; they must be told to the session at once, in this order."""
        kept = self._confirmed(self._kept())
        finished = self._finished(kept)
        if not finished:
            return ()
        following = len(self._session.state.turns)
        turns = {each.number: following + at for at, each in enumerate(finished)}
        out = tuple(msgspec.structs.replace(each, turn=turns.get(each.number)) for each in kept.out)
        self._keep(Kept(kept.started, out))
        return [self._receipt(each) for each in finished]

    def wait(self) -> bool:
        """Wait until a receipt is ready; False where none is to come."""
        while True:
            with self._changed:
                if self._finished(self._kept()):
                    return True
                if not self._live:
                    return False
                self._changed.wait()

    def close(self, seconds: float = 2.0) -> None:
        """Cancel all that are at work, and wait for them that long at most. Their receipts say so when the session is
        opened again.
        """
        self._closed = True
        with self._changed:
            live = list(self._live.values())
        for _, watch in live:
            watch.end("cancelled")
        end = monotonic() + seconds
        for thread, _ in live:
            thread.join(max(0.0, end - monotonic()))

    # ---- what is kept ----

    def _kept(self) -> Kept:
        kept: Any = self._session.kept(KEPT)
        return Kept() if kept is None else msgspec.convert(kept, Kept)

    def _keep(self, kept: Kept) -> None:
        self._session.keep(KEPT, {"started": kept.started, "out": [*map(msgspec.to_builtins, kept.out)]})

    def _confirmed(self, kept: Kept) -> Kept:
        """Without those whose receipt stands in the log; what was handed over and does not is out as before."""
        if all(each.turn is None for each in kept.out):
            return kept
        out = (msgspec.structs.replace(each, turn=None) for each in kept.out if not self._stands(each))
        confirmed = Kept(kept.started, tuple(out))
        self._keep(confirmed)
        return confirmed

    def _stands(self, child: Out) -> bool:
        turns = self._session.state.turns
        if child.turn is None or child.turn >= len(turns):
            return False
        entries = turns[child.turn].entries
        if entries is None:
            return True
        return entries[0].host and self._session.wire.said(entries[0].message).startswith(head(child.number))

    def _finished(self, kept: Kept) -> list[Out]:
        """Those that are out and not at work: what they had to say is said."""
        with self._changed:
            return [each for each in kept.out if each.number not in self._live and each.turn is None]

    def _receipt(self, child: Out) -> str:
        return receipt(child.number, child.title, self._of(child.number), self._endings.get(child.number))

    def _of(self, number: int) -> Path:
        return self._folder / str(number)

    # ---- a child ----

    def _start(self, given: Given) -> str:
        chosen = self._chosen(given.tools)
        if self._closed:
            raise Unable("the session is being closed")
        if self.running() >= self._most:
            raise Unable(f"{self._most} subagents are at work, and that is the most; wait for a receipt")
        Disk().make_folder(self._folder)
        kept = self._kept()
        number = kept.started + 1
        title = one_line(given.title, _TITLE) or one_line(given.brief, _TITLE)
        self._keep(Kept(number, (*kept.out, Out(number, title))))
        watch = Watch(self._tokens)
        thread = Thread(
            target=self._run, args=(number, given.brief, chosen, watch), name=f"subagent {number}", daemon=True
        )
        with self._changed:
            self._live[number] = thread, watch
        try:
            thread.start()
        except RuntimeError as error:
            self._over(number, Ending("crashed", str(error)))
        return f"started as subagent {number}; its receipt will arrive as a message"

    def _chosen(self, names: Sequence[str]) -> list[Action]:
        there = [action for action in self._actions() if not (action.writes and self._read_only())]
        unknown = [name for name in names if name not in {action.tool.name for action in there}]
        if unknown:
            having = ", ".join(action.tool.name for action in there)
            raise Unable(f"a subagent can have no tool {unknown[0]!r:.80} now: there are {having or 'none'}")
        return [action for action in there if not names or action.tool.name in names]

    def _run(self, number: int, brief: str, actions: Sequence[Action], watch: Watch) -> None:
        """The life of a child, in its thread."""
        ending, session = Ending("crashed"), None
        timer = Timer(self._seconds, watch.end, ("time limit",)) if self._seconds is not None else None
        try:
            if timer is not None:
                timer.daemon = True
                timer.start()
            agent = self._make(self._of(number), actions, watch, watch.stop)
            session = agent.session
            watch.on(session)
            ending = watch.ending(agent.turn(brief))
        except Exception as error:  # whatever happens to a child, its parent goes on
            ending = Ending("crashed", f"{type(error).__name__}: {error}")
        finally:
            if timer is not None:
                timer.cancel()
            if session is not None:
                with contextlib.suppress(Exception):
                    session.keep(ENDED, msgspec.to_builtins(ending))
                with contextlib.suppress(Exception):
                    session.close()
            self._over(number, ending)

    def _over(self, number: int, ending: Ending) -> None:
        with self._changed:
            self._endings[number] = ending
            del self._live[number]
            self._changed.notify_all()
