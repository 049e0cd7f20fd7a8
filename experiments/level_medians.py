"""Medians of load times from ten levels, against the truth and against what the mean alone tells."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.random import Generator, default_rng

from pckv.base.arrays import Flags, Floats
from pckv.base.population import Population
from pckv.contract.task import Task
from pckv.estimators.methods.bayes import Posterior, learn
from pckv.estimators.shares import distributions, own_interval, own_shares, with_intervals
from pckv.lab.counting import SamplingModel, count_reports
from pckv.lab.dataset import Dataset
from pckv.statistics.moments import CountMoments, Scale

SEED, LEVEL = 20_274, 0.95
# How many people there are, and over how many pages; the half of the pages that is loaded most is compared.
POPULATIONS = ((100_000, 40), (500_000, 20))
# What the author of the task guesses: a log-normal law with this median in seconds and this standard
# deviation of the logarithm; and the time at which longer ones are cut.
GUESSED_MEDIAN, GUESSED_SPREAD, LONGEST = 1.0, 0.8, 20.0
LEVEL_COUNT = 10


class MedianErrors(NamedTuple):
    """Mean relative errors of the medians of the top pages.

    From ten levels by `bayes` and by the keys' own counts; from the mean that two levels give, and from the
    true mean, both with the guessed spread. `cover` is the share of the intervals of `bayes` that hold the
    true median, and `width` their mean width relative to it.
    """

    people: int
    pages: int
    epsilon: str
    bayes: float
    own: float
    from_mean: float
    from_true_mean: float
    cover: float
    width: float


def guessed_levels() -> list[str]:
    """Return the levels: from 0 over eight quantiles of the guess to the longest time."""
    count_law = NormalDist(np.log(GUESSED_MEDIAN), GUESSED_SPREAD)
    inner = [float(np.exp(count_law.inv_cdf(part / (LEVEL_COUNT - 1)))) for part in range(1, LEVEL_COUNT - 1)]
    return ["0", *(f"{time:.2f}" for time in inner), f"{LONGEST:g}"]


def load_times(people: int, pages: int, rng: Generator) -> Dataset:
    """Return people who each loaded one page: log-normal times of other medians and spreads than guessed."""
    weights = np.arange(1, pages + 1) ** -0.8
    loaded = rng.choice(pages, people, p=weights / weights.sum()).astype(np.int32)
    centres, spreads = rng.normal(np.log(1.4), 0.4, pages), rng.uniform(0.5, 1.0, pages)
    times = np.exp(centres[loaded] + spreads[loaded] * rng.normal(size=people))
    population = Population(np.arange(people + 1), loaded, np.minimum(times, LONGEST))
    return Dataset("load times", population, pages, 0.0, LONGEST)


def measure_medians(epsilons: Sequence[str], repeats: int) -> list[MedianErrors]:
    """Collect several times with ten levels and with two, from every population."""
    return [
        cell
        for people, pages in POPULATIONS
        for cell in _measure(load_times(people, pages, default_rng(SEED)), epsilons, repeats)
    ]


def _measure(dataset: Dataset, epsilons: Sequence[str], repeats: int) -> list[MedianErrors]:
    people, pages = dataset.population, dataset.keys
    truth = np.array([np.median(people.values[people.keys == page]) for page in range(pages)])
    true_mean = people.truth(pages)[1]
    top, both = dataset.top(pages // 2), (guessed_levels(), 2)
    models = [SamplingModel(dataset, _scale(_task(pages, "1", levels)).values) for levels in both]
    found = []
    for epsilon in epsilons:
        rows = []
        for repeat in range(repeats):
            rng = default_rng([SEED, repeat])
            several, two = (_task(pages, epsilon, levels) for levels in both)
            bayes, own, cover, width = _medians(several, models[0], truth, rng)
            two_levels = _collected(two, models[1], rng)
            mean = (two_levels.estimates()[1] + 1) / 2 * LONGEST
            estimates = (bayes, own, _median_of_mean(mean), _median_of_mean(true_mean))
            errors = [np.abs(each / truth - 1)[top].mean() for each in estimates]
            rows.append([*errors, cover[top].mean(), (width / truth)[top].mean()])
        found.append(MedianErrors(dataset.users, pages, epsilon, *np.mean(rows, axis=0).tolist()))
    return found


def _task(pages: int, epsilon: str, levels: int | list[str]) -> Task:
    return Task(
        name="load times",
        keys=pages,
        values=(0, LONGEST),
        epsilon=epsilon,
        levels=levels,
        mechanism="ue-compact",
        padding=1,
        size_share=0,
    )


def _scale(task: Task) -> Scale:
    return Scale.of_values(task.level_values)


def _collected(task: Task, model: SamplingModel, rng: Generator) -> Posterior:
    """Collect a report of each person and learn from all of them."""
    support, _, count_law = count_reports(task.law, model.prepare(task.law, rng), rng)
    return learn(support, model.users, CountMoments.of(count_law, scale=_scale(task)))


def _medians(task: Task, model: SamplingModel, truth: Floats, rng: Generator) -> tuple[Floats, Floats, Flags, Floats]:
    """Return medians by `bayes` and by own counts; whether the intervals of `bayes` hold; their widths."""
    posterior = _collected(task, model, rng)
    interval_on = partial(posterior.mean_interval, level=LEVEL)
    shares = with_intervals(posterior.profiles.shares, interval_on)
    median = distributions(task, shares, posterior.key_mean_interval(LEVEL), interval_on).quantile(0.5)
    support, users, moments = posterior.support, posterior.reports, posterior.moments
    own_on = own_interval(support, users, moments, LEVEL)
    own = with_intervals(own_shares(support, users, moments), own_on)
    own_median = distributions(task, own, posterior.key_mean_interval(LEVEL), own_on).quantile(0.5).value
    inside = (median.low <= truth) & (truth <= median.high)
    return median.value, own_median, np.asarray(inside), median.high - median.low


def _median_of_mean(mean: Floats) -> Floats:
    """Return the median of a log-normal law with this mean and the guessed spread."""
    return np.asarray(mean * np.exp(-(GUESSED_SPREAD**2) / 2))
