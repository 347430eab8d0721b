"""python -m foldcover_laws.symbolic.unenforced check ...: CrossHair, which does not look for contracts of callees.

Inside a function that it checks, CrossHair looks at every call, and at every new object, for contracts that the
callee may have, to enforce them there. Ours have none: each generated function has a postcondition, what it calls has
not. Looking takes nine tenths of the time. The check of the postcondition itself is no part of this, and stays.
"""

from __future__ import annotations

from importlib import import_module


def no_contract(*_: object) -> None:
    """Say of every call that there is nothing to enforce."""


def main() -> None:
    """Run CrossHair's command line."""
    enforced = import_module("crosshair.enforce").EnforcedConditions
    if not hasattr(enforced, "trace_call"):
        raise SystemExit(
            "this CrossHair does not enforce contracts where this program expects it: use crosshair itself"
        )
    enforced.trace_call = no_contract
    import_module("crosshair.main").main()


if __name__ == "__main__":
    main()
