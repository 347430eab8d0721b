"""What the commands of the sample project print: computed, so that the session's figures are right."""

from __future__ import annotations

from itertools import pairwise

from project import STATIONS, level

DAYS = 28


def series(station: str, with_suspect: bool = False) -> list[tuple[int, float]]:
    """Return the good readings of a station, hour by hour; suspect ones too where asked for."""
    found: list[tuple[int, float]] = []
    for hour in range(24 * DAYS):
        if hour % 173 == 171:
            continue
        if hour % 97 == 41:
            if with_suspect:
                found.append((hour, level(station, hour) + 9))
            continue
        found.append((hour, level(station, hour)))
    return found


def turning_points(points: list[tuple[int, float]], apart: int = 0) -> list[tuple[int, float, bool]]:
    """Return the high and low waters; with `apart`, of two of a kind that are closer only the outer one."""
    found: list[tuple[int, float, bool]] = []
    for before, here, after in zip(points, points[1:], points[2:], strict=False):
        for high in (True, False):
            sign = 1 if high else -1
            if sign * before[1] < sign * here[1] > sign * after[1]:
                found.append((here[0], here[1], high))
    return [
        point
        for point in found
        if not any(
            other is not point
            and other[2] == point[2]
            and abs(other[0] - point[0]) < apart
            and (other[1] > point[1] if point[2] else other[1] < point[1])
            for other in found
        )
    ]


def stamp(hour: int) -> str:
    """Return the day of an hour as the table writes it."""
    return f"2026-03-{1 + hour // 24:02d}"


def table(station: str, apart: int, digits: int = 1, columns: int | None = None, in_columns: bool = False) -> str:
    """Return the table of a station; `in_columns` keeps highs and lows apart."""
    days: dict[str, list[str]] = {}
    for hour, height, high in turning_points(series(station), apart):
        if in_columns and not high and stamp(hour) not in days:
            days[stamp(hour)] = [""]
        days.setdefault(stamp(hour), []).append(
            f"{'H' if high else 'L'} {hour % 24:02d}:00 {height:{digits + 3}.{digits}f}"
        )
    if columns is None:
        return "\n".join(f"{day}  {'  '.join(cells)}" for day, cells in days.items())
    rows = [f"{'day':<10}  " + "  ".join(f"{'tide':<12}" for _ in range(columns)).rstrip()]
    rows += [f"{day}  " + "  ".join(f"{cell:<12}" for cell in cells).rstrip() for day, cells in days.items()]
    return "\n".join(rows)


def predicted(station: str, hour: float, broken: bool = False) -> float:
    """Return the height from the constituents; `broken` forgets whole days, as the project's first version
    does.
    """
    import math

    hours = hour % 24 if broken else hour
    return 2.4 + sum(a * math.cos(math.radians(s * hours - p)) for a, s, p in STATIONS[station][3])


def residuals(station: str, with_suspect: bool, broken: bool = False, step: int = 1) -> str:
    """Return the lines of `tidetable check`."""
    rows = ["time               measured  predicted  residual"]
    for hour, height in series(station, with_suspect)[::step]:
        guess = predicted(station, hour, broken)
        rows.append(f"{stamp(hour)} {hour % 24:02d}:00   {height:8.3f}  {guess:9.3f}  {height - guess:+8.3f}")
    return "\n".join(rows)


def spread(station: str, with_suspect: bool, broken: bool = False) -> str:
    """Return one line about the residuals of a station."""
    gaps = [height - predicted(station, hour, broken) for hour, height in series(station, with_suspect)]
    mean = sum(gaps) / len(gaps)
    size = (sum((gap - mean) ** 2 for gap in gaps) / len(gaps)) ** 0.5
    return f"{station:<10} n={len(gaps):<5} mean={mean:+.3f}  sd={size:.3f}  max={max(map(abs, gaps)):.3f}"


def closest(station: str) -> str:
    """Return how far apart the turning points of a station are, as a histogram."""
    found = turning_points(series(station))
    gaps = [later[0] - earlier[0] for earlier, later in pairwise(found)]
    rows = [f"{station}: {len(found)} turning points in {DAYS} days"]
    rows += [f"  {hours:>3} h  {gaps.count(hours):>4}  {'#' * gaps.count(hours)}" for hours in sorted(set(gaps))]
    return "\n".join(rows)


def mean_ranges(station: str, apart: int) -> str:
    """Return the mean range of a station: all, around spring and around neap."""
    found = turning_points(series(station), apart)
    sizes = [(one[0], abs(one[1] - two[1])) for one, two in pairwise(found)]
    by_week = [[size for hour, size in sizes if hour // 168 == week] for week in range(4)]
    means = sorted(sum(week) / len(week) for week in by_week if week)
    everything = sum(size for _, size in sizes) / len(sizes)
    return f"{STATIONS[station][0]:<16} mean {everything:.2f} m   spring {means[-1]:.2f} m   neap {means[0]:.2f} m"


def tests(names: list[str], seconds: float) -> str:
    """Return what `pytest -v` prints when all pass."""
    head = (
        "============================= test session starts ==============================\n"
        "platform linux -- Python 3.12.4, pytest-8.3.2, pluggy-1.5.0 -- /home/ada/tidetable/.venv/bin/python\n"
        "cachedir: .pytest_cache\nrootdir: /home/ada/tidetable\nconfigfile: pyproject.toml\n"
        f"collected {len(names)} items\n"
    )
    rows = [f"{name} PASSED".ljust(74) + f"[{100 * (n + 1) // len(names):>3}%]" for n, name in enumerate(names)]
    bottom = f"============================== {len(names)} passed in {seconds:.2f}s =============================="
    return head + "\n" + "\n".join(rows) + "\n\n" + bottom
