"""grep: the same lines from ripgrep and from Python, within a bound and a time."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
from pathlib import Path
from threading import Event

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foldcover_harness.agent.tools import grep
from foldcover_harness.agent.tools.searching import of_glob

from .bench import Bench

ENGINES = [pytest.param("rg", marks=pytest.mark.skipif(shutil.which("rg") is None, reason="no ripgrep")), "python"]


@pytest.fixture(params=ENGINES, autouse=True)
def engine(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """What searches: each test is done with both."""
    name = str(request.param)
    if name == "python":
        monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    return name


@pytest.fixture
def full(bench: Bench) -> Bench:
    """A folder with files of all kinds."""
    bench.put("a.py", b"import os\nfoo = 1\n")
    bench.put("src/b.ts", b"foo\r\nbar\r\n")
    bench.put("src/deep/c.tsx", b"x foo\nFOO\n")
    bench.put("src/d.bin", b"foo\n\0foo\n")
    bench.put(".git/config", b"foo\n")
    bench.put(".hidden.py", b"foo\n")
    bench.put(".gitignore", b"kept.log\n")
    bench.put("kept.log", b"no\nfoo \xff end\n")
    (bench.root / "link.py").symlink_to("a.py")
    os.mkfifo(bench.root / "pipe")
    return bench


ALL = ["a.py:2: foo = 1", "kept.log:2: foo \ufffd end", "src/b.ts:1: foo", "src/deep/c.tsx:1: x foo"]


def found(bench: Bench, **given: object) -> list[str]:
    """The lines of an answer."""
    return bench.call("grep", **given).split("\n")


def test_it_searches_what_is_text_and_not_hidden(full: Bench) -> None:
    """In the order of the names; no binary files, links, pipes; what .gitignore names is searched."""
    assert found(full, pattern="foo") == ALL
    assert found(full, pattern="^foo") == ALL[:3]
    assert found(full, pattern="foo$") == ALL[2:]
    assert found(full, pattern="fo{2}|FOO") == [*ALL, "src/deep/c.tsx:2: FOO"]
    assert found(full, pattern="Foo", ignore_case=True) == [*ALL, "src/deep/c.tsx:2: FOO"]
    assert found(full, pattern="nothing like it") == ["nothing was found"]


@pytest.mark.parametrize(
    ("path", "rows"),
    [
        ("src", ALL[2:]),
        ("./src/../src/deep", ALL[3:]),
        ("a.py", ALL[:1]),
        ("link.py", ALL[:1]),
        (".git", [".git/config:1: foo"]),
        (".hidden.py", [".hidden.py:1: foo"]),
    ],
)
def test_it_searches_where_it_is_told(full: Bench, path: str, rows: list[str]) -> None:
    """A folder or a file, hidden ones too if they are named."""
    assert found(full, pattern="foo", path=path) == rows


@pytest.mark.parametrize(
    ("glob", "rows"),
    [
        ("*", ALL),
        ("*.py", ALL[:1]),
        ("*.{ts,tsx}", ALL[2:]),
        ("*.ts?", ALL[3:]),
        ("[ab].*", [ALL[0], ALL[2]]),
        ("[!a].*", ALL[2:]),
        ("src/*", ALL[2:3]),
        ("src/**", ALL[2:]),
        ("src/**/*.tsx", ALL[3:]),
        ("/src/*.ts", ALL[2:3]),
        ("**/*.ts*", ALL[2:]),
        ("!*.py", ALL[1:]),
        ("*.none", ["nothing was found"]),
    ],
)
def test_a_glob_says_which_files(full: Bench, glob: str, rows: list[str]) -> None:
    """By name, or with a slash by the path from the working folder. What is hidden stays so."""
    assert found(full, pattern="foo", glob=glob) == rows


def test_a_glob_begins_at_the_folder_in_which_the_path_lies(tmp_path: Path) -> None:
    """Also in another folder than the working one."""
    other = Bench(tmp_path / "other")
    there = other.put("src/a.py", b"foo\n")
    bench = Bench(tmp_path / "work", readable=[other.root])
    assert found(bench, pattern="foo", path=str(other.root), glob="src/*.py") == [f"{there}:1: foo"]


@pytest.mark.parametrize("pattern", ["(", "a{3,1}", "[", "*a", "(" * 5_000])
def test_a_wrong_pattern_is_told(full: Bench, pattern: str) -> None:
    """In one line."""
    assert full.fails("grep", pattern=pattern).startswith("grep: ")


def test_a_pattern_is_no_option(full: Bench) -> None:
    """Nor is a glob or a path."""
    full.put("--help", b"--version\n")
    assert found(full, pattern="--version") == ["--help:1: --version"]
    assert found(full, pattern="--version", path="--help", glob="--*") == ["--help:1: --version"]
    assert "could not be started" in full.fails("grep", pattern="a" * 3_000_000)


def test_the_answer_is_bounded(bench: Bench) -> None:
    """By matches, by characters, each line by its own length; and it says that there is more."""
    bench.put("a.txt", b"x\n" * 10_000)
    rows = found(bench, pattern="x", limit=7)
    assert rows == [*(f"a.txt:{number}: x" for number in range(1, 8)), rows[-1]]
    assert rows[-1].startswith("[there is more")
    assert len(found(bench, pattern="x", limit=grep.MOST_MATCHES)) == grep.MOST_MATCHES + 1
    bench.put("a.txt", b"x" * 10_000_000 + b"\nx\n")
    first, second = found(bench, pattern="x")
    assert first.rstrip("…") == "a.txt:1: " + "x" * (grep.LONGEST - 1)
    assert second == "a.txt:2: x"
    bench.put("a.txt", (b"\xc3\xa4" * 2_000 + b"\n") * 900)
    text = bench.call("grep", pattern="\u00e4", limit=900)
    assert len(text) < grep.MOST_CHARACTERS + 2 * grep.LONGEST
    assert re.fullmatch(r"\[the first \d+ of at least 900 matches\]", text.split("\n")[-1])


def test_exactly_the_limit_is_all(bench: Bench) -> None:
    """No word of more where there is none."""
    bench.put("a.txt", b"x\n" * 7)
    assert len(found(bench, pattern="x", limit=7)) == 7


def test_odd_names_of_files(bench: Bench) -> None:
    """Colons, spaces, what is no UTF-8: shown, with the right line."""
    bench.put("a: 3:b.txt", b"no\nfoo: 1\n")
    (bench.root / os.fsdecode(b"bad\xff.txt")).write_bytes(b"foo\n")
    (bench.root / "new\nline").write_bytes(b"foo\n")
    assert sorted(found(bench, pattern="foo")) == ["a: 3:b.txt:2: foo: 1", "bad\ufffd.txt:1: foo", "line:1: foo"]


def test_a_file_is_searched_up_to_a_late_nul(bench: Bench) -> None:
    """As binary as it is, its lines before that are found."""
    bench.put("a.txt", b"foo\n" + b"x" * 200_000 + b"\n\0\nfoo\n")
    bench.put("b.txt", b"foo\n")
    assert found(bench, pattern="foo") == ["a.txt:1: foo", "b.txt:1: foo"]


def test_a_catastrophic_pattern_ends(bench: Bench, engine: str) -> None:
    """Python's engine would need ages: its time is over soon, and that is told. Ripgrep needs none."""
    bench.put("a.txt", b"a" * 60 + b"!\n")
    result = grep.action(bench.workspace, timeout=0.7).run({"pattern": "^(a+)+$"})
    if engine == "rg":
        assert result == ("nothing was found", False)
    else:
        assert result.failed
        assert "not all was searched within 0.7 seconds" in result.text


def test_a_stop_ends_the_search(bench: Bench) -> None:
    """With a line that says so."""
    bench.put("a.txt", b"a\n")
    stop = Event()
    stop.set()
    assert bench.run("grep", {"pattern": "a"}, stop) == ("grep: the search was stopped", True)


@given(st.lists(st.sampled_from([*"ab.*?[]!{},/\\^-", "**", "**/", "src", "py"]), max_size=7).map("".join))
def test_a_glob_is_translated_or_refused(glob: str) -> None:
    """Whatever it is, there is no other error than the one that the program reports."""
    with contextlib.suppress(re.error):
        assert isinstance(of_glob(glob), re.Pattern)
