"""From a tally to estimates: decode the counts, apply a method, postprocess, convert to the task's units."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np

from pckv.base.arrays import Flags, Integers
from pckv.base.errors import ParameterError
from pckv.base.limits import DISCOVERY, MIN_LEVELS
from pckv.base.progress import Progress, no_progress
from pckv.contract.facts import mixed_text
from pckv.contract.task import Task
from pckv.estimators.hostile import HonestReports, count_hostile
from pckv.estimators.impossible import impossible_counts, impossible_items
from pckv.estimators.items import item_name
from pckv.estimators.key_columns import DecodedKeys, HostileReports, key_columns
from pckv.estimators.methods.registry import (
    CONSISTENT,
    DEFAULT_FOR_MANY_KEYS,
    DEFAULT_METHOD,
    METHODS,
    check_method,
    check_posts,
    full_name,
)
from pckv.estimators.results.columns import Origin
from pckv.estimators.results.estimates import Estimates
from pckv.estimators.segments import estimate_segments
from pckv.estimators.sets import CountedReports, summarise_sets
from pckv.estimators.together import estimate_pairs
from pckv.mechanisms.derivation import Together
from pckv.statistics.detection import DEFAULT_FLAG_RATE, Detection, check_rate, selected_level
from pckv.tally import Tally
from pckv.tally.decode.support import NO_DUMMIES, KeySupport, decode_all, item_support, key_support

# Estimating all keys at once takes about 200 bytes of memory per key of two levels.
MAX_KEYS_AT_ONCE = 2**25


class Request(NamedTuple):
    """What is to be estimated.

    `keys` are the numbers of the keys, None for all. Of hashed keys, which their numbers do not name, there are
    the `texts` and a false discovery `rate`. `shares` are those of more than two levels. `detected` are the keys
    that stand out, where that was found before, at another level.
    """

    method: str
    posts: tuple[str, ...] = ()
    keys: Integers | None = None
    texts: list[str] | None = None
    rate: float | None = None
    shares: bool = True
    detected: Flags | None = None

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
        tested = task.key_count if self.texts is None else len(self.texts)
        return Detection(tested, level, self.rate, self.detected)


def read_request(
    task: Task,
    method: str | None,
    post: str | Sequence[str],
    keys: Sequence[str] | None,
    rate: float | None,
) -> Request:
    """Return what is to be estimated, given the arguments of `estimate`, or refuse these."""
    method, posts = check_method(method or default_method(task)), check_posts(post)
    if isinstance(keys, str):
        raise ParameterError(f"keys must be a list of names, not {keys!r}")
    numbers = None if keys is None else np.array([task.key_index(key) for key in keys], np.int64)
    if task.is_hashed:
        texts = _texts(task, keys, posts)
        checked = check_rate(DEFAULT_FLAG_RATE if rate is None else rate)
        return Request(method, posts, numbers, texts, checked)
    if rate is not None and task.derivation is None:
        raise ParameterError("a false discovery rate is for hashed keys: with a list, the level holds for all keys")
    return Request(method, posts, numbers)


def _texts(task: Task, keys: Sequence[str] | None, posts: tuple[str, ...]) -> list[str]:
    """Return hashed keys that are asked for, each once."""
    if not keys:
        raise ParameterError(f"task {task.name!r} has hashed keys and no list of them: name the keys")
    if posts:
        raise ParameterError(f"post {posts[0]!r} needs all keys of a task, and hashed keys have no list")
    places: dict[str, int] = {}
    for place, key in enumerate(keys, 1):
        if places.setdefault(key, place) != place:
            raise ParameterError(f"a key is asked for twice: number {place:,} and number {places[key]:,} are {key!r}")
    return list(keys)


def default_method(task: Task) -> str:
    """Return the method that is used where none is named."""
    together = task.law.decodes_all and task.law.keys <= _max_keys_at_once(task)
    return DEFAULT_METHOD if together else DEFAULT_FOR_MANY_KEYS


def _max_keys_at_once(task: Task) -> int:
    return MAX_KEYS_AT_ONCE * MIN_LEVELS // task.level_count


def decode(tally: Tally, request: Request, progress: Progress) -> DecodedKeys:
    """Decode the counts of all keys where the request needs them, otherwise of those asked for."""
    task, numbers = tally.task, request.keys
    if numbers is None or request.needs_all_keys:
        _check_key_count(task, request)
        numbers = np.arange(task.key_count)
    if not request.consistent:
        return DecodedKeys(numbers, key_support(tally, numbers, progress), None)
    if task.derivation is not None:
        return DecodedKeys(numbers, key_support(tally, numbers, progress), NO_DUMMIES)
    return DecodedKeys(numbers, *decode_all(task.law, tally.counts, progress))


def _check_key_count(task: Task, request: Request) -> None:
    """Refuse more keys than can be estimated at once, saying what to do instead."""
    dummies = task.law.counted_dummies if request.consistent and task.derivation is None else 0
    if task.law.keys + dummies <= _max_keys_at_once(task):
        return
    what = "keys" if task.derivation is None else "items"
    many = f"{task.law.keys:,} {what}" + (f" and {dummies:,} dummies" if dummies else "")
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


MAX_LEVEL = 1 - 1e-9


def estimate(
    tally: Tally,
    method: str | None = None,
    level: float = 0.95,
    keys: Sequence[str] | None = None,
    *,
    post: str | Sequence[str] = (),
    hostile: int | str = 0,
    false_discovery_rate: float | None = None,
    progress: Progress = no_progress,
) -> Estimates:
    """Estimate the frequency and mean of all keys of a tally, or of those asked for, with intervals.

    Where the task has more than two levels, so are the shares of the levels among the holders of every key.

    A person with m pairs, more than the padding ℓ, counts as ℓ/m for each of them: that capped frequency is
    what is estimated, and the mean is that of the reported pairs. Intervals are those of the frequency
    itself: their upper ends reach to what larger sets may hide, by the answers to the task's size question.
    Those of a round of a series are about all people, not only about the panel that reported, and contain the
    error of choosing it. Those of hashed keys that are detected have a higher level each, since they were
    selected: on average at most a share of 1 - level of them does not contain the truth, the false coverage
    rate.

    Args:
        tally: The counted reports.
        method: `baseline`, `corrected` or `bayes`; by default `bayes`, or `corrected` where keys are too many
            to be decoded together. `bayes` decodes all keys even if a few are asked for; of hashed keys it
            learns from those asked for.
        level: The level of the intervals.
        keys: The names of the keys to estimate; by default all. Hashed keys must be named, each once.
        post: `consistent` projects the frequencies on those that are possible together. It decodes all keys.
        hostile: How many of the reports may say anything: a number, or a share of all such as "1%", rounded
            up. Intervals, `detected` and `sets` then hold for the other participants, whatever these reports
            say; for any method they are made from each key's own counts. The estimates stay those of all
            reports.
        false_discovery_rate: Of hashed keys, the share of keys without holders among those that are
            `detected`, on average, at most; of a task with a segment or `together`, the same for what is told
            of keys within labels, of differences between labels, and of pairs of keys. By default 0.05.
        progress: Called with the share that is done, where decoding takes long.

    Returns:
        A table with a row per key, in the order of the task or of `keys`. The key that stands for all that
        are not listed comes last, unless `keys` are named.

    Raises:
        ParameterError: if an argument does not exist or does not fit the task.

    >>> from pckv import Task, Tally
    >>> task = Task(name="movies", keys=["alien", "heat"], values=(1, 5), epsilon=1.0)
    >>> estimate(Tally(task)).frequency_high.tolist()
    [1.0, 1.0]
    """
    check_level(level)
    if tally.task.kind == DISCOVERY:
        raise ParameterError(f"task {tally.task.name!r} is a discovery: pckv discover finds its keys")
    request = read_request(tally.task, method, post, keys, false_discovery_rate)
    derived_rate = check_rate(DEFAULT_FLAG_RATE if false_discovery_rate is None else false_discovery_rate)
    liars = count_hostile(hostile, tally.reports)
    decoded = decode(tally, request, progress)
    doubted = HostileReports(liars, HonestReports.of_pairs(tally, liars) if liars else None)
    estimates = _with_derived(
        _estimates(tally, decoded, request, level, doubted),
        tally,
        decoded.keys,
        derived_rate,
        progress,
    )
    if request.rate is not None and estimates.detected.any():
        detected = estimates.detected
        wider = selected_level(level, int(detected.sum()), detected.size)
        of_detected = _estimates(tally, decoded, request._replace(detected=detected), wider, doubted)
        estimates = estimates.with_detected(of_detected)
    if request.keys is not None and request.needs_all_keys:
        estimates = estimates.take(request.keys)
    return estimates.with_verdict()


def _with_derived(estimates: Estimates, tally: Tally, keys: Integers, rate: float, progress: Progress) -> Estimates:
    """Return estimates with what is known of these keys within labels, or together, where the task asks that."""
    task = tally.task
    if task.derivation is None:
        return estimates
    origin = Origin.of(estimates.facts())
    if isinstance(task.derivation, Together):
        pairs = estimate_pairs(tally, estimates, origin, rate, progress)
        estimates = replace(estimates, pairs=pairs.only(frozenset(estimates.key)))
    else:
        estimates = replace(estimates, segments=estimate_segments(tally, keys, estimates.key, origin, rate, progress))
    if not task.law.decodes_all:
        return estimates
    impossible = impossible_items(tally, item_support(tally), partial(item_name, task))
    return replace(estimates, impossible=impossible)


def estimate_supports(
    counted: CountedReports, keys: Integers, support: KeySupport, method: str, level: float
) -> Estimates:
    """Estimate keys, by their numbers, whose counts were decoded before: without shares of levels."""
    request = Request(method, keys=keys, shares=False)
    decoded = DecodedKeys(keys, support, None)
    return _estimates(counted, decoded, request, level, HostileReports(0, None)).with_verdict()


def _estimates(
    counted: CountedReports, decoded: DecodedKeys, request: Request, level: float, hostile: HostileReports
) -> Estimates:
    """Return the table of all keys that were decoded, without a verdict."""
    task = counted.task
    names = request.texts or task.key_names(decoded.keys.tolist())
    return Estimates(
        task=task.id,
        mechanism=task.mechanism,
        reports=counted.reports,
        epsilon=task.realised_epsilon,
        method=full_name(request.method, request.posts),
        level=level,
        hostile=hostile.reports,
        sets=summarise_sets(counted, level, hostile.reports),
        impossible=impossible_counts(counted, decoded.support, names),
        verdict=(),
        key=names,
        collides=colliding(decoded.keys) if task.is_hashed else np.zeros(decoded.keys.size, np.bool_),
        other=task.other if task.other_index is not None and task.other_index in decoded.keys else None,
        false_discovery_rate=request.rate,
        mixed=mixed_text(task.mixer, task.reporting.epsilon, has_rounds=task.series is not None),
        has_means=task.has_values,
        **key_columns(counted, decoded, request.method, request.detection(task, level), hostile, shares=request.shares),
    )


def check_level(level: float) -> None:
    """Refuse a level that intervals cannot have."""
    if not 0 < level <= MAX_LEVEL:
        raise ParameterError(f"level must be between 0 and 1, not {level}")
