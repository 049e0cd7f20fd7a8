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
from pckv.contract.task import Task
from pckv.estimators.estimate import estimate_supports
from pckv.estimators.key_columns import in_units
from pckv.estimators.methods.bayes import learn
from pckv.estimators.methods.registry import CONSISTENT, METHODS, make_consistent, unclipped_frequency
from pckv.estimators.sets import PooledReports
from pckv.estimators.shares import own_shares
from pckv.lab.baselines import IndexModel, find_baseline
from pckv.lab.counting import PlacedValues, SamplingModel, count_reports
from pckv.lab.dataset import Dataset
from pckv.mechanisms.base import CountLaw, Law
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
# The level of the intervals.
LEVEL = 0.95
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
    """The errors of one simulated collection; `total_variation` is that of shares of more than two levels.

    Biases are average errors with their signs, and coverages the shares of the intervals that hold the truth, where
    these were made. Where keys have no values, errors of means are not a number (NaN).
    """

    mse_frequency: float
    mse_mean: float
    precision: float
    bias_frequency: float
    bias_mean: float
    total_variation: float = 0.0
    coverage_frequency: float | None = None
    coverage_mean: float | None = None


class SimulatedEstimates(NamedTuple):
    """What a simulated collection estimates: of all keys, and level shares of the most frequent ones.

    The counts are those of this many `reports` of pairs.
    """

    frequency: Floats
    mean: Floats
    shares: Floats | None
    support: KeySupport
    reports: int
    count_law: CountLaw


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

    def run(self, setting: Setting, rng: Generator, *, intervals: bool = False) -> CollectionErrors:
        """Simulate one collection and compare it with the truth, its intervals too if wanted."""
        if (baseline := find_baseline(setting.mechanism)) is not None:
            return self.compare(setting.top, *baseline(self.indices, float(setting.epsilon), rng))
        found = self.estimate(setting, rng)
        errors = self.compare(setting.top, found.frequency, found.mean)
        if found.shares is not None:
            distance = total_variation(found.shares, self.shares(setting.scale), self.share_keys(setting))
            errors = replace(errors, total_variation=distance)
        return self._with_coverage(errors, setting, found, rng) if intervals else errors

    def _with_coverage(
        self, errors: CollectionErrors, setting: Setting, found: SimulatedEstimates, rng: Generator
    ) -> CollectionErrors:
        """Return errors with how many intervals hold the truth: those of estimates from the same counts."""
        task, people = self._task(setting), self.dataset.users
        counted = PooledReports(
            task, people, people, self._size_answers(task, people - found.reports, rng), found.count_law
        )
        known = estimate_supports(counted, np.arange(self.dataset.keys), found.support, setting.method, LEVEL)
        true_frequency, true_mean = self.dataset.truth
        keys = self.dataset.top(setting.top)
        held = keys[true_frequency[keys] > 0]
        mean = in_units(true_mean, task)
        inside = (known.frequency_low <= true_frequency) & (true_frequency <= known.frequency_high)
        mean_inside = (known.mean_low <= mean) & (mean <= known.mean_high)
        return replace(
            errors,
            coverage_frequency=float(inside[keys].mean()),
            coverage_mean=None if not task.has_values else float(mean_inside[held].mean()) if held.size else 1.0,
        )

    def _task(self, setting: Setting) -> Task:
        """The task of a setting; with two levels, which have no values of their own, from -1 to 1."""
        ends = (-1, 1) if setting.levels == MIN_LEVELS else (self.dataset.low, self.dataset.high)
        parameters = dict(setting.parameters) or setting_parameters(setting.allocation)
        return Task(
            name=self.dataset.name or "simulated",
            keys=self.dataset.keys,
            values=ends if self.dataset.has_values else None,
            epsilon=setting.epsilon,
            padding=setting.padding,
            mechanism={"name": setting.mechanism, **parameters},
            levels=setting.levels,
            size_share=setting.size_share,
        )

    def _size_answers(self, task: Task, asked: int, rng: Generator) -> Integers:
        """Draw the answers of people who were asked for the number of their pairs."""
        question = task.size_question
        if question is None:
            return np.zeros(0, np.int64)
        sizes, people = np.unique(self.dataset.population.sizes, return_counts=True)
        answers = [question.distribution(int(size)) for size in sizes]
        chances = np.array([[weight / law.total for weight in law.weights.values()] for law in answers])
        chosen = rng.multivariate_hypergeometric(people, asked, method="marginals")
        return np.asarray(rng.multinomial(chosen, chances).sum(axis=0))

    def estimate(self, setting: Setting, rng: Generator) -> SimulatedEstimates:
        """What one simulated collection estimates."""
        law, scale = self.law(setting), setting.scale
        prepared = self.sampling(scale).prepare(law, rng, setting.size_share)
        support, dummies, count_law = count_reports(law, prepared, rng)
        users = prepared.users
        moments = CountMoments.of(count_law, 1 - users / self.dataset.users, scale)
        shares: Floats | None = None
        if law.levels <= MIN_LEVELS:
            frequency, mean = METHODS[setting.method].estimate(support, users, moments)
        else:
            keys = self.share_keys(setting)
            frequency, mean, shares = estimate_with_shares(setting.method, support, users, moments, keys)
        if CONSISTENT in setting.post:
            unclipped = unclipped_frequency(setting.method, frequency, support, users, moments)
            frequency = make_consistent(unclipped, dummies, users, moments, setting.padding)
        return SimulatedEstimates(frequency, mean, shares, support, users, count_law)

    def compare(self, top: int | None, frequency: Floats, mean: Floats) -> CollectionErrors:
        """Errors over the keys that count, and how many of the top ones were found."""
        true_frequency, true_mean = self.dataset.truth
        keys = self.dataset.top(top)
        held = keys[true_frequency[keys] > 0]
        errors = mean[held] - true_mean[held] if self.dataset.has_values else np.full(1, np.nan)
        guessed = np.argsort(-frequency, kind="stable")[: keys.size]
        return CollectionErrors(
            float(np.mean((frequency[keys] - true_frequency[keys]) ** 2)),
            float(np.mean(errors**2)) if errors.size else 0.0,
            float(np.isin(guessed, keys).mean()),
            float(np.mean(frequency[keys] - true_frequency[keys])),
            float(np.mean(errors)) if errors.size else 0.0,
        )

    def theory(self, setting: Setting) -> tuple[float | None, float | None]:
        """Expected errors of the unclipped estimates: exact variance and bias, and Theorem 4 for the mean, if any."""
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
        if not self.dataset.has_values:
            return float(frequency.mean()), None
        held = f > 0
        if law.levels > MIN_LEVELS:
            squares = self.shares(scale)[keys[held]] @ np.square(scale.weights)
            moments = replace(moments, spread=squares)
        mean = moments.mean_variance(seen[held], m[held]) / reports
        return float(frequency.mean()), float(mean.mean()) if held.any() else 0.0
