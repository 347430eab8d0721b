"""Transcripts behind URLs: read through fsspec to the same figures, and refused in one line."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from foldcover_harness.replay import run, sources
from foldcover_harness.replay.as_json import to_json
from foldcover_harness.replay.kept import Kept
from foldcover_harness.replay.place import Url
from foldcover_harness.replay.report import Options, Report
from foldcover_harness.replay.sources import SAMPLE, Refusal

fsspec: Any = pytest.importorskip("fsspec")
COMMAND = "from foldcover_harness.cli import main; main()"


@pytest.fixture
def memory() -> Iterator[Any]:
    """An empty file system in memory."""
    system = fsspec.filesystem("memory")
    system.store.clear()
    yield system
    system.store.clear()


def report(*urls: str) -> Report:
    """Replay what is behind the URLs."""
    found = sources.gather(map(Url, urls))
    options = Options()
    made = Report(options, refused=list(found.refused))
    return run.run(found.files, options, made)


def foldcover(*arguments: str, without: str = "") -> subprocess.CompletedProcess[str]:
    """Run `foldcover replay`, as if a package was not installed."""
    code = f"import sys; sys.modules.update(dict.fromkeys({without.split()!r}))\n{COMMAND}"
    done = subprocess.run(
        [sys.executable, "-c", code, "replay", *arguments], capture_output=True, text=True, timeout=60, check=False
    )
    assert "Traceback" not in done.stderr
    return done


def test_a_file_and_a_folder_of_them(memory: Any) -> None:
    """The same figures as from a path; what hides behind a dot is not looked at, and nothing is taken twice."""
    for name in ("/logs/b/one.jsonl", "/logs/z.jsonl", "/logs/.hidden/two.jsonl", "/logs/.three.jsonl"):
        memory.pipe(name, SAMPLE.read_bytes())
    memory.pipe("/logs/b/notes.txt", b"notes")
    found = sources.gather([Url("memory://logs"), Url("memory://logs/b/one.jsonl")])
    assert [each.path for each in found.files] == [
        "memory:///logs/z.jsonl",
        "memory:///logs/b/notes.txt",
        "memory:///logs/b/one.jsonl",
        "memory://logs/b/one.jsonl",
    ]
    made = report("memory://logs")
    assert made.refused == [Refusal(Url("memory:///logs/b/notes.txt"), "not a transcript: no JSON object in it", False)]
    options = Options()
    plain = run.run(sources.gather([SAMPLE]).files, options, Report(options))
    assert [one.bills for one in made.replayed] == [plain.replayed[0].bills] * 2
    assert [one.cover for one in made.replayed] == [plain.replayed[0].cover] * 2


def test_progress_reaches_the_size_of_all(memory: Any) -> None:
    """Once, though a file's beginning is read twice."""
    memory.pipe("/a.jsonl", SAMPLE.read_bytes())
    memory.pipe("/b.json", b'{"weather": []}')
    files = sources.gather([Url("memory://a.jsonl"), Url("memory://b.json"), SAMPLE]).files
    options = Options()
    sizes: list[int] = []
    run.run(files, options, Report(options), passed=sizes.append)
    assert sum(sizes) == 2 * SAMPLE.stat().st_size + 15
    assert min(sizes) >= 0


def test_what_is_not_there_is_refused_by_name(memory: Any) -> None:
    """With the reason, as is a protocol that nobody knows."""
    made = report("memory://none.jsonl", "moon://x/y")
    assert made.refused == [
        Refusal(Url("memory://none.jsonl"), "no such file", True),
        Refusal(Url("moon://x/y"), "Protocol not known: moon", True),
    ]


def test_whatever_a_store_raises_is_one_line(memory: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """While it is asked what there is, and in the middle of a file."""
    memory.pipe("/a.jsonl", SAMPLE.read_bytes())
    files = sources.gather([Url("memory://a.jsonl")]).files

    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("AccessDenied\nsee the manual")

    monkeypatch.setattr(memory.open("/a.jsonl", "rb").__class__, "read", fail, raising=False)
    options = Options()
    (refused,) = run.run(files, options, Report(options)).refused
    assert refused.reason == "AccessDenied see the manual"
    monkeypatch.setattr(memory.__class__, "info", fail)
    (refused,) = report("memory://a.jsonl").refused
    assert refused.reason == "AccessDenied see the manual"


def test_results_are_kept_by_the_mark_of_the_store(memory: Any, tmp_path: Path) -> None:
    """A file that was written anew is worked out anew; one without a mark always."""
    memory.pipe("/a.jsonl", SAMPLE.read_bytes())
    (source,) = sources.gather([Url("memory://a.jsonl")]).files
    options = Options()
    store = Kept(tmp_path, options)
    run.run([source], options, Report(options), keep=store.keep)
    assert store.find(source) is not None
    memory.pipe("/a.jsonl", SAMPLE.read_bytes())
    (again,) = sources.gather([Url("memory://a.jsonl")]).files
    assert again.mark != source.mark
    assert store.find(again) is None
    assert store.find(source._replace(mark="")) is None


def test_a_file_url_is_read_like_a_path(tmp_path: Path) -> None:
    """Byte for byte but for the name, in processes too; and never written over."""
    for name in ("b/one.jsonl", "a-b.jsonl", "a/two.jsonl"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(SAMPLE.read_bytes())
    by_path = foldcover("--json", str(tmp_path))
    for jobs in ("1", "2"):
        by_url = foldcover("--json", "--jobs", jobs, f"file://{tmp_path}")
        assert (by_url.returncode, by_url.stderr) == (0, "")
        assert by_url.stdout.replace("file://", "") == by_path.stdout
    done = foldcover(f"file://{tmp_path}", "--trace", str(tmp_path / "a-b.jsonl"))
    assert (done.returncode, done.stdout) == (2, "")
    assert "it is a file that is replayed" in done.stderr


@pytest.mark.parametrize(
    ("url", "without", "said"),
    [
        ("file:///x", "fsspec fsspec.core", "needs the extra 'remote': pip install 'foldcover[remote]'"),
        ("s3://bucket/x", "s3fs", "needs the extra 's3': pip install 'foldcover[s3]'"),
        ("gs://bucket/x", "gcsfs", "needs the extra 'gs': pip install 'foldcover[gs]'"),
    ],
)
def test_what_is_missing_is_named(url: str, without: str, said: str) -> None:
    """In one line, with what to install, before anything is read."""
    done = foldcover(url, str(SAMPLE), without=without)
    assert (done.returncode, done.stdout) == (2, "")
    assert re.fullmatch(rf"foldcover: {url}: {re.escape(said)}[^\n]*\n", done.stderr)


def test_the_report_names_urls_as_they_are(memory: Any) -> None:
    """In JSON and in labels alike."""
    memory.pipe("/logs/a.jsonl", SAMPLE.read_bytes())
    assert b'"path": "memory:///logs/a.jsonl"' in to_json(report("memory://logs"))
