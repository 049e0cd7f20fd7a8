"""The scalar device code beyond the sizes of `interval_checks`: parameters that tasks seldom have, and many pairs.

Also what surrounds the samplers: ids and bodies of reports of any size, as the public function makes them.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from unittest import mock

import numpy as np

from audit.batches import make_task, random_pairs
from audit.replay import named
from audit.tapes import RecordedSource
from pckv.auditing.audit import audited_task
from pckv.auditing.exact import scale, spread_values
from pckv.auditing.interval_tape import PiecewiseLaw, explore, turning_points
from pckv.auditing.sampler_loss import DeviceCode, sampler_loss
from pckv.base.errors import AuditFailure
from pckv.base.limits import REPORT_ID_BYTES
from pckv.base.randomness import Tape
from pckv.contract.task import Task
from pckv.device import perturb as single
from pckv.device.perturb import Sampler
from pckv.mechanisms.collision.affine import Number
from pckv.mechanisms.collision.law import MAX_SYMBOLS, CollisionLaw

# Parameters that a task may have and seldom has, with this many keys and this padding.
RARE_KEYS, RARE_PADDING = 5_000, 37
RARE_PARAMETERS: dict[str, tuple[dict[str, object], ...]] = {
    "ue": ({"allocation": "tuned", "beta": "0.000001"}, {"allocation": "tuned", "beta": "0.25"}),
    "grr": ({"allocation": "non-optimized"}, {"allocation": "naive"}),
    "ue-compact": (
        {"q": 3},
        {"q": 7, "r": 3, "o": 1},
        {"q": 101, "r": 40, "o": 10},
        {"q": 1_000_003, "r": 250_000, "o": 3},
    ),
    "collision": (
        {"symbols": RARE_PADDING + 1},
        {"symbols": 50},
        {"symbols": 4_096},
        {"symbols": MAX_SYMBOLS},
    ),
}
# The same with five levels.
RARE_LEVELS = 5
RARE_LEVEL_PARAMETERS: dict[str, tuple[dict[str, object], ...]] = {
    "ue": (),
    "grr": ({},),
    "ue-compact": ({"q": 7}, {"q": 101, "r": 19}),
    "collision": ({"symbols": 50},),
}
# `ue` draws once per key.
RARE_PLANES = 300
# Beyond 7, 8 and 16 bits.
LARGE_PADDINGS = (129, 256, 257, 2**16, 2**16 + 1)
LARGE_SIZES = (129, 256, 257)
REPORT_SHAPES = ((12, 3), (5_000, 20), (2**31, 100))
REPORT_SIZES = (0, 1, 6, 7, 8, 12, 60, 101, 130, 257)
PLANES = 5_000
SHARED_ITEMS = 5


def check_rare_parameters(name: str, code: DeviceCode | None = None) -> None:
    """With many keys the code follows the stated law for parameters that are never chosen by default."""
    keys = RARE_PLANES if name == "ue" else RARE_KEYS
    sets = [{}, {0: 1.0}, {keys - 1: -1.0}, *(spread_values(keys, size) for size in (5, RARE_PADDING))]
    for parameters in RARE_PARAMETERS[name]:
        task = audited_task({"name": name, **parameters}, keys, RARE_PADDING, "3")
        _check(task, sets, code)
    sets = [{}, *({keys - 1: value} for value in scale(RARE_LEVELS)), spread_values(keys, 5, RARE_LEVELS)]
    for parameters in RARE_LEVEL_PARAMETERS[name]:
        task = audited_task({"name": name, **parameters}, keys, RARE_PADDING, "3", levels=RARE_LEVELS)
        _check(task, sets, code)


def check_large_paddings(name: str, code: DeviceCode | None = None) -> None:
    """The code follows the stated law where the padding needs more than 8 or 16 bits."""
    for padding in LARGE_PADDINGS:
        # Only `ue-compact` has as few paths for many dummies as for one.
        if name != "ue-compact" and padding > RARE_PLANES:
            continue
        keys = padding + 3
        _check(audited_task({"name": name}, keys, padding, "2"), [{}, {0: 1.0}, {keys - 1: -1.0}], code)


def check_large_sizes(name: str, code: DeviceCode | None = None) -> None:
    """The code follows the stated law for sets of more pairs than 8 bits count."""
    keys = 450 if name == "ue" else 10**6
    task = audited_task({"name": name}, keys, 5, "2")
    for size in LARGE_SIZES[-1:] if name == "ue" else LARGE_SIZES:
        _check(task, [{}, spread_values(keys, size)], code)


def _check(task: Task, sets: list[dict[int, float]], code: DeviceCode | None) -> None:
    if sampler_loss(task, code, sets).reports > task.realised:
        raise AuditFailure(f"interval tape: more than the closed form is lost by {task!r}")


class _AllFunctions(CollisionLaw):
    """All functions there are, of any structure: the digits of a function's number are the symbols of the items."""

    def symbol(self, function: Number, item: Number) -> Number:
        return function // self.symbols**item % self.symbols


def check_shared_symbols(sampler: Sampler) -> None:
    """Whichever of a participant's pairs a hash function sends to one symbol, the report follows the stated law.

    Over all functions that exist, every way in which five pairs may share symbols is tried.
    """
    law = _AllFunctions(SHARED_ITEMS, SHARED_ITEMS, Fraction(1))
    law = _AllFunctions(SHARED_ITEMS, SHARED_ITEMS, Fraction(1), functions=law.symbols**law.items)
    held = dict.fromkeys(range(SHARED_ITEMS), 1)
    pairs = [(key, 0, law.one) for key in held]
    for pattern in _patterns(SHARED_ITEMS):
        # The symbols lie apart, and their order is not the pairs'.
        symbols = [(7 + 5 * number) % law.symbols for number in pattern]
        seed = sum(symbol * law.symbols ** law.item(key, 1) for key, symbol in enumerate(symbols))
        leaves = explore(lambda tape: sampler(law, pairs, tape), seed)
        distribution = PiecewiseLaw(leaves)
        for message in turning_points([distribution], law.word_limit):
            stated = law.functions * law.chance(held, message) if message // law.symbols == seed else Fraction(0)
            if distribution.chance(message) != stated:
                raise AuditFailure(f"shared symbols: {len(set(pattern))} symbols of {SHARED_ITEMS} pairs")


def _patterns(count: int) -> Iterator[tuple[int, ...]]:
    """Yield every way in which things may be alike: each has the number of an earlier one or the next new number."""
    for numbers in product(range(count), repeat=count):
        if all(number <= max(numbers[:place], default=-1) + 1 for place, number in enumerate(numbers)):
            yield numbers


def check_whole_reports(mechanism: str) -> None:
    """The public function makes one report from one tape, id and body, whatever the number of pairs and keys."""
    rng = np.random.default_rng(9)
    for keys, padding in REPORT_SHAPES:
        task = make_task(mechanism, {}, min(keys, PLANES) if mechanism == "ue" else keys, padding, "1", "0")
        for size in (size for size in REPORT_SIZES if size <= task.key_count):
            _check_whole_report(task, named(task, random_pairs(task, size, rng)), size)


def _check_whole_report(task: Task, pairs: dict[str, float], seed: int) -> None:
    taken: list[RecordedSource] = []

    def tape(draws: int) -> Tape:
        taken.append(RecordedSource(seed))
        return Tape(draws, taken[-1])

    with mock.patch.object(single, "Tape", tape):
        report = single.perturb(task, pairs)
    message = single.make_message(task, single.read_pairs(task, pairs), Tape(task.draws, RecordedSource(seed)))
    if len(taken) != 1:
        raise AuditFailure(f"whole reports: {len(taken)} tapes are taken for one report")
    if (report.id, report.body) != (taken[0].given[:REPORT_ID_BYTES], task.message_format.encode(message)):
        raise AuditFailure(f"whole reports: that of {len(pairs)} pairs is not made of the tape's own bytes")
