"""Tasks with levels or without values, and participants, for which the JavaScript client is run on intervals of draws."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain, product
from typing import Any

from pckv import Task
from pckv.base.errors import ParameterError
from pckv.base.levels import Levels
from pckv.base.limits import MAX_LEVELS, MIN_LEVELS, ONE_LEVEL, SERVER_COIN
from pckv.mechanisms.registry import LAWS
from support.random_parameters import random_decimal, random_parameters
from support.traced_client import Setting, explored_points, random_points
from support.traced_settings import POINTS_PER_SETTING, WITH_FUNCTIONS, Request

# Parameters for some numbers of levels besides the chosen ones. Keys without values have one level.
MECHANISMS: dict[str, dict[int, dict[str, int]]] = {
    "ue": {},
    "grr": {},
    "ue-compact": {1: {"q": 11, "r": 3}, 3: {"q": 11, "r": 3}, 5: {"q": 11, "r": 2}, 16: {"q": 17}},
    "collision": {1: {"symbols": 3}, 3: {"symbols": 3}},
}
# All numbers of levels with one key, and some with several.
LEVELS, SOME_LEVELS = range(ONE_LEVEL, MAX_LEVELS + 1), (1, 2, 3, 5, 16)
# The largest number of random keys, as a power of two: that of bit planes is smaller.
MOST_KEYS_POWER = {"ue": 8}
# Levels at unequal distances.
NAMED: Levels = ("-1.5", "0", "0.1", "4")
RANDOM_SETTINGS = 25
# A report made by this coin names a function far from the first.
COIN = bytes(range(16))


def level_task(mechanism: str, levels: Levels, **members: Any) -> Task:
    """Return a task with levels from its least value to its largest."""
    given: dict[str, Any] = {"name": "t", "keys": 3, "epsilon": "1", "padding": 2, "size_share": "0"} | members
    if levels != ONE_LEVEL:
        values = (levels[0], levels[-1]) if isinstance(levels, tuple) else ("0", "1")
        given = {"values": values, "levels": levels, "between": "round"} | given
    return Task(mechanism=mechanism, **given)


@lru_cache
def level_requests_of(mechanism: str) -> list[Request]:
    """Return all points at which a mechanism is compared on levels; they are found once per test run."""
    seeded = random.Random(f"levels {mechanism}")
    requests = [(setting, explored_points(setting, seeded)) for setting in _small(mechanism)]
    requests += [
        (setting, random_points(setting, POINTS_PER_SETTING, seeded)) for setting in _random(mechanism, seeded)
    ]
    # A fault that only some settings show is found before all of them are run.
    seeded.shuffle(requests)
    return requests


def _small(mechanism: str) -> Iterator[Setting]:
    """Yield few keys with values that are levels, and between the first, the last and other levels."""
    most = LAWS[mechanism].max_levels
    named_levels = [NAMED] if most > MIN_LEVELS else []
    one_key, several = (
        [*(count for count in counts if count <= most), *named_levels] for counts in (LEVELS, SOME_LEVELS)
    )
    for levels, (keys, padding) in chain(product(one_key, [(1, 1)]), product(several, [(3, 2)])):
        stated = MECHANISMS[mechanism].get(levels, {}) if isinstance(levels, int) else {}
        for given in ({}, stated) if stated else ({},):
            named: Any = {"name": mechanism, **given}
            task = level_task(named, levels, keys=keys, padding=padding)
            yield from (Setting(task, pairs) for pairs in _pairs(task))
    if mechanism in WITH_FUNCTIONS:
        for levels in (ONE_LEVEL, 5):
            task = level_task(mechanism, levels, coin=SERVER_COIN)
            yield from (Setting(task, pairs, COIN) for pairs in _pairs(task))


def _pairs(task: Task) -> Iterator[dict[str, float]]:
    """Yield every number of pairs: of levels from the last one down, then of values between them."""
    values = task.level_values
    last = len(values) - 1
    for size in range(task.key_count + 1):
        yield {str(key): values[max(last - key, 0)] for key in range(size)}
    if not task.has_values:
        return
    between = [0.75 * values[level] + 0.25 * values[level + 1] for level in (last - 1, 0, last // 2)]
    yield {str(key): between[key] for key in range(task.key_count)}


def _random(mechanism: str, seeded: random.Random) -> Iterator[Setting]:
    """Yield tasks with up to very many keys, of random levels and values."""
    made = 0
    while made < RANDOM_SETTINGS:
        keys = int(2 ** seeded.uniform(0, MOST_KEYS_POWER.get(mechanism, 31)))
        levels = min(seeded.choice((ONE_LEVEL, seeded.randint(3, 16))), LAWS[mechanism].max_levels)
        padding = min(keys, int(2 ** seeded.uniform(0, 6)))
        try:
            named: Any = {"name": mechanism, **random_parameters(seeded, mechanism, padding)}
            epsilon = random_decimal(seeded, -2, 1.29)
            share = "0.3" if padding < keys and mechanism != "ue" else "0"
            task = level_task(named, levels, keys=keys, padding=padding, epsilon=epsilon, size_share=share)
        except ParameterError:
            continue
        held = seeded.sample(range(keys), min(keys, seeded.randint(1, 20)))
        between = (seeded.random(),) if task.has_values else ()
        values = [seeded.choice((seeded.choice(task.level_values), *between)) for _ in held]
        yield Setting(task, dict(zip(map(str, held), values, strict=True)))
        made += 1
