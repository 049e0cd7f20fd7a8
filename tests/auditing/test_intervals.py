"""Every mechanism at its shipped thresholds: the device's code, run on intervals of draws."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest

from pckv.auditing.choices import check_choices
from pckv.auditing.exact import spread_keys
from pckv.auditing.interval_checks import (
    EPSILONS,
    LARGE_SIZES,
    audited_task,
    check_interval_loss,
    check_reports,
    check_within_epsilon,
    large_tasks,
    small_tasks,
)
from pckv.auditing.sampler_loss import DeviceCode, sampler_loss
from pckv.auditing.variants import VARIANTS
from pckv.channels import CHANNELS
from pckv.channels.collision import CollisionChannel
from pckv.device import collision

PRIMES = (1, 2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97)
# More ε with many decimal places, and one that is nearly a power of two.
MORE_EPSILONS = ("0.01", "0.1", "0.693147180559945309417232121458176568076", "1", "4", "9.999999999999999999")


@pytest.mark.parametrize("name", CHANNELS)
def test_few_keys(name: str) -> None:
    check_interval_loss(small_tasks(name))


@pytest.mark.parametrize("name", CHANNELS)
def test_many_keys(name: str) -> None:
    check_interval_loss(large_tasks(name))


@pytest.mark.parametrize("name", CHANNELS)
def test_every_size_of_a_set(name: str) -> None:
    """From no pair to 40, with a padding below and above most of them."""
    for padding in (1, 20):
        task = audited_task({"name": name}, 60, padding, "3")
        sizes = range(padding + 1 if name == "collision" and padding > 1 else 41)
        sets = [dict.fromkeys(spread_keys(60, size), 1.0) for size in sizes]
        assert sampler_loss(task, sets=sets).reports <= task.realised


@pytest.mark.parametrize("name", CHANNELS)
def test_every_key(name: str) -> None:
    task = audited_task({"name": name}, 130, 3, "1.5")
    sets = [{key: sign} for key, sign in product(range(130), (1.0, -1.0))]
    assert sampler_loss(task, sets=sets).reports <= task.realised


@pytest.mark.parametrize("name", CHANNELS)
def test_many_paddings(name: str) -> None:
    for padding in PRIMES:
        task = audited_task({"name": name}, padding + 3, padding, str(padding / 10))
        sets = [{}, {1: 1.0}, {1: -1.0}]
        assert sampler_loss(task, sets=sets).reports <= task.realised


@pytest.mark.parametrize("name", CHANNELS)
def test_every_padding_in_closed_form(name: str) -> None:
    for variant, padding in product(VARIANTS[name], range(1, 129)):
        for keys, epsilon in ((padding + 1, "0.37"), (10**6, "4.1")):
            check_within_epsilon(CHANNELS[name].from_parameters(keys, padding, Fraction(epsilon), variant))


@pytest.mark.parametrize("name", CHANNELS)
def test_reports_of_real_tapes(name: str) -> None:
    """`ue`, which draws once per key, has three times as many paths per key."""
    sizes = ((3, 1), (4, 2)) if name == "ue" else ((3, 1), (7, 4), (8, 2))
    check_reports(audited_task({"name": name}, keys, padding, "1") for keys, padding in sizes)


@pytest.mark.parametrize("padding", [1, 2, 5, 30])
def test_choice_of_pairs(padding: int) -> None:
    channel = CollisionChannel(2**20, padding, Fraction(2))
    sizes = (padding + 1, padding + 2, 2 * padding, 5 * padding + 40)
    pairs = DeviceCode().pairs
    assert (
        check_choices(channel, lambda values, tape: collision.perturb(channel, pairs(values, 2), tape), sizes)
        > 8
    )


def test_wide_grid(request: pytest.FixtureRequest) -> None:
    """With `--slow`: all variants and sizes, and many more ε."""
    if not request.config.getoption("--slow"):
        pytest.skip("the wide grid: --slow")
    for name in CHANNELS:
        sizes = [(keys, padding) for keys, padding in LARGE_SIZES if name != "ue" or keys < 10**6]
        sizes = [(min(keys, CHANNELS[name].max_keys), padding) for keys, padding in sizes]
        for (keys, padding), epsilon in product(sizes, EPSILONS + MORE_EPSILONS):
            for variant in ({}, *VARIANTS[name]):
                channel = CHANNELS[name].from_parameters(keys, padding, Fraction(epsilon), variant)
                check_interval_loss(
                    [audited_task({"name": name, **channel.parameters}, keys, padding, epsilon)]
                )
