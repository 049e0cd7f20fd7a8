"""Simulated collections: the errors that a mechanism would have on a population."""

from __future__ import annotations

import itertools
import math
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from typing import Any
from zlib import crc32

import numpy as np
from numpy.random import SeedSequence, default_rng

from pckv.base.canonical import decimal_text
from pckv.base.errors import ParameterError
from pckv.base.levels import Levels, checked_levels, level_count
from pckv.base.limits import AUTO, MIN_LEVELS, ONE_LEVEL, Numeric, check_epsilon, check_padding
from pckv.base.progress import Progress, no_progress
from pckv.estimators.methods.registry import DEFAULT_METHOD, check_method, check_posts, full_name
from pckv.lab.baselines import BASELINE_NAMES, find_baseline
from pckv.lab.dataset import Dataset, read_ratings
from pckv.lab.processes import map_in_processes
from pckv.lab.simulator import (
    DEFAULT_ALLOCATION,
    OWN_METHOD,
    CollectionErrors,
    Setting,
    Simulator,
    setting_parameters,
)
from pckv.mechanisms.registry import LAWS
from pckv.planning.assessment import planned_size_share
from pckv.planning.people import Expectations, expect
from pckv.planning.selection import choose_law

# Members of a result that are about means.
MEAN_MEMBERS = ("mse_mean", "mse_mean_se", "theory_mse_mean", "keys_without_mean", "bias_mean", "coverage_mean")
# Members of a result that are about more than two levels.
LEVEL_MEMBERS = ("share_keys", "total_variation", "total_variation_se", "frequency_factor", "mean_factor")


@dataclass(frozen=True)
class Combinations:
    """What is compared: every combination of these settings; a padding of None is chosen for the data."""

    epsilons: tuple[str, ...]
    mechanisms: tuple[str, ...]
    paddings: tuple[int | None, ...]
    methods: tuple[str, ...]
    allocation: str
    top: int | None
    objective: str | None = None
    post: tuple[str, ...] = ()
    levels: tuple[Levels, ...] = (MIN_LEVELS,)

    def check(self, keys: int, *, has_values: bool = True) -> None:
        """Refuse what does not exist, or needs values where keys have none, before anything runs."""
        for what in ("epsilons", "mechanisms", "methods", "levels"):
            if not getattr(self, what):
                raise ParameterError(f"no {what} were given")
        if self.top is not None and not 1 <= self.top <= keys:
            raise ParameterError(f"top must be at least 1 and at most the {keys:,} keys, not {self.top}")
        for name in self.mechanisms:
            check_mechanism(name)
            if not has_values and find_baseline(name) is not None:
                raise ParameterError(f"mechanism {name!r} needs values: choose from {', '.join((AUTO, *LAWS))}")
        for name in self.methods:
            check_method(name)

    def settings(self, dataset: Dataset) -> Iterator[Setting]:
        """One setting after another; baselines have no padding, and an estimator of their own."""
        self.check(dataset.keys, has_values=dataset.has_values)
        expected = {levels: self._expected(dataset, levels) for levels in self.levels}
        for epsilon, name in itertools.product(self.epsilons, self.mechanisms):
            if find_baseline(name) is not None:
                yield Setting(name, epsilon, 1, OWN_METHOD, self.top, self.allocation)
                continue
            for levels, padding, method in itertools.product(self.levels, self.paddings, self.methods):
                wanted = {"name": name, **setting_parameters(self.allocation)}
                law = choose_law(Fraction(epsilon), wanted, padding, expected[levels])
                yield Setting(
                    law.name,
                    epsilon,
                    law.padding,
                    method,
                    self.top,
                    self.allocation,
                    parameters=tuple(law.parameters.items()),
                    post=self.post,
                    size_share=float(planned_size_share(law, expected[levels])),
                    levels=levels,
                    asked=(name, padding),
                )

    def _expected(self, dataset: Dataset, levels: Levels) -> Expectations:
        """The people that settings with these levels are chosen for."""
        return expect(
            dataset.keys,
            users=max(dataset.users, 1),
            sizes=dataset.set_sizes,
            objective=self.objective,
            levels=levels if isinstance(levels, int) else tuple(map(float, levels)),
        )


@dataclass(frozen=True)
class Result:
    """The errors of a setting, averaged over repeats; means are on [-1, 1].

    Where keys have no values, all that is about means is not a number (NaN) or None, and left out of `to_dict`.

    Keys without holders have no true mean: they are left out of `mse_mean` and counted in
    `keys_without_mean`. The standard errors are over the repeats. Theory is None for baselines.

    `bias_frequency` and `bias_mean` are average errors with their signs, and `coverage_frequency` and
    `coverage_mean` how many of the 95 % intervals hold the true frequency and mean; baselines have no intervals.

    With more than two levels, `total_variation` is the total variation distance between the estimated shares
    of the levels and the true ones, on average over the `share_keys` most frequent keys, values between two
    levels being counted as each of them with its chance. `frequency_factor` and `mean_factor` are the roots
    of the mean squared errors relative to those of the same setting with two levels, where that was
    simulated, too.
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
    bias_frequency: float
    bias_mean: float
    coverage_frequency: float | None
    coverage_mean: float | None
    levels: Levels = MIN_LEVELS
    share_keys: int | None = None
    total_variation: float | None = None
    total_variation_se: float | None = None
    frequency_factor: float | None = None
    mean_factor: float | None = None

    @property
    def level_count(self) -> int:
        """How many levels values are reported as."""
        return level_count(self.levels)

    def to_dict(self) -> dict[str, Any]:
        """The result as plain values; what is about means or levels only where there are any, or more than two."""
        plain = asdict(self)
        if self.level_count <= MIN_LEVELS:
            del plain["levels"]
        left_out = MEAN_MEMBERS if self.level_count == ONE_LEVEL else ()
        return {
            name: value
            for name, value in plain.items()
            if name not in left_out and (name not in LEVEL_MEMBERS or value is not None)
        }

    def relative_to(self, two: Result | None) -> Result:
        """Return the same result, its errors compared with those of two levels."""
        if two is None or self.level_count == MIN_LEVELS:
            return self
        return replace(
            self,
            frequency_factor=_root_ratio(self.mse_frequency, two.mse_frequency),
            mean_factor=_root_ratio(self.mse_mean, two.mse_mean),
        )


def _root_ratio(squares: float, others: float) -> float | None:
    return math.sqrt(squares / others) if others else None


def simulate(
    data: Any,
    *,
    epsilon: float | str | Sequence[float | str],
    mechanism: str | Sequence[str] = AUTO,
    user: str | None = None,
    key: str | None = None,
    value: str | None = None,
    low: float | None = None,
    high: float | None = None,
    repeated: str | None = None,
    padding: int | Sequence[int] | None = None,
    method: str | Sequence[str] = DEFAULT_METHOD,
    post: str | Sequence[str] = (),
    allocation: str = DEFAULT_ALLOCATION,
    levels: int | Sequence[int | Sequence[Numeric]] | None = None,
    repeats: int = 10,
    top: int | None = None,
    objective: str | None = None,
    seed: int = 0,
    workers: int | None = None,
    progress: Progress = no_progress,
) -> list[Result]:
    """Return the errors of simulated collections: a row per ε, mechanism, levels, padding and method.

    The same seed gives the same rows on any number of workers.

    Args:
        data: The participants' pairs: a DataFrame or an Arrow table with one row per pair, or a `Dataset`, as
            `read_ratings` returns it.
        epsilon: One or several privacy budgets.
        mechanism: One or several names of mechanisms, `auto`, or the paper's baselines.
        user: Of a table: the name of the column of users.
        key: Of a table: the name of the column of keys.
        value: Of a table: the name of the column of values; without it, keys have none.
        low: Of a table: the least possible value; by default the least that it has.
        high: Of a table: the largest possible value; by default the largest that it has.
        repeated: Of a table: what counts where a user has a key twice, `last` or `mean`; by default it is
            refused. A key without a value counts once.
        padding: One or several paddings; by default the one that is chosen for the data.
        method: One or several methods of estimation.
        post: Postprocessings of the frequencies.
        allocation: How the paper's mechanisms split ε.
        levels: How many levels values are reported as, equally spaced, by default two; or several of such numbers,
            any of which may be the list of the levels' values instead: `[2, [1, 2, 3, 4, 5]]` compares two levels
            with five named ones. The paper's baselines have two always.
        repeats: How many collections are simulated per row.
        top: Measure only this many of the most frequent keys; all by default.
        objective: What `auto` and `ue-compact` are tuned for.
        seed: The seed of the simulation.
        workers: How many processes; by default one per core.
        progress: Called with the share that is done.

    Returns:
        One `Result` per combination, in the order of ε, mechanism, levels, padding and method.

    Raises:
        DataError: if a row of a table is not a pair within the range.
        ParameterError: if a name does not exist, or a number is outside its domain.

    >>> from pckv.lab.populations import uniform
    >>> rows = simulate(uniform(1000, 5, default_rng(0)), epsilon=1, mechanism=["ue", "kvue"], repeats=2, workers=1)
    >>> [(row.mechanism, row.repeats) for row in rows]
    [('ue', 2), ('kvue', 2)]
    """
    dataset = _dataset(data, (user, key, value), low=low, high=high, repeated=repeated)
    combinations = Combinations(
        epsilons=tuple(map(check_epsilon, _several(epsilon))),
        mechanisms=_several(mechanism),
        paddings=_paddings(padding, dataset.keys),
        methods=_several(method),
        allocation=allocation,
        top=top,
        objective=objective,
        post=check_posts(post),
        levels=_checked_levels(levels, dataset),
    )
    for what, number, least in (("repeats", repeats, 1), ("seed", seed, 0)):
        if number < least:
            raise ParameterError(f"{what} must be at least {least}, not {number}")
    settings, simulator = list(combinations.settings(dataset)), Simulator(dataset)
    jobs = [(setting, repeat) for setting in settings for repeat in range(repeats)]
    collections = run_all(simulator, jobs, seed, workers or os.cpu_count() or 1, progress)
    rows = {
        setting: _result(simulator, setting, collections[number * repeats : (number + 1) * repeats], seed)
        for number, setting in enumerate(settings)
    }
    two = {_without_levels(each): row for each, row in rows.items() if row.level_count == MIN_LEVELS}
    return [rows[each].relative_to(two.get(_without_levels(each))) for each in settings]


def _dataset(data: Any, columns: tuple[str | None, str | None, str | None], **options: Any) -> Dataset:
    """Return the data set that was given, or that of a table."""
    if isinstance(data, Dataset):
        if any(given is not None for given in (*columns, *options.values())):
            raise ParameterError("columns and range are those of a table: a Dataset has its own")
        return data
    if isinstance(data, str | os.PathLike):
        raise ParameterError("a table or a Dataset is needed: read_ratings reads files")
    user, key, value = columns
    if user is None or key is None:
        raise ParameterError("of a table, the columns of user and key must be named, and that of values if any")
    return read_ratings(data, (user, key, value or ""), **options)


def _several(given: Any) -> tuple[Any, ...]:
    """Return one value or several as a tuple."""
    return tuple(given) if isinstance(given, Iterable) and not isinstance(given, str) else (given,)


def _without_levels(setting: Setting) -> tuple[object, ...]:
    """What settings that differ in their levels alone have in common."""
    return setting.epsilon, setting.asked, setting.method


def _checked_levels(levels: Any, dataset: Dataset) -> tuple[Levels, ...]:
    """Return the levels to compare, each of them possible for the range of the data; one where keys have no values."""
    if not dataset.has_values:
        if levels is not None:
            raise ParameterError("levels need values: name their column")
        return (ONE_LEVEL,)

    def check(each: Any) -> Levels:
        if each == MIN_LEVELS:
            # Two levels are the ends of any range, however many digits those have.
            return MIN_LEVELS
        return checked_levels(each, decimal_text(dataset.low, "low"), decimal_text(dataset.high, "high"))

    return tuple(map(check, _several(MIN_LEVELS if levels is None else levels)))


def _paddings(padding: int | Sequence[int] | None, keys: int) -> tuple[int | None, ...]:
    given = () if padding is None else _several(padding)
    for each in given:
        if check_padding(each) > keys:
            raise ParameterError(f"padding must be at most the number of keys, {keys:,}, not {each:,}")
    return given or (None,)


def check_mechanism(name: str) -> None:
    """Refuse a mechanism that does not exist, naming those that do."""
    if name not in (*LAWS, AUTO) and find_baseline(name) is None:
        known = ", ".join((AUTO, *LAWS, *BASELINE_NAMES))
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
        return simulator.run(setting, default_rng(SeedSequence(seed, spawn_key=place)), intervals=True)

    errors = []
    for of_one in map_in_processes(run, jobs, workers):
        errors.append(of_one)
        progress(len(errors) / len(jobs))
    return errors


def _average(shares: Sequence[float | None]) -> float | None:
    known = [share for share in shares if share is not None]
    return float(np.mean(known)) if known else None


def _result(simulator: Simulator, setting: Setting, collections: Sequence[CollectionErrors], seed: int) -> Result:
    errors = np.array([(one.mse_frequency, one.mse_mean, one.precision, one.total_variation) for one in collections])
    spread = errors.std(axis=0, ddof=1) / len(errors) ** 0.5 if len(errors) > 1 else np.zeros(4)
    several = level_count(setting.levels) > MIN_LEVELS
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
        bias_frequency=float(np.mean([one.bias_frequency for one in collections])),
        bias_mean=float(np.mean([one.bias_mean for one in collections])),
        coverage_frequency=_average([one.coverage_frequency for one in collections]),
        coverage_mean=_average([one.coverage_mean for one in collections]),
        levels=setting.levels,
        share_keys=simulator.share_keys(setting).size if several else None,
        total_variation=float(errors[:, 3].mean()) if several else None,
        total_variation_se=float(spread[3]) if several else None,
    )
