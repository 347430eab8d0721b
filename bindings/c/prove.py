"""Prove the C core with Frama-C: `python bindings/c/prove.py`.

What is proved is written beside the code, as contracts and invariants in foldcover.c; this program only asks for it and
counts. A goal is one thing to show: that an access is inside its array, that a sum does not overflow, that a loop ends,
that a contract holds. It fails unless every goal of every function is proved, by Frama-C itself, z3 or cvc4.

Exit status: 0 all proved; 1 not all, or the annotations take something for granted that they must not; 2 a tool is
missing; 3 out of time.
"""

import argparse
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

HERE = Path(__file__).resolve().parent
SOURCE = HERE / "foldcover.c"

TOOLS = {"frama-c": "frama-c-base", "why3": "why3", "z3": "z3", "cvc4": "cvc4"}
WANTED = "no {}: the proof needs Frama-C, Why3, z3 and cvc4 (Debian: apt install frama-c-base why3 z3 cvc4)"

# Every check that Frama-C can add by itself: accesses, divisions, shifts, overflow of signed and of unsigned numbers,
# narrowing casts. Calls through pointers are checked by their own goals ("calls" in the annotations) instead. The
# memory model is the typed one; the casts that it lets pass are those from and to void pointers of the allocator.
OPTIONS = (
    "-wp",
    "-wp-rte",
    "-rte-no-pointer-call",
    "-warn-unsigned-overflow",
    "-warn-signed-downcast",
    "-warn-unsigned-downcast",
    "-wp-model=Typed+Cast",
    "-wp-prover=z3,cvc4",
    "-wp-cache=none",
)

DEFINITION = re.compile(r"^(?P<line>(?:static |inline |const )*\w+ \**(?P<name>\w+)\([^;{}]*\) \{)", re.MULTILINE)
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
# Words of the annotation language that assume instead of proving.
ASSUMING = re.compile(r"\b(admit|axiom|assume|terminates|allocates)\b|\brequires false\b|\bensures false\b")
ANALYSED = re.compile(r"^\[rte:annot\] annotating function (\w+)$", re.MULTILINE)
TOOK = re.compile(r"^\[wp\] \[([^\]]+)\] Goal .* : Valid \((.*)\)$", re.MULTILINE)
SECONDS = re.compile(r"(?<![:\d.])([\d.]+)(ms|s)\)")
PROBLEM = re.compile(r"^\[(?:kernel|wp|rte)[^\]]*\] .*(?:[Ee]rror|aborted).*$", re.MULTILINE)

KINDS = ("accesses and overflow", "loops end", "contracts")


@dataclass(slots=True)
class Function:
    """What is known of one function: its goals by kind, as (proved, all)."""

    name: str
    goals: dict[str, tuple[int, int]] = field(default_factory=lambda: dict.fromkeys(KINDS, (0, 0)))
    unproved: list[str] = field(default_factory=list[str])

    @property
    def proved(self) -> int:
        """How many of its goals are proved."""
        return sum(proved for proved, _ in self.goals.values())

    @property
    def total(self) -> int:
        """How many goals it has."""
        return sum(total for _, total in self.goals.values())


class MissingError(Exception):
    """A tool is not there."""


class TooLongError(Exception):
    """The whole took longer than it may."""


def annotations(text: str) -> Iterator[str]:
    """All comments that Frama-C reads."""
    for found in COMMENT.finditer(text):
        if found.group().startswith(("/*@", "//@")):
            yield found.group()


def defined(text: str) -> dict[str, bool]:
    """The functions that the source defines, and whether a contract stands right before each."""
    names: dict[str, bool] = {}
    for found in DEFINITION.finditer(text):
        before = text[: found.start()].rstrip()
        opened = before.rfind("/*")
        names[found["name"]] = before.endswith("*/") and before.startswith("/*@", opened)
    return names


def complaints(text: str) -> list[str]:
    """What of the source must not be, before anything is proved."""
    wrong = [f"{name} has no contract" for name, contract in defined(text).items() if not contract]
    for comment in annotations(text):
        wrong += [f"an annotation takes for granted: {found.group()}" for found in ASSUMING.finditer(comment)]
    return wrong if defined(text) else ["the source defines no function"]


def missing() -> str | None:
    """The first tool that is not there."""
    return next((tool for tool in TOOLS if shutil.which(tool) is None), None)


def run(command: Sequence[str], env: Mapping[str, str], until: float) -> str:
    """What a command prints; it and all it started end when the time is over."""
    with subprocess.Popen(
        command, env=env, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True
    ) as process:
        try:
            printed, _ = process.communicate(timeout=max(0.0, until - time.monotonic()))
        except subprocess.TimeoutExpired as error:
            os.killpg(process.pid, signal.SIGKILL)
            raise TooLongError from error
        except BaseException:
            os.killpg(process.pid, signal.SIGKILL)
            raise
    return printed


def ask(source: Path, names: Sequence[str], jobs: int, patience: int, until: float) -> tuple[str, dict[str, Any]]:
    """Run Frama-C: what it prints, and its report."""
    with tempfile.TemporaryDirectory(prefix="foldcover-") as folder:
        report = Path(folder) / "report.json"
        # Why3 keeps a list of the solvers; ours goes where nobody else's is. In that list z3 is one that does not tune
        # itself to the problem: so it is ten times as fast here.
        tuned = Path(folder) / "z3"
        tuned.write_text(f'#!/bin/sh\nexec {shlex.quote(shutil.which("z3") or "z3")} smt.auto_config=false "$@"\n')
        tuned.chmod(0o755)
        env = {
            **os.environ,
            "WHY3CONFIG": str(Path(folder) / "why3.conf"),
            "PATH": os.pathsep.join([folder, os.environ.get("PATH", os.defpath)]),
        }
        run(["why3", "config", "detect"], env, until)
        command = ["frama-c", f"-cpp-extra-args=-I{HERE}", *OPTIONS, f"-wp-par={jobs}", f"-wp-timeout={patience}"]
        command += [f"-wp-report-json={report}", *([f"-wp-fct={','.join(names)}"] if names else []), str(source)]
        printed = run(command, env, until)
        if not report.exists():
            return printed, {}
        return printed, cast(dict[str, Any], json.loads(report.read_text(encoding="utf-8")))


def kind(goal: str) -> str:
    """Which of the three kinds a goal is, told by its name."""
    if "_assert_rte_" in goal:
        return KINDS[0]
    return KINDS[1] if "_loop_variant_" in goal else KINDS[2]


def collect(report: Mapping[str, Any]) -> list[Function]:
    """The goals of Frama-C's report, function by function; lemmas are one more."""
    found: list[Function] = []
    sections = {**report.get("wp:functions", {})}
    for theory in report.get("wp:axiomatics", {}).values():
        sections.setdefault("(lemmas)", {}).update(theory)
    for name, goals in sorted(sections.items()):
        function = Function(name)
        for goal, results in goals.items():
            if goal.startswith("wp:"):
                continue
            proved, total = results["wp:main"].get("valid", 0), results["wp:main"]["total"]
            before = function.goals[kind(goal)]
            function.goals[kind(goal)] = (before[0] + proved, before[1] + total)
            if proved < total:
                function.unproved.append(goal)
        found.append(function)
    return found


def solvers(printed: str) -> dict[str, tuple[int, float]]:
    """How many goals each solver proved, and the seconds that took."""
    counts: dict[str, tuple[int, float]] = {}
    for found in TOOK.finditer(printed):
        count, seconds = counts.get(found[1], (0, 0.0))
        times = SECONDS.findall(f"({found[2]})".replace("Qed:", ""))
        spent = sum(float(number) / (1000 if unit == "ms" else 1) for number, unit in times)
        counts[found[1]] = (count + 1, seconds + spent)
    return counts


def judge(source: str, printed: str, functions: Sequence[Function], names: Sequence[str]) -> list[str]:
    """Why this is no proof; nothing if it is."""
    wrong = complaints(source)
    analysed = set(ANALYSED.findall(printed))
    wrong += [f"{name} was not analysed" for name in (names or defined(source)) if name not in analysed]
    wrong += [f"{function.name}: {goal} is not proved" for function in functions for goal in function.unproved]
    wrong += [found.group() for found in PROBLEM.finditer(printed)]
    if sum(function.total for function in functions) == 0:
        wrong.append("no goal ran")
    return wrong


def table(functions: Sequence[Function]) -> str:
    """One line a function, and the sum."""
    width = max((len(function.name) for function in functions), default=0)
    rows = [" ".join([" " * width, *(f"{title:>22}" for title in KINDS), f"{'all':>10}"])]
    for function in functions:
        cells = [f"{f'{proved}/{total}':>22}" for proved, total in function.goals.values()]
        rows.append(" ".join([f"{function.name:<{width}}", *cells, f"{f'{function.proved}/{function.total}':>10}"]))
    return "\n".join(rows)


def main(arguments: Sequence[str] | None = None) -> int:
    """Ask, print, and answer with the exit status."""
    parser = argparse.ArgumentParser(prog="prove.py", description="Prove the C core with Frama-C.")
    parser.add_argument("--source", type=Path, default=SOURCE, help="the file to prove (default: foldcover.c)")
    parser.add_argument("--functions", default="", help="only these, separated by commas")
    parser.add_argument("--jobs", type=int, default=2, help="solvers at a time (default: 2)")
    parser.add_argument("--patience", type=int, default=15, help="seconds a solver has for one goal (default: 15)")
    parser.add_argument("--limit", type=float, default=1800, help="seconds for everything (default: 1800)")
    parser.add_argument("--json", action="store_true", help="print the outcome as one JSON object")
    options = parser.parse_args(arguments)
    tool = missing()
    if tool is not None:
        print(WANTED.format(tool), file=sys.stderr)
        return 2
    started = time.monotonic()
    names = [name for name in options.functions.split(",") if name]
    source = options.source.read_text(encoding="utf-8")
    try:
        printed, report = ask(options.source, names, options.jobs, options.patience, started + options.limit)
    except TooLongError:
        print(f"not done after {options.limit:g} seconds", file=sys.stderr)
        return 3
    functions = collect(report)
    wrong = judge(source, printed, functions, names)
    proved, total = sum(function.proved for function in functions), sum(function.total for function in functions)
    seconds = time.monotonic() - started
    if options.json:
        print(
            json.dumps(
                {
                    "proved": proved,
                    "total": total,
                    "seconds": round(seconds, 1),
                    "functions": {function.name: [function.proved, function.total] for function in functions},
                    "solvers": {name: [count, round(spent, 2)] for name, (count, spent) in solvers(printed).items()},
                    "wrong": wrong,
                }
            )
        )
    else:
        print(table(functions))
        print(
            f"\n{proved} of {total} goals proved in {seconds:.0f} s; "
            + ", ".join(
                f"{name}: {count} in {spent:.1f} s" for name, (count, spent) in sorted(solvers(printed).items())
            )
        )
        for reason in wrong:
            print(f"no proof: {reason}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
