"""Make the sample transcript that ships with foldcover: `python examples/sample_session/make.py`.

Everything in it is made up for foldcover: a small session in which a program that prints tide tables is
repaired and extended. The same input gives the same file, byte for byte.
"""

# ruff: noqa: E501 - what a tool prints, and what is said, is not wrapped
from __future__ import annotations

from pathlib import Path

import figures
from project import FILES, STATIONS
from transcript import Session

TARGET = Path(__file__).parents[2] / "harness" / "foldcover_harness" / "samples" / "tidetable.jsonl"
APART = 4

NAMES = [
    f"tests/test_extremes.py::test_one_high_and_the_low_after_it[{height}-{peak}]"
    for height in ("0.2", "1.0", "4.5")
    for peak in range(3, 9)
] + [f"tests/test_extremes.py::test_mean_range[{size}]" for size in ("0.1", "0.5", "1.0", "2.5")]
READING_TESTS = ["tests/test_readings.py::test_a_missing_level_is_left_out"]
SUSPECT_TESTS = [f"tests/test_readings.py::test_only_good_readings_are_loaded[{q}]" for q in ("suspect", "missing")]
APART_TESTS = [f"tests/test_extremes.py::test_ripples_are_no_tides[{s}]" for s in STATIONS]
HARMONIC_TESTS = [f"tests/test_harmonics.py::test_days_count[{day}]" for day in range(1, 29)]
TABLE_TESTS = [f"tests/test_table.py::test_columns_line_up[{s}-{day}]" for s in STATIONS for day in range(1, 29)]


def make() -> Session:
    """Return the session."""
    session = Session(FILES)
    for part in (crash, suspects, ripples, predictions, checking, columns, springs, release):
        part(session)
    return session


def crash(s: Session) -> None:
    """Turn 1 and 2: a crash on missing readings."""
    s.user("`tidetable korsnes` crashes with a ValueError, can you see why?")
    s.think_and_say(
        "I should reproduce it first, then look at how the CSV is read.",
        "I'll run it and look at the reader.",
        [
            s.runs(
                "tidetable korsnes 2>&1 | tail -8",
                '  File "/home/ada/tidetable/src/tidetable/cli.py", line 19, in main\n'
                '    readings = load(options.data / f"{options.station}.csv")\n'
                '  File "/home/ada/tidetable/src/tidetable/readings.py", line 27, in load\n'
                "    level=float(row[\"level_m\"]),\nValueError: could not convert string to float: ''",
            ),
            s.reads("src/tidetable/readings.py"),
        ],
    )
    s.think_and_say("", "", [s.greps("missing"), s.reads("data/korsnes.csv", 150, 120)])
    s.think_and_say(
        "Missing readings have an empty level and quality 'missing'. The reader should leave them out. Does anything rely on "
        "one reading per hour? extremes() zips neighbours, so a gap just joins its two sides. Good enough.",
        "A gauge writes an empty level when it has none, marked `missing`. I'll leave those rows out.",
        [
            s.edits(
                "src/tidetable/readings.py",
                "        for row in csv.DictReader(stream):\n",
                '        for row in csv.DictReader(stream):\n            if not row["level_m"]:\n                continue\n',
            )
        ],
    )
    s.think_and_say(
        "",
        "",
        [
            s.writes(
                "tests/test_readings.py",
                "from tidetable.readings import load\n\n\ndef test_a_missing_level_is_left_out(tmp_path):\n"
                '    path = tmp_path / "gauge.csv"\n'
                '    path.write_text("time,level_m,quality\\n2026-03-01T00:00Z,,missing\\n2026-03-01T01:00Z,1.5,good\\n")\n'
                "    assert [reading.level for reading in load(path)] == [1.5]\n",
            ),
            s.runs("pytest -v", figures.tests(NAMES + READING_TESTS, 0.21)),
        ],
    )
    s.think_and_say(
        "",
        "Fixed: the reader choked on gaps, hours where the gauge has no level. They are left out now, with a test. All 23 tests pass.",
        [],
    )
    s.user("good, commit that")
    s.think_and_say(
        "",
        "",
        [
            s.runs(
                "git add -A && git commit -m 'Leave out readings without a level' && git status --short",
                "[main 4e1c9d2] Leave out readings without a level\n 2 files changed, 9 insertions(+)\n"
                " create mode 100644 tests/test_readings.py",
            )
        ],
    )
    s.think_and_say("", "Committed as 4e1c9d2.", [])


def suspects(s: Session) -> None:
    """Turn 3: suspect readings."""
    s.user("Suspect readings should not count as high water either. Leave them out as well.")
    s.think_and_say(
        "How many are there, and do they look wrong?",
        "Let me see how many there are and what they look like.",
        [s.greps("suspect"), s.reads("data/saltby.csv", 1, 240)],
    )
    s.think_and_say(
        "Each suspect value is about nine metres too high: a sensor fault. Only 'good' should be kept.",
        "They are about nine metres too high, seven a station. I'll keep readings marked `good` and nothing else.",
        [
            s.edits(
                "src/tidetable/readings.py",
                '            if not row["level_m"]:\n',
                '            if row["quality"] != "good":\n',
            ),
            s.edits(
                "tests/test_readings.py",
                "def test_a_missing_level_is_left_out(tmp_path):",
                '@pytest.mark.parametrize("quality", ["suspect", "missing"])\n'
                "def test_only_good_readings_are_loaded(tmp_path, quality):\n"
                '    path = tmp_path / "gauge.csv"\n'
                '    path.write_text(f"time,level_m,quality\\n2026-03-01T00:00Z,11.2,{quality}\\n")\n'
                "    assert load(path) == []\n\n\ndef test_a_missing_level_is_left_out(tmp_path):",
            ),
            s.edits(
                "tests/test_readings.py",
                "from tidetable.readings import load\n",
                "import pytest\n\nfrom tidetable.readings import load\n",
            ),
        ],
    )
    s.think_and_say("", "", [s.runs("pytest -v", figures.tests(NAMES + READING_TESTS + SUSPECT_TESTS, 0.22))])
    s.think_and_say(
        "",
        "Only readings marked `good` are loaded now, so neither gaps nor sensor faults reach the table. 25 tests pass.",
        [],
    )


def ripples(s: Session) -> None:
    """Turns 4 to 6: too many high waters a day."""
    s.user("Now: the table for halfmoon lists far too many highs on some days. There are at most two a day there.")
    s.think_and_say(
        "Probably small ripples make local maxima. See the table and the raw data.",
        "I'll look at the table and at the extremes.",
        [s.runs("tidetable halfmoon", figures.table("halfmoon", 0)), s.reads("src/tidetable/extremes.py")],
    )
    s.think_and_say(
        "",
        "",
        [
            s.reads("data/halfmoon.csv", 1, 400),
            s.runs("python scripts/gaps.py halfmoon", figures.closest("halfmoon")),
        ],
    )
    s.think_and_say(
        "Some turning points lie one to three hours apart: ripples. Real ones are about six apart. Check the other stations before "
        "choosing a limit.",
        "Turning points one to three hours apart are ripples of a few centimetres. Let me check that the other stations agree "
        "before I choose a limit.",
        [s.runs(f"python scripts/gaps.py {name}", figures.closest(name)) for name in STATIONS if name != "halfmoon"],
    )
    s.think_and_say("", "", [s.reads("data/mirador.csv", 1, 400)])
    s.think_and_say(
        "",
        "The gap between ripples and tides is clear everywhere. Of two highs closer than four hours I'll keep the higher, and the same "
        "for lows.",
        [
            s.edits(
                "src/tidetable/extremes.py",
                "def extremes(readings: list[Reading]) -> list[Extreme]:\n    found = []\n",
                "APART = timedelta(hours=4)\n\n\ndef extremes(readings: list[Reading]) -> list[Extreme]:\n    found = []\n",
            ),
            s.edits(
                "src/tidetable/extremes.py",
                "    return found\n\n\ndef ranges",
                "    return [extreme for extreme in found if not any(outdoes(other, extreme) for other in found)]\n\n\n"
                "def outdoes(other: Extreme, extreme: Extreme) -> bool:\n"
                "    if other.high != extreme.high or abs(other.time - extreme.time) >= APART:\n        return False\n"
                "    return other.level > extreme.level if extreme.high else other.level < extreme.level\n\n\ndef ranges",
            ),
            s.edits(
                "src/tidetable/extremes.py",
                "from datetime import datetime\n",
                "from datetime import datetime, timedelta\n",
            ),
        ],
    )
    s.think_and_say(
        "",
        "",
        [
            s.runs("tidetable halfmoon", figures.table("halfmoon", APART)),
            s.runs("pytest -v", figures.tests(NAMES + READING_TESTS + SUSPECT_TESTS + APART_TESTS, 0.31)),
        ],
    )
    s.think_and_say(
        "",
        "The extra highs were ripples of a few centimetres. Of two highs (or lows) closer than four hours only the outer one counts "
        "now; no day at Half Moon Bight has more than two.",
        [],
    )
    s.user("why four hours?")
    s.think_and_say(
        "",
        "Ripples make turning points one to three hours apart, tides about six. Four lies in the gap at all four stations, "
        "and would still be right for a gauge that reads every ten minutes.",
        [],
    )
    s.user("ok. put that into a comment and commit")
    s.think_and_say(
        "",
        "",
        [
            s.edits(
                "src/tidetable/extremes.py",
                "APART = timedelta(hours=4)\n",
                "# Ripples turn after one to three hours, tides after about six: four lies between, at all stations.\n"
                "APART = timedelta(hours=4)\n",
            ),
            s.runs(
                "git commit -am 'Of two highs closer than four hours keep the higher' && git log --oneline | head -5",
                "[main 9b07a51] Of two highs closer than four hours keep the higher\n 3 files changed, 31 insertions(+), 4 deletions(-)\n"
                "9b07a51 Of two highs closer than four hours keep the higher\n4e1c9d2 Leave out readings without a level\n"
                "77d0c3e Table: one line a day\n51aa0f4 Find high and low water\nc0ffee1 Read gauge files",
            ),
        ],
    )
    s.think_and_say("", "Done, committed as 9b07a51.", [])


def predictions(s: Session) -> None:
    """Turn 7: the prediction forgets whole days."""
    s.user("next, predictions. harmonics.py seems right on the first day and wrong after it")
    s.think_and_say(
        "Right on the first day only: smells like timedelta.seconds instead of total_seconds().",
        "",
        [s.reads("src/tidetable/harmonics.py"), s.greps("harmonics")],
    )
    s.think_and_say(
        "Yes: `.seconds` drops the days. Confirm with numbers before and after.",
        "`(when - EPOCH).seconds` drops the days. I'll measure it before I change it.",
        [
            s.runs(
                "python scripts/residuals.py saltby --all",
                figures.residuals("saltby", False, True) + "\n" + figures.spread("saltby", False, True),
            )
        ],
    )
    s.think_and_say(
        "",
        "",
        [
            s.edits(
                "src/tidetable/harmonics.py", "(when - EPOCH).seconds / 3600", "(when - EPOCH).total_seconds() / 3600"
            ),
            s.writes(
                "tests/test_harmonics.py",
                "from datetime import timedelta\n\nimport pytest\n\nfrom tidetable.harmonics import EPOCH, Constituent, height\n\n"
                'M2 = Constituent("M2", 1.0, 28.984, 0.0)\n\n\n@pytest.mark.parametrize("day", range(1, 29))\n'
                "def test_days_count(day):\n    there, here = EPOCH + timedelta(days=day), EPOCH\n"
                "    assert height(0, [M2], there) != pytest.approx(height(0, [M2], here), abs=1e-4)\n",
            ),
            s.runs(
                "python scripts/residuals.py saltby --all",
                figures.residuals("saltby", False) + "\n" + figures.spread("saltby", False),
            ),
        ],
    )
    s.think_and_say(
        "",
        "",
        [
            s.runs(
                "for s in saltby korsnes mirador halfmoon; do python scripts/residuals.py $s; done",
                "\n".join(figures.spread(name, False) for name in STATIONS),
            ),
            s.runs(
                "pytest -v", figures.tests(NAMES + READING_TESTS + SUSPECT_TESTS + APART_TESTS + HARMONIC_TESTS, 0.42)
            ),
        ],
    )
    s.think_and_say(
        "",
        "The days were dropped: `timedelta.seconds` is only the part below a day. With `total_seconds()` the prediction stays within "
        "five centimetres of the gauge at all four stations for the whole month.",
        [],
    )


CHECK = """

def check(options: argparse.Namespace) -> None:
    readings = load(options.data / f"{options.station}.csv")
    mean, parts = load_constituents(options.data / f"{options.station}.json")
    print("time               measured  predicted  residual")
    for reading in readings:
        guess = height(mean, parts, reading.time)
        print(f"{reading.time:%Y-%m-%d %H:%M}   {reading.level:8.3f}  {guess:9.3f}  {reading.level - guess:+8.3f}")
"""


def checking(s: Session) -> None:
    """Turns 8 to 10: the comparison becomes a command."""
    s.user(
        "can that comparison be a command? `tidetable check STATION`, printing the residuals. Suspect readings too, that is where it helps"
    )
    s.think_and_say(
        "The CLI has a positional station. Use subcommands table and check; keep `tidetable STATION` working? It is used in the "
        "README and by hand. Keep it.",
        "I'll look at the command line and at who calls it.",
        [s.reads("src/tidetable/cli.py"), s.greps("load(")],
    )
    s.think_and_say(
        "",
        "`tidetable STATION` stays as it is; `check` is a second command beside it.",
        [
            s.edits("src/tidetable/cli.py", "\n\ndef main() -> None:\n", CHECK + "\n\ndef main() -> None:\n"),
            s.edits(
                "src/tidetable/cli.py",
                '    parser.add_argument("station")\n',
                '    parser.add_argument("command", nargs="?", choices=["table", "check"], default="table")\n'
                '    parser.add_argument("station")\n',
            ),
            s.edits(
                "src/tidetable/readings.py",
                "def load(path: Path) -> list[Reading]:\n",
                'def load(path: Path, kept: tuple[str, ...] = ("good",)) -> list[Reading]:\n',
            ),
            s.edits("src/tidetable/readings.py", 'if row["quality"] != "good":', 'if row["quality"] not in kept:'),
        ],
    )
    s.think_and_say("", "", [s.runs("tidetable check saltby", figures.residuals("saltby", True))])
    s.think_and_say(
        "",
        "`tidetable check STATION` prints measured, predicted and residual for every hour. `load` takes the kinds of readings to keep.",
        [],
    )
    s.user("saltby has 9 m at one hour and 0.02 next to it. is that the gauge or us?")
    s.think_and_say(
        "Those are the suspect rows. Verify on the raw file and on the other stations.",
        "",
        [
            s.runs(
                "grep -n suspect data/*.csv",
                "\n".join(
                    f"data/{name}.csv:{n + 2}:{row}"
                    for name in STATIONS
                    for n, row in enumerate(FILES[f"data/{name}.csv"].split("\n")[1:])
                    if "suspect" in row
                ),
            ),
            s.runs("tidetable check mirador", figures.residuals("mirador", True)),
        ],
    )
    s.think_and_say(
        "",
        "The gauge: each of the jumps is a row that the gauge itself marked `suspect`, nine metres too high at every station, every "
        "97 hours. I can mark them in the output so that nobody asks again.",
        [],
    )
    s.user("yes do that")
    s.think_and_say(
        "",
        "",
        [
            s.edits(
                "src/tidetable/cli.py",
                '{reading.level - guess:+8.3f}")\n',
                '{reading.level - guess:+8.3f}{mark(reading)}")\n',
            ),
            s.edits(
                "src/tidetable/cli.py",
                "\n\ndef check(options",
                '\n\ndef mark(reading: Reading) -> str:\n    return "" if reading.quality == "good" else f"  {reading.quality}"\n\n\ndef check(options',
            ),
            s.runs(
                "tidetable check saltby | grep -n suspect",
                "\n".join(
                    line.rstrip() + "  suspect"
                    for line in figures.residuals("saltby", True).split("\n")
                    if "+9." in line or "+8.9" in line
                ),
            ),
        ],
    )
    s.think_and_say("", "Suspect readings are marked at the end of their line.", [])


def columns(s: Session) -> None:
    """Turns 11 to 13: the table's columns."""
    s.user(
        "The table: two decimals please, a head line, and the columns should line up whether a day has three tides or four"
    )
    s.think_and_say(
        "", "", [s.reads("src/tidetable/table.py"), s.runs("tidetable saltby", figures.table("saltby", APART))]
    )
    s.think_and_say(
        "Width of a cell: 'H 00:00 ' plus six for '12.34' with sign. Left-justify each to 12 columns.",
        "I'll give each tide a cell of fixed width and put a head line above.",
        [
            s.edits("src/tidetable/table.py", "{extreme.level:4.1f}", "{extreme.level:5.2f}"),
            s.edits(
                "src/tidetable/table.py",
                '"  ".join(cell(extreme) for extreme in extremes))',
                '"  ".join(f"{cell(extreme):<12}" for extreme in extremes).rstrip())',
            ),
            s.runs("tidetable saltby", figures.table("saltby", APART, 2, 4)),
        ],
    )
    s.think_and_say(
        "",
        "",
        [s.runs(f"tidetable {name}", figures.table(name, APART, 2, 4)) for name in STATIONS if name != "saltby"],
    )
    s.think_and_say(
        "", "Two decimals, a head line, and every tide in a cell of twelve columns. I looked at all four stations.", []
    )
    s.user("hm, on days with three tides the highs jump into the lows' column, see the 9th at mirador")
    s.think_and_say(
        "A day may begin with a low or a high. To line up kinds, columns should be by half day or by kind: H L H L with blank cells. "
        "Put a day that begins with a low one cell in.",
        "You're right: a day that begins with a low should start one cell in.",
        [
            s.reads("src/tidetable/table.py"),
            s.writes(
                "tests/test_table.py",
                "import pytest\n\nfrom tidetable.table import table\n\nfrom stations import STATIONS, extremes_of\n\n\n"
                '@pytest.mark.parametrize("day", range(1, 29))\n@pytest.mark.parametrize("station", STATIONS)\n'
                "def test_columns_line_up(station, day):\n    row = table(extremes_of(station)).splitlines()[day]\n"
                '    assert all(row[place] in "H " for place in (12, 40))\n'
                '    assert all(row[place] in "L " for place in (26, 54) if place < len(row))\n',
            ),
        ],
    )
    s.think_and_say(
        "",
        "",
        [
            s.edits(
                "src/tidetable/table.py",
                "    for day, extremes in by_day(found).items():\n",
                "    for day, extremes in by_day(found).items():\n"
                '        cells = [] if extremes[0].high else [" " * 12]\n'
                '        cells += [f"{cell(extreme):<12}" for extreme in extremes]\n',
            ),
            s.edits(
                "src/tidetable/table.py",
                '"  ".join(f"{cell(extreme):<12}" for extreme in extremes).rstrip())',
                '"  ".join(cells).rstrip())',
            ),
            s.runs("tidetable mirador", figures.table("mirador", APART, 2, 4, True)),
            s.runs("pytest -v tests/test_table.py", figures.tests(TABLE_TESTS, 0.38)),
        ],
    )
    s.think_and_say(
        "", "Highs and lows keep to their own columns now, on all 28 days of all four stations: 112 tests for it.", []
    )
    s.user("commit, two commits please: check, and the table")
    s.think_and_say(
        "",
        "",
        [
            s.runs(
                "git add src/tidetable/cli.py src/tidetable/readings.py && git commit -m 'tidetable check: residuals of a station'",
                "[main 1d6e2b8] tidetable check: residuals of a station\n 2 files changed, 24 insertions(+), 3 deletions(-)",
            ),
            s.runs(
                "git add -A && git commit -m 'Table: two decimals, columns that line up' && git status --short",
                "[main e83b5f0] Table: two decimals, columns that line up\n 3 files changed, 22 insertions(+), 3 deletions(-)",
            ),
        ],
    )
    s.think_and_say("", "Two commits: 1d6e2b8 (check) and e83b5f0 (table).", [])


def springs(s: Session) -> None:
    """Turns 14 and 15: mean ranges, and a place in the README."""
    s.user(
        "I'd like the mean range of each station, with spring and neap apart. a fortnight has one of each, so by week should do"
    )
    s.think_and_say(
        "mean_range exists in extremes.py and divides by zero on an empty list. Group the ranges by week from the epoch, take the "
        "largest and smallest weekly mean.",
        "",
        [s.reads("src/tidetable/extremes.py"), s.greps("mean_range"), s.reads("data/korsnes.csv", 1, 500)],
    )
    s.think_and_say(
        "",
        "",
        [
            s.edits(
                "src/tidetable/extremes.py",
                "def mean_range(found: list[Extreme]) -> float:\n    sizes = ranges(found)\n    return sum(sizes) / len(sizes)\n",
                "def mean_range(found: list[Extreme]) -> float:\n    sizes = ranges(found)\n    return sum(sizes) / len(sizes) if sizes else 0.0\n\n\n"
                "def spring_and_neap(found: list[Extreme]) -> tuple[float, float]:\n"
                '    """Return the largest and the smallest mean range of a week."""\n'
                "    weeks = defaultdict(list)\n    for one, two in zip(found, found[1:]):\n"
                "        weeks[(one.time - found[0].time).days // 7].append(abs(one.level - two.level))\n"
                "    means = [sum(sizes) / len(sizes) for sizes in weeks.values()]\n"
                "    return (max(means), min(means)) if means else (0.0, 0.0)\n",
            ),
            s.runs("tidetable ranges", "\n".join(figures.mean_ranges(name, APART) for name in STATIONS)),
        ],
    )
    s.think_and_say(
        "Sanity: spring over neap should be near (M2+S2)/(M2-S2).",
        "Let me check the ratio against the constituents, it should be near (M2 + S2) / (M2 - S2).",
        [
            s.runs(
                "python scripts/ratio.py",
                "\n".join(
                    f"{name:<10} (M2+S2)/(M2-S2) = {(p[0][0] + p[1][0]) / (p[0][0] - p[1][0]):.2f}"
                    for name, (_, _, _, p) in STATIONS.items()
                ),
            ),
            s.reads("data/saltby.csv", 240, 430),
        ],
    )
    s.think_and_say(
        "",
        "`tidetable ranges` prints the mean range of each station, spring and neap apart. A week blurs both ends, so its ratio "
        "is smaller than that of the constituents; the order of the stations is the same.",
        [],
    )
    s.user("write a short section for the README about all three commands")
    s.think_and_say(
        "",
        "",
        [
            s.writes(
                "README.md",
                "# tidetable\n\nHigh and low water from gauge files.\n\n- `tidetable STATION`: one line a day, highs and lows in their own columns\n"
                "- `tidetable check STATION`: measured, predicted, residual; readings that the gauge doubts are marked\n"
                "- `tidetable ranges`: mean range of every station, spring and neap apart\n\nOnly readings marked `good` count, "
                "but for `check`.\n",
            )
        ],
    )
    s.think_and_say("", "The README has a section with the three commands, nine lines.", [])


def release(s: Session) -> None:
    """Turns 16 and 17: a last look, and the tag."""
    s.user("run everything once more before I tag it, all stations")
    everything = NAMES + READING_TESTS + SUSPECT_TESTS + APART_TESTS + HARMONIC_TESTS + TABLE_TESTS
    s.think_and_say(
        "",
        "",
        [s.runs("pytest -v", figures.tests(everything, 0.97)), s.runs("ruff check .", "All checks passed!")],
    )
    s.think_and_say("", "", [s.runs(f"tidetable {name}", figures.table(name, APART, 2, 4, True)) for name in STATIONS])
    s.think_and_say("", "", [s.runs("tidetable check korsnes", figures.residuals("korsnes", True))])
    s.think_and_say("", "", [s.runs("tidetable check halfmoon", figures.residuals("halfmoon", True))])
    s.think_and_say(
        "",
        f"All {len(everything)} tests pass, the linter is quiet, and the tables and residuals of all four stations look right. Ready to tag.",
        [],
    )
    s.user("tag it 0.3.0 and push")
    s.think_and_say(
        "",
        "",
        [
            s.runs(
                "git add -A && git commit -m 'Mean ranges, README' && git tag v0.3.0 && git push --follow-tags",
                "[main 5a90c7e] Mean ranges, README\n 2 files changed, 24 insertions(+), 1 deletion(-)\n"
                "To git.example.org:ada/tidetable.git\n   9b07a51..5a90c7e  main -> main\n * [new tag]         v0.3.0 -> v0.3.0",
            )
        ],
    )
    s.think_and_say("", "v0.3.0 is tagged and pushed.", [])


if __name__ == "__main__":
    session = make()
    session.save(TARGET)
    print(f"{TARGET.name}: {len(session.lines)} lines, {TARGET.stat().st_size:,} bytes")
