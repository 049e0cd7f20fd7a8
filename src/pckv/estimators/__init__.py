"""From a tally to estimates: a file a method, one for intervals, one for the result."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from pckv.channels import SIZES, BucketsChannel
from pckv.errors import ParameterError
from pckv.estimators.baseline import Floats, baseline
from pckv.estimators.bayes import bayes, learn
from pckv.estimators.corrected import corrected
from pckv.estimators.estimates import Estimates
from pckv.estimators.intervals import frequency_interval, mean_interval
from pckv.estimators.sizes import METHOD as SIZES_METHOD
from pckv.estimators.sizes import estimate_sizes
from pckv.tally import Tally
from pckv.tally.decode import KeySupport, Progress, key_support
from pckv.task import Task
from pckv.theory import CountMoments

__all__ = ["METHODS", "Estimates", "default_method", "estimate", "methods_for"]

Method = Callable[[KeySupport, int, CountMoments], tuple[Floats, Floats]]

METHODS: dict[str, Method] = {"baseline": baseline, "corrected": corrected, "bayes": bayes}
DEFAULT_METHOD = "corrected"
# This method learns from all keys, whichever are asked for.
LEARNING = "bayes"
LARGEST_LEVEL = 1 - 1e-9
# Estimating all keys at once holds about 200 bytes a key.
MOST_KEYS_AT_ONCE = 2**25


def estimate(
    tally: Tally,
    method: str | None = None,
    level: float = 0.95,
    keys: Sequence[str] | None = None,
    progress: Progress = lambda _: None,
) -> Estimates:
    """Frequency and mean of all keys of a tally, or of those asked for, with intervals.

    Without a method it is `corrected`. The rows of a task of kind `sizes` are its buckets (see `estimators/sizes.py`),
    which have a method of their own.
    Method `bayes` decodes all keys even so, for it learns from all of them. Where decoding takes long, `progress` is told the share that is done.

    >>> from pckv import Task, Tally
    >>> task = Task(name="movies", keys=["alien", "heat"], values=(1, 5), epsilon=1.0)
    >>> estimate(Tally(task)).frequency_high.tolist()
    [1.0, 1.0]
    """
    if not 0 < level <= LARGEST_LEVEL:
        raise ParameterError(f"level must be between 0 and 1, not {level}")
    task = tally.task
    if isinstance(task.channel, BucketsChannel):
        return estimate_sizes(tally, task.channel, method, level, keys)
    method = default_method(task) if method is None else method
    if method not in METHODS:
        raise ParameterError(f"method {method!r} does not exist: choose from {', '.join(METHODS)}")
    if method == LEARNING and keys is not None:
        rows = np.array([task.key_index(key) for key in keys], np.int64)
        return estimate(tally, method, level, progress=progress).take(rows)
    if keys is None and task.key_count > MOST_KEYS_AT_ONCE:
        raise ParameterError(
            f"{task.key_count:,} keys are too many to estimate at once: "
            f"{'take another method' if method == LEARNING else 'name the keys wanted'}"
        )
    numbers = (
        np.arange(task.key_count)
        if keys is None
        else np.array([task.key_index(key) for key in keys], np.int64)
    )
    columns = _columns(key_support(tally, numbers, progress), tally.reports, task, method, level)
    return Estimates(
        task=task.id,
        mechanism=task.mechanism,
        reports=tally.reports,
        epsilon=task.realised_epsilon,
        method=method,
        level=level,
        key=[task.key_name(number) for number in numbers.tolist()],
        **columns,
    )


def methods_for(task: Task) -> list[str]:
    """The methods that a task's reports can be estimated by."""
    return [SIZES_METHOD] if task.kind == SIZES else list(METHODS)


def default_method(task: Task) -> str:
    """The one that is taken where none is named."""
    return SIZES_METHOD if task.kind == SIZES else DEFAULT_METHOD


def _columns(
    support: KeySupport, reports: int, task: Task, method: str, level: float
) -> dict[str, np.ndarray]:
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
