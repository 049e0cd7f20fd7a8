"""Every mechanism has variants to audit, and laws that can be enumerated."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product

import pytest

from audit.conformance import TOYS, WORD_TOYS
from audit.smaller_laws import FEW_FUNCTIONS, enumerable, over_positions
from pckv.auditing.variants import VARIANTS
from pckv.mechanisms.collision.law import CollisionLaw
from pckv.mechanisms.registry import LAWS, build


def test_every_mechanism_has_its_entries() -> None:
    assert list(VARIANTS) == list(LAWS)
    assert all(VARIANTS.values())


@pytest.mark.parametrize("name", LAWS)
def test_variants_are_parameters_of_the_mechanism(name: str) -> None:
    """Every variant is built and shown as it was written; omitted parameters take their defaults."""
    for variant in VARIANTS[name]:
        law = build(name, 3, 2, Fraction(1), variant)
        assert law.parameters.items() >= variant.items()


@pytest.mark.parametrize("name", LAWS)
def test_an_enumerable_law_keeps_its_class_and_thresholds(name: str) -> None:
    """Planted faults are subclasses: they must survive the step to an enumerable law."""
    faulty = type("Faulty", (LAWS[name],), {})
    law = faulty(3, 2, Fraction(1))
    smaller = enumerable(law)
    assert type(smaller) is faulty
    assert (smaller.realised, smaller.claim) == (law.realised, law.claim)


def small_collision(keys: int, padding: int, bits: int = 64) -> CollisionLaw:
    law = enumerable(CollisionLaw(keys, padding, Fraction(1), bits=bits))
    assert isinstance(law, CollisionLaw)
    return law


def test_collision_is_enumerated_over_all_functions_where_they_are_few() -> None:
    few, many = small_collision(1, 1), small_collision(5, 2)
    assert few.functions == few.positions * (few.positions - 1)
    assert many.functions == FEW_FUNCTIONS
    # By default with all functions.
    assert over_positions(many, 13).functions == 13 * 12


@pytest.mark.parametrize(("bits", "keys"), [*TOYS, *WORD_TOYS])
def test_few_functions_send_pairs_to_one_symbol(bits: int, keys: int) -> None:
    """On a toy tape, for some sets and functions: otherwise the sampler would never see what pairs share."""
    law = small_collision(keys, 2, bits)
    items = range(law.items)
    shared = {
        (function, one, other)
        for function, (one, other) in product(range(law.functions), combinations(items, 2))
        if one // 2 != other // 2 and law.symbol(function, one) == law.symbol(function, other)
    }
    assert bool(shared) == (keys > 1)
    # Some functions do so and others do not.
    assert any((function, *pair) not in shared for _, *pair in shared for function in range(3)) == (keys > 1)
