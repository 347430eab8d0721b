"""Results that are kept: they hold exactly as long as nothing changed that they depend on."""

from __future__ import annotations

import hashlib
import json
import os
import pickle
from dataclasses import replace
from pathlib import Path

import pytest

from foldcover_harness.replay import kept, run, running, sources, tokens
from foldcover_harness.replay.labels import Labels, Row
from foldcover_harness.replay.report import Options, Replayed, Report
from foldcover_harness.replay.single import one
from foldcover_harness.replay.sources import SAMPLE, Source

OPTIONS = Options(sweep=True, series=True)


@pytest.fixture
def source(tmp_path: Path) -> Source:
    """A copy of the sample."""
    file = tmp_path / "run.jsonl"
    file.write_bytes(SAMPLE.read_bytes())
    return look(file)


def look(file: Path) -> Source:
    """Return the file as a source."""
    (found,) = sources.gather([file]).files
    return found


def put(folder: Path, source: Source) -> tuple[kept.Kept, Replayed]:
    """Keep the result of a source."""
    result = one(source, OPTIONS)
    assert isinstance(result, Replayed)
    found = kept.Kept(folder, OPTIONS)
    found.keep(source, result)
    return found, result


def test_a_result_comes_back_as_it_was(tmp_path: Path, source: Source) -> None:
    """Every figure of it, in one small file that only its owner reads the folder of."""
    store, result = put(tmp_path / "a" / "kept", source)
    assert store.find(source) == result
    (file,) = store.folder.iterdir()
    assert file.stat().st_size < source.size
    assert store.folder.stat().st_mode & 0o077 == 0


def test_what_changed_is_worked_out_again(tmp_path: Path, source: Source) -> None:
    """The content, or when it was written; then the file is replaced."""
    store, _ = put(tmp_path / "kept", source)
    assert isinstance(source.path, Path)
    os.utime(source.path, ns=(1, 1))
    touched = look(source.path)
    assert store.find(touched) is None
    assert store.find(touched._replace(mark=source.mark, size=1)) is None
    put(store.folder, touched)
    assert (store.find(source), store.find(touched) is None) == (None, False)
    assert len(list(store.folder.iterdir())) == 1


@pytest.mark.parametrize(
    "change",
    [
        {"estimator": tokens.BYTES4},
        {"window": 50_000},
        {"standing": None},
        {"boundaries": "lexical"},
        {"command": "true"},
        {"labels": Labels(Path("l"), ((1, Row("run.jsonl", 3)),))},
        {"schedules": ("rule",)},
        {"series": False},
        {"sweep": False},
    ],
    ids=lambda change: next(iter(change)),
)
def test_other_options_have_other_results(tmp_path: Path, source: Source, change: dict[str, object]) -> None:
    """Beside the ones that are there."""
    store, result = put(tmp_path / "kept", source)
    other = kept.Kept(store.folder, replace(OPTIONS, **change))  # type: ignore[arg-type]
    assert other.find(source) is None
    other.keep(source, result)
    assert store.find(source) == result


def test_another_program_has_other_results(tmp_path: Path, source: Source, monkeypatch: pytest.MonkeyPatch) -> None:
    """Be it the readers, the replay or the core that changed."""
    store, _ = put(tmp_path / "kept", source)
    monkeypatch.setattr(kept, "program", lambda: "another")
    assert store.find(source) is None


@pytest.mark.parametrize("cut", [0, 10, 100, -1])
def test_a_broken_file_is_worked_out_again(tmp_path: Path, source: Source, cut: int) -> None:
    """Wherever it ends; and where a byte of it is another one."""
    store, result = put(tmp_path / "kept", source)
    (file,) = store.folder.iterdir()
    whole = file.read_bytes()
    file.write_bytes(whole[:cut])
    assert store.find(source) is None
    file.write_bytes(whole[:-50] + bytes([whole[-50] ^ 1]) + whole[-49:])
    assert store.find(source) is None
    store.keep(source, result)
    assert store.find(source) == result


class Evil:
    """Makes a folder where it is unpickled."""

    def __init__(self, place: Path) -> None:
        self.place = place

    def __reduce__(self) -> tuple[object, ...]:
        return os.mkdir, (str(self.place),)


def test_a_file_of_somebody_else_runs_nothing(tmp_path: Path, source: Source) -> None:
    """Though its digest is right."""
    store, _ = put(tmp_path / "kept", source)
    (file,) = store.folder.iterdir()
    whole = file.read_bytes()
    head = whole[: whole.index(b"\n", whole.index(b"\n") + 1) + 1]
    for value in (Evil(tmp_path / "made"), ["no result"]):
        body = pickle.dumps(value)
        file.write_bytes(head + hashlib.sha256(body).digest() + body)
        assert store.find(source) is None
    assert not (tmp_path / "made").exists()


def test_the_folder_may_lie_among_the_transcripts(tmp_path: Path, source: Source) -> None:
    """Its files are none."""
    options = Options()
    for expected in (1, 1):
        report = Report(options)
        running.start(sources.gather([tmp_path]), options, report, running.Running(keep=tmp_path / "kept"))
        assert (len(report.replayed), report.refused) == (expected, [])
    assert source.path


def test_a_folder_that_cannot_be_is_one_line(
    tmp_path: Path, source: Source, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before anything is read; one that fills up is told once, and the run goes on."""
    import click

    options, found = Options(), sources.gather([source.path, SAMPLE])
    with pytest.raises(click.UsageError, match=r"--keep .*run\.jsonl"):
        running.start(found, options, Report(options), running.Running(keep=tmp_path / "run.jsonl"))

    def full(path: Path, data: bytes) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    report = Report(options)
    running.start(found, options, report, running.Running(keep=tmp_path / "kept"))
    assert len(report.replayed) == 2
    assert capsys.readouterr().err.count("No space left on device: nothing more is kept") == 1
    assert list((tmp_path / "kept").iterdir()) == []


def test_the_report_is_the_same_whatever_came_first() -> None:
    """A way may yield in any order."""
    options = Options()
    files = [Source(SAMPLE, True, 10), Source(SAMPLE.parent / "none", True, 10), Source(SAMPLE, True, 10)]

    def backwards(files: object, options: Options, passed: object) -> object:
        return reversed(list(run.here(files, options, passed)))  # type: ignore[arg-type]

    from foldcover_harness.replay.as_json import to_json

    told: list[Source] = []
    plain = to_json(run.run(files, options, Report(options)))
    other = run.run(files, options, Report(options), lambda each, _: told.append(each), way=backwards)  # type: ignore[arg-type]
    assert to_json(other) == plain
    assert told == files
    assert json.loads(plain)["total"]["transcripts"] == 2
