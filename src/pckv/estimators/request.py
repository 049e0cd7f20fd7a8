"""What is to be estimated of a tally, and the counts that it needs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from pckv.base.arrays import Integers
from pckv.base.errors import ParameterError
from pckv.base.limits import MIN_LEVELS
from pckv.base.progress import Progress
from pckv.contract.task import Task
from pckv.estimators.methods.registry import (
    CONSISTENT,
    DEFAULT_FOR_MANY_KEYS,
    DEFAULT_METHOD,
    METHODS,
    check_method,
    check_posts,
)
from pckv.statistics.detection import DEFAULT_FLAG_RATE, Detection, check_rate
from pckv.tally import Tally
from pckv.tally.decode.support import DummySupport, KeySupport, decode_all, key_support

# Estimating all keys at once takes about 200 bytes of memory per key of two levels.
MAX_KEYS_AT_ONCE = 2**25


class Request(NamedTuple):
    """What is to be estimated.

    Attributes:
        method: By which method.
        posts: With which postprocessing.
        keys: The numbers of the keys; None for all.
        texts: Of hashed keys, which their numbers do not name, the names.
        rate: Of hashed keys, the false discovery rate.
        shares: Whether shares of levels are estimated, where there are more than two.
    """

    method: str
    posts: tuple[str, ...] = ()
    keys: Integers | None = None
    texts: list[str] | None = None
    rate: float | None = None
    shares: bool = True

    @property
    def consistent(self) -> bool:
        """Whether frequencies are made consistent."""
        return CONSISTENT in self.posts

    @property
    def needs_all_keys(self) -> bool:
        """Whether all keys must be decoded, whichever are asked for; of hashed keys, those asked for."""
        return self.texts is None and (self.consistent or METHODS[self.method].needs_all_keys)

    def detection(self, task: Task, level: float) -> Detection:
        """Return how keys are told from those without holders."""
        return Detection(task.key_count if self.texts is None else len(self.texts), level, self.rate)


class DecodedKeys(NamedTuple):
    """The counts of some keys, and of the dummies where frequencies are to be made consistent."""

    keys: Integers
    support: KeySupport
    dummies: DummySupport | None


def read_request(
    task: Task,
    method: str | None,
    post: str | Sequence[str],
    keys: Sequence[str] | None,
    rate: float | None,
) -> Request:
    """Return what is to be estimated, as `estimate` takes it.

    Raises:
        ParameterError: if an argument does not exist or does not fit the task.
        PairsError: if a key is none of the task.
    """
    method, posts = check_method(method or default_method(task)), check_posts(post)
    if isinstance(keys, str):
        raise ParameterError(f"keys must be a list of names, not {keys!r}")
    numbers = None if keys is None else key_numbers(task, keys)
    if task.is_hashed:
        texts = _texts(task, keys, posts)
        checked = check_rate(DEFAULT_FLAG_RATE if rate is None else rate)
        return Request(method, posts, numbers, texts, checked)
    if rate is not None:
        raise ParameterError(
            "a false discovery rate is for hashed keys: with a list, the level holds for all keys"
        )
    return Request(method, posts, numbers)


def key_numbers(task: Task, keys: Sequence[str]) -> Integers:
    """Return the numbers of keys."""
    return np.array([task.key_index(key) for key in keys], np.int64)


def _texts(task: Task, keys: Sequence[str] | None, posts: tuple[str, ...]) -> list[str]:
    """Return hashed keys that are asked for, each once."""
    if not keys:
        raise ParameterError(f"task {task.name!r} has hashed keys and no list of them: name the keys")
    if posts:
        raise ParameterError(f"post {posts[0]!r} needs all keys of a task, and hashed keys have no list")
    places: dict[str, int] = {}
    for place, key in enumerate(keys, 1):
        if places.setdefault(key, place) != place:
            raise ParameterError(
                f"a key is asked for twice: number {place:,} and number {places[key]:,} are {key!r}"
            )
    return list(keys)


def default_method(task: Task) -> str:
    """Return the method that is used where none is named."""
    together = task.law.decodes_all and task.key_count <= _max_keys_at_once(task)
    return DEFAULT_METHOD if together else DEFAULT_FOR_MANY_KEYS


def _max_keys_at_once(task: Task) -> int:
    return MAX_KEYS_AT_ONCE * MIN_LEVELS // task.level_count


def decode(tally: Tally, request: Request, progress: Progress) -> DecodedKeys:
    """Decode the counts of all keys where the request needs them, otherwise of those asked for."""
    task, numbers = tally.task, request.keys
    if numbers is None or request.needs_all_keys:
        _check_key_count(task, request)
        numbers = np.arange(task.key_count)
    if request.consistent:
        return DecodedKeys(numbers, *decode_all(task.law, tally.counts, progress))
    return DecodedKeys(numbers, key_support(tally, numbers, progress), None)


def _check_key_count(task: Task, request: Request) -> None:
    """Refuse more keys than can be estimated at once, saying what to do instead."""
    dummies = task.law.counted_dummies if request.consistent else 0
    if task.key_count + dummies <= _max_keys_at_once(task):
        return
    many = f"{task.key_count:,} keys" + (f" and {dummies:,} dummies" if dummies else "")
    instead = "name the keys wanted"
    if request.consistent:
        instead = f"leave out post {CONSISTENT!r}"
    elif METHODS[request.method].needs_all_keys:
        instead = "take another method"
    raise ParameterError(f"{many} are too many to estimate at once: {instead}")


def colliding(numbers: Integers) -> np.ndarray:
    """Return which of some numbers come more than once."""
    _, place, times = np.unique(numbers, return_inverse=True, return_counts=True)
    return np.asarray(times[place] > 1)
