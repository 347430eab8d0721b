"""The loop of the agent: ask the model, run the tools that it calls, until it calls no more.

Rule: the session is told of everything before anything depends on it, and no call stays without a result, whatever
happens to its tool: an interrupt, too, is a result. What goes wrong with a model ends the turn with one line, and the
session can go on. A turn that is opened in the middle (a strategy begins or ends, a subagent's receipt arrives) is
opened by the host's own words, behind the results of all calls.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from threading import Event
from typing import Literal, Protocol

from foldcover_harness.agent.tools.tool import Action, Result
from foldcover_harness.models.model import Answer, Model, ModelError, Refused, Stopped, Usage
from foldcover_harness.session import Session, SessionError, TurnReport
from foldcover_harness.session.lines import counted, one_line
from foldcover_harness.session.wires.wire import Call, Message

INTERRUPTED = "The user interrupted this before it was done."
STOPPED = "This was stopped before it was done."
WHOLE = ("end_turn", "stop", "stop_sequence", "tool_use", "tool_calls", "function_call", "completed", "")
"""What providers call an answer that came to its end; any other word is a bound, a refusal, a filter."""
MOST = 200
"""Requests of one turn: a model that never comes to an end is stopped."""
TOO_LONG = "; a prompt that is too long for the model is made short by /compact, in the conversation"


class Screen(Protocol):
    """Whoever watches."""

    def piece(self, kind: Literal["text", "thinking", "again"], text: str) -> None:
        """A piece of the answer that is coming, or why it begins again from nothing."""
        ...

    def called(self, call: Call, result: Result) -> None:
        """A tool was called, and has answered."""
        ...

    def answered(self, usage: Usage | None) -> None:
        """An answer is whole."""
        ...

    def said(self, line: str) -> None:
        """One line of the host for the user."""
        ...

    def stopped(self) -> None:
        """The user stopped the turn."""
        ...


class Modes(Protocol):
    """The strategies, as the loop sees them (strategies/)."""

    def owns(self, call: Call) -> bool:
        """Whether a call is for them."""
        ...

    def handle(self, call: Call) -> Result:
        """Answer such a call. What it asks for happens in `settle`."""
        ...

    def refuses(self, action: Action) -> str | None:
        """Why the mode that is on does not allow an action; None if it does."""
        ...

    def settle(self) -> bool:
        """Do what was asked for, now that all calls have results; whether that opened a turn for the model."""
        ...

    def model(self) -> Model:
        """The model that answers in the mode that is on."""
        ...


class Arrivals(Protocol):
    """What arrives by itself: receipts of subagents (subagents.py)."""

    def ready(self) -> Sequence[str]:
        """The messages that have arrived since the last look, each once."""
        ...


class Agent:
    """A session, a model and tools, turn by turn. For one thread."""

    def __init__(
        self,
        session: Session,
        actions: Sequence[Action],
        modes: Modes,
        arrivals: Arrivals,
        screen: Screen,
        *,
        stop: Event | None = None,
        interruptible: AbstractContextManager[object] | None = None,
        most: int = MOST,
    ) -> None:
        """`stop` ends what is going on, at the next place where that can be; so does a KeyboardInterrupt, which is
        raised only within `interruptible`. `most` bounds the requests of one turn.
        """
        self.session, self._modes = session, modes
        self._actions: Mapping[str, Action] = {action.tool.name: action for action in actions}
        self._arrivals, self._screen, self._most = arrivals, screen, most
        self._stop, self._interruptible = stop or Event(), interruptible or nullcontext()

    def turn(self, words: str) -> bool:
        """One turn of the user, up to the model's last word; whether it came to that. OSError where the disk fails."""
        self.deliver()
        self._tell(self.session.user({"role": "user", "content": words}))
        return self.work()

    def deliver(self) -> bool:
        """Let in what has arrived; whether anything has."""
        arrived = self._arrivals.ready()
        for words in arrived:
            self.session.host(words)
        return bool(arrived)

    def work(self) -> bool:
        """Go on until the model has nothing more to do; whether it came to that. What was folded is told anyway."""
        try:
            done = self._steps()
        except ModelError as error:
            done = False
            hint = TOO_LONG if isinstance(error, Refused) else ""
            self._screen.said("stopped" if isinstance(error, Stopped) else f"{error}{hint}")
        except KeyboardInterrupt:
            done = False
            self._screen.stopped()
        self.report()
        return done

    def report(self, compact: bool = False) -> None:
        """Say what was folded since it was last said, and what could not be done. `compact`: put a summary in the place
        of the tail.
        """
        self._tell(self.session.end_turn(compact))

    def _steps(self) -> bool:
        for _ in range(self._most):
            answer = self._answer()
            calls = self.session.calls(answer.message)
            self._run(calls)
            opened = self._modes.settle() | self.deliver()
            whole = answer.stopped in WHOLE
            if not whole:
                self._screen.said(f"the answer ended early ({one_line(answer.stopped, 60)})")
            elif not calls and not self.session.wire.said(answer.message).strip():
                self._screen.said("the model answered nothing")
            if not calls and not opened:
                return whole
        self._screen.said(f"stopped after {counted(self._most, 'request')} in one turn")
        return False

    def _answer(self) -> Answer:
        """Ask the model, and note its answer."""
        if self._stop.is_set():
            raise Stopped("stopped")
        model = self._modes.model()
        body = {**self.session.request(), "model": model.id}
        with self._interruptible:
            answer = model.answer(body, self._screen.piece, self._stop)
        try:
            self.session.assistant(answer.message)
        except SessionError as error:
            raise ModelError(f"{model.name} gave an answer that cannot be noted: {error}") from error
        if answer.usage is not None:
            self.session.usage(answer.usage.prompt)
        self._screen.answered(answer.usage)
        return answer

    def _run(self, calls: Sequence[Call]) -> None:
        """Run the calls of one answer, in order, and note each result; an interrupt is raised when all have one."""
        interrupt: KeyboardInterrupt | SystemExit | None = None
        for call in calls:
            if interrupt is not None or self._stop.is_set():
                result: Result | Message = Result(INTERRUPTED if interrupt is not None else STOPPED, failed=True)
            elif self.session.owns(call):
                result = self.session.handle(call)
            elif self._modes.owns(call):
                result = self._modes.handle(call)
            else:
                try:
                    with self._interruptible:
                        result = self._act(call)
                except (KeyboardInterrupt, SystemExit) as error:
                    interrupt, result = error, Result(INTERRUPTED, failed=True)
            if isinstance(result, Result):
                self._screen.called(call, result)
                result = self.session.wire.result(call.id, result.text, result.failed)
            self.session.tool_result(result)
        if interrupt is not None:
            raise interrupt

    def _act(self, call: Call) -> Result:
        action = self._actions.get(call.name)
        if action is None:
            return Result(f"There is no tool {call.name!r:.80}: there are {', '.join(self._actions)}.", failed=True)
        if refused := self._modes.refuses(action):
            return Result(refused, failed=True)
        return action.run(call.input, self._stop)

    def _tell(self, report: TurnReport | None) -> None:
        """Say in a quiet line each what was folded, and what could not be done."""
        for title in report.folded if report else ():
            self._screen.said(f"folded: {title}")
        for line in report.said if report else ():
            self._screen.said(line)
