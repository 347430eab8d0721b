"""`foldcover replay --html`: one file that needs nothing else, in a real browser, with hostile texts in it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from foldcover_harness.replay.sources import SAMPLE

if TYPE_CHECKING:
    from tests.replay.conftest import Browser

pytest.importorskip("jinja2")
pytest.importorskip("vl_convert")

COMMAND = [sys.executable, "-c", "from foldcover_harness.cli import main; main()", "replay"]
HOSTILE = '</script><script>document.title="taken"</script><img src=x onerror=\'document.title="taken"\'>\x1b[31m <!--'


def replay(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Replay with an empty home."""
    return subprocess.run(
        [*COMMAND, *map(str, arguments)],
        env={**os.environ, "HOME": "/nonexistent"},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def session(words: str, turns: int) -> bytes:
    """Return a transcript of so many turns, two requests each."""
    lines: list[dict[str, Any]] = []
    for turn in range(turns):
        lines.append({"type": "user", "uuid": "u", "message": {"role": "user", "content": f"{words} {turn}"}})
        lines += [
            {
                "type": "assistant",
                "uuid": "a",
                "message": {"id": f"m{turn}.{part}", "content": [{"type": "text", "text": f"{words} done"}]},
            }
            for part in range(2)
        ]
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample, a hostile session and thirteen short ones; and the report of them all."""
    found = tmp_path_factory.mktemp("report")
    sessions = found / "sessions"
    sessions.mkdir()
    (sessions / "sample.jsonl").write_bytes(SAMPLE.read_bytes())
    (sessions / "<b onclick=x>.jsonl").write_bytes(session(HOSTILE, 40))
    for number in range(13):
        (sessions / f"short{number:02}.jsonl").write_bytes(session("hello", 2))
    done = replay(sessions, "--html", found / "report.html")
    assert (done.returncode, done.stderr) == (0, "")
    assert "Total of 2 transcripts" in done.stdout
    return found


def test_the_file_needs_nothing_else(folder: Path) -> None:
    """Its policy forbids every connection; it loads no script, style, picture or frame; nothing lies beside it."""
    text = (folder / "report.html").read_text(encoding="utf-8")
    assert "Content-Security-Policy\" content=\"default-src 'none';" in text
    elements = re.sub(r"<script.*?</script>|<style>.*?</style>", "", text, flags=re.DOTALL)
    assert not re.findall(r"(?:src|href)=\"(?!#|data:,)", elements)
    assert sorted(each.name for each in folder.iterdir()) == ["report.html", "sessions"]


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_a_browser_draws_it(folder: Path, browser: Browser, width: int, dark: bool) -> None:
    """Without a complaint, without asking for anything, no wider than the window, in the colours that were asked
    for, and readable: text against its ground by at least 4.5 to 1.
    """
    browser.asked.clear()
    browser.open(folder / "report.html", width, dark)
    assert browser.complaints == []
    assert {address.split(":")[0] for address in browser.asked} <= {"file", "data"}
    assert browser.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    assert browser.evaluate("document.querySelectorAll('.chart svg').length") == 1 + 4 * 12
    contrasts = browser.evaluate(
        """(() => {
          const light = text => {
            const of = /[0-9.]+/g, [r, g, b] = text.match(of).slice(0, 3)
              .map(v => v / 255).map(v => v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4);
            return .2126 * r + .7152 * g + .0722 * b;
          };
          const ground = light(getComputedStyle(document.documentElement).backgroundColor);
          const texts = [...document.querySelectorAll('p, td, th, h1, h2, figcaption, li, a, .chart text')];
          return [ground, Math.min(...texts.map(each => {
            const style = getComputedStyle(each);
            const ink = light(each.closest('svg') ? style.fill : style.color);
            return (Math.max(ink, ground) + .05) / (Math.min(ink, ground) + .05);
          }))];
        })()"""
    )
    assert (contrasts[0] < 0.1) == dark
    assert contrasts[1] >= 4.5


def test_hostile_texts_stay_texts(folder: Path, browser: Browser) -> None:
    """No script of a transcript runs, no element of it is made; escape sequences are gone."""
    browser.open(folder / "report.html")
    assert "foldcover" in browser.evaluate("document.title")
    assert browser.evaluate("document.querySelectorAll('img, b[onclick]').length") == 0
    assert "\x1b" not in (folder / "report.html").read_text(encoding="utf-8")
    assert '</script><script>document.title="taken"' in browser.evaluate(
        "[...document.querySelectorAll('.lines')].map(each => each.textContent).join('\\n')"
    )


def test_every_chart_and_control_says_what_it_is(folder: Path, browser: Browser) -> None:
    """A name for each picture and each control, one first heading, a language, a title."""
    browser.open(folder / "report.html")
    assert browser.evaluate(
        "[...document.querySelectorAll('[role=img], .chart[role=graphics-document]')].every(e => e.ariaLabel)"
    )
    assert browser.evaluate("[...document.querySelectorAll('input, select')].every(e => e.labels[0].innerText.trim())")
    assert browser.evaluate("document.querySelectorAll('.chart[role=graphics-document]').length") == 1 + 4 * 12
    assert browser.evaluate("document.querySelectorAll('h1').length") == 1
    assert browser.evaluate("document.documentElement.lang") == "en"


def test_the_slider_moves_through_the_life_of_the_cover(folder: Path, browser: Browser) -> None:
    """By keyboard. At a budget of eight lines the ninth close leaves [0-3] [4-5] [6-7] [8]."""
    browser.open(folder / "report.html")
    figure = "[...document.querySelectorAll('.ruler')].find(each => each.querySelector('input').max === '39')"
    lines = f"[...{figure}.querySelectorAll('.lines b')].map(each => each.textContent)"
    assert len(browser.evaluate(lines)) == 39
    browser.evaluate(
        f"(s => {{ s.selectedIndex = 2; s.dispatchEvent(new Event('change')); }})({figure}.querySelector('select'))"
    )
    browser.evaluate(f"{figure}.querySelector('input').focus()")
    browser.press("Home", 36)
    assert browser.evaluate(lines) == []
    for _ in range(9):
        browser.press("ArrowRight", 39)
    assert browser.evaluate(lines) == ["[0-3]", "[4-5]", "[6-7]", "[8]"]
    assert "4 lines (3 merged)" in browser.evaluate(f"{figure}.querySelector('svg').ariaLabel")
    assert browser.evaluate(f"{figure}.querySelectorAll('rect.one, rect.many').length") == 4


def test_what_is_not_drawn_is_said(folder: Path) -> None:
    """Three of fifteen transcripts."""
    text = (folder / "report.html").read_text(encoding="utf-8")
    assert "Drawn are the 12 transcripts with the most requests; 3 more are in the total only." in text


def test_a_long_series_is_drawn_in_steps(tmp_path: Path) -> None:
    """And the page says how many requests a point stands for."""
    (tmp_path / "long.jsonl").write_bytes(session("go", 320))
    assert replay(tmp_path / "long.jsonl", "--html", tmp_path / "r.html").returncode == 0
    text = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "each point drawn stands for 3 of them" in text
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    assert found
    charts = json.loads(found[1])["transcript-1"]
    assert len(charts["reading"]["data"]["values"].splitlines()) == 1 + 3 * 214


def test_money_and_the_sweep_are_in_the_page(tmp_path: Path, browser: Browser) -> None:
    """And it stays as narrow as a phone."""
    page = tmp_path / "r.html"
    assert replay(SAMPLE, "--prices", "gpt-6.2-sol", "--sweep", "--schedules", "all", "--html", page).returncode == 0
    browser.complaints.clear()
    browser.open(page, 390)
    assert browser.complaints == []
    assert browser.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    text = browser.evaluate("document.body.innerText")
    assert "gpt-6.2-sol of 2026-11-18" in text
    assert "USD" in text
    captions = browser.evaluate("[...document.querySelectorAll('#sweep caption')].map(each => each.textContent)")
    assert captions == ["window", "title", "summary", "cached price", "output price"]


def test_a_transcript_is_never_written_over(tmp_path: Path) -> None:
    """Nor is anything left beside it."""
    path = tmp_path / "one.jsonl"
    path.write_bytes(session("go", 2))
    done = replay(path, "--html", path)
    assert (done.returncode, done.stdout) == (2, "")
    assert re.fullmatch(r"foldcover: [^\n]*a file that is replayed[^\n]*\n", done.stderr)
    assert path.read_bytes() == session("go", 2)
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--html", "-", "--json"), "--html and --json would both go to stdout"),
        (("--html", "-", "--trace", "-"), "--trace and --html would both go to stdout"),
        (("--html", "nowhere/r.html"), "its folder does not exist"),
        (("--html", ""), "a file name is missing"),
    ],
)
def test_what_can_take_no_report_is_one_line(arguments: tuple[str, ...], words: str) -> None:
    """And exit code 2, before anything is read."""
    done = replay(SAMPLE, *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert words in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_stdout_takes_the_report_alone() -> None:
    """The table then goes to stderr."""
    done = replay(SAMPLE, "--html", "-")
    assert done.stdout.startswith("<!doctype html>")
    assert done.stdout.endswith("</html>\n")
    assert "compaction" in done.stderr


def test_without_the_extra_it_is_one_line(tmp_path: Path) -> None:
    """That says what to install."""
    code = "import sys; sys.modules['vl_convert'] = None; from foldcover_harness.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, "replay", str(SAMPLE), "--html", str(tmp_path / "r.html")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert re.fullmatch(r"foldcover: [^\n]*pip install 'foldcover\[report\]'[^\n]*\n", done.stderr)
    assert not list(tmp_path.iterdir())
