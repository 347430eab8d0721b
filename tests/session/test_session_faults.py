"""A session at every fault of every disk operation: the state before or after an event, never between."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from foldcover_harness.session import Session, SessionError, prompt
from foldcover_harness.session.archive import ArchiveClash
from foldcover_harness.session.checking import examine
from foldcover_harness.session.disk import Disk
from foldcover_harness.session.journal import JournalError
from foldcover_harness.session.legality import OURS
from foldcover_harness.session.place import JOURNAL

from .faults import Died, FaultyDisk, every_fault, runs
from .scripted import STANDING, Quick, reads, result, says, turn, user

Work = Callable[[Session], object]
FAILS = (OSError, JournalError, ArchiveClash)


def summarize(messages: Any) -> str:
    """A summary that is the same for the same messages."""
    return f"summary of {len(messages)} messages"


def seen(session: Session) -> str:
    """Everything of a session that its caller can see: requests, cover, units, turns, what waits."""
    state = session.state
    facts = [prompt.request(state, session.standing, OURS), session.cover(), [*map(_unit, state.units)]]
    more = [[turn.open, turn.unit, turn.compacted] for turn in state.turns]
    return json.dumps([*facts, more, [[a.first, a.last, a.title] for a in state.asked], state.usage])


def _unit(unit: Any) -> tuple[Any, ...]:
    return (unit.first, unit.last, unit.title, unit.archive, unit.sha256)


def opened(folder: Path, disk: Disk | None = None) -> Session:
    """Open it."""
    return Session.open(folder, disk=disk or Quick(), summarize=summarize)


def begun(units: int, **settings: Any) -> Callable[[Path], None]:
    """Make sessions with some folded turns, one over and one in progress."""

    def prepare(folder: Path) -> None:
        with Session.create(folder, standing=STANDING["anthropic"], disk=Quick(), **settings) as session:
            for number in range(units + 1):
                turn(session, f"task {number}", [reads(f"c{number}")], f"Closed number {number} of them.")
            session.user(user("now"))
            for number in range(units):
                session.fold(number, number)

    return prepare


def boundaries(folder: Path, prepare: Callable[[Path], None], work: Work) -> list[str]:
    """What a session shows before the work and after each of its events, in a run without faults."""
    folder.mkdir()
    prepare(folder)
    with opened(folder) as session:
        shown = [seen(session)]
        note = session._note  # pyright: ignore[reportPrivateUsage]

        def noted(event: dict[str, Any]) -> None:
            note(event)
            shown.append(seen(session))

        session._note = noted  # type: ignore[method-assign]  # pyright: ignore[reportPrivateUsage]
        work(session)
    return shown


def message(session: Session) -> None:
    """Note an answer of the model."""
    session.assistant(says("anthropic", "an answer", reads("more")))


def ask(session: Session) -> None:
    """Have the model ask for a fold."""
    answer = says("anthropic", "", reads("f")._replace(name="fold_unit", input={"from": 1, "to": 1}))
    session.handle(session.calls(answer)[0])


def fold(session: Session) -> None:
    """Fold the turn that is over: the first of the open ones."""
    at = next(number for number, each in enumerate(session.state.turns) if each.open)
    session.fold(at, at)


def end(session: Session) -> None:
    """End the turn."""
    session.end_turn()


def working(folder: Path) -> None:
    """Make a session with a long turn in progress."""
    begun(1, window=900)(folder)
    with Session.open(folder, disk=Quick()) as session:
        for number in range(7):
            session.assistant(says("anthropic", "looking", reads(f"w{number}")))
            session.tool_result(result("anthropic", f"w{number}", "found " * 40))


def finished(folder: Path, expected: list[str]) -> None:
    """After a fault: open, doctor, and go on."""
    examined = examine(folder, JOURNAL)
    assert examined.troubles == (), examined
    with opened(folder) as session:
        assert seen(session) in expected
        session.user(user("after it"))
        session.user(user("and more"))
        first = next(number for number, each in enumerate(session.state.turns) if each.open)
        session.fold(first, first)
        assert session.state.wire.problems(session.request()) == []
        shown = seen(session)
    with opened(folder) as session:
        assert seen(session) == shown
    assert examine(folder, JOURNAL).troubles == ()
    assert list(folder.rglob("*.tmp")) == []


JOBS: dict[str, tuple[Callable[[Path], None], Work]] = {
    "a message": (begun(1), message),
    "a fold that is asked for": (begun(1), ask),
    "a fold": (begun(0), fold),
    "a merge": (begun(6, window=100, line=20), fold),
    "a compaction": (begun(1, window=320, share=0.5, full=0.6), end),
    "a compaction within a turn": (working, Session.request),
}


@pytest.mark.parametrize("job", JOBS)
def test_every_fault_leaves_a_state_before_or_after_an_event(tmp_path: Path, job: str) -> None:
    """Opened again it is one of those states, at least what was acknowledged; in the same process, too, it goes on."""
    prepare, work = JOBS[job]
    shown = boundaries(tmp_path / "without", prepare, work)
    assert len(shown) >= {"a merge": 4}.get(job, 2), "the work was not done"
    template = tmp_path / "template"
    template.mkdir()
    prepare(template)
    (tmp_path / "runs").mkdir()
    live: list[str] = []
    done: list[bool] = []

    def worked(disk: Disk, folder: Path) -> None:
        live.clear()
        done.clear()
        assert isinstance(disk, FaultyDisk)
        session = Session.open(folder, disk=disk, summarize=summarize)
        try:
            live.append(seen(session))
            work(session)
            done.append(True)
        finally:
            live.append(seen(session))
            session._lock.release() if session._lock else None  # pyright: ignore[reportPrivateUsage]

    count = met = 0
    for run in runs(tmp_path / "runs", lambda folder: shutil.copytree(template, folder, dirs_exist_ok=True), worked):
        count += 1
        met += run.raised is not None
        if run.raised is not None:
            assert isinstance(run.raised, (*FAILS, Died)), run
        assert all(each in shown for each in live), run
        with Session.open(run.folder, read_only=True) as session:
            after = seen(session)
        assert after in shown, run
        # What the process had acknowledged is not behind what the disk holds.
        assert not live or shown.index(after) >= shown.index(live[-1]), run
        if done:
            assert after == shown[-1], run
        finished(run.folder, shown[shown.index(after) :])
    print(f"{job}: {count} faults, {met} met, {len(shown)} states")
    assert met > 50


def test_create_at_every_fault(tmp_path: Path) -> None:
    """There is no session, and it can be made; or there is a whole one."""

    def work(disk: Disk, folder: Path) -> None:
        Session.create(folder / "s", standing=STANDING["chat"], wire="chat", disk=disk).close()

    (tmp_path / "runs").mkdir()
    count = 0
    for run in runs(tmp_path / "runs", lambda folder: None, work):
        count += 1
        folder = run.folder / "s"
        if run.raised is None:
            assert (folder / JOURNAL).exists(), run
        if not (folder / JOURNAL).exists():
            work(Quick(), run.folder)
        with opened(folder) as session:
            assert session.state.turns == []
            assert session.standing == STANDING["chat"]
            session.user(user("go"))
        assert examine(folder, JOURNAL).troubles == (), run
    assert count > 50


@pytest.mark.parametrize("job", JOBS)
def test_after_a_full_disk_the_same_process_goes_on(tmp_path: Path, job: str) -> None:
    """No room at one operation: the call says so, and the next try does what a run without faults does."""
    prepare, work = JOBS[job]
    shown = boundaries(tmp_path / "without", prepare, work)
    template = tmp_path / "template"
    template.mkdir()
    prepare(template)
    whole = FaultyDisk(tmp_path)
    shutil.copytree(template, tmp_path / "count")
    with opened(tmp_path / "count", _at(tmp_path / "count", whole)) as session:
        start = whole.count
        work(session)
        operations = whole.count - start
    whole.forget()
    tried = 0
    for fault in (fault for fault in every_fault(operations) if fault.kind in ("full", "short")):
        folder = tmp_path / f"{fault.at}{fault.kind}"
        shutil.copytree(template, folder)
        disk = FaultyDisk(folder)
        session = Session.open(folder, disk=disk, summarize=summarize)
        disk.set(fault._replace(at=disk.count + fault.at))
        try:
            _twice(session, work)
        except JournalError as error:
            closed = "closed for writing" in str(error)
            assert closed, fault
        else:
            tried += 1
            assert seen(session) in shown[-1:] or job == "a merge", fault
        finally:
            session.close()
            disk.forget()
        finished(folder, shown if job != "a merge" else [*shown, _now(folder)])
    assert tried >= operations


def _now(folder: Path) -> str:
    with Session.open(folder, read_only=True) as session:
        return seen(session)


def _at(root: Path, disk: FaultyDisk) -> Disk:
    disk.__init__(root)  # type: ignore[misc]
    return disk


def _twice(session: Session, work: Work) -> None:
    try:
        work(session)
    except FAILS:
        shown = seen(session)
        try:
            work(session)
        except (SessionError, StopIteration):
            assert seen(session) == shown
