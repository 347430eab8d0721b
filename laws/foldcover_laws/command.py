"""foldcover laws: run the laws and pins, print what holds, and end with an exit code that CI understands.

0 all hold · 1 a law is broken, or one ran no case · 2 usage, or what should be judged cannot be loaded or run ·
3 undecided.
"""

from __future__ import annotations

import io
import math
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import redirect_stdout
from importlib import import_module
from pathlib import Path
from typing import Any, cast

import click
from click.core import ParameterSource

from foldcover import Impl
from foldcover_laws.cases import CLOSES
from foldcover_laws.judge import Progress, Report, Scope, run
from foldcover_laws.junit import write_junit
from foldcover_laws.performer import Found
from foldcover_laws.report import as_json, rows, show, summary, witnesses
from foldcover_laws.subject import Subject, Wanted, core
from foldcover_laws.switch import Switched
from foldcover_laws.trace import judge_trace, open_trace

EPILOG = """\b
Examples:
  foldcover laws                            the core, views of up to 6 units
  foldcover laws --units 8                  more views, more time
  foldcover laws --impl my.rule:IMPL        your own four operations
  foldcover laws --port 'node my_core.mjs'  a program of any language
  foldcover laws --trace life.jsonl         what a host recorded of itself
  foldcover laws --json | jq .ok
  foldcover laws --junit laws.xml           for CI
  foldcover laws --symbolic                 all paths, with CrossHair
  foldcover laws --symbolic --help          its own options
\b
Exit codes:
  0 all hold
  1 a law is broken, ran no case, or a call was not answered
  2 usage, nothing to judge, or the port or trace breaks the protocol
  3 undecided: the port ran out of time
"""

PORT = Scope(stride=4, short=150)
"""A call of a port takes longer, and one that does not load has histories only."""
FOR_TRACE = ("trace", "as_json_text", "junit")
"""The options that mean something for a trace."""


class _Seconds(click.FloatRange):
    """A time; nan is none."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        found: float = super().convert(value, param, ctx)
        if math.isnan(found):
            self.fail(f"{value} is no time", param, ctx)
        return found


SECONDS = _Seconds(0.01, 86_400)


@click.command(cls=Switched, switches={"--symbolic": "foldcover_laws.symbolic.command:symbolic"}, epilog=EPILOG)
@click.option("--units", default=6, show_default=True, type=click.IntRange(0, 15), help="Every view of up to N units.")
@click.option("--closes", default=CLOSES, show_default=True, type=click.IntRange(1), help="Closes in each literal.")
@click.option("--stride", type=click.IntRange(1), help="Every Nth malformed view only.  [default: 1; for a port 4]")
@click.option("--lives", default=12, show_default=True, type=click.IntRange(0), help="Random histories of 200 closes.")
@click.option("--short", type=click.IntRange(0), help="Random histories of 40 steps.  [default: 0; for a port 150]")
@click.option("--seed", default=0, show_default=True, help="Which random histories.")
@click.option("--impl", metavar="MODULE:NAME", help="Judge this Impl instead of the core.")
@click.option("--wanted", metavar="MODULE:NAME", help="Its wanted; without it the pin asks is not judged.")
@click.option("--port", metavar="CMD", help="Judge a program of any language (spec/ports.md).")
@click.option("--timeout", default=10.0, show_default=True, type=SECONDS, help="Seconds for an answer of the port.")
@click.option("--trace", metavar="FILE", help="Judge a recorded trace (may be gzipped; - is stdin).")
@click.option("--json", "as_json_text", is_flag=True, help="Print the report as JSON.")
@click.option("--junit", type=click.Path(path_type=Path, dir_okay=False), help="Also write a JUnit XML file.")
@click.pass_context
def laws(
    ctx: click.Context,
    units: int,
    closes: int,
    stride: int | None,
    lives: int,
    short: int | None,
    seed: int,
    impl: str | None,
    wanted: str | None,
    port: str | None,
    trace: str | None,
    timeout: float,
    as_json_text: bool,
    junit: Path | None,
) -> None:
    """Run the thirteen laws and the pins on the core.

    On literals (40 closes, three write policies, eleven budgets, three ranks, even and uneven weights), on every
    view of up to --units units with every budget and every block, on malformed views, and on random long histories.
    With --impl, --port or --trace the same laws judge somebody else's implementation, or what a host recorded.
    """
    if wanted is not None and impl is None:
        raise click.UsageError("--wanted goes with --impl")
    judged = [name for name, value in (("--impl", impl), ("--port", port), ("--trace", trace)) if value is not None]
    if len(judged) > 1:
        raise click.UsageError(f"{' and '.join(judged)} exclude each other")
    given = [name for name in ctx.params if ctx.get_parameter_source(name) is not ParameterSource.DEFAULT]
    idle = [name for name in given if name not in FOR_TRACE] if trace is not None else []
    if port is None and not idle and "timeout" in given:
        raise click.UsageError("--timeout goes with --port")
    if idle:
        raise click.UsageError(f"{', '.join(f'--{name}' for name in idle)}: not with --trace, which is judged as it is")
    if trace is not None and junit is not None and junit.exists() and _same(trace, junit):
        raise click.UsageError(f"--junit {junit} is the trace itself")
    progress = _display if on_terminal() else iter
    usual = Scope() if port is None else PORT
    scope = Scope(units, closes, stride or usual.stride, lives, seed, usual.short if short is None else short)
    if trace is not None:
        report = _judge_trace(trace, progress)
    elif port is not None:
        report = _judge_port(port, timeout, scope, progress)
    else:
        report = run(core() if impl is None else _load(impl, wanted), scope, progress)
    _tell(report, as_json_text, junit)
    sys.exit(report.exit_code)


def _tell(report: Report, as_json_text: bool, junit: Path | None) -> None:
    if junit is not None:
        try:
            write_junit(report, junit)
        except OSError as error:
            raise click.UsageError(f"--junit {junit}: {error.strerror}") from error
    show([as_json(report)] if as_json_text else (*rows(report), *witnesses(report), summary(report)))


def _judge_port(command: str, timeout: float, scope: Scope, progress: Progress) -> Report:
    # Imported here because it needs processes as POSIX has them, and the laws themselves do not.
    from foldcover_laws.port import judge_port

    return judge_port(command, timeout, scope, progress)


def _judge_trace(path: str, progress: Progress) -> Report:
    if not path:
        raise click.UsageError("--trace '': a file name is missing")
    if path == "-" and sys.stdin is None:
        raise click.UsageError("--trace -: stdin is closed")
    try:
        with open_trace(path, sys.stdin.buffer if path == "-" else io.BytesIO()) as file:
            return judge_trace(f"trace {path}", file, progress)
    except OSError as error:
        raise click.UsageError(f"--trace {path}: {error.strerror or error}") from error


def _same(trace: str, junit: Path) -> bool:
    try:
        found = os.fstat(0) if trace == "-" else os.stat(trace)
    except OSError:
        return False
    return os.path.samestat(found, junit.stat())


def _display(events: Iterable[Found]) -> Iterator[Found]:
    """Count the calls on a terminal while they run."""
    from rich.console import Console
    from rich.progress import Progress as Bar
    from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.completed:,.0f} calls judged"), TimeElapsedColumn())
    with Bar(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("", total=None)
        for number, event in enumerate(events, 1):
            if number % 1000 == 0:
                progress.update(task, completed=number)
            yield event


def on_terminal() -> bool:
    """Whether somebody looks at stderr."""
    return sys.stderr is not None and sys.stderr.isatty()


def _load(name: str, wanted_name: str | None) -> Subject:
    """The Impl called MODULE:NAME, and its wanted."""
    impl = _find("--impl", name)
    if not isinstance(impl, Impl):
        raise click.UsageError(f"--impl {name}: not a foldcover.Impl but {type(impl).__name__}")
    if wanted_name is None:
        return Subject(name, impl, None)
    wanted = _find("--wanted", wanted_name)
    if not callable(wanted):
        raise click.UsageError(f"--wanted {wanted_name}: not a function but {type(wanted).__name__}")
    return Subject(name, impl, cast(Wanted, wanted))


def _find(option: str, name: str) -> Any:
    """Import MODULE:NAME. The working folder is searched first, as with python -m; stdout is kept for the report."""
    module_name, _, attribute = name.partition(":")
    if not module_name or not attribute:
        raise click.UsageError(f"{option} {name}: write MODULE:NAME")
    sys.path.insert(0, "")
    try:
        with redirect_stdout(sys.stderr):
            return getattr(import_module(module_name), attribute)
    except (Exception, SystemExit) as error:  # a stranger's module may fail in any way while it is imported
        raise click.UsageError(f"{option} {name}: {type(error).__name__}: {error}") from error


if __name__ == "__main__":
    laws(prog_name="foldcover laws")
