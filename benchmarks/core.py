"""What a close costs a host: close, write what is wanted, settle, at budgets of 100, 1,000 and 10,000 lines.

Prints the mean and the worst close, and how the mean grows from one budget to the next: no faster than the lines, so by
at most 10. Run it with `python benchmarks/core.py`. Times are CPU times of one run: compare the ratios.
"""

from __future__ import annotations

import time

import foldcover as fc


def host(closes: int, budget: int, rank: fc.Rank) -> tuple[list[float], int]:
    """CPU seconds of each close in the host's whole loop, all lines of weight 1, and how many settles merged."""
    view, edits = fc.EMPTY, 0
    seconds: list[float] = []
    for _ in range(closes):
        start = time.process_time()
        view = fc.close(view)
        while asked := fc.wanted(view, budget, rank):
            for block in asked:
                view = fc.write(view, block)
        settled = fc.settle(view, budget, rank)
        view = settled.view
        seconds.append(time.process_time() - start)
        edits += bool(settled.merged)
    return seconds, edits


def main() -> None:
    """Print the table."""
    print(f"{'rank':<16}{'budget':>8}{'closes':>8}{'edits':>7}{'mean ms':>10}{'worst ms':>10}{'growth':>8}")
    for rank in (fc.smallest_first, fc.age_over_size):
        before = None
        for budget in (100, 1_000, 10_000):
            closes = 2 * budget if budget < 10_000 else 12_000
            seconds, edits = host(closes, budget, rank)
            mean = sum(seconds) / closes
            growth = "" if before is None else f"{mean / before:7.1f}x"
            row = f"{rank.__name__:<16}{budget:>8,}{closes:>8,}{edits:>7}{mean * 1e3:>10.3f}{max(seconds) * 1e3:>10.1f}"
            print(f"{row}{growth:>8}", flush=True)
            before = mean


if __name__ == "__main__":
    main()
