"""The small project that the sample session works on: its files as they stand before the first turn."""

# ruff: noqa: E501 - what a tool prints, and what is said, is not wrapped
from __future__ import annotations

import math

STATIONS = {
    "saltby": ("Saltby Pier", 53.71, -0.03, ((1.92, 28.984, 158.0), (0.61, 30.0, 204.0), (0.18, 15.041, 282.0))),
    "korsnes": ("Korsnes", 69.11, 19.82, ((0.98, 28.984, 12.0), (0.34, 30.0, 48.0), (0.07, 15.041, 131.0))),
    "mirador": ("Mirador Sul", 38.68, -9.42, ((0.99, 28.984, 61.0), (0.36, 30.0, 88.0), (0.06, 15.041, 52.0))),
    "halfmoon": (
        "Half Moon Bight",
        37.50,
        -122.48,
        ((0.54, 28.984, 190.0), (0.13, 30.0, 187.0), (0.37, 15.041, 219.0)),
    ),
}


def level(station: str, hour: float) -> float:
    """Return the height of the tide in metres, `hour` hours after the first of March."""
    parts = STATIONS[station][3]
    height = 2.4 + sum(size * math.cos(math.radians(speed * hour - phase)) for size, speed, phase in parts)
    ripple = 0.03 * math.sin(hour * 1.7) + 0.02 * math.cos(hour * 0.43)
    return round(height + ripple, 3)


def readings(station: str, hours: int) -> str:
    """Return the gauge file of a station: one reading an hour, with the few gaps that gauges have."""
    rows = ["time,level_m,quality"]
    for hour in range(hours):
        stamp = f"2026-03-{1 + hour // 24:02d}T{hour % 24:02d}:00Z"
        if hour % 173 == 171:
            rows.append(f"{stamp},,missing")
        elif hour % 97 == 41:
            rows.append(f"{stamp},{level(station, hour) + 9:.3f},suspect")
        else:
            rows.append(f"{stamp},{level(station, hour):.3f},good")
    return "\n".join(rows) + "\n"


READINGS = '''"""Read gauge files: one CSV a station, one reading an hour."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path


@dataclass
class Reading:
    time: datetime
    level: float
    quality: str


def load(path: Path) -> list[Reading]:
    readings = []
    with path.open() as stream:
        for row in csv.DictReader(stream):
            readings.append(
                Reading(
                    time=datetime.strptime(row["time"], "%Y-%m-%dT%H:%MZ"),
                    level=float(row["level_m"]),
                    quality=row["quality"],
                )
            )
    return readings


def hourly(readings: list[Reading]) -> dict[datetime, float]:
    return {reading.time: reading.level for reading in readings}


def span(readings: list[Reading]) -> tuple[datetime, datetime]:
    return readings[0].time, readings[-1].time
'''

EXTREMES = '''"""Find high and low water in a list of readings."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from tidetable.readings import Reading


@dataclass
class Extreme:
    time: datetime
    level: float
    high: bool


def extremes(readings: list[Reading]) -> list[Extreme]:
    found = []
    for before, here, after in zip(readings, readings[1:], readings[2:]):
        if before.level < here.level > after.level:
            found.append(Extreme(here.time, here.level, True))
        if before.level > here.level < after.level:
            found.append(Extreme(here.time, here.level, False))
    return found


def ranges(found: list[Extreme]) -> list[float]:
    return [abs(one.level - two.level) for one, two in zip(found, found[1:])]


def mean_range(found: list[Extreme]) -> float:
    sizes = ranges(found)
    return sum(sizes) / len(sizes)
'''

TABLE = '''"""Print a table of high and low water, one line a day."""

from __future__ import annotations

from collections import defaultdict

from tidetable.extremes import Extreme


def by_day(found: list[Extreme]) -> dict[str, list[Extreme]]:
    days = defaultdict(list)
    for extreme in found:
        days[extreme.time.strftime("%Y-%m-%d")].append(extreme)
    return days


def cell(extreme: Extreme) -> str:
    mark = "H" if extreme.high else "L"
    return f"{mark} {extreme.time:%H:%M} {extreme.level:4.1f}"


def table(found: list[Extreme]) -> str:
    lines = []
    for day, extremes in by_day(found).items():
        lines.append(f"{day}  " + "  ".join(cell(extreme) for extreme in extremes))
    return "\\n".join(lines)
'''

CLI = '''"""tidetable STATION: print the table of a station."""

from __future__ import annotations

import argparse
from pathlib import Path

from tidetable.extremes import extremes
from tidetable.readings import load
from tidetable.table import table

DATA = Path("data")


def main() -> None:
    parser = argparse.ArgumentParser(prog="tidetable")
    parser.add_argument("station")
    parser.add_argument("--data", type=Path, default=DATA)
    options = parser.parse_args()
    readings = load(options.data / f"{options.station}.csv")
    print(table(extremes(readings)))


if __name__ == "__main__":
    main()
'''

HARMONICS = '''"""Predict the tide from the constituents of a station: height = mean + sum of A cos(speed * hours - phase)."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

EPOCH = datetime(2026, 3, 1)


@dataclass
class Constituent:
    name: str
    amplitude: float
    speed: float
    phase: float


def load_constituents(path: Path) -> tuple[float, list[Constituent]]:
    raw = json.loads(path.read_text())
    return raw["mean"], [Constituent(**one) for one in raw["constituents"]]


def height(mean: float, parts: list[Constituent], when: datetime) -> float:
    hours = (when - EPOCH).seconds / 3600
    return mean + sum(
        part.amplitude * math.cos(math.radians(part.speed * hours - part.phase)) for part in parts
    )


def predict(mean: float, parts: list[Constituent], start: datetime, hours: int) -> list[float]:
    return [height(mean, parts, start + timedelta(hours=hour)) for hour in range(hours)]
'''

TEST_EXTREMES = """from datetime import datetime, timedelta

import pytest

from tidetable.extremes import extremes, mean_range
from tidetable.readings import Reading

START = datetime(2026, 3, 1)


def series(*levels):
    return [Reading(START + timedelta(hours=n), level, "good") for n, level in enumerate(levels)]


@pytest.mark.parametrize("peak", range(3, 9))
@pytest.mark.parametrize("height", [0.2, 1.0, 4.5])
def test_one_high_and_the_low_after_it(peak, height):
    rising = [height * n / peak for n in range(peak)]
    falling = [height * (8 - n) / 8 for n in range(9)]
    found = extremes(series(*rising, *falling, height))
    assert [extreme.high for extreme in found] == [True, False]


@pytest.mark.parametrize("size", [0.1, 0.5, 1.0, 2.5])
def test_mean_range(size):
    found = extremes(series(0, size, 0, size, 0))
    assert mean_range(found) == pytest.approx(size)
"""

FILES = {
    "src/tidetable/readings.py": READINGS,
    "src/tidetable/extremes.py": EXTREMES,
    "src/tidetable/table.py": TABLE,
    "src/tidetable/cli.py": CLI,
    "src/tidetable/harmonics.py": HARMONICS,
    "tests/test_extremes.py": TEST_EXTREMES,
    **{f"data/{station}.csv": readings(station, 24 * 28) for station in STATIONS},
}
