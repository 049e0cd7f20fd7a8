"""From a tally to estimates: a file a method, one for intervals, one for post-processing, one for the result."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from pckv.channels import SIZES, BucketsChannel
from pckv.errors import ParameterError
from pckv.estimators.intervals import frequency_interval, mean_interval
from pckv.estimators.methods.baseline import Floats, baseline, unbiased_frequency
from pckv.estimators.methods.bayes.bayes import bayes, learn
from pckv.estimators.methods.corrected import corrected
from pckv.estimators.postprocess import (
    CONSISTENT,
    OVERSIZE,
    POSTS,
    consistent,
    full_name,
    in_order,
    kept_share,
    oversized,
)
from pckv.estimators.result import Estimates
from pckv.estimators.set_sizes import METHOD as SIZES_METHOD
from pckv.estimators.set_sizes import estimate_sizes
from pckv.moments import CountMoments
from pckv.planning.set_sizes import SetSizes
from pckv.progress import Progress, no_progress
from pckv.tally import Tally
from pckv.tally.decode.support import (
    DummySupport,
    KeySupport,
    decode_all,
    key_support,
)
from pckv.task import Task

__all__ = ["METHODS", "POSTS", "Estimates", "default_method", "estimate", "methods_for", "posts_for"]

Method = Callable[[KeySupport, int, CountMoments], tuple[Floats, Floats]]

METHODS: dict[str, Method] = {"baseline": baseline, "corrected": corrected, "bayes": bayes}
# This method learns from all keys, whichever are asked for. It is taken where nothing is said, and keys are not too many.
LEARNING, OTHERWISE = "bayes", "corrected"
LARGEST_LEVEL = 1 - 1e-9
# Estimating all keys at once holds about 200 bytes a key.
MOST_KEYS_AT_ONCE = 2**25


def estimate(
    tally: Tally,
    method: str | None = None,
    level: float = 0.95,
    keys: Sequence[str] | None = None,
    *,
    post: str | Sequence[str] = (),
    sizes: SetSizes | Mapping[int, float] | Estimates | None = None,
    progress: Progress = no_progress,
) -> Estimates:
    """Frequency and mean of all keys of a tally, or of those asked for, with intervals.

    Without a method it is `bayes`, or `corrected` where keys are too many to be decoded together. The rows of a task of
    kind `sizes` are its buckets (see `estimators/set_sizes.py`), which have a method of their own and no `post`.
    `sizes` tells how many pairs people hold (a histogram, or a pilot's estimates): intervals of frequencies then reach up to what sets larger than the padding
    may hide. `post` names what is done to the frequencies afterwards: `consistent` makes them add up to what they can,
    `oversize` makes up for larger sets, and needs `sizes`. Method `bayes` and post `consistent` decode all keys even if
    a few are asked for. Where decoding takes long, `progress` is told the share that is done.

    >>> from pckv import Task, Tally
    >>> task = Task(name="movies", keys=["alien", "heat"], values=(1, 5), epsilon=1.0)
    >>> estimate(Tally(task)).frequency_high.tolist()
    [1.0, 1.0]
    """
    if not 0 < level <= LARGEST_LEVEL:
        raise ParameterError(f"level must be between 0 and 1, not {level}")
    task, posts = tally.task, in_order(post)
    if isinstance(task.channel, BucketsChannel):
        if posts or sizes is not None:
            what = f"post {posts[0]!r} is" if posts else "sizes are"
            raise ParameterError(f"{what} not for a task of sizes")
        return estimate_sizes(tally, task.channel, method, level, keys)
    kept = kept_share(posts, None if sizes is None else SetSizes.of(sizes), task.padding)
    method = method or default_method(task)
    if method not in METHODS:
        raise ParameterError(f"method {method!r} does not exist: choose from {', '.join(METHODS)}")
    rows = None if keys is None else np.array([task.key_index(key) for key in keys], np.int64)
    if rows is None or method == LEARNING or CONSISTENT in posts:
        _check_number(task, method, posts)
        numbers = np.arange(task.key_count)
    else:
        numbers, rows = rows, None
    if CONSISTENT in posts:
        support, dummies = decode_all(task.channel, tally.counts, progress)
    else:
        support, dummies = key_support(tally, numbers, progress), None
    columns = _columns(tally, support, dummies, method, level)
    if kept is not None:
        moved = ("frequency", "frequency_low", "frequency_high") if OVERSIZE in posts else ("frequency_high",)
        columns |= {name: oversized(columns[name], kept) for name in moved}
    made = Estimates(
        task=task.id,
        mechanism=task.mechanism,
        reports=tally.reports,
        epsilon=task.realised_epsilon,
        method=full_name(method, posts),
        level=level,
        key=[task.key_name(number) for number in numbers.tolist()],
        **columns,
    )
    return made if rows is None else made.take(rows)


def methods_for(task: Task) -> list[str]:
    """The methods that a task's reports can be estimated by."""
    return [SIZES_METHOD] if task.kind == SIZES else list(METHODS)


def posts_for(task: Task) -> list[str]:
    """What can be done to the frequencies by the reports alone."""
    return [] if task.kind == SIZES else [CONSISTENT]


def default_method(task: Task) -> str:
    """The method that is taken where none is named."""
    if task.kind == SIZES:
        return SIZES_METHOD
    together = task.channel.decodes_all and task.key_count <= MOST_KEYS_AT_ONCE
    return LEARNING if together else OTHERWISE


def _check_number(task: Task, method: str, posts: tuple[str, ...]) -> None:
    """Refuse more keys than can be estimated at once, saying what to do instead."""
    dummies = task.channel.counted_dummies if CONSISTENT in posts else 0
    if task.key_count + dummies <= MOST_KEYS_AT_ONCE:
        return
    many = f"{task.key_count:,} keys" + (f" and {dummies:,} dummies" if dummies else "")
    instead = "name the keys wanted"
    if CONSISTENT in posts:
        instead = f"leave out post {CONSISTENT!r}"
    elif method == LEARNING:
        instead = "take another method"
    raise ParameterError(f"{many} are too many to estimate at once: {instead}")


def _columns(
    tally: Tally, support: KeySupport, dummies: DummySupport | None, method: str, level: float
) -> dict[str, np.ndarray]:
    """Estimates and intervals; frequencies are made consistent where the dummies are given."""
    task, reports = tally.task, tally.reports
    if reports == 0:
        return _nothing_known(len(support.plus), task)
    moments = CountMoments.of(task.channel.count_law)
    of_mean = mean_interval(support, reports, moments, level)
    if method == LEARNING:
        learned = learn(support, reports, moments)
        frequency, mean = learned.estimates()
        (frequency_low, frequency_high), (mean_low, mean_high) = learned.intervals(level)
    else:
        frequency, mean = METHODS[method](support, reports, moments)
        frequency_low, frequency_high = frequency_interval(support, reports, moments, level)
        mean_low, mean_high = of_mean.low, of_mean.high
    if dummies is not None:
        unbounded = unbounded_frequency(method, frequency, support, reports, moments)
        frequency = consistent(unbounded, dummies, reports, moments, task.padding)
    # An interval holds its own estimate, as far as that is possible at all.
    possible_frequency, possible_mean = np.clip(frequency, 0, 1), np.clip(mean, -1, 1)
    return {
        "frequency": frequency,
        "frequency_low": np.minimum(frequency_low, possible_frequency),
        "frequency_high": np.maximum(frequency_high, possible_frequency),
        "mean": _in_units(mean, task),
        "mean_low": _in_units(np.minimum(mean_low, possible_mean), task),
        "mean_high": _in_units(np.maximum(mean_high, possible_mean), task),
        "mean_misfit": of_mean.misfit,
    }


def unbounded_frequency(
    method: str, frequency: Floats, support: KeySupport, reports: int, moments: CountMoments
) -> Floats:
    """What is made consistent: the method's frequencies before clipping, after which they add up to too much."""
    return frequency if method == LEARNING else unbiased_frequency(support, reports, moments)


def _nothing_known(keys: int, task: Task) -> dict[str, np.ndarray]:
    """Without a report: frequency 0, the middle of the range, and intervals over everything."""
    nothing, everything = np.zeros(keys), np.ones(keys)
    return {
        "frequency": nothing,
        "frequency_low": nothing,
        "frequency_high": everything,
        "mean": _in_units(nothing, task),
        "mean_low": _in_units(-everything, task),
        "mean_high": _in_units(everything, task),
        "mean_misfit": np.zeros(keys, np.bool_),
    }


def _in_units(mean: Floats, task: Task) -> Floats:
    """From [-1, 1] to the task's own range."""
    return task.low + (mean + 1) / 2 * (task.high - task.low)
