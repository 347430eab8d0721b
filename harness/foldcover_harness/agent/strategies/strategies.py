"""The strategies of a session: modes that are entered, reported in and left, one inside the other.

    strategies = Strategies(session, model, stronger, load(folder))
    agent = Agent(session, actions, strategies, ...)
    refused = strategies.enter("errand", "find out why CI is flaky")       /strategy errand find out why CI is flaky
    line = strategies.back()                                               /back

Rule: entering and leaving are each one message of the host at the tail; before it nothing changes, byte for byte, until
a branch folds. A step is kept before it is begun and taken off when it is done, so that a kill between any two of its
parts loses nothing and does nothing twice: whoever opens the session goes on with what is left. Only calls and what was
kept count; text that looks like a message of ours is just text. (First post, "Strategies: the context as a
call stack".)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import msgspec

from foldcover_harness.agent.strategies import words
from foldcover_harness.agent.strategies.calls import Report, Request, Yield, actions
from foldcover_harness.agent.strategies.definitions import BadStrategy, Strategy, load
from foldcover_harness.agent.strategies.stack import (
    By,
    Enter,
    Leave,
    Stack,
    decoded,
    done,
    encoded,
    frame,
    planned,
    reported,
    runs,
    units,
)
from foldcover_harness.agent.tools.tool import Action, Result, Unable
from foldcover_harness.models.model import Model
from foldcover_harness.session import Call, Session

KEPT: Final = "strategies"
"""The name under which a session keeps the stack."""


class Strategies:
    """The modes of a session. They are a `Modes` for the loop."""

    def __init__(
        self,
        session: Session,
        model: Model,
        stronger: Model | None = None,
        strategies: Sequence[Strategy] | None = None,
        said: Callable[[str], None] = lambda _: None,
    ) -> None:
        """Of a session that was opened for writing; a step that a kill left half done is finished here.

        `stronger`, of the same wire, answers in strategies that ask for it; `strategies` are ours where none are given.
        `said` gets a line for the user for each fold that the model had asked for and that comes before a branch's own.
        BadStrategy where what the session keeps was not kept by us; JournalError, OSError.
        """
        self._session, self._model, self._stronger, self._tell = session, model, stronger, said
        self._strategies = {each.name: each for each in (load() if strategies is None else strategies)}
        made = actions(tuple(self._strategies.values()), self._request, self._report, self._yield)
        self._actions = {each.tool.name: each for each in made}
        try:
            decoded(session.kept(KEPT))
        except msgspec.ValidationError as error:
            raise BadStrategy(f"{session.folder}: what it keeps of its strategies: {error}") from error
        self.settle()

    # ---- for the user ----

    @property
    def names(self) -> tuple[str, ...]:
        """What can be entered."""
        return tuple(self._strategies)

    @property
    def menu(self) -> str:
        """What can be entered, and when to: a line each."""
        return "\n".join(f"  {each.name:<9} {each.about}" for each in self._strategies.values())

    @property
    def labels(self) -> tuple[str, ...]:
        """What is on, outermost first."""
        lacking = " (no stronger model)" if self._stronger is None else ""
        return tuple(each.label + (lacking if each.stronger else "") for each in self._stack.frames)

    @property
    def read_only(self) -> bool:
        """Whether a strategy is on in which nothing is changed, the innermost or one around it."""
        return any(each.read_only for each in self._stack.frames)

    def enter(self, name: str, task: str) -> str | None:
        """Begin a strategy, for the user; the model answers next if there is a task. Why it cannot be, else None."""
        try:
            self._plan_enter(self._found(name), task, "user")
        except Unable as unable:
            return str(unable)
        self.settle()
        return None

    def back(self) -> str:
        """End the innermost strategy, for the user, who speaks next. What was done, in a line."""
        top = self._stack.top
        if top is None:
            return "no strategy is on"
        self._keep(planned(self._stack, Leave(self._following, "user")))
        self.settle()
        return f"left {top.label}" + ("" if top.report is not None else f"; {words.NO_REPORT}")

    # ---- for the loop ----

    def owns(self, call: Call) -> bool:
        """Whether a call is for us."""
        return call.name in self._actions

    def handle(self, call: Call) -> Result:
        """Answer such a call. What it asks for happens in `settle`."""
        return self._actions[call.name].run(call.input)

    def refuses(self, action: Action) -> str | None:
        """Why the mode that is on does not allow an action; None if it does."""
        if not action.writes:
            return None
        for each in self._stack.frames:
            if each.read_only:
                return f'{action.tool.name} is refused: "{each.label}" is on, in which nothing is changed.'
        return None

    def model(self) -> Model:
        """The model that answers in the mode that is on: the stronger one in a strategy that asks for it, and in what
        is nested there.
        """
        stronger = any(each.stronger for each in self._stack.frames)
        return self._stronger if stronger and self._stronger is not None else self._model

    def settle(self) -> bool:
        """Do what was asked for, now that all calls have results; whether that opened a turn for the model.

        Also finishes what an earlier process, or a full disk, left half done.
        """
        step = self._stack.next
        if step is None:
            return False
        if not self._said(step):
            # Somebody else spoke first: an interrupt came between the asking and the doing.
            self._keep(planned(self._stack, None))
            return False
        if isinstance(step, Leave):
            self._fold()
        self._keep(done(self._stack))
        return True

    # ---- inside ----

    @property
    def _stack(self) -> Stack:
        return decoded(self._session.kept(KEPT))

    @property
    def _following(self) -> int:
        """The number of the turn that is opened next."""
        return len(self._session.state.turns)

    def _keep(self, stack: Stack) -> None:
        self._session.keep(KEPT, encoded(stack))

    def _said(self, step: Enter | Leave) -> bool:
        """Have the step's message at its place; whether that is so."""
        turns = self._session.state.turns
        if not step.begun:
            if len(turns) != step.turn:
                return False
            step = self._begun(step)
        if len(turns) == step.turn:
            self._session.host(step.words)
            return True
        entries = turns[step.turn].entries
        return entries is None or (entries[0].host and self._session.wire.said(entries[0].message) == step.words)

    def _begun(self, step: Enter | Leave) -> Enter | Leave:
        """The step as it is begun, kept. What the end of a branch says is known only now."""
        begun = msgspec.structs.replace(step, begun=True)
        if isinstance(begun, Leave):
            self._fold_asked()
            begun = msgspec.structs.replace(begun, words=self._last_words(begun))
        self._keep(planned(self._stack, begun))
        return begun

    def _fold_asked(self) -> None:
        """Fold what the model asked for before it left: the branch is what remains."""
        if self._session.state.asked:
            report = self._session.end_turn()
            for line in (*(f"folded: {title}" for title in report.folded), *report.said):
                self._tell(line)

    def _last_words(self, step: Leave) -> str:
        """What the host says at the end: with the last report, and the numbers that the units will have."""
        frames, state = self._stack.frames, self._session.state
        top, outer = frames[-1], frames[-2] if len(frames) > 1 else None
        held = units(state.turns, top.first, step.turn, len(state.units))
        lost = sum(turn.compacted for turn in state.turns[top.first : step.turn])
        return words.leaving(top, step.by, step.reason, outer, (top.first, step.turn - 1), held, lost)

    def _fold(self) -> None:
        """Fold what of the branch is open: all turns before the message that ends it."""
        stack = self._stack
        step, top = stack.next, stack.frames[-1]
        assert step is not None
        for first, last in [*runs(self._session.state.turns, top.first, step.turn)]:
            self._session.fold(first, last, words.title(top))

    def _found(self, name: str) -> Strategy:
        strategy = self._strategies.get(name)
        if strategy is None:
            raise Unable(f"there is no strategy {name!r:.80}: there are {', '.join(self.names) or 'none'}")
        if strategy.stronger and self._stronger is None:
            raise Unable(f"{name} needs a stronger model, and none was chosen")
        return strategy

    def _plan_enter(self, strategy: Strategy, task: str, by: By) -> None:
        stack, turn = self._stack, self._following
        said = words.entering(strategy, task, by, stack.top)
        self._keep(planned(stack, Enter(turn, frame(strategy, task, turn), said)))

    def _free(self) -> None:
        """Unable if an answer asks for a second step."""
        step = self._stack.next
        if step is not None and step.turn == self._following:
            doing = "enters" if isinstance(step, Enter) else "leaves"
            raise Unable(f"this answer {doing} a strategy already; one step an answer")

    def _request(self, given: Request) -> str:
        strategy = self._found(given.name)
        self._free()
        self._plan_enter(strategy, given.task, "model")
        return f"{strategy.name} begins when all calls of this answer have results; its rules come as a message."

    def _report(self, given: Report) -> str:
        stack = self._stack
        if stack.top is None:
            raise Unable("no strategy is on, so there is no report to write")
        self._keep(reported(stack, given.report))
        return f"This is the report of {stack.top.name} now."

    def _yield(self, given: Yield) -> str:
        top = self._stack.top
        if top is None:
            raise Unable("no strategy is on, so there is none to leave")
        self._free()
        self._keep(planned(self._stack, Leave(self._following, "model", given.reason)))
        missing = "" if top.report is not None else f" So far {words.NO_REPORT}."
        return f"{top.name} ends when all calls of this answer have results.{missing}"
