"""Batches beyond the sizes that `batches` replays: very many people, very many pairs, and draws in narrow bands.

Integers of 8 and 16 bits end at 256 and 65,536: what is counted in them fails there, and only there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from audit.batches import make_task, random_pairs
from audit.compared_draws import recorded_corners
from audit.replay import SPARE_DRAWS, NumberedPairs, Participants, check_batch_sizes, check_replay
from pckv.auditing.variants import LEVEL_VARIANTS, VARIANTS, LevelVariant
from pckv.base.errors import AuditFailure
from pckv.base.seeded import seeded_source
from pckv.contract.task import Task
from pckv.device import vectorised
from pckv.device.vectorised import Draws, VectorisedTape

# More people than 16 bits number, in one batch.
MANY_PEOPLE = 2**16 + 50
# People of the batches that it is compared with, and at both of its ends who are compared with the scalar code.
FEW_PEOPLE = 500
# Sizes of sets next to the ends of 7, 8 and 16 bits, and others.
LARGE_SETS = (0, 2, 127, 128, 129, 255, 256, 257, 1_000)
# Keys, padding and the largest set. A report of `collision` draws for as many pairs as the padding.
LARGE_SHAPES = ((70_000, 3, 2**16 + 1), (20_000, 256, 5_000), (20_000, 300, 257), (70_000, 2**16 + 1, 1_000))
MAX_CHOSEN = 300
# Keys and padding at which bands of draws are looked for, and the people who are replayed next to them.
BAND_SHAPES, BAND_PLANES, BAND_PEOPLE = ((12, 2), (10**6, 20), (2**31, 100)), ((12, 2), (200, 20)), 1_500
BAND_SIZES = (0, 1, 2, 3, 6, 25)


def check_many_people(mechanism: str) -> None:
    """Every participant of a batch with more people than 16 bits number gets the report of a small batch from their own draws.

    The first and the last of them get the scalar code's, as every participant of small batches does.
    """
    task = make_task(mechanism, {}, 12, 3, "1", "0")
    rng = np.random.default_rng(1)
    kinds = [random_pairs(task, size, rng) for size in range(8)]
    pairs = [kinds[person % len(kinds)] for person in range(MANY_PEOPLE)]
    people = Participants.seeded(pairs, _draws(task, MANY_PEOPLE, rng), 1)
    check_batch_sizes(task, people, FEW_PEOPLE)
    everybody = np.arange(MANY_PEOPLE)
    check_replay(task, people.take(np.concatenate([everybody[:FEW_PEOPLE], everybody[-FEW_PEOPLE:]])))
    # As it is called, too: from the source alone, however many there are.
    made = list(vectorised.perturb_many(task, people.population(task), seeded_source(2)))
    again = list(vectorised.perturb_many_from(VectorisedTape(seeded_source(2)), task, people.population(task)))
    for one, other in zip(made, again, strict=True):
        if (one.ids.tobytes(), one.messages.tobytes()) != (other.ids.tobytes(), other.messages.tobytes()):
            raise AuditFailure("many people: a batch is not made from its source alone")


def check_large_sets(mechanism: str) -> None:
    """People with up to 65,537 pairs get the scalar code's reports, with a padding as large; `ue` has as many keys."""
    for number, (keys, padding, largest) in enumerate(LARGE_SHAPES):
        if mechanism == "collision" and padding > MAX_CHOSEN:
            continue
        rng = np.random.default_rng(number)
        task = make_task(mechanism, {}, keys, padding, "2", "0" if mechanism == "ue" else "0.25")
        pairs = [random_pairs(task, size, rng) for size in (*LARGE_SETS, largest)]
        check_replay(task, Participants.seeded(pairs, _draws(task, len(pairs), rng), number))


def check_bands(mechanism: str) -> None:
    """Reports are the scalar code's next to everything that the batch path compares a draw with."""
    planes = mechanism == "ue"
    variants = [LevelVariant(2, {}), *(LevelVariant(2, parameters) for parameters in VARIANTS[mechanism])]
    for levels, variant in (*variants, *LEVEL_VARIANTS[mechanism][-1:]):
        for number, (keys, padding) in enumerate(BAND_PLANES if planes else BAND_SHAPES):
            share = "0" if planes else "0.25"
            task = make_task(mechanism, variant, keys, padding, "1", share, levels=levels)
            _check_bands(task, np.random.default_rng(number))


def _check_bands(task: Task, rng: np.random.Generator) -> None:
    kinds: Sequence[NumberedPairs] = [random_pairs(task, size, rng) for size in BAND_SIZES if size <= task.key_count]
    pairs = [kinds[person % len(kinds)] for person in range(BAND_PEOPLE)]
    draws = _draws(task, BAND_PEOPLE, rng)
    people = Participants.seeded(pairs, draws, 1)

    def run(tape: VectorisedTape) -> None:
        list(vectorised.perturb_many_from(tape, task, people.population(task)))

    corners = np.array(recorded_corners(run, seeded_source(3), task.law.functions), np.uint64)
    near = rng.random(draws.shape) < 1 / 2
    near[:, -SPARE_DRAWS:] = False
    draws = np.where(near, rng.choice(corners, draws.shape), draws)
    check_replay(task, replace(people, draws=draws))


def _draws(task: Task, people: int, rng: np.random.Generator) -> Draws:
    count = task.draws + min(task.draws, 100) + SPARE_DRAWS
    return rng.integers(2**64, size=(people, count), dtype=np.uint64, endpoint=False)


LARGE_BATCH_CHECKS: tuple[Callable[[str], None], ...] = (check_many_people, check_large_sets, check_bands)
