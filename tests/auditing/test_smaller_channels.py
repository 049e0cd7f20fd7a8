"""Every mechanism has variants to audit, and channels that can be enumerated."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product

import pytest

from pckv.auditing.conformance import TOYS, WORD_TOYS
from pckv.auditing.smaller_channels import FEW_FUNCTIONS, enumerable, over_positions
from pckv.auditing.variants import VARIANTS
from pckv.channels import CHANNELS, build
from pckv.channels.collision import CollisionChannel


def test_every_mechanism_has_its_entries() -> None:
    assert list(VARIANTS) == list(CHANNELS)
    assert all(VARIANTS.values())


@pytest.mark.parametrize("name", CHANNELS)
def test_variants_are_parameters_of_the_mechanism(name: str) -> None:
    """Every variant is built and shown as it was written; omitted parameters take their defaults."""
    for variant in VARIANTS[name]:
        channel = build(name, 3, 2, Fraction(1), variant)
        assert channel.parameters.items() >= variant.items()


@pytest.mark.parametrize("name", CHANNELS)
def test_an_enumerable_channel_keeps_its_class_and_thresholds(name: str) -> None:
    """Planted faults are subclasses: they must survive the step to an enumerable channel."""
    faulty = type("Faulty", (CHANNELS[name],), {})
    channel = faulty(3, 2, Fraction(1))
    smaller = enumerable(channel)
    assert type(smaller) is faulty
    assert (smaller.realised, smaller.claim) == (channel.realised, channel.claim)


def small_collision(keys: int, padding: int, bits: int = 64) -> CollisionChannel:
    channel = enumerable(CollisionChannel(keys, padding, Fraction(1), bits=bits))
    assert isinstance(channel, CollisionChannel)
    return channel


def test_collision_is_enumerated_over_all_functions_where_they_are_few() -> None:
    few, many = small_collision(1, 1), small_collision(5, 2)
    assert few.functions == few.positions * (few.positions - 1)
    assert many.functions == FEW_FUNCTIONS
    # By default with all functions.
    assert over_positions(many, 13).functions == 13 * 12


@pytest.mark.parametrize(("bits", "keys"), [*TOYS, *WORD_TOYS])
def test_few_functions_send_pairs_to_one_symbol(bits: int, keys: int) -> None:
    """On a toy tape, for some sets and functions: otherwise the sampler would never see what pairs share."""
    channel = small_collision(keys, 2, bits)
    items = range(channel.items)
    shared = {
        (function, one, other)
        for function, (one, other) in product(range(channel.functions), combinations(items, 2))
        if one // 2 != other // 2 and channel.symbol(function, one) == channel.symbol(function, other)
    }
    assert bool(shared) == (keys > 1)
    # Some functions do so and others do not.
    assert any((function, *pair) not in shared for _, *pair in shared for function in range(3)) == (keys > 1)
