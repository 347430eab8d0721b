"""The encoding spells exactly the aligned views, no contract is empty, premises only leave out what says nothing."""

from collections.abc import Iterator
from itertools import product

import pytest

from foldcover import Block, Rank
from foldcover_laws.catalogue import LAWS
from foldcover_laws.symbolic.contracts import OPERATIONS, PERFORM, PREMISES, Contract, contracts, is_premise
from foldcover_laws.symbolic.encoding import INNER, Elsewhere, block_of, plain_view_of, range_of, view_of
from foldcover_laws.symbolic.run import SLUGS
from foldcover_laws.views import aligned_views


@pytest.mark.parametrize("units", range(8))
def test_every_aligned_view_is_spelt_and_nothing_else(units: int) -> None:
    """All bit patterns together give the exhaustive list of the aligned views."""
    bits = product((False, True), repeat=2 * len(INNER[units]))
    spelt = {view_of(units, pattern, (1,) * 2 * units) for pattern in bits}
    assert spelt == set(aligned_views(units))
    plain = {plain_view_of(units, pattern) for pattern in product((False, True), repeat=len(INNER[units]))}
    assert plain <= spelt


def test_a_block_keeps_its_address() -> None:
    """Whether it is one of the view's or not; and one that is not is found in no table of blocks."""
    table = dict.fromkeys(INNER[6])
    for start, size in product(range(-2, 9), repeat=2):
        block = block_of(6, start, size)
        assert block == (start, size) == range_of(6, start, size)
        assert (block in table) is (Block(start, size) in INNER[6])
        assert isinstance(block, Elsewhere) is (block not in table)


def values(contract: Contract) -> Iterator[list[object]]:
    """A few hundred arguments of a contract, with plain numbers."""
    kinds = contract.parameters()
    bits = kinds["bits"][1] or 0
    choices: list[list[object]] = []
    for name, (_, count) in kinds.items():
        if name == "bits":
            choices.append([*product((False, True), repeat=bits)])
        elif count is None:
            choices.append([0, 1, 2, 4, 12])
        else:
            choices.append([tuple((seed * place) % 3 for place in range(1, count + 1)) for seed in (1, 2)])
    yield from ([*one] for one in product(*choices))


@pytest.mark.parametrize("contract", [*contracts(SLUGS, [3])], ids=lambda contract: contract.name)
def test_no_contract_is_empty_and_premises_leave_out_only_what_says_nothing(contract: Contract) -> None:
    """Each speaks of some arguments; outside its premise the law says None."""
    relation = contract.law.relations[contract.event]
    spoken = 0
    for arguments in values(contract):
        event = PERFORM[OPERATIONS[contract.event]](contract.units, contract.ranks, *arguments)
        verdict = relation(event)
        assert verdict is not False
        spoken += verdict is not None
        assert verdict is None or is_premise(contract.law.slug, contract.units, arguments)
    assert spoken > 0


def test_every_law_and_pin_has_a_contract_for_every_n() -> None:
    """And every law with a premise of its own is one of them."""
    found = {(one.law.slug, one.units) for one in contracts(SLUGS, range(8))}
    assert found == {(law.slug, units) for law in LAWS for units in range(8)}
    assert PREMISES.keys() <= set(SLUGS)


def test_a_contract_is_one_function_whose_parameters_are_unknown() -> None:
    """As CrossHair reads it."""
    source = next(contracts(["ranked"], [2])).source()
    assert source.startswith(
        "def ranked_settle_2(bits: tuple[bool, bool], weights: tuple[int, int, int], keys: tuple[int]"
    )
    assert "post: _" in source
    rank: Rank
    event = PERFORM["settle"](2, True, (True, True), (1, 1, 1), (7,), 0)
    rank = getattr(event, "rank")  # noqa: B009
    assert rank(Block(0, 2), 2) == 7
