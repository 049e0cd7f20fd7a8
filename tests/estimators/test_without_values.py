"""Estimates of keys without values: coverage and bias by enumeration of all counts, and what hostile reports can do."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from numpy.random import default_rng
from scipy import stats

from experiments.attacks import constant_function, same_word
from pckv import Estimates, Report, Tally, Task, estimate
from pckv.base.arrays import Floats, Messages
from pckv.base.population import Population
from pckv.base.seeded import seeded_source
from pckv.device.vectorised import perturb_many
from pckv.estimators.alarms import check_reports
from pckv.mechanisms.ue_compact.law import UeCompactLaw
from support.tiers import wide

REPORTS, HOSTILE = 40, 6
METHODS = {
    "bayes": ("bayes", ()),
    "corrected": ("corrected", ()),
    "baseline": ("baseline", ()),
    "consistent": ("corrected", ("consistent",)),
}
# One key, of which a report says one of two things: the message that claims it, and one that does not.
CLAIMS = {"ue": (1, 0), "grr": (0, 1)}


def one_key(mechanism: str, epsilon: int) -> Task:
    return Task(name="t", keys=1, epsilon=epsilon, padding=1, mechanism=mechanism, size_share=0)


def estimated(task: Task, count: int, method: str, hostile: int = 0) -> Estimates:
    """Return the estimates of as many reports, of which so many claim the key."""
    own, other = CLAIMS[task.mechanism]
    messages = [own] * count + [other] * (REPORTS - count)
    tally = Tally(task)
    tally.add_many(Report(bytes(16), task.message_format.encode(message)) for message in messages)
    name, post = METHODS[method]
    return estimate(tally, name, post=post, hostile=hostile)


@cache
def intervals(mechanism: str, epsilon: int, method: str, hostile: int = 0) -> Floats:
    """Return low end, high end and estimate of the key, a row per count."""
    task = one_key(mechanism, epsilon)
    rows = [next(iter(estimated(task, count, method, hostile))) for count in range(REPORTS + 1)]
    return np.array([(row.frequency_low, row.frequency_high, row.frequency) for row in rows])


def chances(mechanism: str, epsilon: int, honest: int = REPORTS) -> Floats:
    """Return the chances of all counts, a row per number of holders among the honest people."""
    law = one_key(mechanism, epsilon).law.count_law
    held, lacked = float(law.holder.own), float(law.absent.other)
    counts = (
        (stats.binom(holders, held).pmf(np.arange(holders + 1)), stats.binom(rest, lacked).pmf(np.arange(rest + 1)))
        for holders, rest in ((holders, honest - holders) for holders in range(honest + 1))
    )
    return np.array([np.convolve(own, other) for own, other in counts])


def least_coverage(limits: Floats, by_holders: Floats) -> float:
    """Return the coverage of the frequency that is covered least, over all numbers of holders."""
    frequencies = np.arange(len(by_holders))[:, None] / (len(by_holders) - 1)
    covered = (limits[:, 0] <= frequencies + 1e-9) & (frequencies - 1e-9 <= limits[:, 1])
    return float((by_holders * covered).sum(axis=1).min())


@pytest.mark.parametrize("mechanism", CLAIMS)
@pytest.mark.parametrize("epsilon", [1, *wide(2, 4)])
def test_intervals_of_all_counts_cover_every_frequency(mechanism: str, epsilon: int) -> None:
    """By enumeration at least .95, with every method. The control, intervals half as wide, is below .8."""
    by_holders = chances(mechanism, epsilon)
    for method in METHODS:
        found = intervals(mechanism, epsilon, method)
        assert least_coverage(found, by_holders) >= 0.95, method
        middle, half = (found[:, 0] + found[:, 1]) / 2, (found[:, 1] - found[:, 0]) / 4
        assert least_coverage(np.stack([middle - half, middle + half], axis=1), by_holders) < 0.8, method


@pytest.mark.parametrize("mechanism", CLAIMS)
@pytest.mark.parametrize("epsilon", [1, *wide(2, 4)])
def test_frequencies_are_unbiased_before_they_are_cut(mechanism: str, epsilon: int) -> None:
    """By enumeration, for every number of holders; what is cut at the ends of the range is not."""
    by_holders = chances(mechanism, epsilon)
    frequencies = np.arange(REPORTS + 1) / REPORTS
    expected = by_holders @ intervals(mechanism, epsilon, "baseline")[:, 2]
    assert expected == pytest.approx(frequencies, abs=1e-9)
    assert abs(by_holders @ intervals(mechanism, epsilon, "corrected")[:, 2] - frequencies).max() > 0.001


@pytest.mark.parametrize("mechanism", ["ue", *wide("grr")])
@pytest.mark.parametrize("epsilon", [1, *wide(2, 4)])
def test_intervals_hold_whatever_hostile_reports_say(mechanism: str, epsilon: int) -> None:
    """By enumeration of what the honest people send, where all hostile reports claim the key, none or half of them."""
    by_holders = chances(mechanism, epsilon, REPORTS - HOSTILE)
    found, ordinary = (intervals(mechanism, epsilon, "corrected", hostile) for hostile in (HOSTILE, 0))
    for claimed in (0, HOSTILE // 2, HOSTILE):
        said = slice(claimed, claimed + REPORTS - HOSTILE + 1)
        assert least_coverage(found[said], by_holders) >= 0.95
    assert least_coverage(ordinary[HOSTILE:], by_holders) < 0.9


def honest_reports(task: Task, people: int) -> Messages:
    """Return the reports of people who hold one key each, by Zipf's law."""
    popularity = 1 / np.arange(1, task.key_count + 1)
    keys = default_rng(3).choice(task.key_count, people, p=popularity / popularity.sum()).astype(np.int32)
    held = Population(np.arange(people + 1), keys, np.ones(people))
    return np.concatenate([batch.messages for batch in perturb_many(task, held, seeded_source(4))])


@pytest.mark.parametrize("mechanism", ["collision", "ue-compact"])
def test_counts_and_functions_of_liars_are_found(mechanism: str) -> None:
    """2 % of 20,000 reports send one word: alarms name their function, and honest reports are silent."""
    task = Task(name="t", keys=100, epsilon=1, padding=1, mechanism=mechanism, size_share=0)
    honest, rng = honest_reports(task, 20_000), default_rng(5)
    liars = same_word(task, rng.choice(np.arange(10, 100), 10, replace=False), 400, rng, 50)
    assert check_reports(task, [honest], default_rng(6)).unusual == ()
    found = check_reports(task, [honest[400:], liars], default_rng(6)).unusual
    assert "heaviest function" in {test.name for test in found}


@pytest.mark.parametrize("mechanism", ["ue", "ue-compact"])
def test_counts_that_no_people_explain_are_impossible(mechanism: str) -> None:
    """Half of the reports claim all keys: more keys each than people can hold. Honest reports pass all tests."""
    task = Task(name="t", keys=100, epsilon=2, padding=1, mechanism=mechanism, size_share=0)
    honest = honest_reports(task, 4_000)
    if isinstance(task.law, UeCompactLaw):
        liars: Messages = constant_function(task.law, len(honest))
    else:
        liars = task.message_format.to_array(task.message_format.encode(2**100 - 1) * len(honest))
    for reports, is_impossible in ((honest, False), (np.concatenate([honest, liars]), True)):
        tally = Tally(task)
        tally.add_many(reports)
        found = estimate(tally, "corrected")
        assert bool(found.impossible) == is_impossible
