"""An agent put together: session, model, tools, strategies, subagents, from what the user chose.

Rule: everything that can be wrong is found before a session is begun. A session that goes on keeps its standing part,
its window and its wire; the model may be another one of that wire. It goes nowhere else than where it was begun, unless
that is said.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from datetime import datetime
from functools import partial
from itertools import islice
from pathlib import Path
from threading import Event
from typing import Final, NamedTuple

import msgspec

from foldcover_harness.agent import folders, strategies, subagents
from foldcover_harness.agent.children.child import agents
from foldcover_harness.agent.conversation import Room
from foldcover_harness.agent.interrupts import Interrupts
from foldcover_harness.agent.loop import Agent
from foldcover_harness.agent.standing import child_prompt, prompt, standing
from foldcover_harness.agent.terminal import Confirm, Terminal
from foldcover_harness.agent.tools import Action, Workspace, actions, always
from foldcover_harness.models import clients
from foldcover_harness.models.choose import FORMS, choose, kind_of
from foldcover_harness.models.model import Answer, Model, ModelError, Show, Windowed
from foldcover_harness.models.remote import Remote
from foldcover_harness.models.retrying import Retries
from foldcover_harness.models.writing import ModelWriter, summarize
from foldcover_harness.session import Session, SessionError
from foldcover_harness.session.compacting import Summarize
from foldcover_harness.session.disk import Disk
from foldcover_harness.session.journal import Journal
from foldcover_harness.session.place import JOURNAL
from foldcover_harness.session.wires.wire import Json, Tool
from foldcover_harness.session.writers import Writer, index

AGENT: Final = "agent"
"""The name under which a session keeps how it was begun."""
WINDOW: Final = 200_000
"""Tokens of a model's window where neither the model nor the user says."""
CARD: Final = 100_000
"""Tokens after which the card is shown; in a small window half of it."""


class Choices(NamedTuple):
    """What the user chose."""

    root: Path
    """The working folder."""
    folder: Path | None
    resume: bool
    model: str | None
    base_url: str | None
    yes: bool
    asks: bool
    """Whether somebody is there to be asked."""
    allowed: tuple[Path, ...]
    window: int | None
    counsel: str | None
    writer: str | None
    strategies: Path | None
    retries: int
    timeout: float


class Begun(msgspec.Struct, frozen=True):
    """With which model a session was begun and where, as it keeps it."""

    model: str
    base_url: str | None = None
    """The address that was asked, wherever it came from; never with its login."""
    login: bool = False
    """Whether the address had a user or a password."""
    root: str | None = None
    """The working folder, as the session's standing part names it."""


class Helping(NamedTuple):
    """Who writes for a session."""

    writer: Writer
    summarize: Summarize


class Stoppable:
    """A model that is told of `stop` by whoever made it: for callers in the middle of a session's work, who have none
    to tell.
    """

    def __init__(self, model: Model, stop: Event) -> None:
        self.name, self.id, self.wire = model.name, model.id, model.wire
        self._model, self._stop = model, stop

    def answer(self, body: Mapping[str, Json], show: Show | None = None, stop: Event | None = None) -> Answer:
        """The answer to a request."""
        return self._model.answer(body, show, stop or self._stop)


@contextmanager
def opened(chosen: Choices, screen: Terminal) -> Generator[Room]:
    """The agent, ready to talk; its subagents and its session are closed afterwards.

    ModelError, SessionError, JournalError, Locked, BadStrategy, OSError: nothing was begun.
    """
    interrupts = Interrupts()
    definitions = strategies.load(chosen.strategies)
    folder = _folder(chosen)
    begun = _begun(chosen, folder)
    model = _model(chosen, begun)
    counsel = _counsel(chosen, begun, model)
    writer: Writer = index
    if chosen.writer:
        writer = ModelWriter(Stoppable(_model(chosen, _beside(begun, chosen.writer)), interrupts.stop))
    helping = Helping(writer, summarize(Stoppable(model, interrupts.stop)))
    mine, theirs = _tools(chosen, folder, Confirm(chosen.yes, chosen.asks)), partial(_theirs, chosen, folder)
    with ExitStack() as stack:
        if chosen.resume:
            session = stack.enter_context(_resumed(chosen, folder, model, helping))
        else:
            tools = [*(each.tool for each in mine), *strategies.tools(definitions), subagents.tool(theirs())]
            session = stack.enter_context(_created(chosen, folder, model, tools, helping))
        modes = strategies.Strategies(session, model, counsel, definitions, screen.said)
        fixed = partial(standing, model.wire, model.id, child_prompt(chosen.root))
        make = agents(model, fixed, window=session.settings.window, summarize=summarize(model))
        children = subagents.Children(session, theirs, make, read_only=lambda: modes.read_only)
        stack.callback(children.close)
        stack.callback(interrupts.remove)
        interrupts.install()
        agent = Agent(session, [*mine, children.action], modes, children, screen, interruptible=interrupts)
        yield Room(agent, modes, children, screen, interrupts)


def _tools(chosen: Choices, folder: Path, confirm: Callable[[str], bool]) -> tuple[Action, ...]:
    """The tools over the working folder; the session's folder may be read."""
    return actions(Workspace(chosen.root, chosen.allowed, readable=(folder,), confirm=confirm))


def _theirs(chosen: Choices, folder: Path) -> tuple[Action, ...]:
    """The tools of a subagent: where a person is asked before commands, those alone that cannot write."""
    return tuple(each for each in _tools(chosen, folder, always) if chosen.yes or not each.writes)


def _folder(chosen: Choices) -> Path:
    """The session's folder. SessionError where it does not fit the choice of a new session or one to go on with."""
    if chosen.folder is None:
        found = folders.newest(chosen.root) if chosen.resume else folders.fresh(chosen.root, datetime.now())
        if found is None:
            raise SessionError(f"no session was begun in {chosen.root} yet; --dir names one elsewhere")
        return found
    there = (chosen.folder / JOURNAL).exists()
    if there and not chosen.resume:
        raise SessionError(f"{chosen.folder} holds a session; --resume goes on with it")
    if chosen.resume and not there:
        raise SessionError(f"{chosen.folder} holds no session to go on with")
    if not there and chosen.folder.exists() and any(chosen.folder.iterdir()):
        raise SessionError(f"{chosen.folder} is not empty and holds no session; name a new folder")
    return chosen.folder.absolute()


def _begun(chosen: Choices, folder: Path) -> Begun:
    """The model that is chosen now and its address; for a session to go on with, otherwise those of its beginning."""
    kept = _kept(folder) if chosen.resume else None
    if kept and kept.root not in (None, str(chosen.root)):
        raise SessionError(f"{folder} was begun in {kept.root}, and this is {chosen.root}: go on with it there")
    model = chosen.model or (kept.model if kept else None)
    if model is None:
        why = f"{folder} does not say; --model NAME" if chosen.resume else "--model NAME, or FOLDCOVER_MODEL"
        raise ModelError(f"which model? {why}: {FORMS}")
    if chosen.base_url is not None and kind_of(model) == "local":
        raise ModelError(f"{model} runs here, and --base-url is the address of a server: leave one of them out")
    if kept is None or chosen.base_url is not None:
        return Begun(model, chosen.base_url)
    begun = _beside(kept, model)
    return Begun(begun.model, _with_login(begun.base_url)) if kept.login and begun.base_url else begun


def _kept(folder: Path) -> Begun | None:
    """How a session was begun; None where it does not say."""
    for event in islice(Journal.open(Disk(), folder / JOURNAL, read_only=True).events(), 1):
        with suppress(msgspec.ValidationError):
            return msgspec.convert(event.get("value"), Begun)
    return None


def _with_login(address: str) -> str:
    """The address with its login, where the providers' variables still have it. ModelError."""
    found = clients.with_login(address)
    if found is None:
        raise ModelError(f"{address} had a user or a password, which is not kept: give it again with --base-url")
    return found


def _created(chosen: Choices, folder: Path, model: Model, tools: Sequence[Tool], helping: Helping) -> Session:
    """A new session; the first thing that it keeps is how it was begun."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    window = chosen.window or (model.window if isinstance(model, Windowed) else WINDOW)
    session = Session.create(
        folder,
        wire=model.wire,
        standing=standing(model.wire, model.id, prompt(chosen.root, folder), tools),
        writer=helping.writer,
        summarize=helping.summarize,
        window=window,
        card_tokens=min(CARD, window // 2),
    )
    begun = Begun(model.name, root=str(chosen.root))
    if isinstance(model, Remote):
        begun = msgspec.structs.replace(begun, base_url=model.place.address, login=model.place.login)
    session.keep(AGENT, msgspec.to_builtins(begun))
    return session


def _resumed(chosen: Choices, folder: Path, model: Model, helping: Helping) -> Session:
    """A session to go on with."""
    session = Session.open(folder, writer=helping.writer, summarize=helping.summarize)
    wrong = None
    if chosen.window not in (None, session.settings.window):
        wrong = f"the window of this session is {session.settings.window:,} tokens, for its whole life"
    elif model.wire != session.wire.name:
        wrong = f"{folder} speaks the wire {session.wire.name}, and {model.name} takes {model.wire}"
    if wrong is not None:
        session.close()
        raise SessionError(wrong)
    return session


def _model(chosen: Choices, begun: Begun) -> Model:
    return choose(begun.model, base_url=begun.base_url, timeout=chosen.timeout, retries=Retries(chosen.retries))


def _counsel(chosen: Choices, begun: Begun, model: Model) -> Model | None:
    """The stronger model, which is sent the requests of the session: ModelError where it does not take its wire."""
    if chosen.counsel is None:
        return None
    counsel = _model(chosen, _beside(begun, chosen.counsel))
    if counsel.wire != model.wire:
        raise ModelError(f"{counsel.name} takes the wire {counsel.wire}, and {model.name} {model.wire}")
    return counsel


def _beside(begun: Begun, name: str) -> Begun:
    """Another model, at the first one's address where it is of the same kind; a bare name is of that kind."""
    kind = kind_of(begun.model)
    if begun.model.startswith(f"{kind}:") and ":" not in name and name != "local":
        name = f"{kind}:{name}"
    return Begun(name, begun.base_url if kind_of(name) == kind else None)
