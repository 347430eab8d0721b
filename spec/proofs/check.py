"""Build and check every proof: `python spec/proofs/check.py [--limit SECONDS] [--views N]`.

1  Core.v is what the core translates to.
2  Every file is built, every law and pin has its theorem or stands in README.md under "Not proved".
3  coqc on every file, each within the limit.
4  Every theorem is closed under the global context: no axiom, nothing admitted.
5  coqchk checks the compiled files once more, independently.
6  Python and Coq answer some thousand examples alike.

Exit codes: 0 all checked, 1 something is wrong, 2 no Coq here, 3 undecided: a file took longer than the limit.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from coqbuild import Built, Verdict, build, theorems
from coqexamples import write_examples

HERE = Path(__file__).resolve().parent
_SLUGS = """
covers_close covers_settle covers_write aligned_close aligned_settle aligned_write written budget fit_stable
coarsen_settle coarsen_close coarsen_write quiet
target ranked pair keeps weighs write_sets shape reads asks
"""
LAWS, PINS = _SLUGS.split()[:13], _SLUGS.split()[13:]
FORBIDDEN = re.compile(r"\b(Admitted|admit|Axiom|Axioms|Parameter|Parameters|Conjecture|Abort|Unset|bypass_check)\b")
NO_COQ = "no coqc here: install Coq 8.16 or later (Debian: apt-get install --no-install-recommends coq)"


class Wrong(Exception):
    """A check failed; the text says which and why."""


def files_to_build(folder: Path) -> set[str]:
    """Every file but the refutations, which hold on mutants only: the gate for mutants builds those."""
    return {path.stem for path in folder.glob("*.v") if not path.stem.startswith("R_")}


def not_proved(folder: Path) -> set[str]:
    """The slugs that README.md lists as not proved."""
    text = (folder / "README.md").read_text(encoding="utf-8")
    _, _, section = text.partition("## Not proved")
    return set(re.findall(r"^- `(\w+)`", section, re.MULTILINE))


def lint(folder: Path) -> int:
    """Texts only: no law without theorem, no refutation without law, no hole. The answer is the number of theorems."""
    count = 0
    for path in sorted(folder.glob("*.v")):
        if found := FORBIDDEN.search(path.read_text(encoding="utf-8")):
            raise Wrong(f"{path.name} says {found.group()}")
        count += len(theorems(path))
    open_slugs = not_proved(folder)
    for slug in (*LAWS, *PINS):
        path = folder / f"P_{slug}.v"
        proved = path.exists() and slug in theorems(path)
        if proved == (slug in open_slugs):
            raise Wrong(f"{slug} needs the theorem {slug} in P_{slug}.v, or a line under Not proved; and never both")
    refuted = {path.stem.removeprefix("R_") for path in folder.glob("R_*.v")}
    if refuted != set(LAWS):
        raise Wrong(f"refutations without a law, or laws without one: {sorted(refuted ^ set(LAWS))}")
    return count


def same_as_core() -> None:
    """Core.v is what the translator makes of the core today."""
    command = [sys.executable, str(HERE.parent / "translator" / "translate.py"), "--check"]
    if subprocess.run(command, check=False).returncode != 0:
        raise Wrong("Core.v is out of date, or the core has left the subset")


def audit(folder: Path, names: set[str]) -> int:
    """Ask Coq what each theorem rests on: nothing, or it is wrong. The answer is the number of theorems."""
    stated = [f"{name}.{theorem}" for name in sorted(names) for theorem in theorems(folder / f"{name}.v")]
    text = "".join(f"Require {name}.\n" for name in sorted(names))
    text += "".join(f"Print Assumptions {theorem}.\n" for theorem in stated)
    (folder / "Audit.v").write_text(text, encoding="utf-8")
    done = subprocess.run(["coqc", "-q", "Audit.v"], cwd=folder, capture_output=True, text=True, check=False)
    closed = done.stdout.count("Closed under the global context")
    if done.returncode != 0 or closed != len(stated):
        raise Wrong(f"{closed} of {len(stated)} theorems are closed:\n{done.stdout}{done.stderr}")
    return closed


def recheck(folder: Path, names: set[str]) -> None:
    """Coqchk reads the compiled files with a checker of its own."""
    command = ["coqchk", "-silent", "-o", *sorted(names)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    report = " ".join((done.stdout + done.stderr).split())
    if done.returncode != 0 or "Axioms: <none>" not in report:
        raise Wrong(f"coqchk: {report[-2000:]}")


def demand(results: list[Built]) -> int:
    """The number of files, all built; else 1 or 3 is how this ends."""
    for result in results:
        if result.verdict is Verdict.FAILED:
            raise Wrong(f"{result.name}.v does not compile:\n{result.said}")
    late = [result for result in results if result.verdict is Verdict.TIMED_OUT]
    for result in late:
        print(f"undecided: {result.name}.v: {result.said}")
    if late:
        raise TimeoutError
    return len(results)


def run(limit: float, views: int) -> None:
    """All the checks, in order; each says how much it checked. Raises Wrong or TimeoutError."""
    same_as_core()
    print(f"lint: {lint(HERE)} theorems and refutations stated, {len(not_proved(HERE))} of the slugs open")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for path in HERE.glob("*.v"):
            shutil.copy(path, folder)
        names = files_to_build(folder)
        print(f"coqc: {demand(build(folder, names, limit))} files")
        closed = audit(folder, names)
        print(f"closed under the global context: {closed} theorems")
        recheck(folder, names)
        print(f"coqchk: {len(names)} files, no axioms")
        examples = write_examples(folder, views)
        files = {path.stem for path in folder.glob("Examples_*.v")}
        demand(build(folder, files, limit))
        print(f"examples on which Python and Coq agree: {examples}")
        if not (names and closed and examples):
            raise Wrong("nothing was checked")


def main(arguments: list[str]) -> int:
    """Run the command; the exit code is its answer."""
    parser = argparse.ArgumentParser(description="Build and check every proof.")
    parser.add_argument("--limit", type=float, default=300, help="seconds for each file")
    parser.add_argument("--views", type=int, default=100, help="views from histories, and as many malformed ones")
    chosen = parser.parse_args(arguments)
    if shutil.which("coqc") is None or shutil.which("coqchk") is None:
        print(NO_COQ, file=sys.stderr)
        return 2
    try:
        run(chosen.limit, chosen.views)
    except Wrong as wrong:
        print(f"wrong: {wrong}", file=sys.stderr)
        return 1
    except TimeoutError:
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
