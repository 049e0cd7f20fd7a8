"""Profiles, the shares of levels among a key's holders, combined with those of all keys (proofs/shares.md).

Most profiles scatter about one common profile; others are unlike it, or all holders are at one level. The
common profile, how far others are from it, and how many keys are of each kind are learned from the counts. A
key's own profile is estimated from its counts and what is learned: the less its counts say, the nearer it is
to the average of the kinds.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from pckv.base.arrays import Flags, Floats, Integers
from pckv.estimators.intervals import Interval, two_sided_z
from pckv.estimators.methods.prior import posterior
from pckv.statistics.moments import CountMoments, Scale, equal_scale
from pckv.tally.decode.support import KeySupport

# How far profiles scatter: their variance relative to that of single holders, from alike to as unlike as
# people are.
SCATTERS = np.geomspace(0.003, 0.3, 14)
# What is thought likely before the counts are seen: a logarithm normal about this one, with this standard
# deviation.
TYPICAL_SCATTER, SCATTER_DEVIATION = 0.03, 1.0
# Kinds of keys, by the place of their chances: a profile about the common one, one unlike it, and all holders
# at one level, for every level.
TYPICAL, UNLIKE, AT_LEVELS = 0, 1, slice(2, None)
# The chance of the first kind before the counts are seen, the others being equally likely, and how many keys
# that is worth.
TYPICAL_CHANCE, KEYS_BEFORE = 0.9, 2
# Keys whose squared frequency is below this share of its noise do not show their kind.
MIN_INFORMATION = 0.1
ROUNDS_OF_KINDS, STEPS_PER_ROUND = 3, 3
# No level is so rare in the common profile that no key could have more of it.
MIN_COMMON_SHARE = 0.001
MAX_STEPS, TOLERANCE = 30, 1e-5
# A frequency is never known exactly.
MIN_RELATIVE_VARIANCE = 1e-9
KEYS_PER_BLOCK = 2**16


class KnownFrequencies(NamedTuple):
    """What the totals S alone tell of the frequencies: an entry per distinct total, and that of each key."""

    mean: Floats
    variance: Floats
    of_key: Integers

    def of_keys(self, keys: Integers | slice) -> tuple[Floats, Floats]:
        """Return the means and variances of some keys."""
        rows = self.of_key[keys]
        return self.mean[rows], self.variance[rows]


class CommonProfile(NamedTuple):
    """The profile that those of all keys scatter about: the share of each level, and their covariance.

    `scatter` is the variance of a key's shares relative to that of one holder's.
    """

    shares: Floats
    covariance: Floats
    scatter: float


@dataclass(frozen=True, eq=False)
class Profiles:
    """The profiles of some keys: posterior means, and what their variances are computed from.

    Attributes:
        common: The profile that they scatter about.
        shares: The share of each level, one row per key: none is negative, and they add up to 1.
        spread: The same if the key's holders are not all at one level.
        at_level: The chances that all of a key's holders are at each level.
        free: The variances of the shares if the nuisances were known, and the shares did not have to add up.
        slopes: How the shares change with an offset of all of a key's counts.
        following: How the shares change with the common ones, if the nuisances were known: from 0, where a
            key's own counts say all, to 1.
        inverse: The inverse information of offset, frequency and sum, per key.
    """

    common: CommonProfile
    shares: Floats
    spread: Floats
    at_level: Floats
    free: Floats
    slopes: Floats
    following: Floats
    inverse: Floats

    def mean(self, scale: Scale) -> Floats:
        """Return the mean over every key's holders of what their level counts for."""
        return np.asarray(self.shares @ np.array(scale.values))

    def credible_interval(self, scale: Scale, keys: Integers | slice, level: float) -> Interval:
        """Return credible limits of this mean for some of the keys, within the range of the scale."""
        values, free, moved = np.array(scale.values), self.free[keys], self.slopes[keys]
        nuisances = np.stack([moved @ values, moved @ (values * self.common.shares), free @ values], axis=1)
        of_nuisances = np.einsum("kab,kb->ka", self.inverse[keys], nuisances)
        about_common = free @ values**2 + (nuisances * of_nuisances).sum(axis=1)
        with_common = self._change_with_common(keys, values, of_nuisances)
        of_common = np.einsum("ki,ij,kj->k", with_common, self.common.covariance, with_common)
        mean, if_spread, at_level = self.mean(scale)[keys], self.spread[keys] @ values, self.at_level[keys]
        spread = np.maximum(about_common, 0) + np.maximum(of_common, 0) + (if_spread - mean) ** 2
        at_one_level = (at_level * (values - mean[:, None]) ** 2).sum(axis=1)
        variance = (1 - at_level.sum(axis=1)) * spread + at_one_level
        margin = two_sided_z(level) * np.sqrt(np.maximum(variance, 0))
        return Interval(*(np.clip(mean + side * margin, scale.low, scale.high) for side in (-1, 1)))

    def _change_with_common(self, keys: Integers | slice, values: Floats, of_nuisances: Floats) -> Floats:
        """Return how the mean of values changes with each common share, one row per key."""
        following, shares = self.following[keys], self.common.shares
        offset, of_frequency, of_sum = of_nuisances.T[:, :, None]
        # Counts that move with the common shares would be taken for nuisances.
        seen = following * self.slopes[keys] / self.free[keys]
        return np.asarray(following * values + seen * (offset + of_frequency * shares) - (1 - following) * of_sum)


def learn_profiles(support: KeySupport, reports: int, moments: CountMoments, frequencies: KnownFrequencies) -> Profiles:
    """Learn the common profile and return those of all keys.

    What the totals tell of the frequencies is independent of how a total is divided.
    """
    common, kinds = _learn_kinds(support, reports, moments, frequencies)
    shape = (support.keys, moments.levels)
    spread, free, slopes, following = (np.empty(shape) for _ in range(4))
    inverse = np.empty((support.keys, 3, 3))
    for block in _blocks(support.keys):
        spread[block], free[block], slopes[block], following[block], inverse[block] = _posterior(
            _signals(support.take(block), reports, moments),
            frequencies.of_keys(block),
            common,
            kinds[block, UNLIKE] > kinds[block, TYPICAL],
            reports,
            moments,
        )
    at_level = kinds[:, AT_LEVELS]
    shares = (1 - at_level.sum(axis=1, keepdims=True)) * spread + at_level
    return Profiles(common, _consistent(shares), spread, at_level, free, slopes, following, inverse)


def _learn_kinds(
    support: KeySupport, reports: int, moments: CountMoments, frequencies: KnownFrequencies
) -> tuple[CommonProfile, Floats]:
    """Return the common profile, and the chances that a key is of each kind, one row per key.

    The common profile is that of typical keys, which are told from others by it: both are improved in turn.
    """
    others = moments.levels + 1
    chances = np.append(TYPICAL_CHANCE, np.full(others, (1 - TYPICAL_CHANCE) / others))
    before = KEYS_BEFORE * chances
    noise = _noise(frequencies.mean, 1 / moments.levels, reports, moments)
    informative = np.flatnonzero((frequencies.mean**2 > MIN_INFORMATION * noise)[frequencies.of_key])
    kinds, likelihood = np.empty((support.keys, chances.size)), np.empty((informative.size, chances.size))
    common = learn_common(support, reports, moments, frequencies, np.ones(support.keys))
    for _ in range(ROUNDS_OF_KINDS):
        for block in _blocks(informative.size):
            keys = informative[block]
            centred = _centred(_signals(support.take(keys), reports, moments))
            likelihood[block] = _kind_likelihood(centred, frequencies.of_keys(keys), common, reports, moments)
        for _ in range(STEPS_PER_ROUND):
            found = posterior(likelihood, chances)
            chances = (found.sum(axis=0) + before) / (informative.size + KEYS_BEFORE)
        kinds[:] = chances
        kinds[informative] = found
        common = learn_common(support, reports, moments, frequencies, kinds[:, TYPICAL])
    return common, kinds


def _kind_likelihood(
    centred: Floats, known: tuple[Floats, Floats], common: CommonProfile, reports: int, moments: CountMoments
) -> Floats:
    """Return how likely the centred signals of some keys are for every kind, relative to the likeliest.

    Noise and scatter are taken to be the same in all directions, which makes it a few sums per key.
    """
    mean, variance = (each[:, None] for each in known)
    levels = moments.levels
    noise = _noise(mean, 1 / levels, reports, moments)
    square = mean**2 + variance
    scatter = _scatter_of_few(common.scatter, reports * mean) * (1 - common.shares @ common.shares) / (levels - 1)
    about_common = (common.shares - 1 / levels)[:, None]
    logarithm = np.hstack(
        [
            _log_likelihood(centred, mean, variance, about_common, noise + square * scatter),
            _log_likelihood(centred, mean, variance, about_common, noise + square / levels),
            _log_likelihood(centred, mean, variance, np.eye(levels) - 1 / levels, noise),
        ]
    )
    return np.asarray(np.exp(logarithm - logarithm.max(axis=1, keepdims=True)))


def _log_likelihood(centred: Floats, mean: Floats, variance: Floats, profiles: Floats, noise: Floats) -> Floats:
    """Return the normal log-likelihood of centred signals about frequency times profile, one column each.

    The frequency has a mean and a variance: it adds noise along the profile.
    """
    along, norm = centred @ profiles, (profiles**2).sum(axis=0)
    distance = (centred**2).sum(axis=1, keepdims=True) - 2 * mean * along + mean**2 * norm
    of_frequency = variance * (along - mean * norm) ** 2 / (noise + variance * norm)
    freedom = centred.shape[1] - 1
    logarithm = freedom * np.log(noise) + np.log1p(variance * norm / noise)
    return np.asarray(-((distance - of_frequency) / noise + logarithm) / 2)


def learn_common(
    support: KeySupport, reports: int, moments: CountMoments, frequencies: KnownFrequencies, typical: Floats
) -> CommonProfile:
    """Return the common profile: of all equally likely ones, that with the largest likelihood of the counts.

    `typical` are the chances of keys to have a profile about it: a key counts as much.

    Keys with the same total have the same frequency, as far as is known: their counts are added up first.
    """
    totals, levels = frequencies.mean.size, moments.levels
    keys = np.asarray(np.bincount(frequencies.of_key, typical, minlength=totals), np.float64)[:, None]
    sums, squares = np.zeros((totals, levels)), np.zeros((totals, levels))
    for block in _blocks(support.keys):
        centred = _centred(_signals(support.take(block), reports, moments))
        rows, weights = frequencies.of_key[block], typical[block]
        for level, signal in enumerate(centred.T):
            sums[:, level] += np.bincount(rows, weights * signal, minlength=totals)
            squares[:, level] += np.bincount(rows, weights * signal**2, minlength=totals)
    return _Fit(keys, sums, squares, frequencies, reports, moments).common()


class _Fit:
    """The fit of the common profile to the sums of centred signals and their squares, by total and level."""

    def __init__(  # noqa: PLR0917
        self,
        keys: Floats,
        sums: Floats,
        squares: Floats,
        frequencies: KnownFrequencies,
        reports: int,
        moments: CountMoments,
    ) -> None:
        self.keys, self.sums, self.squares = keys, sums, squares
        self.mean, self.variance = frequencies.mean[:, None], frequencies.variance[:, None]
        self.reports, self.moments, self.levels = reports, moments, moments.levels

    def common(self) -> CommonProfile:
        """Improve profile and scatter in turn, from equal shares on."""
        equal, before = np.full(self.levels, 1 / self.levels), np.linalg.inv(_covariance_before(self.levels))
        shares = equal
        for _ in range(MAX_STEPS):
            scatter = self._scatter(shares)
            variance = self._signal_variance(shares, scatter)
            information = np.diag((self.keys * self.mean**2 / variance).sum(axis=0))
            covariance = np.linalg.inv(information + before)
            moved = covariance @ (self.mean * self.sums / variance).sum(axis=0)
            improved = _consistent(np.maximum(equal + moved - moved.mean(), MIN_COMMON_SHARE))
            change, shares = np.abs(improved - shares).max(), improved
            if change < TOLERANCE:
                break
        return CommonProfile(shares, _centred(_centred(covariance).T), scatter)

    def _scatter(self, shares: Floats) -> float:
        """Return the likeliest scatter about these shares."""
        prior = -((np.log(SCATTERS / TYPICAL_SCATTER) / SCATTER_DEVIATION) ** 2) / 2
        expected = self.mean * (shares - shares.mean())
        distances = self.squares - 2 * expected * self.sums + self.keys * expected**2
        logarithms = [
            -(self.keys * np.log(variance) + distances / variance).sum() / 2
            for variance in (self._signal_variance(shares, scatter) for scatter in SCATTERS)
        ]
        return float(SCATTERS[np.argmax(logarithms + prior)])

    def _signal_variance(self, shares: Floats, scatter: float) -> Floats:
        """Return the variance of centred signals by total and level."""
        # What single holders vary by, once it is centred.
        single = _centred(_centred(np.diag(shares) - np.outer(shares, shares)).T).diagonal()
        relative = _scatter_of_few(scatter, self.reports * self.mean)
        noise = _noise(self.mean, shares, self.reports, self.moments).mean(axis=1, keepdims=True)
        return np.asarray(
            (self.mean**2 + self.variance) * relative * single
            + self.variance * (shares - shares.mean()) ** 2
            + noise * (1 - 1 / self.levels)
        )


def _posterior(  # noqa: PLR0917
    signals: Floats,
    known: tuple[Floats, Floats],
    common: CommonProfile,
    unlike: Flags,
    reports: int,
    moments: CountMoments,
) -> tuple[Floats, Floats, Floats, Floats, Floats]:
    """Return shares, and what their variances are computed from (`Profiles`), for some keys.

    Keys that are unlike the common profile may have any.

    A signal is the frequency times the share, and noise. Besides, all signals of a key have an unknown
    offset, the frequency is uncertain, and the shares add up to 1. Given these three nuisances the levels are
    independent.
    """
    mean, variance = (each[:, None] for each in known)
    about_common = _scatter_of_few(common.scatter, reports * mean) * common.shares
    prior = np.where(unlike[:, None], 1 / moments.levels, about_common)
    noise = _noise(mean, common.shares, reports, moments) + variance * prior
    free = 1 / (1 / prior + mean**2 / noise)
    slopes = free * mean / noise
    distance = signals - mean * common.shares
    of_frequency = np.maximum(variance[:, 0], MIN_RELATIVE_VARIANCE * noise.min(axis=1))
    remaining = 1 / noise - slopes * mean / noise
    matrix = np.empty((len(signals), 3, 3))
    matrix[:, 0, 0] = remaining.sum(axis=1)
    matrix[:, 0, 1] = matrix[:, 1, 0] = remaining @ common.shares
    matrix[:, 1, 1] = remaining @ common.shares**2 + 1 / of_frequency
    matrix[:, 0, 2] = matrix[:, 2, 0] = -slopes.sum(axis=1)
    matrix[:, 1, 2] = matrix[:, 2, 1] = -(slopes @ common.shares)
    matrix[:, 2, 2] = -free.sum(axis=1)
    seen = remaining * distance
    sides = np.stack([seen.sum(axis=1), seen @ common.shares, -(slopes * distance).sum(axis=1)], axis=1)
    inverse = np.asarray(np.linalg.inv(matrix), np.float64)
    offset, of_frequency_error, of_sum = np.einsum("kab,kb->ak", inverse, sides)[:, :, None]
    found = common.shares + slopes * (distance - offset - of_frequency_error * common.shares) - free * of_sum
    return _consistent(np.maximum(found, 0)), free, slopes, free / prior, inverse


def _signals(support: KeySupport, reports: int, moments: CountMoments) -> Floats:
    """Return estimates of frequency times share, up to an offset of each key, one row per key."""
    return np.asarray(support.counts.T / (reports * moments.contrast))


def _noise(frequency: Floats, shares: Floats | float, reports: int, moments: CountMoments) -> Floats:
    """Return the variances of signals, less what they have in common, for these frequencies (a column)."""
    held, absent, contrast = moments.holder, moments.absent, moments.contrast
    own = held.own_square - (1 - moments.left_out) * contrast**2
    of_reports = (1 - frequency) * absent.noise_square + frequency * (held.noise_square + own * shares)
    return np.asarray(of_reports / (reports * contrast**2))


def _covariance_before(levels: int) -> Floats:
    """Return the covariance of the common shares before any counts are seen.

    All profiles are equally likely but for their mean: it has the variance of a uniform distribution over the
    range.
    """
    of_each = np.diag(np.full(levels, 1 / (levels * (levels + 1))))
    weights = np.array(equal_scale(levels).weights)
    direction = weights / (weights @ weights)
    more = max(0.0, 1 / 3 - float(weights @ of_each @ weights))
    return np.asarray(of_each + more * np.outer(direction, direction))


def _scatter_of_few(scatter: float, holders: Floats) -> Floats:
    """Return the scatter of keys with this many holders: few scatter more, even under one law of levels."""
    return np.asarray(scatter + (1 - scatter) / np.maximum(holders, 1))


def _centred(rows: Floats) -> Floats:
    return np.asarray(rows - rows.mean(axis=1, keepdims=True))


def _consistent(shares: Floats) -> Floats:
    """Return shares that add up to 1."""
    return np.asarray(shares / shares.sum(axis=-1, keepdims=True))


def _blocks(keys: int) -> Iterator[slice]:
    return (slice(first, first + KEYS_PER_BLOCK) for first in range(0, keys, KEYS_PER_BLOCK))
