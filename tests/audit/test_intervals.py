"""Every mechanism at its shipped thresholds: the device's code, run on intervals of draws."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest

from audit.interval_checks import (
    EPSILONS,
    LARGE_SIZES,
    check_interval_loss,
    check_reports,
    check_within_epsilon,
    large_tasks,
    small_tasks,
)
from pckv.auditing.audit import audited_task
from pckv.auditing.exact import spread_keys, spread_values
from pckv.auditing.sampler_loss import sampler_loss
from pckv.auditing.variants import VARIANTS
from pckv.mechanisms.registry import LAWS

PRIMES = (1, 2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97)
# Of sets of up to 40 pairs with paddings 1 and 20, and of 130 keys.
SIZES_NEXT_TO_ENDS = (0, 1, 2, 3, 19, 20, 21, 40)
KEYS_NEXT_TO_ENDS = (0, 1, 7, 8, 9, 31, 32, 63, 64, 65, 127, 128, 129)
# More ε with many decimal places, and one that is nearly a power of two.
MORE_EPSILONS = ("0.01", "0.1", "0.693147180559945309417232", "1", "4", "9.999999999999999999")


@pytest.mark.parametrize("name", LAWS)
def test_few_keys(name: str, *, covers_all: bool) -> None:
    """Every variant with every size; by default each with one ε by turns, so that any two of the three meet."""
    tasks = list(small_tasks(name))
    turns = range(len(EPSILONS))
    in_turn = [task for place, task in enumerate(tasks) if place % len(turns) == place // len(turns) % len(turns)]
    assert {task.epsilon for task in in_turn} == {task.epsilon for task in tasks}
    check_interval_loss(tasks if covers_all else in_turn)


@pytest.mark.parametrize("name", LAWS)
def test_many_keys(name: str, *, covers_all: bool) -> None:
    """By default the fewest keys with the smallest ε and the most with the largest; few sets of `ue`, which draws per key."""
    tasks = list(large_tasks(name))
    if covers_all:
        check_interval_loss(tasks)
        return
    ends = tasks[:: len(tasks) - 1]
    planes = [task for task in ends if task.word_limit is None]
    check_interval_loss(task for task in ends if task not in planes)
    for task in planes:
        sets = [spread_values(task.key_count, size) for size in (0, 2, task.padding + 1)]
        assert sampler_loss(task, sets=sets).reports <= task.realised
        check_within_epsilon(task.law)


@pytest.mark.parametrize("name", LAWS)
def test_every_size_of_a_set(name: str, *, covers_all: bool) -> None:
    """From no pair to 40, with a padding below and above most of them; by default those next to ends and padding."""
    for padding in (1, 20):
        task = audited_task({"name": name}, 60, padding, "3")
        sizes = range(padding + 1 if name == "collision" and padding > 1 else 41)
        visited = sizes if covers_all else [size for size in sizes if size in SIZES_NEXT_TO_ENDS]
        sets = [dict.fromkeys(spread_keys(60, size), 1.0) for size in visited]
        assert sampler_loss(task, sets=sets).reports <= task.realised


@pytest.mark.parametrize("name", LAWS)
def test_every_key(name: str, *, covers_all: bool) -> None:
    """Keys up to 130, with both signs; by default those next to the ends of bytes and of words."""
    task = audited_task({"name": name}, 130, 3, "1.5")
    sets = [{key: sign} for key, sign in product(range(130) if covers_all else KEYS_NEXT_TO_ENDS, (1.0, -1.0))]
    assert sampler_loss(task, sets=sets).reports <= task.realised


@pytest.mark.parametrize("name", LAWS)
def test_many_paddings(name: str, *, covers_all: bool) -> None:
    """1 and all primes up to 100; by default every third of them."""
    for padding in PRIMES if covers_all else PRIMES[::3]:
        task = audited_task({"name": name}, padding + 3, padding, str(padding / 10))
        sets = [{}, {1: 1.0}, {1: -1.0}]
        assert sampler_loss(task, sets=sets).reports <= task.realised


@pytest.mark.parametrize("name", LAWS)
def test_every_padding_in_closed_form(name: str) -> None:
    for variant, padding in product(VARIANTS[name], range(1, 129)):
        for keys, epsilon in ((padding + 1, "0.37"), (10**6, "4.1")):
            check_within_epsilon(LAWS[name].from_parameters(keys, padding, Fraction(epsilon), variant))


@pytest.mark.parametrize("name", LAWS)
def test_reports_of_real_tapes(name: str) -> None:
    """`ue`, which draws once per key, has three times as many paths per key."""
    sizes = ((3, 1), (4, 2)) if name == "ue" else ((3, 1), (7, 4), (8, 2))
    check_reports(audited_task({"name": name}, keys, padding, "1") for keys, padding in sizes)


@pytest.mark.parametrize("padding", [1, 2, 5, 30])
def test_choice_of_pairs(padding: int) -> None:
    sizes = (padding + 1, padding + 2, 2 * padding, 5 * padding + 40)
    task = audited_task({"name": "collision"}, 2**20, padding, "2")
    assert sampler_loss(task, sets=[spread_values(2**20, size) for size in sizes]).paths > 8


def test_wide_grid(request: pytest.FixtureRequest) -> None:
    """With `--slow`, for many minutes: all variants and sizes, and many more ε."""
    if not request.config.getoption("--slow"):
        pytest.skip("the wide grid: --slow")
    for name in LAWS:
        sizes = [(keys, padding) for keys, padding in LARGE_SIZES if name != "ue" or keys < 10**6]
        sizes = [(min(keys, LAWS[name].max_keys), padding) for keys, padding in sizes]
        for (keys, padding), epsilon in product(sizes, EPSILONS + MORE_EPSILONS):
            for variant in ({}, *VARIANTS[name]):
                law = LAWS[name].from_parameters(keys, padding, Fraction(epsilon), variant)
                check_interval_loss([audited_task({"name": name, **law.parameters}, keys, padding, epsilon)])
