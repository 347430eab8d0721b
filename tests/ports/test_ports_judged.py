"""A right port passes, and a wrong one is named by the right law, with load and without."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from foldcover_laws import LAWS, PINS, THIRTEEN, Report, Scope, Verdict, cases
from foldcover_laws.events import Zoomed
from foldcover_laws.port import judge_port
from foldcover_laws.report import rows, summary, witnesses
from foldcover_laws.views import HAND_MADE, LARGE
from foldcover_mutants import MUTANTS, Mutant
from foldcover_mutants.overlay import lay

ROOT = Path(__file__).parents[2]
WRONG = Path(__file__).with_name("wrong.py")
TEMPLATE = f"{sys.executable} {ROOT / 'examples' / 'port' / 'port.py'}"
QUICK = Scope(units=2, closes=4, stride=200, lives=0, short=20)
LAW_SLUGS = [law.slug for law in THIRTEEN]

WRONG_KINDS = [
    ("age over size in doubles", "ranked"),
    ("age over size rounded down", "ranked"),
    ("ties the wrong way", "ranked"),
    ("division that truncates", "target"),
    ("sums in 32 bits", "budget"),
    ("weights in 32 bits", "weighs"),
    ("lines in 32 bits", "write_sets"),
    ("merged in another order", "keeps"),
    ("merged by address", "ranked"),
    ("settles what fits", "fit_stable"),
    ("stuck is not told", "budget"),
    ("zoom one too far", "reads"),
    ("zoom cuts the range", "reads"),
    ("write writes again", "write_sets"),
    ("write on a merged block", "write_sets"),
    ("carry stops too early", "shape"),
    ("carry the wrong way round", "shape"),
    ("wanted newest first", "asks"),
    ("wanted asks for every pair", "asks"),
    ("wanted asks for nothing", "asks"),
    ("wanted is remembered over a write", "asks"),
    ("products in 64 bits with a sign", "ranked"),
    ("products in 64 bits without a sign", "ranked"),
    ("start of a write in 32 bits", "write_sets"),
    ("size of a zoom in 32 bits", "reads"),
    ("start of a zoom in 32 bits", "reads"),
    ("zoom of a thousand units", "reads"),
    ("zoom of 65,535 units", "reads"),
    ("zoom changes the view", "keeps"),
    ("wanted changes the view", "keeps"),
]
TOO_FAR = ("products in 64 bits with a sign", "products in 64 bits without a sign", "zoom of 65,535 units")
NO_HISTORY_SHOWS = ("age over size in doubles", *TOO_FAR, "coarsen_settle")
"""In the first the pairs have sizes that are no powers of two, and no history leads there. Some are TOO_FAR. The last
shows a block of two units as two again before anybody has seen it as one line; the pin `keeps` is broken all the same.
"""


@pytest.fixture(autouse=True)
def brief(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two budgets and four of the views made by hand: what a law sees here, it sees in a whole run."""
    monkeypatch.setattr(cases, "BUDGETS", (1, 4))
    monkeypatch.setattr(cases, "HAND_MADE", (HAND_MADE[1], HAND_MADE[10]))
    monkeypatch.setattr(cases, "LARGE", (LARGE[1], *LARGE[-3:]))


def wrong(kind: str, *flags: str, scope: Scope = QUICK) -> Report:
    """The report on a port that is wrong in this way."""
    return judge_port(f"{sys.executable} {WRONG} '{kind}' {' '.join(flags)}", 30, scope)


def verdicts(report: Report) -> dict[str, Verdict]:
    """What is known of each law."""
    return {tally.law.slug: tally.verdict for tally in report.tallies}


def test_the_template_passes_from_the_command_line() -> None:
    """Every law and pin holds on cases of its own; nothing was refused; the process ended by itself."""
    command = [str(Path(sys.executable).with_name("foldcover")), "laws", "--port", TEMPLATE, "--json"]
    flags = ["--units=2", "--closes=5", "--stride=60", "--lives=0", "--short=12"]
    done = subprocess.run([*command, *flags], capture_output=True, text=True, check=False)
    report = json.loads(done.stdout)
    assert (done.returncode, done.stderr) == (0, "")
    assert report["subject"] == "template"
    assert (report["fault"], report["refused"], report["notes"]) == (None, 0, [])
    assert [law["verdict"] for law in report["laws"]] == ["holds"] * len(LAWS)


def test_without_load_every_law_has_cases_and_views_are_not_judged() -> None:
    """Histories from reset only, and the report says so."""
    report = wrong("right", "--no-load")
    assert report.exit_code == 0
    assert set(verdicts(report).values()) == {Verdict.HOLDS}
    assert "views: not judged (the port does not load)" in [*rows(report)]


def test_without_wanted_asks_is_not_judged_and_not_passed() -> None:
    """The other twenty-one hold."""
    report = wrong("right", "--no-wanted", "--no-load")
    assert report.exit_code == 0
    assert verdicts(report)["asks"] is Verdict.NOT_JUDGED
    assert summary(report) == "21 laws and pins hold, 1 not judged"


@pytest.mark.parametrize(("kind", "slug"), WRONG_KINDS, ids=[kind for kind, _ in WRONG_KINDS])
@pytest.mark.parametrize("flags", [(), ("--no-load",)], ids=["load", "no load"])
def test_a_wrong_port_is_named_by_the_right_law(kind: str, slug: str, flags: tuple[str, ...]) -> None:
    """Exit code 1, and a witness with the number of its request."""
    report = wrong(kind, *flags)
    if flags and kind in NO_HISTORY_SHOWS:
        assert report.exit_code == 0
        return
    assert report.exit_code == 1
    assert report.fault is None
    assert slug in report.broken
    assert any(line.startswith("  at request ") for line in witnesses(report))


@pytest.fixture(scope="module", params=MUTANTS, ids=lambda mutant: mutant.breaks)
def mutated(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Mutant, str]:
    """A mutant, and the words that start a port over the core it changes."""
    mutant: Mutant = request.param
    folder = tmp_path_factory.mktemp("overlay")
    lay(folder, mutant)
    path = os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")])
    return mutant, f"env PYTHONPATH={path} {sys.executable} {WRONG} right"


@pytest.mark.parametrize("flag", ["", "--no-load"], ids=["load", "no load"])
def test_a_mutant_behind_a_port_is_named_by_its_law(mutated: tuple[Mutant, str], flag: str) -> None:
    """A law's mutant breaks that law alone of the thirteen; a pin's breaks that pin alone."""
    mutant, command = mutated
    report = judge_port(f"{command} {flag}", 30, QUICK)
    pins = [law.slug for law in PINS]
    assert report.fault is None
    assert report.not_answered == 0
    if flag and mutant.breaks in NO_HISTORY_SHOWS:
        assert report.broken == ["keeps", "weighs"]
    elif mutant.breaks in pins:
        assert report.broken == [mutant.breaks]
    else:
        assert [slug for slug in report.broken if slug in LAW_SLUGS] == [mutant.breaks]


def test_malformed_views_may_be_refused() -> None:
    """They are counted and not judged; all laws hold."""
    report = wrong("load refuses malformed")
    assert report.exit_code == 0
    assert [note for note in report.notes if "malformed views refused by the port: not judged" in note]


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("load refuses aligned", "an aligned view is refused: not today"),
        ("load shows another view", 'it shows another view: [{"merged":[2,2]}]'),
        ("close fails at seven", "an error: too many"),
    ],
)
def test_an_error_inside_the_domain_breaks_totality(kind: str, words: str) -> None:
    """Exit code 1 though no law is broken; the words of the port are in the report."""
    report = wrong(kind, scope=Scope(units=2, closes=8, stride=60, lives=0, short=0))
    assert report.exit_code == 1
    assert (report.broken, report.fault) == ([], None)
    assert report.not_answered > 0
    assert any(words in line for line in witnesses(report))
    assert not any("did not answer" in line for line in witnesses(report))
    assert all(failure.reproduce for failure in report.untotal)


@pytest.mark.parametrize(("kind", "flag"), [("zoom one too far", ""), ("zoom one too far", "--no-load")])
def test_a_witness_can_be_repeated(kind: str, flag: str) -> None:
    """Its lines, given to the port, end with the answer that broke the law."""
    scope = Scope(units=1, closes=2, stride=500, lives=0, short=4)
    tally = next(tally for tally in wrong(kind, flag, scope=scope).tallies if tally.law.slug == "reads")
    assert isinstance(tally.witness, Zoomed)
    command = [sys.executable, str(WRONG), kind, *filter(None, [flag])]
    given = "".join(line + "\n" for line in tally.reproduce)
    done = subprocess.run(command, input=given, capture_output=True, text=True, check=False)
    assert json.loads(done.stdout.splitlines()[-1])["blocks"] == [list(block) for block in tally.witness.blocks]


def test_what_a_wanted_changed_is_said_beside_the_operation_after_it() -> None:
    """That operation is not to blame."""
    told = [*witnesses(wrong("wanted changes the view", "--no-load"))]
    assert any(line.endswith(", right after a wanted, which must change nothing") for line in told)
