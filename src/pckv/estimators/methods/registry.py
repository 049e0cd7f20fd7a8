"""The methods by name, and their postprocessing: how counts of keys become estimates and intervals.

Postprocessing is off unless asked for, and named in the result's method. It reads estimates and public
numbers only, so it costs no privacy. Means stay the method's (proofs/consistency.md).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from pckv.base.arrays import Flags, Floats
from pckv.base.errors import ParameterError
from pckv.estimators.intervals import Interval, frequency_interval, mean_interval
from pckv.estimators.linear import baseline, corrected, unbiased_frequency
from pckv.estimators.methods.bayes import Posterior, bayes, learn
from pckv.statistics.moments import CountMoments
from pckv.statistics.projection import project_to_sum, project_to_sum_at_most
from pckv.tally.decode.support import DummySupport, KeySupport

# From counts, the number of reports and the moments of the count law to frequencies and means on [-1, 1].
PointEstimator = Callable[[KeySupport, int, CountMoments], tuple[Floats, Floats]]


class KeyEstimates(NamedTuple):
    """Frequencies and means (on [-1, 1]) of keys, with intervals, and where no mean fits the counts.

    The intervals of the means are made at any level. `posterior` is what was learned from all keys, where the
    method does.
    """

    frequency: Floats
    mean: Floats
    frequency_interval: Interval
    mean_interval: Callable[[float], Interval]
    mean_misfit: Flags
    posterior: Posterior | None = None


@dataclass(frozen=True)
class Method:
    """One method of estimation."""

    estimate: PointEstimator
    estimate_with_intervals: Callable[[KeySupport, int, CountMoments, float], KeyEstimates]
    # Whether it learns from all keys, whichever are asked for.
    needs_all_keys: bool = False


def _with_confidence_intervals(estimator: PointEstimator) -> Method:
    """Return a method whose intervals depend on each key's own counts alone."""

    def estimate_with_intervals(support: KeySupport, reports: int, moments: CountMoments, level: float) -> KeyEstimates:
        return KeyEstimates(
            *estimator(support, reports, moments),
            frequency_interval(support, reports, moments, level),
            lambda other: Interval(*mean_interval(support, reports, moments, other)[:2]),
            mean_interval(support, reports, moments, level).misfit,
        )

    return Method(estimator, estimate_with_intervals)


def _bayes_with_intervals(support: KeySupport, reports: int, moments: CountMoments, level: float) -> KeyEstimates:
    posterior = learn(support, reports, moments)
    misfit = mean_interval(support, reports, moments, level).misfit
    frequency = posterior.frequency_interval(level)
    return KeyEstimates(*posterior.estimates(), frequency, posterior.key_mean_interval, misfit, posterior)


METHODS: dict[str, Method] = {
    "baseline": _with_confidence_intervals(baseline),
    "corrected": _with_confidence_intervals(corrected),
    "bayes": Method(bayes, _bayes_with_intervals, needs_all_keys=True),
}
# The method where none is named, and the one instead where keys are too many to be decoded together.
DEFAULT_METHOD, DEFAULT_FOR_MANY_KEYS = "bayes", "corrected"


def check_method(name: str) -> str:
    """Return the name of a method, or refuse one that does not exist."""
    if name not in METHODS:
        raise ParameterError(f"method {name!r} does not exist: choose from {', '.join(METHODS)}")
    return name


def unclipped_frequency(
    method: str, frequency: Floats, support: KeySupport, reports: int, moments: CountMoments
) -> Floats:
    """Return a method's frequencies before clipping, which raises their sum, for postprocessing."""
    # Only posterior means are within [0, 1] without being clipped.
    return frequency if method == "bayes" else unbiased_frequency(support, reports, moments)


CONSISTENT = "consistent"
POSTS = (CONSISTENT,)


def check_posts(post: str | Sequence[str]) -> tuple[str, ...]:
    """Return the postprocessing steps asked for, each once.

    Raises:
        ParameterError: if one of them does not exist.
    """
    wanted = {post} if isinstance(post, str) else set(post)
    for unknown in sorted(wanted - set(POSTS)):
        raise ParameterError(f"post {unknown!r} does not exist: choose from {', '.join(POSTS)}")
    return tuple(name for name in POSTS if name in wanted)


def full_name(method: str, post: tuple[str, ...]) -> str:
    """Return what a result calls its method.

    >>> full_name("corrected", ("consistent",))
    'corrected+consistent'
    """
    return "+".join((method, *post))


def make_consistent(
    frequency: Floats, dummies: DummySupport, reports: int, moments: CountMoments, padding: int
) -> Floats:
    """Return the nearest possible frequencies: with dummies they sum to the padding, else to at most that."""
    if dummies.dummies:
        dummy_frequency = (dummies.total / reports - dummies.dummies * moments.noise) / moments.signal
        nearest = project_to_sum(np.append(frequency, dummy_frequency), padding)[:-1]
    else:
        nearest = project_to_sum_at_most(frequency, padding)
    return np.minimum(nearest, 1.0)
