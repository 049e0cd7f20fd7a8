"""What the device code for many participants must do: `check_*` functions as in `conformance`.

Batches are replayed over settings that reach every branch, at draws next to every threshold, at draws that sweep 16 of
their bits, and at the corners of every path that the scalar code takes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import cycle, product
from typing import Any

import numpy as np

from audit.conformance import all_variants
from audit.interval_checks import known_texts
from audit.replay import (
    PEOPLE_PER_BATCH,
    SPARE_DRAWS,
    NumberedPairs,
    Participants,
    check_batch_sizes,
    check_replay,
    named,
)
from pckv.auditing.interval_tape import explore
from pckv.auditing.variants import LEVEL_VARIANTS, ONE_LEVEL_VARIANTS, VARIANTS
from pckv.base.limits import HASHED, HASHED_MECHANISM, MAX_LEVELS, ONE_LEVEL
from pckv.base.randomness import Tape
from pckv.contract.task import Task
from pckv.device import perturb as single
from pckv.device.vectorised import DRAWS_PER_BATCH, Draws
from pckv.mechanisms.base import SamplingLaw
from pckv.mechanisms.derivation import MECHANISMS, Segment
from pckv.mechanisms.padding import Pair
from pckv.mechanisms.registry import LAWS

# Keys and padding; `ue` has a draw per key, so that it is replayed up to MAX_PLANES keys.
SHAPES = ((1, 1), (2, 1), (3, 2), (12, 2), (60, 11), (150, 100), (5_000, 20), (2**31, 3), (2**31, 100))
MAX_PLANES, MAX_PADDING = 5_000, 100
# Listed keys and padding of tasks that count all others as one, and the most that a participant holds of those.
OTHER_SHAPES, MAX_UNLISTED = ((1, 1), (3, 2), (60, 11)), 5
EPSILONS = ("1", "0.1", "4", "0.01", "8", "0.000001", "20")
# Settings of rare draws, and of paths.
SWEPT_SHAPE, SWEPT_PLANES, FEW_KEYS = (10**6, 3), (12, 3), ((2, 1), (3, 2), (12, 2))
SIZES = (0, 1, 2, 3, 4, 5, 6, 40, 100)
MAX_KEYS_ALONE = 12
LOW, HIGH = -1.0, 5.0
# Kinds of draws of which that many bits take every value.
SWEEPS, SWEPT_BITS = 3, 16
# Every participant of one size is replayed this many times, each time with other draws: with words, and with planes.
REPEATS_OF_WORDS, REPEATS_OF_PLANES = 24, 3
# People of a batch that a full one is compared with.
SMALL_BATCH = 20_000
# Where a hash function is drawn, the corners of paths are those given this one.
SEED_FUNCTION = 1


def check_batch_equals_single(mechanism: str, shapes: Sequence[tuple[int, int]] = SHAPES) -> None:
    """People of all sizes get the scalar code's reports, in any batch, at random draws and next to all thresholds."""
    for number, task in enumerate(_tasks(mechanism, shapes)):
        rng = np.random.default_rng(number)
        words = task.word_limit is not None
        pairs = [
            random_pairs(task, size, rng)
            for size in sizes_of(task)
            for _ in range(REPEATS_OF_WORDS if words else REPEATS_OF_PLANES)
        ]
        pairs = [pairs[person] for person in rng.permutation(len(pairs))]
        people = Participants.seeded(pairs, _cornered(task, len(pairs), rng), number)
        # Every participant alone in a batch takes long, and depends on the number of keys the least.
        check_replay(task, people, (PEOPLE_PER_BATCH, 1) if task.key_count <= MAX_KEYS_ALONE else (PEOPLE_PER_BATCH,))


def check_rare_draws(mechanism: str, turns: Iterable[int] = range(SWEEPS)) -> None:
    """Reports are the scalar code's whatever the lowest or highest bits of a draw, and whatever small number it is.

    In three turns in a row, every draw takes all values of its lowest 16 bits next to high ones, of its highest 16
    bits, and of the numbers below 2^16, next to bits that depend on the turn.
    """
    task = make_task(mechanism, {}, *(SWEPT_SHAPE if _has_words(mechanism) else SWEPT_PLANES), "1", "0")
    # Fewer pairs than the padding, so that dummies are drawn; more of them where pairs are chosen.
    size = task.padding + (-1 if isinstance(task.law, SamplingLaw) else 2)
    held = random_pairs(task, size, np.random.default_rng(0))
    for turn in turns:
        _check_swept(task, held, turn, first_draw=None)


def check_rare_answers(mechanism: str) -> None:
    """The same of answers to the size question, of a size between two ends, and of which question is answered."""
    task = make_task(mechanism, {}, *SWEPT_SHAPE, "1", "0.25")
    held = random_pairs(task, task.padding + 4, np.random.default_rng(0))
    for turn in range(SWEEPS):
        _check_swept(task, held, turn, first_draw=0)
    _check_swept(task, held, 0, first_draw=None)


def _check_swept(task: Task, held: NumberedPairs, turn: int, *, first_draw: int | None) -> None:
    rng = np.random.default_rng(turn)
    columns = [_swept(turn + place, rng) for place in range(task.draws + SPARE_DRAWS)]
    if first_draw is not None:
        columns[0] = np.full_like(columns[0], first_draw)
    draws = np.stack(columns, axis=1)
    check_replay(task, Participants.seeded([held] * len(draws), draws, turn))


def check_corners_of_paths(mechanism: str) -> None:
    """Reports are the scalar code's at the lowest and the highest draws of every path that it takes."""
    for (keys, padding), epsilon in zip(FEW_KEYS, EPSILONS[: len(FEW_KEYS)], strict=True):
        if keys <= padding + 1 or _has_words(mechanism):
            for levels, variant in all_variants(mechanism, MAX_LEVELS):
                share = "0.25" if _has_words(mechanism) else "0"
                _check_paths(make_task(mechanism, variant, keys, padding, epsilon, share, levels=levels))


def _check_paths(task: Task) -> None:
    rng = np.random.default_rng(1)
    pairs: list[NumberedPairs] = []
    starts: list[tuple[int, ...]] = []
    for size in range(min(task.key_count, task.padding + 2) + 1):
        held = random_pairs(task, size, rng)
        read = single.read_pairs(task, named(task, held))

        def run(tape: Tape, read: list[Pair] = read) -> int:
            return single.make_message(task, single.choose_other(task, read, tape), tape)

        for leaf in explore(run, SEED_FUNCTION):
            pairs += [held, held]
            starts += [leaf.lowest, leaf.highest]
    draws = _random_draws(task, len(pairs), rng)
    for row, start in zip(draws, starts, strict=True):
        row[: len(start)] = start
    check_replay(task, Participants.seeded(pairs, draws, 1), (PEOPLE_PER_BATCH,))


def check_full_batch(mechanism: str) -> None:
    """A batch of as many people as there may be in one has the reports of small batches, from the same draws."""
    words = _has_words(mechanism)
    task = make_task(mechanism, {}, *(SWEPT_SHAPE if words else SWEPT_PLANES), "1", "0.25" if words else "0")
    rng = np.random.default_rng(2)
    count = DRAWS_PER_BATCH // task.draws
    held = [random_pairs(task, size, rng) for size in sizes_of(task) if size <= MAX_KEYS_ALONE]
    pairs = [held[kind] for kind in rng.integers(len(held), size=count).tolist()]
    check_batch_sizes(task, Participants.seeded(pairs, _random_draws(task, count, rng), 2), SMALL_BATCH)


BATCH_CHECKS: tuple[Callable[[str], None], ...] = (
    check_batch_equals_single,
    check_rare_draws,
    check_corners_of_paths,
    check_full_batch,
)


def sizes_of(task: Task) -> list[int]:
    """Return how many pairs people hold: few, as many as the padding and next to it, and many."""
    near = {task.padding + step for step in (-1, 0, 1)}
    return sorted(size for size in near.union(SIZES) if size <= task.key_count)


def _tasks(mechanism: str, shapes: Sequence[tuple[int, int]]) -> Iterator[Task]:
    """Yield tasks of every shape in every variant, and in the one that a task chooses."""
    epsilons = cycle(EPSILONS)
    for variant in ({}, *VARIANTS[mechanism]):
        for keys, padding in shapes:
            epsilon = next(epsilons)
            if keys <= MAX_PLANES or _has_words(mechanism):
                share = "0.25" if padding < keys and _has_words(mechanism) else "0"
                yield make_task(mechanism, variant, keys, padding, epsilon, share)
    for (levels, parameters), (keys, padding) in product(
        (*ONE_LEVEL_VARIANTS[mechanism], *LEVEL_VARIANTS[mechanism]), shapes[2::4]
    ):
        share = "0.25" if padding < keys and _has_words(mechanism) else "0"
        yield make_task(mechanism, parameters, keys, padding, next(epsilons), share, levels=levels)
    yield from _unlisted_tasks(mechanism)
    yield from (task for task in derived_tasks() if task.mechanism == mechanism)


def _unlisted_tasks(mechanism: str) -> Iterator[Task]:
    """Yield tasks whose people hold keys that are not listed, and such with hashed keys."""
    share = "0.25" if _has_words(mechanism) else "0"
    for keys, padding in OTHER_SHAPES:
        yield make_task(mechanism, {}, keys, padding, "1", share, other="other")
    if mechanism == HASHED_MECHANISM:
        yield make_task(mechanism, {}, HASHED, OTHER_SHAPES[-1][1], "1", share)


def derived_tasks(epsilon: str = "1", share: str = "0.25") -> Iterator[Task]:
    """Yield tasks of which items are derived: by group, without and with values and unlisted keys, and together."""
    groups = {"segment": Segment("group", ["a", "b", "c"])}
    for keys, padding, levels, other in ((3, 1, 1, None), (3, 2, 2, None), (60, 11, 5, None), (3, 2, 2, "other")):
        yield make_task(HASHED_MECHANISM, {}, keys, padding, epsilon, share, levels=levels, other=other, **groups)
    for keys, padding, other in ((3, 1, None), (60, 11, None), (3, 2, "other")):
        yield make_task("grr", {}, keys, padding, epsilon, share, levels=ONE_LEVEL, other=other, **groups)
    for name in MECHANISMS:
        for keys, padding in ((3, 2), (12, 3), (60, 11), (500, 5)):
            yield make_task(name, {}, keys, padding, epsilon, share, levels=ONE_LEVEL, together=True)
        # Nobody can hold more than the padding, so that no size is asked.
        yield make_task(name, {}, 3, 3, epsilon, "0", levels=ONE_LEVEL, together=True)


def _has_words(mechanism: str) -> bool:
    return mechanism != "ue"


def make_task(
    mechanism: str,
    variant: dict[str, object],
    keys: int | str,
    padding: int,
    epsilon: str,
    share: str,
    *,
    levels: int = 2,
    other: str | None = None,
    **derived: Any,
) -> Task:
    """Return a task whose batches are replayed."""
    if isinstance(keys, int):
        # At most as many keys as the mechanism takes.
        keys = min(keys, 2 * LAWS[mechanism].max_keys // levels)
    return Task(
        name="replay",
        keys=keys,
        other=other,
        values=(LOW, HIGH) if levels > ONE_LEVEL else None,
        levels=levels,
        epsilon=epsilon,
        padding=padding,
        mechanism={"name": mechanism, **variant},
        size_share=share,
        **derived,
    )


def random_pairs(task: Task, size: int, rng: np.random.Generator) -> NumberedPairs:
    """Return this many pairs: the first key, the last one and others in any order, with values that are levels too.

    Where the last one stands for all keys that are not listed, there may be several of them instead.
    """
    known = list(known_texts(task)) if task.is_hashed else range(task.key_count)
    places: set[int] = set(list(dict.fromkeys((0, len(known) - 1)))[:size])
    while len(places) < size:
        places.update(rng.integers(len(known), size=size - len(places)).tolist())
    keys = {known[place] for place in places}
    if task.other_index in keys:
        keys.update(range(task.key_count, task.key_count + int(rng.integers(MAX_UNLISTED))))
    values = [*task.level_values, *(rng.uniform(LOW, HIGH, 3).tolist() if task.has_values else ())]
    chosen = [values[kind] for kind in rng.integers(len(values), size=len(keys)).tolist()]
    return dict(zip(rng.permutation(sorted(keys)).tolist(), chosen, strict=True))


def _random_draws(task: Task, people: int, rng: np.random.Generator) -> Draws:
    # Next to thresholds many draws are rejected.
    count = task.draws + min(task.draws, MAX_PADDING) + SPARE_DRAWS
    return rng.integers(2**64, size=(people, count), dtype=np.uint64, endpoint=False)


def _cornered(task: Task, people: int, rng: np.random.Generator) -> Draws:
    """Return draws of which half are next to a threshold."""
    draws = _random_draws(task, people, rng)
    corners = rng.choice(np.array(_corners(task), np.uint64), draws.shape)
    return np.where(rng.random(draws.shape) < 1 / 2, draws, corners)


def _corners(task: Task) -> list[int]:
    """Return the draws at and next to every threshold, and at the ends of the runs that `below` takes remainders of."""
    law, question, one = task.law, task.size_question, task.law.one
    names = ("kept", "flipped", "fake", "hit", "silent")
    known = {name: getattr(law, name) for name in names if hasattr(law, name)}
    thresholds = {0, one // 2, *known.values()}
    thresholds |= {2 * known.get("fake", 0), known.get("kept", 0) + known.get("flipped", 0)}
    thresholds |= {known.get("hit", 0) * count for count in sizes_of(task) if count <= law.padding}
    named = (getattr(law, name, None) for name in ("functions", "spread", "q", "symbols"))
    limits = {limit for limit in (law.padding, *sizes_of(task), *named) if limit}
    if question is not None:
        thresholds |= {question.asked, question.kept}
        limits.add(len(question.ends) - 1)
    for limit in limits:
        thresholds |= {limit, one - one % limit, (one // limit // 2) * limit}
    return sorted({(threshold + step) % one for threshold in thresholds for step in (-1, 0, 1)})


def _swept(kind: int, rng: np.random.Generator) -> Draws:
    """Return draws of which 16 bits take every value: the lowest of high numbers, of small ones, or the highest."""
    values = rng.permutation(2**SWEPT_BITS).astype(np.uint64)
    others = rng.integers(2**64, size=values.size, dtype=np.uint64, endpoint=False)
    match kind % SWEEPS:
        case 0:
            # Above every threshold but those of a large ε.
            return others >> np.uint64(SWEPT_BITS) << np.uint64(SWEPT_BITS) | np.uint64(0xF << 60) | values
        case 1:
            return values
        case _:
            return others >> np.uint64(SWEPT_BITS) | values << np.uint64(64 - SWEPT_BITS)
