"""Intervals against hostile reports: what they contain for any attack, how often they hold the truth, and bad numbers.

Counts of one key are drawn from the exact laws of the laws. What hostile reports say is added to the counts directly:
an attack on a key is nothing else than how often each of its signs is supported.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

import numpy as np
import pytest
from numpy.random import Generator, default_rng

from pckv import Tally, Task, estimate
from pckv.base.arrays import Floats, Integers
from pckv.base.errors import ParameterError
from pckv.base.population import Population
from pckv.base.seeded import seeded_source
from pckv.device.vectorised import perturb_many
from pckv.estimators.hostile import HonestReports, count_hostile
from pckv.estimators.intervals import frequency_interval, mean_interval
from pckv.lab.populations import zipf_sets
from pckv.mechanisms.base import CountLaw, Law
from pckv.mechanisms.collision.law import CollisionLaw
from pckv.mechanisms.registry import build
from pckv.statistics.detection import Detection, detection_threshold
from pckv.statistics.moments import CountMoments
from pckv.tally.decode.support import KeySupport
from support.counts import sign_chances, signed_support

LAWS: dict[str, Law] = {
    name: build(mechanism, keys, padding, Fraction(epsilon), parameters)
    for name, (mechanism, keys, padding, epsilon, parameters) in {
        "ue": ("ue", 20, 2, "1", {}),
        "ue, ε 6": ("ue", 20, 1, "6", {}),
        "grr": ("grr", 200, 1, "1", {}),
        "grr, ε 4": ("grr", 5, 3, "4", {}),
        "ue-compact": ("ue-compact", 40, 1, "1", {}),
        "ue-compact with overlap": ("ue-compact", 40, 2, "0.5", {"q": 7, "r": 3, "o": 2}),
        "collision": ("collision", 30, 3, "1", {}),
        "collision, ε 0.3": ("collision", 30, 1, "0.3", {}),
    }.items()
}
# What a hostile report says of a key: how often it supports + and -.
SAYS = {"nothing": (0, 0), "plus": (1, 0), "minus": (0, 1), "both": (1, 1)}


class Honest(NamedTuple):
    """The counts of one key in many honest collections."""

    support: KeySupport
    frequency: Floats
    mean: Floats


def draw_honest(count_law: CountLaw, reports: int, frequency: Floats, mean: Floats, rng: Generator) -> Honest:
    """Draw counts of one key from the exact law, for people of these frequencies and means."""

    def draw(chances: tuple[float, ...], people: Integers) -> Integers:
        return rng.multinomial(people, [*chances, max(0.0, 1 - sum(chances))])

    holders = np.round(frequency * reports).astype(np.int64)
    positive = np.round(holders * (1 + mean) / 2).astype(np.int64)
    own, other, both = sign_chances(count_law.holder)
    counts = draw((own, other, both), positive)
    counts += draw((other, own, both), holders - positive)
    counts += draw(sign_chances(count_law.absent), reports - holders)
    support = signed_support(counts[:, 0] + counts[:, 2], counts[:, 1] + counts[:, 2])
    true_mean = np.divide(2 * positive - holders, holders, out=np.zeros(holders.size), where=holders > 0)
    return Honest(support, holders / reports, true_mean)


def with_hostile(support: KeySupport, says: Integers) -> KeySupport:
    """Add hostile reports: for each collection, how many say each of `SAYS`."""
    added = says @ np.array(list(SAYS.values()))
    return KeySupport(support.counts + added.T[::-1])


def possible_says(law: Law) -> list[str]:
    return list(SAYS) if law.count_law.absent.own_and_other else ["nothing", "plus", "minus"]


def laws_around(law: Law, rng: Generator) -> tuple[CountLaw, CountLaw, CountLaw]:
    """Return a law, between one with less noise and one with more; they differ where noise is measured."""
    if not isinstance(law, CollisionLaw):
        return (law.count_law,) * 3
    unused = 10**9
    most = 10**9 * (law.positions - law.items) // law.symbols
    # From what is measured if no participant holds anything to far below all that is possible.
    supports = sorted(int(most * (1 - share)) for share in rng.uniform(0, 0.02, 3))
    least, true, noisy = (law.measured_law(each, unused) for each in supports)
    return least, true, noisy


class Attack(NamedTuple):
    """One random attack on keys of a random kind, with the intervals of honest reports alone and of all reports."""

    honest: HonestReports
    moments: CountMoments
    fewer: int
    alone: KeySupport
    all: KeySupport
    level: float


def random_attack(law: Law, rng: Generator, collections: int = 30) -> Attack:
    fewer = int(10 ** rng.uniform(0, 4.5))
    most = 1 + int(rng.integers(0, 1 + int(fewer * rng.choice([0.01, 0.1, 0.5, 3]))))
    hostile = int(rng.choice([0, most, int(rng.integers(0, most + 1))]))
    hostile = max(hostile, most + 1 - fewer)
    others = int(rng.choice([0, fewer // 10, fewer]))
    frequency = rng.choice([0, 0.001, 0.01, 0.1, 0.5, 1], collections)
    mean = np.where(rng.random(collections) < 0.4, rng.choice([-1, 1], collections), rng.uniform(-1, 1, collections))
    least, true, noisy = laws_around(law, rng)
    alone = draw_honest(true, fewer, frequency, mean, rng).support
    says = np.zeros((collections, len(SAYS)), np.int64)
    kinds = len(possible_says(law))
    says[:, :kinds] = rng.multinomial(hostile, rng.dirichlet(np.full(kinds, 0.2), collections))
    return Attack(
        HonestReports.of((least, noisy), fewer + hostile, most, others),
        CountMoments.of(true, others / (fewer + others)),
        fewer,
        alone,
        with_hostile(alone, says),
        float(rng.choice([0.5, 0.95, 0.999])),
    )


@pytest.mark.parametrize("name", LAWS)
def test_intervals_contain_those_of_the_honest_reports_alone(name: str) -> None:
    """For any attack by at most that many: this is the theorem (proofs/hostile.md), from which coverage follows.

    From 1 to 30,000 honest reports, few and many counts, up to three hostile reports for every honest one.
    """
    rng = default_rng([7, *name.encode()])
    for _ in range(25):
        attack = random_attack(LAWS[name], rng)
        low, high = attack.honest.frequency_interval(attack.all, attack.level)
        alone = frequency_interval(attack.alone, attack.fewer, attack.moments, attack.level)
        assert ((low <= alone.low + 1e-9) & (alone.high <= high + 1e-9)).all()
        mean = attack.honest.mean_interval(attack.all, attack.level)
        mean_alone = mean_interval(attack.alone, attack.fewer, attack.moments, attack.level)
        assert ((mean.low <= mean_alone.low + 1e-9) & (mean_alone.high <= mean.high + 1e-9)).all()
        assert (mean.low <= mean.high).all()
        threshold = detection_threshold(attack.moments, attack.fewer, 20, attack.level)
        told = attack.alone.total >= threshold
        assert not (attack.honest.detected(attack.all, Detection(20, attack.level)) & ~told).any()


def test_a_support_too_few_would_be_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The control: with one support per hostile report, where two are possible, intervals do not contain them."""
    monkeypatch.setattr(HonestReports, "max_supports", property(lambda _: 1, lambda *_: None), raising=False)
    with pytest.raises(AssertionError):
        test_intervals_contain_those_of_the_honest_reports_alone("collision")


COLLECTIONS, HONEST, HOSTILE = 4_000, 99_000, 1_000


def coverage(law: Law, frequency: float, mean: float, says: str, allowed: int = HOSTILE) -> dict[str, float]:
    """Return how often each interval holds the truth of the honest people, over many collections of one key."""
    rng = default_rng([3, *law.name.encode(), *says.encode()])
    ones = np.ones(COLLECTIONS)
    honest = draw_honest(law.count_law, HONEST, frequency * ones, mean * ones, rng)
    row = np.array([HOSTILE * (name == says) for name in SAYS])
    support = with_hostile(honest.support, np.tile(row, (COLLECTIONS, 1)))
    count_law, reports = law.count_law, HONEST + HOSTILE
    survives = HonestReports.of((count_law, count_law), reports, allowed, 0)
    moments = CountMoments.of(count_law)
    limits = {
        "frequency": (honest.frequency, survives.frequency_interval(support, 0.95)),
        "mean": (honest.mean, survives.mean_interval(support, 0.95)[:2]),
        "ordinary frequency": (honest.frequency, frequency_interval(support, reports, moments, 0.95)),
        "ordinary mean": (honest.mean, mean_interval(support, reports, moments, 0.95)[:2]),
    }
    return {
        name: float(np.mean((low <= truth + 1e-12) & (truth <= high + 1e-12)))
        for name, (truth, (low, high)) in limits.items()
    }


@pytest.mark.parametrize("name", [name for name in LAWS if "ε" not in name])
def test_coverage_under_the_worst_attacks(name: str) -> None:
    """1 % of 100,000 reports all say the same of a key; 4,000 collections: one standard error is .25 points at 97.5 %.

    The attack that reaches the end of what is possible leaves one side of the interval: it covers 97.5 %, and the bar
    of 95 % is 10 standard errors below (α < 1e-15 per case).
    """
    law = LAWS[name]
    for frequency, mean in ((0.3, 0.5), (0.02, -1.0)):
        for says in possible_says(law):
            found = coverage(law, frequency, mean, says)
            assert found["frequency"] >= 0.95, (says, frequency)
            assert found["mean"] >= 0.95, (says, frequency)


@pytest.mark.parametrize("name", ["ue", "ue-compact with overlap", "collision"])
def test_ordinary_intervals_miss_under_the_same_attack(name: str) -> None:
    """The control that must fail: reports that all say minus move the mean, and the most that they can the frequency."""
    law = LAWS[name]
    assert coverage(law, 0.3, 0.5, "minus")["ordinary mean"] < 0.5
    most = "both" if "both" in possible_says(law) else "plus"
    assert coverage(law, 0.3, 0.5, most)["ordinary frequency"] < 0.5


@pytest.mark.parametrize("name", ["ue", "ue-compact with overlap", "collision"])
def test_intervals_are_as_narrow_as_the_worst_attack_allows(name: str) -> None:
    """The worst attack leaves the truth outside as often as one side may, and 20 % fewer hostile reports are too few."""
    law = LAWS[name]
    most = "both" if "both" in possible_says(law) else "plus"
    assert coverage(law, 0.3, 0.5, most)["frequency"] <= 0.985
    assert coverage(law, 0.3, 0.5, most, allowed=HOSTILE * 4 // 5)["frequency"] < 0.93
    assert coverage(law, 0.3, 0.5, "minus", allowed=HOSTILE * 4 // 5)["mean"] < 0.93


def test_numbers_and_shares() -> None:
    assert [count_hostile(text, 1000) for text in ("0", "12", "1%", "0.05%", "99.9%")] == [0, 12, 10, 1, 999]
    assert count_hostile(np.int64(3), 10) == 3  # type: ignore[arg-type]
    assert count_hostile("1%", 0) == count_hostile(20, 0) == count_hostile("20", 0) == 0


@pytest.mark.parametrize(
    "hostile",
    [-1, 0.01, float("nan"), True, None, "", "1 %", "-1", "-1%", "nan%", "1e3", ".5%", "٣", "9" * 40],
)
def test_nonsense_is_refused_in_one_line(hostile: object) -> None:
    with pytest.raises(ParameterError, match=r"^hostile reports must be a number such as") as error:
        count_hostile(hostile, 100)  # type: ignore[arg-type]
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("hostile", [100, 101, "100%", "99.5%", "250%"])
def test_some_reports_must_be_honest(hostile: int | str) -> None:
    with pytest.raises(ParameterError, match=r"^hostile reports must be fewer than all reports: .* leave none$"):
        count_hostile(hostile, 100)


def small_tally(mechanism: str = "grr") -> Tally:
    """Return 5,000 reports of people with 1 to 4 of 6 pairs, a tenth of which say how many."""
    task = Task(name="t", keys=6, values=(-1, 1), epsilon=2, mechanism=mechanism, padding=2, size_share="0.1")
    rng = default_rng(5)
    dataset = zipf_sets(rng.integers(1, 5, 5_000), task.key_count, rng)
    tally = Tally(task)
    for batch in perturb_many(task, dataset.population, seeded_source(2)):
        tally.add_many(batch.messages)
    return tally


@pytest.mark.parametrize("method", ["baseline", "corrected", "bayes"])
@pytest.mark.parametrize("mechanism", ["grr", "collision"])
def test_more_hostile_reports_make_wider_intervals(method: str, mechanism: str) -> None:
    """For every method, with the answers to the size question; at last nothing is known."""
    tally = small_tally(mechanism)
    before = estimate(tally, method)
    for hostile in (1, 10, "1%", 600, 3_000, tally.pair_reports, tally.reports - 1):
        found = estimate(tally, method, hostile=hostile)
        assert found.hostile == count_hostile(hostile, tally.reports)
        assert (found.frequency_low <= before.frequency_low).all()
        assert (found.frequency_high >= before.frequency_high).all()
        assert (found.mean_low <= before.mean_low).all()
        assert (found.mean_high >= before.mean_high).all()
        assert found.sets.larger_low <= before.sets.larger_low
        assert found.sets.larger_high >= before.sets.larger_high
        assert found.sets.hidden_high >= before.sets.hidden_high
        assert not (found.detected & ~before.detected).any()
        assert (found.frequency_low[found.detected] > 0).all()
        before = found
    assert not found.detected.any()
    assert not found.mean_known.any()
    assert (found.frequency_low == 0).all()
    assert (found.frequency_high == 1).all()


def test_estimates_stay_and_the_result_says_what_it_holds_against() -> None:
    tally = small_tally()
    plain, hostile = estimate(tally), estimate(tally, hostile="1%")
    assert (plain.frequency == hostile.frequency).all()
    assert (plain.mean == hostile.mean).all()
    assert (plain.hostile, hostile.hostile) == (0, 50)
    assert hostile.to_dict()["hostile"] == 50
    assert hostile.to_arrow().schema.metadata[b"pckv.hostile"] == b"50"
    assert hostile.to_pandas().attrs["hostile"] == 50
    assert "hostile 50" in repr(hostile)
    assert "hostile" not in repr(plain)
    assert "whatever 50 of the reports say" in hostile.verdict[-1]
    assert "whatever" not in plain.verdict[-1]


def test_a_key_that_hostile_reports_may_have_made_is_not_told_from_zero() -> None:
    task = Task(name="t", keys=4, values=(1, 5), epsilon=2, mechanism="grr", padding=1, more="refuse")
    nothing_held = Population(np.zeros(4_001, np.int64), np.zeros(0, np.int32), np.zeros(0))
    tally = Tally(task)
    for batch in perturb_many(task, nothing_held, seeded_source(4)):
        tally.add_many(batch.messages)
    tally.add_many(np.full(300, 3))
    assert estimate(tally).detected.tolist() == [False, True, False, False]
    assert estimate(tally, hostile=100).detected.tolist() == [False, True, False, False]
    assert not estimate(tally, hostile=300).detected.any()
