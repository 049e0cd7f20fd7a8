"""Which keys stand out from the noise: one answer for all methods, few false ones, and lower limits above 0."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings

from pckv import Tally, Task, estimate
from pckv.estimators.intervals import frequency_interval
from pckv.estimators.methods.bayes import learn
from pckv.estimators.methods.prior import cell_interval
from pckv.estimators.methods.registry import METHODS
from pckv.lab.counting import SamplingModel, count_reports, draw_counts
from pckv.lab.populations import zipf
from pckv.mechanisms.registry import build
from pckv.statistics.detection import Detection, detection_threshold
from pckv.statistics.moments import CountMoments
from pckv.tally.decode.support import KeySupport
from support.counts import MECHANISMS, any_counts


@pytest.mark.parametrize("keys", [12, 100, 2000])
@pytest.mark.parametrize("name", ["ue-compact", "grr", "collision"])
def test_with_no_key_held_nothing_is_detected(name: str, keys: int) -> None:
    """2,000 collections: any key is detected in 2.5 % or less; 5 % is 7 standard errors above (α < 1e-9).

    The control, keys judged one by one, must fail.
    """
    users, collections = 10_000, 2_000
    count_law = build(name, keys, 1, Fraction(2), {}).count_law
    moments, rng = CountMoments.of(count_law), np.random.default_rng(keys)
    nobody, means = np.zeros(keys * 100, np.int64), np.zeros(keys * 100)
    together, alone = 0, 0
    for _ in range(collections // 100):
        support = draw_counts(count_law, users, nobody, means, rng)
        together += Detection(keys, 0.95).detected(support.total, users, moments).reshape(100, keys).any(axis=1).sum()
        alone += Detection(1, 0.95).detected(support.total, users, moments).reshape(100, keys).any(axis=1).sum()
    assert together / collections <= 0.05
    assert alone / collections > 0.05


@settings(deadline=None)
@given(any_counts())
def test_a_detected_key_has_a_lower_limit_above_zero(counts: tuple[KeySupport, int, CountMoments]) -> None:
    support, reports, moments = counts
    is_detected = Detection(support.keys, 0.95).detected(support.total, reports, moments)
    own = frequency_interval(support, reports, moments, 0.95).low
    assert (own[is_detected] > 0).all()
    assert (learn(support, reports, moments).frequency_interval(0.95).low[is_detected] > 0).all()


@pytest.mark.parametrize("name", MECHANISMS)
def test_the_learned_distribution_does_not_pull_a_detected_key_to_zero(name: str) -> None:
    """One key with the least count that is detected, among 1,999 that no participant holds: its credible interval begins at 0."""
    users, keys = 20_000, 2000
    count_law = build(name, keys, 1, Fraction(2), {}).count_law
    moments = CountMoments.of(count_law)
    support = draw_counts(count_law, users, np.zeros(keys, np.int64), np.zeros(keys), np.random.default_rng(3))
    least = detection_threshold(moments, users, keys, 0.95)
    support.counts[:, 0] = least - least // 2, least // 2
    learned = learn(support, users, moments)
    credible = cell_interval(learned.frequency_chances, learned.frequency_cells, 0.95)[0]
    assert credible[learned.bins.of_key[0]] == 0
    assert learned.frequency_interval(0.95).low[0] > 0


def test_all_methods_and_any_selection_of_keys_agree() -> None:
    """Real counts of one collection: the same keys whichever method is used and whichever keys are asked for."""
    task = Task(name="t", keys=100, values=(-1, 1), epsilon=3, padding=3, mechanism="grr")
    model = SamplingModel(zipf(20_000, 100, np.random.default_rng(1), pairs=3))
    rng = np.random.default_rng(2)
    support = count_reports(task.law, model.prepare(task.law, rng), rng).support
    tally = Tally(task)
    words = support.counts.T.ravel()
    tally.add_many(np.repeat(np.arange(200), words))
    found = {name: estimate(tally, method=name) for name in METHODS}
    first = found["corrected"].detected
    assert 5 < first.sum() < 50
    assert all(each.detected.tolist() == first.tolist() for each in found.values())
    assert all((each.frequency_low[first] > 0).all() for each in found.values())
    some = ["7", "99", "0"]
    assert estimate(tally, method="corrected", keys=some).detected.tolist() == first[[7, 99, 0]].tolist()
    assert estimate(tally, level=0.5).detected.sum() > first.sum()
    # A key that perhaps no participant holds has no mean, however narrow the interval of its own counts is.
    own = found["corrected"]
    assert ((own.reported_mean_high - own.reported_mean_low < 1.5) & ~first).any()
    assert not any((each.mean_known & ~first).any() for each in found.values())


def test_without_reports_nothing_is_detected() -> None:
    empty = estimate(Tally(Task(name="t", keys=3, values=(0, 1), epsilon=1)))
    assert empty.detected.tolist() == [False, False, False]
    assert empty.to_dict()["estimates"][0]["detected"] is False
    assert ",detected," in empty.to_csv().splitlines()[0]
    assert empty.to_arrow().schema.field("detected").type == "bool"
    assert empty.to_pandas().detected.dtype == bool
