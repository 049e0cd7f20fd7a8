"""How many pairs people hold: the estimates of a pilot, one row per bucket of sizes (proofs/buckets.md)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pckv.arrays import Floats
from pckv.channels import BucketsChannel
from pckv.errors import ParameterError
from pckv.estimators.intervals import Interval, frequency_interval
from pckv.estimators.methods.baseline import unbiased_frequency
from pckv.estimators.postprocess import project_to_sum
from pckv.estimators.result import Estimates
from pckv.moments import CountMoments
from pckv.tally import Tally
from pckv.tally.decode.support import key_support

METHOD = "consistent"


def estimate_sizes(
    tally: Tally,
    channel: BucketsChannel,
    method: str | None,
    level: float,
    buckets: Sequence[str] | None,
) -> Estimates:
    """Estimate the share of people in every bucket, or in those asked for.

    `frequency` is a distribution: not negative, and all buckets sum to 1. `mean`, `mean_low` and `mean_high`
    are the sizes of the bucket, its geometric middle and its ends, which no report changes.
    """
    if method not in (None, METHOD):
        raise ParameterError(f"method {method!r} is not for a task of sizes, which has {METHOD!r} alone")
    shares, interval = _shares(tally, channel, level)
    frequency = project_to_sum(shares)
    starts, ends = np.array(channel.starts, np.float64), np.array(channel.ends, np.float64)
    estimates = Estimates(
        task=tally.task.id,
        mechanism=channel.name,
        reports=tally.reports,
        epsilon=tally.task.realised_epsilon,
        method=METHOD,
        level=level,
        key=list(channel.labels),
        frequency=frequency,
        # An interval holds its own estimate.
        frequency_low=np.minimum(interval.low, frequency),
        frequency_high=np.maximum(interval.high, frequency),
        mean=np.sqrt(starts * ends),
        mean_low=starts,
        mean_high=ends,
        mean_known=np.ones(channel.rows, np.bool_),
        detected=interval.low > 0,
        mean_misfit=np.zeros(channel.rows, np.bool_),
    )
    return estimates if buckets is None else estimates.take(bucket_rows(channel, buckets))


def _shares(tally: Tally, channel: BucketsChannel, level: float) -> tuple[Floats, Interval]:
    """Return the unbiased share of every bucket, with its interval; zeros and [0, 1] without a report."""
    if tally.reports == 0:
        zeros = np.zeros(channel.rows)
        return zeros, Interval(zeros, np.ones(channel.rows))
    support, moments = key_support(tally), CountMoments.of(channel.count_law)
    return (
        unbiased_frequency(support, tally.reports, moments),
        frequency_interval(support, tally.reports, moments, level),
    )


def bucket_rows(channel: BucketsChannel, buckets: Sequence[str]) -> np.ndarray:
    """Return the rows of some buckets."""
    labels = channel.labels
    for bucket in buckets:
        if bucket not in labels:
            raise ParameterError(f"bucket {bucket!r} does not exist: choose from {', '.join(labels)}")
    return np.array([labels.index(bucket) for bucket in buckets], np.int64)
