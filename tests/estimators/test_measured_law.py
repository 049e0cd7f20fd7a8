"""`collision`: how often absent keys are supported is measured, and frequencies are not biased by it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
from numpy.random import default_rng

from pckv import Tally, Task, estimate
from pckv.base.population import Population
from pckv.device.vectorised import perturb_many
from pckv.mechanisms.collision.law import CollisionLaw
from pckv.statistics.moments import CountMoments
from support.faults import faulty_module
from support.tasks import a_task

KEYS, HELD_KEYS, PAIRS, USERS = 1_000, 50, 5, 60_000


@cache
def crowd_tally() -> Tally:
    """Every participant holds five of the first fifty keys; all other keys are without holders."""
    rng = default_rng(31)
    keys = np.argsort(rng.random((USERS, HELD_KEYS)), axis=1)[:, :PAIRS].astype(np.int32)
    people = Population(np.arange(USERS + 1) * PAIRS, keys.reshape(-1), rng.uniform(-1, 1, USERS * PAIRS))
    task = a_task(keys=KEYS, values=(-1, 1), epsilon=3, padding=PAIRS, mechanism="collision", size_share=0)
    tally = Tally(task)
    for batch in perturb_many(task, people, default_rng(32).bytes):
        tally.add_many(batch.messages)
    return tally


def mean_of_absent_keys() -> float:
    return float(np.mean(estimate(crowd_tally(), method="baseline").frequency[HELD_KEYS:]))


def law_of(task: Task) -> CollisionLaw:
    assert isinstance(task.law, CollisionLaw)
    return task.law


# With F pairs per person and the chance taken as 1/t, every frequency would be too low by 2F/N.
BIAS = 2 * PAIRS / 4_099


def test_frequencies_of_absent_keys_are_zero_on_average() -> None:
    """Within F/N = .0012 of zero, 4.38 standard errors: α = 1.2e-5, and a bias of 2F/N is found with power .99999.

    One standard error is that of 950 absent keys less that of 2,099 unused positions: per report √(β(1/1900 + 1/2099)),
    times 2/(α - β), .00028 at 60,000 reports.
    """
    law = law_of(crowd_tally().task)
    held, other = law.hit / law.one, 1 / law.symbols
    error = 2 / (held - other) * np.sqrt(other * (1 / 1_900 + 1 / 2_099) / USERS)
    assert law.positions == 4_099
    assert 4.2 * error < BIAS / 2
    assert abs(mean_of_absent_keys()) < BIAS / 2


def not_measured(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Tally, "count_law", property(lambda tally: tally.task.law.count_law))


def measured_with(right: str, wrong: str) -> Callable[[pytest.MonkeyPatch], None]:
    """Plant a fault into the measurement."""

    def plant(patch: pytest.MonkeyPatch) -> None:
        faulty = faulty_module("mechanisms/collision/law.py", {right: wrong}).CollisionLaw
        patch.setattr(CollisionLaw, "measured_law", faulty.measured_law)

    return plant


UNUSED = "unused = self.positions - self.items\n"
FAULTS: dict[str, tuple[Callable[[pytest.MonkeyPatch], None], int]] = {
    "the chance taken as 1/t": (not_measured, -1),
    "items taken for unused positions": (measured_with(UNUSED, "unused = self.items\n"), -1),
    "all positions taken for unused": (measured_with(UNUSED, "unused = self.positions\n"), +1),
    "the bound for one pair alone": (measured_with("* self.padding / (self", "/ (self"), -1),
}


@pytest.mark.parametrize(("plant", "sign"), FAULTS.values(), ids=FAULTS)
def test_a_chance_that_is_measured_wrongly_shows(
    plant: Callable[[pytest.MonkeyPatch], None], sign: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Frequencies of keys without holders are beyond the bound of the test above, on the side that is expected."""
    plant(monkeypatch)
    assert sign * mean_of_absent_keys() > BIAS / 2


def least_signal() -> float:
    """The least signal of estimates from one report, of 30 random ones: where a small ε leaves hardly any."""
    task = a_task(keys=KEYS, values=(-1, 1), epsilon="0.01", padding=1, mechanism="collision", size_share=0)
    signals = []
    for word in default_rng(33).integers(law_of(task).word_limit, size=30):
        tally = Tally(task)
        tally.add_many(np.array([word]))
        signals.append(float(CountMoments.of(tally.count_law).signal))
        estimates = estimate(tally, method="corrected")
        assert np.isfinite(estimates.frequency).all()
        assert (estimates.frequency_low <= estimates.frequency_high).all()
    return min(signals)


def test_few_or_hostile_reports_leave_the_signal_positive(monkeypatch: pytest.MonkeyPatch) -> None:
    """The measured chance is bounded: never above 1/t. The control, without bounds, has a negative signal."""
    law = CollisionLaw.from_parameters(KEYS, 1, law_of(crowd_tally().task).epsilon, {})
    assert law.measured_law(10**9, 1).absent == law.count_law.absent
    assert least_signal() > 0
    bounded = "min(most, max(most - 2 * gap, Fraction(unused_supports, reports * unused)))"
    measured_with(bounded, "Fraction(unused_supports, reports * unused)")(monkeypatch)
    assert least_signal() < 0


def test_what_honest_reports_measure_is_between_the_two_laws_whatever_others_say() -> None:
    """3,000 hostile reports, all with the word whose unused positions are fewest or most of some thousand words."""
    honest, hostile = crowd_tally(), 3_000
    words = default_rng(3).integers(0, law_of(honest.task).word_limit, 1_000)
    unused = [_unused_supports(honest.task, word) for word in words]
    measured = CountMoments.of(honest.count_law).noise
    moved = []
    for word in (words[int(np.argmin(unused))], words[int(np.argmax(unused))]):
        tally = Tally(honest.task)
        tally.merge(honest)
        tally.add_many(np.full(hostile, word))
        moved.append(CountMoments.of(tally.count_law).noise)
        widest = (0.0, 1.0)
        for allowed in (2 * hostile, hostile):
            least, most = (CountMoments.of(count_law).noise for count_law in tally.honest_laws(allowed))
            assert widest[0] <= least <= measured <= most <= widest[1]
            widest = least, most
    # The control: a law measured from all reports is moved either way.
    assert moved[0] < measured < moved[1]


def _unused_supports(task: Task, word: np.int64) -> int:
    tally = Tally(task)
    tally.add_many(np.full(1, word))
    # Its cell comes after those of the items.
    return int(tally.counts.take(np.array([2 * KEYS]))[0])
