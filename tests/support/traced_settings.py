"""The tasks and participants for which the JavaScript client is run on intervals of draws."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from pckv import Task
from pckv.auditing.variants import VARIANTS
from pckv.base.errors import ParameterError
from pckv.base.limits import DEVICE_COIN, REFUSE, REPORT_ID_BYTES, SERVER_COIN
from pckv.mechanisms.collision.law import CollisionLaw
from pckv.mechanisms.ue.law import UeLaw
from pckv.mechanisms.ue_compact.law import UeCompactLaw
from support.random_parameters import random_decimal, random_parameters
from support.traced_client import Point, Setting, explored_points, random_points

# Mechanisms whose functions a coin can choose.
WITH_FUNCTIONS = (UeCompactLaw.name, CollisionLaw.name)
COINS_PER_SETTING = 4
# Settings with at most this many keys and pairs are visited on all draws.
SMALL = ((1, 1), (2, 1), (3, 2), (3, 3), (5, 2))
# Reports of many pairs: sizes on both sides of the paddings.
SIZES = (0, 1, 4, 5, 6, 9, 10, 11, 12, 25, 49, 50, 51, 60)
# More pairs and larger paddings than anyone enumerates.
VERY_MANY_PAIRS = (
    (1, 200),
    (300, 0),
    (1000, 2),
    (129, 128),
    (129, 130),
    (150, 700),
    (1000, 999),
    (1000, 1500),
)
EPSILONS = ("0.000001", "0.1", "1", "2.718281828459045235360287", "6", "20")
# Keys beyond the first byte, and beyond some powers of two.
MANY_KEYS = 5000
RANDOM_SETTINGS = 40
POINTS_PER_SETTING = 8

Request = tuple[Setting, list[Point]]


@lru_cache
def requests_of(mechanism: str) -> list[Request]:
    """Return all points at which a mechanism is compared; they are found once per test run."""
    seeded = random.Random(f"traced {mechanism}")
    explored = [*_small(mechanism), *_large(mechanism), *_by_coins(mechanism)]
    requests = [(setting, explored_points(setting, seeded)) for setting in explored]
    sampled = [*_many_pairs(mechanism, seeded), *_very_many_pairs(mechanism), *_random(mechanism, seeded)]
    requests += [(setting, random_points(setting, POINTS_PER_SETTING, seeded)) for setting in sampled]
    if mechanism == UeLaw.name:
        requests += [(setting, random_points(setting, 1, seeded)) for setting in _many_keys()]
    # A fault that only some settings show is found before all of them are run.
    seeded.shuffle(requests)
    return requests


def _task(
    mechanism: str,
    keys: int,
    padding: int,
    epsilon: str,
    variant: Mapping[str, object],
    share: str = "0",
    coin: str = DEVICE_COIN,
) -> Task:
    stated: dict[str, Any] = {"name": mechanism, **variant}
    asks = mechanism != UeLaw.name and padding < keys
    return Task(
        name="t",
        keys=keys,
        values=(0, 1),
        epsilon=epsilon,
        padding=padding,
        mechanism=stated,
        size_share=share if asks else "0",
        coin=coin,
    )


def _pairs(keys: int, size: int, *, mixed: bool = True) -> dict[str, float]:
    """Return pairs of keys all over the range; values at the ends of theirs, and one inside if `mixed`."""
    return {str(number * keys // size): 0.3 if mixed and number == 1 else float(number % 2) for number in range(size)}


def _small(mechanism: str) -> Iterator[Setting]:
    """Yield every variant with few keys, with every number of pairs."""
    for number, variant in enumerate(VARIANTS[mechanism]):
        for keys, padding in SMALL:
            # Planes have many boxes: three keys in one variant are enough.
            if mechanism == UeLaw.name and keys > 3 - (number > 0):
                continue
            epsilon = EPSILONS[(number + keys) % len(EPSILONS)]
            task = _task(mechanism, keys, padding, epsilon, variant, "0.25")
            yield from (Setting(task, _pairs(keys, size)) for size in range(min(keys, 4) + 1))


def _large(mechanism: str) -> Iterator[Setting]:
    """Yield reports of many pairs whose draws still fall into few boxes: one pair is sampled, or all are taken."""
    if mechanism == UeLaw.name:
        return
    for size, padding in ((0, 13), (5, 13), (12, 100), (51, 60)):
        task = _task(mechanism, 300, padding, "2", {}, "0.1")
        yield Setting(task, _pairs(300, size, mixed=False))


def _by_coins(mechanism: str) -> Iterator[Setting]:
    """Yield reports that are made by coins, which ask either question and name functions all over their range."""
    if mechanism not in WITH_FUNCTIONS:
        return
    for (keys, padding), epsilon in zip((*SMALL, (300, 13)), EPSILONS, strict=True):
        task = _task(mechanism, keys, padding, epsilon, {}, "0.5", SERVER_COIN)
        for size in (0, 1, min(keys, 4)):
            coins = (bytes([number]) * REPORT_ID_BYTES for number in range(COINS_PER_SETTING))
            yield from (Setting(task, _pairs(keys, size), coin) for coin in coins)


def _many_pairs(mechanism: str, seeded: random.Random) -> Iterator[Setting]:
    """Yield reports of any number of pairs up to more than 50, at several paddings."""
    keys = 90 if mechanism == UeLaw.name else 4321
    for padding in (1, 3, 11, 50):
        for size in SIZES:
            variant = seeded.choice(VARIANTS[mechanism])
            yield Setting(_task(mechanism, keys, padding, "3", variant, "0.4"), _pairs(keys, size))


def _very_many_pairs(mechanism: str) -> Iterator[Setting]:
    """Yield reports of hundreds of pairs, and of paddings beyond those that are visited one by one."""
    for padding, size in VERY_MANY_PAIRS:
        yield Setting(_task(mechanism, 2000, padding, "6", {}, "0.4"), _pairs(2000, size))


def _many_keys() -> Iterator[Setting]:
    """Yield reports of bit planes over very many keys."""
    for variant in VARIANTS[UeLaw.name][-2:]:
        task = _task(UeLaw.name, MANY_KEYS, 7, "1", variant)
        yield from (Setting(task, _pairs(MANY_KEYS, size)) for size in (0, 9))


def _random(mechanism: str, seeded: random.Random) -> Iterator[Setting]:
    """Yield settings of random numbers of keys and pairs, paddings and ε."""
    made = 0
    while made < RANDOM_SETTINGS:
        keys = min(2**31, int(2 ** seeded.uniform(0, 8 if mechanism == UeLaw.name else 31.1)))
        padding = min(keys, int(2 ** seeded.uniform(0, 6.7)))
        epsilon = random_decimal(seeded, -2, 1.29)
        share = seeded.choice(("0", "0.5", "0.000123"))
        try:
            parameters = random_parameters(seeded, mechanism, padding)
            task = _task(mechanism, keys, padding, epsilon, parameters, share)
        except ParameterError:
            continue
        task = seeded.choice((_as_it_is, _named, _refusing))(task)
        most = padding if task.more == REFUSE else keys
        held = seeded.sample(range(keys), min(most, int(2 ** seeded.uniform(0, 7)) - 1))
        values = (*task.ends, seeded.uniform(*task.ends))
        yield Setting(task, {task.key_name(key): seeded.choice(values) for key in held})
        made += 1


def _as_it_is(task: Task) -> Task:
    return task


def _named(task: Task) -> Task:
    """Return a task with names for keys, if there are not very many, and another range of values."""
    keys = task.keys if task.key_count > MANY_KEYS else [f"key {number}" for number in range(task.key_count)]
    return _changed(task, keys=keys, values=("-3.7", "12.25"))


def _refusing(task: Task) -> Task:
    return _changed(task, more=REFUSE, size_share="0", values=("0.1", "0.3"))


def _changed(task: Task, **changes: Any) -> Task:
    members = json.loads(task.to_json())
    given = {name: members[name] for name in ("name", "keys", "epsilon", "padding", "mechanism", "size_share")}
    return Task(**(given | changes))
