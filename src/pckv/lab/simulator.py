"""One simulated collection: what it estimates, and how far that is from the truth."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.random import Generator

from pckv.arrays import Floats
from pckv.channels import Channel, build
from pckv.estimators.methods.registry import METHODS, unclipped_frequency
from pckv.estimators.postprocess import CONSISTENT, make_consistent
from pckv.lab.baselines.drawing import IndexModel
from pckv.lab.baselines.registry import find_baseline
from pckv.lab.counting import count_with_dummies
from pckv.lab.dataset import Dataset
from pckv.lab.sampling import SamplingModel
from pckv.moments import CountMoments

# The methods of the baselines are their own.
OWN_METHOD = "own"
DEFAULT_ALLOCATION = "optimized"


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


def setting_parameters(allocation: str) -> dict[str, object]:
    """What a mechanism is built with: the default allocation need not be named, and some have none."""
    return {} if allocation == DEFAULT_ALLOCATION else {"allocation": allocation}


@dataclass(frozen=True)
class CollectionErrors:
    """The errors of one simulated collection."""

    mse_frequency: float
    mse_mean: float
    precision: float


class Simulator:
    """A dataset prepared for simulating one collection after another."""

    def __init__(self, dataset: Dataset) -> None:
        self.dataset = dataset

    @cached_property
    def sampling(self) -> SamplingModel:
        """The population as the paper's mechanisms sample it."""
        return SamplingModel(self.dataset)

    @cached_property
    def indices(self) -> IndexModel:
        """The population as the baselines sample it."""
        return IndexModel(self.dataset)

    @cached_property
    def _channels(self) -> dict[Setting, Channel]:
        """The channels of settings so far: computing one and its laws takes a third of a small collection's time."""
        return {}

    def channel(self, setting: Setting) -> Channel:
        """The channel of a setting."""
        if setting not in self._channels:
            self._channels[setting] = self._built_channel(setting)
        return self._channels[setting]

    def _built_channel(self, setting: Setting) -> Channel:
        return build(
            setting.mechanism,
            self.dataset.keys,
            setting.padding,
            Fraction(setting.epsilon),
            dict(setting.parameters) or setting_parameters(setting.allocation),
        )

    def run(self, setting: Setting, rng: Generator) -> CollectionErrors:
        """Simulate one collection and compare it with the truth."""
        if (baseline := find_baseline(setting.mechanism)) is not None:
            frequency, mean = baseline(self.indices, float(setting.epsilon), rng)
        else:
            frequency, mean = self.estimate(setting, rng)
        return self.compare(setting.top, frequency, mean)

    def estimate(self, setting: Setting, rng: Generator) -> tuple[Floats, Floats]:
        """Frequencies and means of one simulated collection."""
        channel = self.channel(setting)
        sampled = self.sampling.prepare(channel, rng, setting.size_share)
        support, dummies = count_with_dummies(channel, sampled, rng)
        users = sampled.users
        moments = CountMoments.of(channel.count_law, 1 - users / self.dataset.users)
        frequency, mean = METHODS[setting.method].estimate(support, users, moments)
        if CONSISTENT in setting.post:
            unclipped = unclipped_frequency(setting.method, frequency, support, users, moments)
            frequency = make_consistent(unclipped, dummies, users, moments, setting.padding)
        return frequency, mean

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
        moments = CountMoments.of(self.channel(setting).count_law, setting.size_share)
        reports = self.dataset.users * (1 - setting.size_share)
        true_frequency, true_mean = self.dataset.truth
        keys = self.dataset.top(setting.top)
        seen = self.dataset.sampled_share(setting.padding)[keys]
        f, m = true_frequency[keys], true_mean[keys]
        frequency = moments.frequency_variance(seen) / reports + (seen - f) ** 2
        held = f > 0
        mean = moments.mean_variance(seen[held], m[held]) / reports
        return float(frequency.mean()), float(mean.mean()) if held.any() else 0.0
