"""Translate the core to Coq: `python spec/translator/translate.py [--check] [--core DIR] [--out FILE]`.

Writes spec/proofs/Core.v; with --check it writes nothing and compares. Exit codes: 0 done or no difference,
1 the committed file differs, 2 usage, 4 refused: a construct outside the subset, named with file and line.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from py2coq.program import read_core, translate
from py2coq.refusal import Refused

ROOT = Path(__file__).resolve().parents[2]


def main(arguments: list[str]) -> int:
    """Run the command; the exit code is its answer."""
    parser = argparse.ArgumentParser(description="Translate the core to Coq.")
    parser.add_argument("--check", action="store_true", help="compare with the committed file, write nothing")
    parser.add_argument("--core", type=Path, default=ROOT / "core" / "foldcover", help="the folder with the modules")
    parser.add_argument("--out", type=Path, default=ROOT / "spec" / "proofs" / "Core.v", help="the Coq file")
    chosen = parser.parse_args(arguments)
    try:
        shown = str(chosen.core.relative_to(ROOT)) if chosen.core.is_relative_to(ROOT) else str(chosen.core)
        text = translate(read_core(chosen.core, shown))
    except Refused as refused:
        print(f"refused: {refused}", file=sys.stderr)
        return 4
    except (OSError, SyntaxError) as error:
        print(f"cannot read the core: {error}", file=sys.stderr)
        return 2
    if not chosen.check:
        chosen.out.write_text(text, encoding="utf-8")
        print(f"wrote {chosen.out}: {text.count('Definition ') + text.count('Fixpoint ')} definitions")
        return 0
    if not chosen.out.exists() or chosen.out.read_text(encoding="utf-8") != text:
        print(f"{chosen.out} is not what the core translates to: run this command without --check", file=sys.stderr)
        return 1
    print(f"{chosen.out.name} is what the core translates to")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
