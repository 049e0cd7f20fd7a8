"""Every mechanism has variants to audit, and channels that can be enumerated."""

from __future__ import annotations

from fractions import Fraction

import pytest

from pckv.auditing.smaller_channels import FEW_FUNCTIONS, enumerable
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


def test_collision_is_enumerated_over_all_functions_where_they_are_few() -> None:
    few = enumerable(build("collision", 1, 1, Fraction(1), {}))
    many = enumerable(build("collision", 4, 2, Fraction(1), {}))
    assert isinstance(few, CollisionChannel)
    assert isinstance(many, CollisionChannel)
    assert few.exactly_uniform
    assert few.functions == few.symbols**2
    assert not many.exactly_uniform
    assert many.functions == FEW_FUNCTIONS
