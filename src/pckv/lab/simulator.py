"""One simulated collection: what it estimates, and how far that is from the truth.

The shares of levels among the holders of keys: what they are, and what a simulated collection makes of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from pckv.base.arrays import Floats, Integers
from pckv.base.levels import Levels, level_count
from pckv.base.limits import MIN_LEVELS
from pckv.estimators.methods.bayes import learn
from pckv.estimators.methods.registry import CONSISTENT, METHODS, make_consistent, unclipped_frequency
from pckv.estimators.shares import own_shares
from pckv.lab.baselines import IndexModel, find_baseline
from pckv.lab.counting import PlacedValues, SamplingModel, count_reports
from pckv.lab.dataset import Dataset
from pckv.mechanisms.base import Law
from pckv.mechanisms.registry import build
from pckv.planning.people import SIGN_SCALE
from pckv.statistics.moments import CountMoments, Scale, equal_scale
from pckv.tally.decode.support import KeySupport


def true_shares(dataset: Dataset, levels: Sequence[float]) -> Floats:
    """Return the share of each level on [-1, 1] among every key's holders: keys × levels, 0 without holders.

    A value between two levels counts as each of them with the chance that it is rounded to it.
    """
    keys = dataset.population.keys.astype(np.int64)
    below, chances = PlacedValues.of(dataset.scaled(dataset.population.values), levels)
    size = dataset.keys * len(levels)
    places = keys * len(levels) + below
    held = np.bincount(places, 1 - chances, size) + np.bincount(places + 1, chances, size)
    table = held.reshape(dataset.keys, len(levels))
    return np.asarray(table / np.maximum(table.sum(axis=1, keepdims=True), 1))


def estimate_with_shares(
    method: str, support: KeySupport, reports: int, moments: CountMoments, keys: Integers
) -> tuple[Floats, Floats, Floats]:
    """Return frequencies and means of all keys by a method, and level shares of some: keys × levels."""
    if METHODS[method].needs_all_keys:
        found = learn(support, reports, moments)
        return *found.estimates(), found.profiles.shares[keys]
    shares = own_shares(support.take(keys), reports, moments)
    return *METHODS[method].estimate(support, reports, moments), shares


def total_variation(estimated: Floats, true: Floats, keys: Integers) -> float:
    """Return half the absolute differences of shares, summed over the levels, on average over some keys."""
    if not keys.size:
        return 0.0
    return float(np.abs(estimated - true[keys]).sum(axis=1).mean() / 2)


# The methods of the baselines are their own.
OWN_METHOD = "own"
DEFAULT_ALLOCATION = "optimized"
# Shares of levels are compared for at most this many of the most frequent keys.
SHARE_KEYS = 50


@dataclass(frozen=True)
class Setting:
    """One way to collect: a mechanism, its ε and padding, how it is estimated, which keys count."""

    mechanism: str
    epsilon: str
    padding: int
    method: str
    top: int | None
    allocation: str = DEFAULT_ALLOCATION
    # What was chosen for the objective; a setting's seed does not depend on it.
    parameters: tuple[tuple[str, str | int], ...] = field(default=(), repr=False)
    # Nor on this: the reports are the same with and without postprocessing.
    post: tuple[str, ...] = field(default=(), repr=False)
    # The share of the reports that answer the size question; the paper has none.
    size_share: float = field(default=0.0, repr=False)
    # How many levels values are reported as, equally spaced, or what each is worth.
    levels: Levels = field(default=MIN_LEVELS, repr=False)
    # The mechanism and padding that were asked for, by which settings with other levels are compared.
    asked: tuple[str, int | None] | None = field(default=None, repr=False)

    @property
    def scale(self) -> Scale:
        """The levels, from -1 to 1."""
        if isinstance(self.levels, int):
            return equal_scale(self.levels)
        return Scale.of_values(tuple(map(float, self.levels)))


def setting_parameters(allocation: str) -> dict[str, object]:
    """What a mechanism is built with: the default allocation need not be named, and some have none."""
    return {} if allocation == DEFAULT_ALLOCATION else {"allocation": allocation}


@dataclass(frozen=True)
class CollectionErrors:
    """The errors of one simulated collection; `total_variation` is that of shares of more than two levels."""

    mse_frequency: float
    mse_mean: float
    precision: float
    total_variation: float = 0.0


class SimulatedEstimates(NamedTuple):
    """What a simulated collection estimates: of all keys, and level shares of the most frequent ones."""

    frequency: Floats
    mean: Floats
    shares: Floats | None


class Simulator:
    """A dataset prepared for simulating one collection after another."""

    def __init__(self, dataset: Dataset) -> None:
        self.dataset = dataset
        self._sampling: dict[Scale, SamplingModel] = {}
        self._shares: dict[Scale, Floats] = {}
        self._laws: dict[Setting, Law] = {}

    def sampling(self, scale: Scale = SIGN_SCALE) -> SamplingModel:
        """The population as mechanisms with these levels sample it: by default two, as the paper's have."""
        if scale not in self._sampling:
            self._sampling[scale] = SamplingModel(self.dataset, scale.values)
        return self._sampling[scale]

    def shares(self, scale: Scale) -> Floats:
        """The true shares of these levels among the holders of every key: keys × levels."""
        if scale not in self._shares:
            self._shares[scale] = true_shares(self.dataset, scale.values)
        return self._shares[scale]

    def share_keys(self, setting: Setting) -> Integers:
        """The keys whose level shares are compared: the most frequent that count and have holders."""
        keys = self.dataset.top(min(setting.top or SHARE_KEYS, SHARE_KEYS))
        return np.asarray(keys[self.dataset.truth[0][keys] > 0])

    @cached_property
    def indices(self) -> IndexModel:
        """The population as the baselines sample it."""
        return IndexModel(self.dataset)

    def law(self, setting: Setting) -> Law:
        """The law of a setting: computing it takes a third of a small collection's time."""
        if setting not in self._laws:
            self._laws[setting] = build(
                setting.mechanism,
                self.dataset.keys,
                setting.padding,
                Fraction(setting.epsilon),
                dict(setting.parameters) or setting_parameters(setting.allocation),
                level_count(setting.levels),
            )
        return self._laws[setting]

    def run(self, setting: Setting, rng: Generator) -> CollectionErrors:
        """Simulate one collection and compare it with the truth."""
        if (baseline := find_baseline(setting.mechanism)) is not None:
            return self.compare(setting.top, *baseline(self.indices, float(setting.epsilon), rng))
        frequency, mean, shares = self.estimate(setting, rng)
        errors = self.compare(setting.top, frequency, mean)
        if shares is None:
            return errors
        distance = total_variation(shares, self.shares(setting.scale), self.share_keys(setting))
        return replace(errors, total_variation=distance)

    def estimate(self, setting: Setting, rng: Generator) -> SimulatedEstimates:
        """What one simulated collection estimates."""
        law, scale = self.law(setting), setting.scale
        prepared = self.sampling(scale).prepare(law, rng, setting.size_share)
        support, dummies, count_law = count_reports(law, prepared, rng)
        users = prepared.users
        moments = CountMoments.of(count_law, 1 - users / self.dataset.users, scale)
        shares: Floats | None = None
        if law.levels == MIN_LEVELS:
            frequency, mean = METHODS[setting.method].estimate(support, users, moments)
        else:
            keys = self.share_keys(setting)
            frequency, mean, shares = estimate_with_shares(setting.method, support, users, moments, keys)
        if CONSISTENT in setting.post:
            unclipped = unclipped_frequency(setting.method, frequency, support, users, moments)
            frequency = make_consistent(unclipped, dummies, users, moments, setting.padding)
        return SimulatedEstimates(frequency, mean, shares)

    def compare(self, top: int | None, frequency: Floats, mean: Floats) -> CollectionErrors:
        """Errors over the keys that count, and how many of the top ones were found."""
        true_frequency, true_mean = self.dataset.truth
        keys = self.dataset.top(top)
        held = keys[true_frequency[keys] > 0]
        guessed = np.argsort(-frequency, kind="stable")[: keys.size]
        return CollectionErrors(
            float(np.mean((frequency[keys] - true_frequency[keys]) ** 2)),
            float(np.mean((mean[held] - true_mean[held]) ** 2)) if held.size else 0.0,
            float(np.isin(guessed, keys).mean()),
        )

    def theory(self, setting: Setting) -> tuple[float, float] | tuple[None, None]:
        """Expected errors of the unclipped estimates: exact variance and bias, and Theorem 4 for the mean."""
        if find_baseline(setting.mechanism) is not None:
            return None, None
        law, scale = self.law(setting), setting.scale
        moments = CountMoments.of(law.count_law, setting.size_share, scale)
        reports = self.dataset.users * (1 - setting.size_share)
        true_frequency, true_mean = self.dataset.truth
        keys = self.dataset.top(setting.top)
        seen = self.dataset.sampled_share(setting.padding)[keys]
        f, m = true_frequency[keys], true_mean[keys]
        frequency = moments.frequency_variance(seen) / reports + (seen - f) ** 2
        held = f > 0
        if law.levels > MIN_LEVELS:
            squares = self.shares(scale)[keys[held]] @ np.square(scale.weights)
            moments = replace(moments, spread=squares)
        mean = moments.mean_variance(seen[held], m[held]) / reports
        return float(frequency.mean()), float(mean.mean()) if held.any() else 0.0
