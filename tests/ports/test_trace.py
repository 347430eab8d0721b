"""A recorded trace is judged as it is read: what is broken comes with its line, and what is no trace is named."""

import gzip
import io
import json
import subprocess
import sys
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest

import foldcover as fc
from foldcover_harness.trace import Recorder
from foldcover_laws import Report, Verdict
from foldcover_laws.messages import Budgeted, Close, Shown
from foldcover_laws.report import as_dict, as_json, rows, summary, witnesses
from foldcover_laws.trace import judge_trace
from foldcover_laws.wire import answer_text, request_text

FOLDCOVER = str(Path(sys.executable).with_name("foldcover"))
BUDGET = 8


def life(closes: int = 20, budget: int = BUDGET) -> list[str]:
    """The lines of a host that closes, writes what is wanted and settles."""
    file = io.StringIO()
    recorder = Recorder(file)
    recorder.begin()
    view = fc.EMPTY
    for _ in range(closes):
        view = recorder.close(view)
        while asked := recorder.wanted(view, budget):
            for block in asked:
                view = recorder.write(view, block)
        view = recorder.settle(view, budget).view
    return file.getvalue().splitlines()


def judge(lines: list[str], end: str = "\n") -> Report:
    """The report on a trace of these lines."""
    return judge_trace("trace", io.BytesIO(("\n".join(lines) + end).encode()))


def verdicts(report: Report) -> dict[str, Verdict]:
    """What is known of each law."""
    return {tally.law.slug: tally.verdict for tally in report.tallies}


def pair(number: int, request: str, answer: str) -> list[str]:
    """A request and its answer."""
    return [f'{{"id":{number},{request}}}', f'{{"id":{number},{answer}}}']


RESET = pair(1, '"op":"reset"', '"view":[]')
ONE = pair(2, '"op":"close","weight":1', '"view":[{"leaf":1}]')
PAIR = '{"split":[{"leaf":1},{"leaf":1},1]}'


def test_a_recorded_life_holds_and_what_does_not_occur_is_not_judged() -> None:
    """No zoom in it, so reads is neither held nor broken."""
    report = judge(life())
    assert report.exit_code == 0
    found = verdicts(report)
    assert found.pop("reads") is Verdict.NOT_JUDGED
    assert set(found.values()) == {Verdict.HOLDS}
    assert summary(report) == "21 laws and pins hold, 1 not judged"


def loaded(before: str, request: str, answer: str) -> list[str]:
    """Load a view, and one operation on it."""
    return [*pair(1, f'"op":"load","view":{before}', f'"view":{before}'), *pair(2, request, answer)]


def settled(before: str, budget: int, after: str, merged: str, outcome: str) -> list[str]:
    """Load a view and settle it, smallest first."""
    request = f'"op":"settle","budget":{budget},"rank":"smallest_first"'
    return loaded(before, request, f'"view":{after},"merged":{merged},"outcome":"{outcome}"')


CLOSE, WRITE = '"op":"close","weight":1', '"op":"write","start":0,"size":2,"weight":1'
WANTED = '"op":"wanted","budget":1,"rank":"smallest_first"'
LEAF, BOTH, OPEN = '{"leaf":1}', '{"merged":[2,1]}', '{"split":[{"leaf":1},{"leaf":1},null]}'
OPENED = '{"split":[{"leaf":1},{"leaf":0},null]}'
FOUR = f'{{"split":[{PAIR},{PAIR},1]}}'
BROKEN: list[tuple[str, list[str]]] = [
    ("covers_close", loaded("[]", CLOSE, f'"view":[{BOTH}]')),
    ("covers_settle", settled(f"[{PAIR}]", 1, f"[{LEAF}]", "[[0,2]]", "settled")),
    ("covers_write", loaded(f"[{BOTH}]", WRITE, f'"view":[{LEAF}]')),
    ("aligned_close", loaded(f"[{LEAF}]", CLOSE, f'"view":[{LEAF},{LEAF}]')),
    ("aligned_settle", settled(f"[{LEAF},{BOTH}]", 1, f"[{BOTH},{LEAF}]", "[]", "stuck")),
    ("aligned_write", loaded(f"[{LEAF},{BOTH}]", WRITE, f'"view":[{BOTH},{LEAF}]')),
    ("written", settled(f"[{OPEN}]", 0, '[{"merged":[2,0]}]', "[[0,2]]", "settled")),
    ("budget", settled(f"[{PAIR}]", 1, f"[{PAIR}]", "[]", "stuck")),
    ("fit_stable", settled(f"[{PAIR}]", 2, f"[{BOTH}]", "[[0,2]]", "settled")),
    ("coarsen_settle", settled(f"[{BOTH}]", 0, f"[{OPENED}]", "[]", "stuck")),
    ("coarsen_close", loaded(f"[{BOTH}]", CLOSE, f'"view":[{LEAF},{OPENED}]')),
    ("coarsen_write", loaded(f"[{OPEN}]", WRITE, f'"view":[{BOTH}]')),
    ("target", settled(f"[{FOUR}]", 3, f'[{{"split":[{BOTH},{PAIR},1]}}]', "[[0,2]]", "settled")),
    ("ranked", settled(f"[{FOUR}]", 3, f'[{{"split":[{PAIR},{BOTH},1]}}]', "[[2,2]]", "settled")),
    ("pair", settled(f"[{FOUR}]", 3, '[{"merged":[4,1]}]', "[[0,4]]", "settled")),
    ("keeps", settled(f"[{PAIR}]", 2, f"[{OPEN}]", "[]", "fits")),
    ("weighs", loaded("[]", CLOSE, '"view":[{"leaf":2}]')),
    ("write_sets", loaded(f"[{OPEN}]", WRITE, f'"view":[{OPEN}]')),
    ("shape", loaded(f"[{LEAF}]", CLOSE, f'"view":[{PAIR}]')),
    ("reads", loaded(f"[{BOTH}]", '"op":"zoom","start":0,"size":2', '"blocks":[[0,1]]')),
    ("asks", loaded(f"[{PAIR}]", WANTED, '"blocks":[[0,2]]')),
]


@pytest.mark.parametrize(("slug", "lines"), BROKEN, ids=[slug for slug, _ in BROKEN])
def test_each_law_can_be_broken_by_a_trace(slug: str, lines: list[str]) -> None:
    """The law is named, with the line of the answer and a picture."""
    report = judge([*life(3), *lines])
    told = [*witnesses(report)]
    assert report.exit_code == 1
    assert slug in report.broken
    assert f"  at line {len(life(3)) + 4}" in told
    assert any(line.startswith("  before: ") for line in told)


@pytest.mark.parametrize("closes", [1, 2, 3, 8, 12])
def test_quiet_is_broken_when_titles_that_fit_are_merged(closes: int) -> None:
    """Each title weighs one more than was said: in the end they do not fit any more, and a settle merges."""
    lines, view, number = [*RESET], fc.EMPTY, 1
    budget = closes
    for close in range(closes):
        given = fc.close(view, 2)
        settled = fc.settle(given, budget)
        if close == closes - 1:
            settled = fc.Settled((fc.Merged(closes),), (fc.Block(0, closes),), fc.Outcome.SETTLED)
        asked = Budgeted("settle", budget, fc.smallest_first)
        lines += [request_text(number, Close(1)), answer_text(number, Shown(given))]
        lines += [request_text(number, asked), answer_text(number, settled)]
        view = settled.view
    # The longest run has eight closes; of twelve the last eight begin with a view that is too heavy already.
    assert ("quiet" in judge(lines).broken) == (closes <= 8)


def test_views_that_do_not_follow_are_seen() -> None:
    """The second close starts from what the first showed, whatever the host had in mind."""
    lines = [*RESET, *ONE, *pair(3, CLOSE, '"view":[{"leaf":5}]')]
    assert "covers_close" in judge(lines).broken


FAULTS = [
    (["hello"], 1, "line 1: no JSON: hello"),
    ([*RESET, *ONE, ""], 1, "line 5: no JSON"),
    ([*RESET, ONE[1]], 0, "line 3: an answer (id 2) without a request"),
    ([*RESET, ONE[0], ONE[0]], 0, "line 4: a request, but that of line 3 (close) is not answered"),
    ([*RESET, ONE[0], '{"id":7,"view":[]}'], 0, "line 4: an answer with id 7, but the request of line 3 has id 2"),
    ([*RESET, ONE[0] + ONE[1]], 0, "line 3: no JSON"),
    ([*RESET, '{"id":2,"op":"merge"}'], 0, 'line 3: no operation of that name: "merge"'),
    ([*RESET, '{"id":2,"op":"settle","budget":1,"rank":"absurd"}'], 0, 'line 3: rank "absurd", not one of'),
    ([*RESET, '{"id":2,"op":"close","weight":1.0}'], 0, "line 3: weight is no integer: 1.0"),
    ([*RESET, ONE[0], '{"id":2,"view":[{"leaf":1.5}]}'], 0, "line 4: no tree"),
    (ONE, 0, "line 2: close before any reset or load"),
    ([*RESET, *ONE, *pair(3, '"op":"hello"', '"name":"x","load":true,"wanted":true'), *ONE], 1, "line 8: close before"),
    (["[" * 100_000], 0, "line 1: nested without end"),
    ([*RESET, f'{{"id":2,"op":"close","weight":{"9" * 5000}}}'], 0, "line 3: a number too long, of more than 1,000"),
]


@pytest.mark.parametrize(("lines", "calls", "words"), FAULTS, ids=[words for _, _, words in FAULTS])
def test_what_is_no_trace_is_named_with_its_line(lines: list[str], calls: int, words: str) -> None:
    """Exit code 2; nothing holds; what was judged before stays counted."""
    report = judge(lines)
    assert report.exit_code == 2
    assert summary(report).startswith("cut short, ")
    assert words in summary(report)
    assert "cut short, trace, line" in summary(report)
    assert "every call was answered" not in "".join(rows(report))
    assert Verdict.HOLDS not in verdicts(report).values()


def test_a_broken_law_before_a_fault_is_exit_code_one() -> None:
    """Both are told."""
    report = judge([*RESET, *pair(2, CLOSE, '"view":[]'), "garbage"])
    assert report.exit_code == 1
    assert "covers_close" in summary(report)
    assert "line 5: no JSON" in summary(report)


@pytest.mark.parametrize("cut", [5, 1])
def test_a_last_line_that_is_cut_is_named_and_the_rest_judged(cut: int) -> None:
    """A kill in the middle of a write is how a log may end."""
    lines = life(3)
    report = judge([*lines[:-1], lines[-1][:-cut]], end="")
    assert report.exit_code == 0
    assert report.calls > 3
    assert f"line {len(lines)} is cut off in its middle: what came before is judged" in [*rows(report)]


def test_a_last_request_without_its_answer_is_named() -> None:
    """The process was killed while it answered."""
    report = judge(life(3)[:-1])
    assert report.exit_code == 0
    assert [note for note in report.notes if "the last request (settle) is not answered" in note]


def test_a_last_line_without_its_newline_counts() -> None:
    """It is whole."""
    assert judge(life(3), end="").calls == judge(life(3)).calls


@pytest.mark.parametrize("lines", [[], RESET, [*RESET, '{"id":9,"op":"bye"}']], ids=["empty", "reset", "bye"])
def test_a_trace_without_an_operation_fails(lines: list[str]) -> None:
    """It ran nothing."""
    report = judge(lines, end="\n" if lines else "")
    assert report.exit_code == 1
    assert summary(report) == "nothing ran"


def test_several_lives_and_processes_in_one_file() -> None:
    """Glued together, with greetings, byes and ids that begin anew."""
    greeting = pair(1, '"op":"hello"', '"name":"x","load":true,"wanted":true')
    bye = ['{"id":5,"op":"bye"}']
    report = judge([*greeting, *life(3), *bye, *greeting, *life(4), *bye, '{"id":5}', *life(2)])
    assert report.exit_code == 0


def test_an_error_inside_the_domain_is_not_answered_and_outside_it_is_refused() -> None:
    """The view stays as it was."""
    refused = '"error":"too big"'
    outside = judge(
        [*RESET, *ONE, *pair(3, f'"op":"close","weight":{1 << 60}', refused), *pair(4, CLOSE, f'"view":[{PAIR}]')]
    )
    assert (outside.refused, outside.not_answered, outside.broken) == (1, 0, ["shape"])
    inside = judge([*RESET, *ONE, *pair(3, CLOSE, refused)])
    assert (inside.refused, inside.not_answered, inside.exit_code) == (0, 1, 1)


@pytest.mark.parametrize(("depth", "code"), [(200, 1), (400, 1), (600, 2)])
def test_a_view_of_any_depth_ends_in_a_verdict(depth: int, code: int) -> None:
    """A close that answers a deep comb is broken; where JSON itself cannot be read any more, it is no answer."""
    comb = '{"split":[' * depth + LEAF + ',{"leaf":1},null]}' * depth
    report = judge([*RESET, *pair(2, CLOSE, f'"view":[{comb}]'), *pair(3, CLOSE, f'"view":[{comb}]')])
    assert report.exit_code == code
    assert [*witnesses(report), summary(report)]


def test_numbers_have_a_thousand_digits() -> None:
    """Beyond what a port is sent."""
    huge = 10**1000 - 1
    assert judge([*RESET, *pair(2, f'"op":"close","weight":{huge}', f'"view":[{{"leaf":{huge}}}]')]).exit_code == 0


def test_memory_does_not_grow_with_the_trace() -> None:
    """Ten times the lines: the peak grows by what the interpreter keeps in its own bounded free lists, if at all.

    The readings of 18,000 more lines would take more than ten times the megabyte that is allowed.
    """

    def long(closes: int) -> Iterator[bytes]:
        lines = [line.encode() + b"\n" for line in life(20)]
        for _ in range(closes // len(lines)):
            yield from lines

    def peak(lines: int) -> int:
        class File(io.RawIOBase):
            source = long(lines)

            def readline(self, size: int | None = -1, /) -> bytes:
                return next(self.source, b"")

        tracemalloc.start()
        report = judge_trace("long", File())  # type: ignore[arg-type]
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert report.exit_code == 0
        assert report.calls > lines // 3
        return most

    assert peak(20_000) - peak(2_000) < 1 << 20


def test_from_a_file_from_stdin_and_packed(tmp_path: Path) -> None:
    """The same verdict from each."""
    text = "\n".join(life()) + "\n"
    plain, packed = tmp_path / "t.jsonl", tmp_path / "t.jsonl.gz"
    plain.write_text(text)
    packed.write_bytes(gzip.compress(text.encode()))
    told: set[tuple[int, int]] = set()
    for name, given in ((str(plain), ""), (str(packed), ""), ("-", text), ("-", gzip.compress(text.encode()))):
        command = [FOLDCOVER, "laws", "--json", "--trace", name]
        data = given.encode() if isinstance(given, str) else given
        done = subprocess.run(command, input=data, capture_output=True, check=False)
        told.add((done.returncode, json.loads(done.stdout)["calls"]))
    assert len(told) == 1
    assert told.pop()[0] == 0
    packed.write_bytes(packed.read_bytes()[:-20])
    cut = subprocess.run([FOLDCOVER, "laws", "--trace", str(packed)], capture_output=True, text=True, check=False)
    assert "the compressed file is cut off" in cut.stdout


@pytest.mark.parametrize(
    ("flags", "word"),
    [
        (["--trace", "no/such/file"], "no/such/file"),
        (["--trace", "."], "--trace ."),
        (["--trace", "x", "--port", "y"], "--port and --trace exclude each other"),
        (["--impl", "x:Y", "--port", "y"], "--impl and --port exclude each other"),
        (["--port", "y", "--wanted", "x:y"], "--wanted goes with --impl"),
        (["--port", "y", "--timeout", "0"], "--timeout"),
        (["--port", "y", "--timeout", "nan"], "nan is no time"),
        (["--timeout", "3"], "--timeout goes with --port"),
        (["--trace", "x", "--units", "6", "--seed", "1"], "--units, --seed: not with --trace"),
        (["--trace", ""], "--trace '': a file name is missing"),
        (["--trace", __file__, "--junit", __file__], "is the trace itself"),
    ],
)
def test_usage(flags: list[str], word: str) -> None:
    """Exit code 2 and a line."""
    done = subprocess.run([FOLDCOVER, "laws", *flags], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert word in " ".join(done.stderr.split())


def test_stdin_that_is_closed_is_a_line() -> None:
    """Exit code 2, as for any trace that cannot be read."""
    command = f"exec {FOLDCOVER} laws --trace - <&-"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert "--trace -: stdin is closed" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_broken_case_can_be_repeated_and_a_wanted_before_it_is_named() -> None:
    """The view before and the operation as lines; an error inside the domain too."""
    asking = '"op":"wanted","budget":1,"rank":"smallest_first"'
    report = judge([*RESET, *ONE, *pair(3, asking, '"blocks":[]'), *pair(4, CLOSE, '"view":[]')])
    told = [*witnesses(report)]
    assert "  at line 8, right after a wanted, which must change nothing" in told
    again = ['{"id":1,"op":"load","view":[{"leaf":1}]}', '{"id":2,"op":"close","weight":1}']
    assert [f"    {line}" for line in again] == [line for line in told if line.startswith('    {"id"')][:2]
    laws = json.loads(as_json(report))["laws"]
    assert {tuple(law["reproduce"]) for law in laws if law["verdict"] == "broken"} == {tuple(again)}
    failed = judge([*RESET, *ONE, *pair(3, CLOSE, '"error":"too big"')])
    assert as_dict(failed)["failures"] == [{"call": "close", "reason": "an error: too big", "reproduce": again}]


def test_replay_records_a_trace_that_holds(tmp_path: Path) -> None:
    """The sample's cover under the rule, in a window so small that it merges; a life a transcript."""
    trace = tmp_path / "t.jsonl"
    sample = Path(fc.__file__).parents[2] / "harness" / "foldcover_harness" / "samples" / "tidetable.jsonl"
    copy = tmp_path / "copy.jsonl"
    copy.write_bytes(sample.read_bytes())
    command = [FOLDCOVER, "replay", "--window", "5000", "--trace", str(trace), str(sample), str(copy)]
    replayed = subprocess.run(command, capture_output=True, text=True, check=False)
    assert replayed.returncode == 0, replayed.stderr
    assert trace.read_text().count('"op":"reset"') == 2
    report = judge(trace.read_text().splitlines())
    assert report.exit_code == 0
    assert verdicts(report)["written"] is Verdict.HOLDS


def test_the_recorder_says_where_a_foreign_view_comes_from() -> None:
    """It loads a view that the trace does not stand at, and is flushed after each operation."""
    file = io.StringIO()
    recorder = Recorder(file)
    recorder.close((fc.Merged(2),))
    recorder.settle((fc.Leaf(),), 0)
    recorder.wanted(fc.EMPTY, 0)
    ops = [json.loads(line)["op"] for line in file.getvalue().splitlines()[::2]]
    assert ops == ["load", "close", "load", "settle", "reset", "wanted"]
    assert judge(file.getvalue().splitlines()).exit_code == 0
