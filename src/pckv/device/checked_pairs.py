"""Checks of many participants' pairs at once, and the treatment of keys that share a number."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from pckv.base.arrays import Integers
from pckv.base.errors import PairsError
from pckv.base.levels import listed
from pckv.base.limits import REFUSE, REFUSE_BETWEEN
from pckv.base.population import Population
from pckv.base.words import plural
from pckv.contract.task import Task

# Up to this many pairs per participant, each is compared with each to find repeated keys.
_FEW_PAIRS = 8
NO_KEY = -1


def check_labels(task: Task, population: Population) -> None:
    """Refuse labels that are missing or not the segment's, and labels where there is no segment."""
    segment, labels = task.segment, population.labels
    if segment is None:
        if labels is not None:
            raise PairsError(f"task {task.name!r} has no segment, so that it takes no label")
        return
    if labels is None or labels.size != len(population):
        raise PairsError(f"the segment {segment.name!r} needs a label of every participant: {segment.choices}")
    for label in (int(labels.min(initial=0)), int(labels.max(initial=0))):
        if not 0 <= label < len(segment.labels):
            raise PairsError(f"label number {label} is not one of the segment {segment.name!r}: {segment.choices}")


def check_sizes(task: Task, population: Population) -> None:
    """Refuse more pairs than the task takes, where it refuses them; all unlisted keys count as one."""
    if task.more != REFUSE:
        return
    largest = int(set_sizes(task, population).max(initial=0))
    if largest > task.padding:
        raise PairsError(f"task {task.name!r} takes at most {plural(task.padding, task.domain.noun)}, not {largest:,}")


def set_sizes(task: Task, population: Population) -> Integers:
    """Return how many pairs each participant's report is about; all unlisted keys count as one."""
    if task.is_hashed:
        population = first_of_each_key(population)
    return population.sizes - np.maximum(other_counts(task, population) - 1, 0)


def other_counts(task: Task, population: Population) -> Integers:
    """Return how many unlisted keys each participant holds."""
    rows = np.flatnonzero(population.keys == _other(task))
    owners = np.searchsorted(population.offsets, rows, "right") - 1
    return np.bincount(owners, minlength=len(population))


def check_keys(task: Task, population: Population) -> None:
    """Refuse a key that is not the task's, and a listed key that a participant holds twice."""
    keys = population.keys
    if not keys.size:
        return
    for key in (int(keys.min()), int(keys.max())):
        if not 0 <= key < task.key_count:
            raise PairsError(f"key number {key} is not a key of task {task.name!r}")
    if task.is_hashed:
        return
    repeated = _repeated_key(population, _other(task))
    if repeated is not None:
        raise PairsError(f"key {task.key_name(repeated)!r} appears twice")


def _repeated_key(population: Population, other: int = NO_KEY) -> int | None:
    """Return a key that a participant holds twice and that is not `other`, if there is one."""
    keys, offsets = population.keys, population.offsets
    largest = int(population.sizes.max())
    if largest <= _FEW_PAIRS:
        distances: Iterable[int] = range(1, largest)
    else:
        # In order, which files keep, keys that are equal are next to each other.
        owners = np.repeat(np.arange(len(population)), population.sizes)
        ascending = (np.diff(keys) >= 0) | (np.diff(owners) > 0)
        keys = keys if ascending.all() else keys[np.lexsort((keys, owners))]
        distances = (1,)
    for distance in distances:
        equal = np.flatnonzero((keys[distance:] == keys[:-distance]) & (keys[distance:] != other))
        same_owner = np.searchsorted(offsets, equal, "right") == np.searchsorted(offsets, equal + distance, "right")
        if same_owner.any():
            return int(keys[equal[same_owner][0]])
    return None


def first_of_each_key(population: Population) -> Population:
    """Keep only the first pair of every key that a participant holds several times."""
    if not population.keys.size or _repeated_key(population) is None:
        return population
    owners = np.repeat(np.arange(len(population)), population.sizes)
    order = np.lexsort((population.keys, owners))
    held = np.column_stack([owners, population.keys])[order]
    repeats = order[1:][(held[1:] == held[:-1]).all(axis=1)]
    kept = np.ones(owners.size, bool)
    kept[repeats] = False
    return population.with_rows(np.flatnonzero(kept))


def check_values(task: Task, population: Population) -> None:
    """Refuse a value outside the task's range, or between levels where it refuses that; name its key."""
    if not task.has_values:
        return
    values, (low, high) = population.values, task.ends
    checks = [((values >= low) & (values <= high), f"within [{low:g}, {high:g}]")]
    if task.between == REFUSE_BETWEEN:
        checks.append((np.isin(values, task.level_values), f"one of {listed(task.level_values)}"))
    for right, what in checks:
        if not right.all():
            first = int(np.argmin(right))
            key = task.key_name(int(population.keys[first]))
            raise PairsError(f"value {values[first]} of key {key!r} is not {what}")


def _other(task: Task) -> int:
    """Return the number of the key for all unlisted keys, or a number that no key has."""
    return NO_KEY if task.other_index is None else task.other_index
