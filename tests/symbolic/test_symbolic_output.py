"""What CrossHair prints is believed only where it says "Confirmed over all paths", once, of the contract itself."""

import pytest

from foldcover_laws.symbolic.crosshair import CONFIRMED, Verdict, contracts_in, read
from foldcover_laws.symbolic.run import arguments_of

SOURCE = '''\
def one(x: int) -> bool:
    """
    post: _
    """
    return True


def two(x: int) -> bool:
    """
    post: _
    """
    return True
'''
ONE = "/tmp/contracts.py:3: info: "
TWO = "/tmp/contracts.py:10: info: "


def verdicts(stdout: str, stderr: str = "", code: int = 0) -> list[Verdict]:
    """The verdicts on the two contracts."""
    return [answer.verdict for answer in read(SOURCE, contracts_in(SOURCE), stdout, stderr, code)]


def test_the_contracts_of_a_file_are_those_with_a_postcondition() -> None:
    """A function without one is none."""
    assert contracts_in(SOURCE + "\n\ndef three() -> None:\n    pass\n") == ["one", "two"]


def test_both_confirmed() -> None:
    """The only way to a pass."""
    assert verdicts(f"{ONE}{CONFIRMED}\n{TWO}{CONFIRMED}\n") == [Verdict.CONFIRMED, Verdict.CONFIRMED]


@pytest.mark.parametrize(
    "said",
    [
        "",
        f"{TWO}Not confirmed.\n",
        f"{TWO}Unable to meet precondition.\n",
        f"{TWO}{CONFIRMED}\n{TWO}{CONFIRMED}\n",
        f"{TWO}{CONFIRMED}\n{TWO}Not confirmed.\n",
        "/tmp/contracts.py:10: error: SyntaxError: invalid syntax\n",
        f"/tmp/contracts.py:10: warning: {CONFIRMED}\n",
    ],
)
def test_anything_else_is_undecided_whatever_the_exit_code(said: str) -> None:
    """Each of these ends with exit code 0 or 1, and is neither a pass nor a counterexample."""
    for code in (0, 1):
        assert verdicts(f"{ONE}{CONFIRMED}\n{said}", "", code) == [Verdict.CONFIRMED, Verdict.UNDECIDED]


def test_a_counterexample_refutes() -> None:
    """False, or an exception, when calling the contract."""
    said = "/tmp/contracts.py:10: error: false when calling two(0) (which returns False)\n"
    assert verdicts(f"{ONE}{CONFIRMED}\n{said}", "", 1) == [Verdict.CONFIRMED, Verdict.REFUTED]
    raised = "/tmp/contracts.py:10: error: Untotal: settle: KeyError: 3 when calling two(0)\n"
    assert verdicts(f"{ONE}{CONFIRMED}\n{raised}", "", 1) == [Verdict.CONFIRMED, Verdict.REFUTED]


def test_a_crash_or_a_line_about_nothing_known_leaves_all_undecided() -> None:
    """Exit code 2, a traceback, a line of another file: nobody knows what the rest is worth."""
    both = f"{ONE}{CONFIRMED}\n{TWO}{CONFIRMED}\n"
    undecided = [Verdict.UNDECIDED, Verdict.UNDECIDED]
    assert verdicts(both, "boom", 2) == undecided
    assert verdicts(both + "Traceback (most recent call last):\n", "", 1) == undecided
    assert verdicts(f"{both}/tmp/contracts.py:7: info: {CONFIRMED}\n") == undecided
    assert verdicts("", "Traceback (most recent call last):\nRecursionError", 1) == undecided


@pytest.mark.parametrize(
    ("words", "values"),
    [
        ("false when calling two((True, False), (0, -1), 5) (which returns False)", [(True, False), (0, -1), 5]),
        ("Untotal: close: x when calling two(3)", [3]),
        ("false when calling two() (which returns False)", []),
        ("false when calling two(x := 3) (which returns False)", None),
        ("false when calling two(float('nan')) (which returns False)", None),
        ("false when calling three(3) (which returns False)", None),
    ],
)
def test_arguments_are_read_or_given_up(words: str, values: list[object] | None) -> None:
    """Plain values are read; what is none is left as CrossHair gave it."""
    assert arguments_of(words, "two") == values
