"""Simulated collections: the errors that a mechanism would have on a population."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any
from zlib import crc32

import numpy as np
from numpy.random import Generator, SeedSequence, default_rng

from pckv.arrays import Floats
from pckv.channels import CHANNELS, Channel, build
from pckv.errors import ParameterError
from pckv.estimators.methods.registry import DEFAULT_METHOD, METHODS, check_method, unclipped_frequency
from pckv.estimators.postprocess import CONSISTENT, check_posts, full_name, make_consistent
from pckv.lab.baselines.drawing import IndexModel
from pckv.lab.baselines.registry import BASELINE_NAMES, find_baseline
from pckv.lab.counting import count_with_dummies
from pckv.lab.dataset import Dataset
from pckv.lab.processes import map_in_processes
from pckv.lab.sampling import SamplingModel
from pckv.limits import AUTO, DEFAULT_OBJECTIVE, check_epsilon, check_padding
from pckv.moments import CountMoments
from pckv.planning.assessment import planned_size_share
from pckv.planning.expectations import expect
from pckv.planning.selection import choose_channel
from pckv.progress import Progress, no_progress

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


def _parameters(allocation: str) -> dict[str, object]:
    """What a mechanism is built with: the default allocation need not be named, and some have none."""
    return {} if allocation == DEFAULT_ALLOCATION else {"allocation": allocation}


@dataclass(frozen=True)
class Combinations:
    """What is compared: every combination of these settings; a padding of None is chosen for the data."""

    epsilons: tuple[str, ...]
    mechanisms: tuple[str, ...]
    paddings: tuple[int | None, ...]
    methods: tuple[str, ...]
    allocation: str
    top: int | None
    objective: str = DEFAULT_OBJECTIVE
    post: tuple[str, ...] = ()

    def check(self, keys: int) -> None:
        """Refuse what does not exist, before anything runs."""
        for what in ("epsilons", "mechanisms", "methods"):
            if not getattr(self, what):
                raise ParameterError(f"no {what} were given")
        if self.top is not None and not 1 <= self.top <= keys:
            raise ParameterError(f"top must be at least 1 and at most the {keys:,} keys, not {self.top}")
        for name in self.mechanisms:
            check_mechanism(name)
        for name in self.methods:
            check_method(name)

    def settings(self, dataset: Dataset) -> Iterator[Setting]:
        """One setting after another; baselines have no padding, and an estimator of their own."""
        self.check(dataset.keys)
        expected = expect(
            dataset.keys,
            users=max(dataset.users, 1),
            sizes=dataset.set_sizes,
            objective=self.objective,
        )
        for epsilon, name in itertools.product(self.epsilons, self.mechanisms):
            if find_baseline(name) is not None:
                yield Setting(name, epsilon, 1, OWN_METHOD, self.top, self.allocation)
                continue
            for padding, method in itertools.product(self.paddings, self.methods):
                wanted = {"name": name, **_parameters(self.allocation)}
                channel = choose_channel(dataset.keys, Fraction(epsilon), wanted, padding, expected)
                yield Setting(
                    channel.name,
                    epsilon,
                    channel.padding,
                    method,
                    self.top,
                    self.allocation,
                    parameters=tuple(channel.parameters.items()),
                    post=self.post,
                    size_share=float(planned_size_share(channel, expected)),
                )


@dataclass(frozen=True)
class CollectionErrors:
    """The errors of one simulated collection."""

    mse_frequency: float
    mse_mean: float
    precision: float


@dataclass(frozen=True)
class Result:
    """The errors of a setting, averaged over repeats; means are on [-1, 1].

    Keys that nobody holds have no true mean: they are left out of `mse_mean` and counted in
    `keys_without_mean`. The standard errors are over the repeats. Theory is None for baselines.
    """

    data: str
    users: int
    keys: int
    mechanism: str
    method: str
    epsilon: float
    padding: int
    allocation: str
    size_share: float
    repeats: int
    top: int | None
    seed: int
    mse_frequency: float
    mse_mean: float
    precision: float
    mse_frequency_se: float
    mse_mean_se: float
    theory_mse_frequency: float | None
    theory_mse_mean: float | None
    keys_without_mean: int

    def to_dict(self) -> dict[str, Any]:
        """The result as plain values."""
        return asdict(self)


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

    def channel(self, setting: Setting) -> Channel:
        """The channel of a setting."""
        return build(
            setting.mechanism,
            self.dataset.keys,
            setting.padding,
            Fraction(setting.epsilon),
            dict(setting.parameters) or _parameters(setting.allocation),
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


def simulate(
    dataset: Dataset,
    *,
    epsilon: Sequence[float | str],
    mechanism: Sequence[str],
    padding: int | Sequence[int] | None = None,
    method: str | Sequence[str] = DEFAULT_METHOD,
    post: str | Sequence[str] = (),
    allocation: str = DEFAULT_ALLOCATION,
    repeats: int = 10,
    top: int | None = None,
    objective: str = DEFAULT_OBJECTIVE,
    seed: int = 0,
    workers: int | None = None,
    progress: Progress = no_progress,
) -> list[Result]:
    """Return the errors of simulated collections, one row per combination of ε, mechanism, padding and method.

    The same seed gives the same rows on any number of workers.

    Args:
        dataset: The participants' pairs, as `read_ratings` reads them.
        epsilon: Privacy budgets.
        mechanism: Names of mechanisms, `auto`, or the paper's baselines.
        padding: One or several paddings; by default the one that is chosen for the data.
        method: One or several methods of estimation.
        post: Postprocessings of the frequencies.
        allocation: How the paper's mechanisms split ε.
        repeats: How many collections are simulated per row.
        top: Measure only this many of the most frequent keys; all by default.
        objective: What `auto` and `ue-compact` are tuned for.
        seed: The seed of the simulation.
        workers: How many processes; by default one per core.
        progress: Called with the share that is done.

    Raises:
        ParameterError: if a name does not exist, or a number is outside its domain.

    >>> from pckv.lab.populations import uniform
    >>> rows = simulate(uniform(1000, 5, default_rng(0)), epsilon=["1"], mechanism=["ue", "kvue"], repeats=2, workers=1)
    >>> [(row.mechanism, row.repeats) for row in rows]
    [('ue', 2), ('kvue', 2)]
    """
    combinations = Combinations(
        epsilons=tuple(map(check_epsilon, epsilon)),
        mechanisms=tuple(mechanism),
        paddings=_paddings(padding, dataset.keys),
        methods=(method,) if isinstance(method, str) else tuple(method),
        allocation=allocation,
        top=top,
        objective=objective,
        post=check_posts(post),
    )
    settings = list(combinations.settings(dataset))
    for what, number, least in (("repeats", repeats, 1), ("seed", seed, 0)):
        if number < least:
            raise ParameterError(f"{what} must be at least {least}, not {number}")
    simulator = Simulator(dataset)
    jobs = [(setting, repeat) for setting in settings for repeat in range(repeats)]
    collections = run_all(simulator, jobs, seed, workers or os.cpu_count() or 1, progress)
    return [
        _result(simulator, setting, collections[number * repeats : (number + 1) * repeats], seed)
        for number, setting in enumerate(settings)
    ]


def _paddings(padding: int | Sequence[int] | None, keys: int) -> tuple[int | None, ...]:
    given = () if padding is None else (padding,) if isinstance(padding, int) else tuple(padding)
    for each in given:
        if check_padding(each) > keys:
            raise ParameterError(f"padding must be at most the number of keys, {keys:,}, not {each:,}")
    return given or (None,)


def check_mechanism(name: str) -> None:
    """Refuse a mechanism that does not exist, naming those that do."""
    if name not in (*CHANNELS, AUTO) and find_baseline(name) is None:
        known = ", ".join((AUTO, *CHANNELS, *BASELINE_NAMES))
        raise ParameterError(f"mechanism {name!r} does not exist: choose from {known}")


def run_all(
    simulator: Simulator,
    jobs: Sequence[tuple[Setting, int]],
    seed: int,
    workers: int,
    progress: Progress = no_progress,
) -> list[CollectionErrors]:
    """Run jobs, each with randomness of its own that depends on the seed, its setting and its repeat."""

    def run(setting: Setting, repeat: int) -> CollectionErrors:
        place = (crc32(repr(setting).encode()), repeat)
        return simulator.run(setting, default_rng(SeedSequence(seed, spawn_key=place)))

    errors = []
    for of_one in map_in_processes(run, jobs, workers):
        errors.append(of_one)
        progress(len(errors) / len(jobs))
    return errors


def _result(
    simulator: Simulator, setting: Setting, collections: Sequence[CollectionErrors], seed: int
) -> Result:
    errors = np.array([(one.mse_frequency, one.mse_mean, one.precision) for one in collections])
    spread = errors.std(axis=0, ddof=1) / len(errors) ** 0.5 if len(errors) > 1 else np.zeros(3)
    theory_frequency, theory_mean = simulator.theory(setting)
    keys = simulator.dataset.top(setting.top)
    return Result(
        data=simulator.dataset.name,
        users=simulator.dataset.users,
        keys=simulator.dataset.keys,
        mechanism=setting.mechanism,
        method=full_name(setting.method, setting.post),
        epsilon=float(setting.epsilon),
        padding=setting.padding,
        allocation=setting.allocation,
        size_share=setting.size_share,
        repeats=len(collections),
        top=setting.top,
        seed=seed,
        mse_frequency=float(errors[:, 0].mean()),
        mse_mean=float(errors[:, 1].mean()),
        precision=float(errors[:, 2].mean()),
        mse_frequency_se=float(spread[0]),
        mse_mean_se=float(spread[1]),
        theory_mse_frequency=theory_frequency,
        theory_mse_mean=theory_mean,
        keys_without_mean=int((simulator.dataset.truth[0][keys] == 0).sum()),
    )
