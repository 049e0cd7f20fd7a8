"""Results within labels and of keys together: true, consistent, silent without evidence, and the same when read back."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.random import default_rng

from pckv import Estimates, Segment, Tally, Task, estimate
from pckv.base.arrays import Integers
from pckv.base.errors import DataError
from pckv.estimators.items import Items
from pckv.estimators.methods.registry import METHODS
from pckv.estimators.results.columns import ColumnTable, Origin
from pckv.estimators.results.segments import LabelShares
from pckv.estimators.segments import LabelCounts
from pckv.mechanisms.collision.law import CollisionLaw
from pckv.mechanisms.derivation import MECHANISMS
from pckv.mechanisms.grr.law import GrrLaw
from pckv.statistics.moments import GAUSSIAN_NOISE, SupportMoments
from pckv.tally.decode.support import KeySupport, item_support, key_support
from support.derived import collect, people_who_hold
from support.faults import Fault, in_place

LABELS = Segment("age", ["young", "middle", "old"])
KEYS = 12


def by_group(**options: Any) -> Task:
    chosen: dict[str, Any] = {"name": "t", "keys": KEYS, "epsilon": 4, "padding": 3, "segment": LABELS} | options
    return Task(**chosen)


def together(**options: Any) -> Task:
    chosen: dict[str, Any] = {"name": "t", "keys": KEYS, "epsilon": 5, "padding": 3, "together": True} | options
    return Task(**chosen)


def words_for(task: Task, item: int, functions: Integers) -> Integers:
    """Return a word for each function that supports an item; where there are no functions, its own word."""
    law = task.law
    if isinstance(law, GrrLaw):
        return np.full(functions.size, law.word(item, 0))
    assert isinstance(law, CollisionLaw)
    return np.array([int(each) * law.symbols + law.symbol(int(each), item) for each in functions])


@cache
def labelled(
    people: int = 30_000, *, values: bool = False, mechanism: str = "collision"
) -> tuple[Tally, np.ndarray, np.ndarray]:
    """People of three labels; the first key is three times as frequent among the old as among others."""
    rng = default_rng(1)
    labels = rng.choice(3, people, p=[0.5, 0.3, 0.2])
    held = rng.random((people, KEYS)) < 0.25 / np.arange(1, KEYS + 1)
    held[:, 0] |= (labels == 2) & (rng.random(people) < 0.5)
    task = by_group(values=(1, 5)) if values else by_group(mechanism=mechanism)
    return collect(task, people_who_hold(held, labels, 4.0 if values else 0.0)), held, labels


@cache
def paired(people: int = 30_000, mechanism: str = "collision") -> tuple[Tally, np.ndarray]:
    """People of whom most who hold the first key hold the second, and none who hold the third hold the fourth."""
    rng = default_rng(2)
    held = rng.random((people, KEYS)) < np.array([0.3, 0.1, 0.3, 0.4, *[0.03] * 8])
    held[:, 1] |= held[:, 0] & (rng.random(people) < 0.7)
    held[:, 3] &= ~held[:, 2]
    held = held[held.sum(axis=1) <= 6]
    task = together(more="refuse", padding=6, size_share=0, mechanism=mechanism)
    return collect(task, people_who_hold(held)), held


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_within_labels_shares_and_differences_are_true(mechanism: str) -> None:
    """Seeded: 36 cells at 95 %, of which at least 33 hold; a share of 1 to 3 in one label is found."""
    tally, held, labels = labelled(mechanism=mechanism)
    found = estimate(tally).segments
    assert found is not None
    truth = np.concatenate([held[labels == label].mean(axis=0) for label in range(3)])
    inside = (found.cells.share_low <= truth) & (truth <= found.cells.share_high)
    assert inside.sum() >= 33
    shares = np.bincount(labels) / labels.size
    assert found.labels.share.sum() == pytest.approx(1)
    assert np.abs(found.labels.share - shares).max() < 0.03
    assert {(row.key, row.label_a) for row in found.differences} == {("0", "old")}
    # Shares have one value, that of the cells.
    assert not [name for name in found.differences.table() if "share" in name]
    for row in found.differences:
        first, second = (held[labels == LABELS.labels.index(label), 0].mean() for label in (row.label_a, row.label_b))
        assert 0 <= row.difference_low <= first - second <= row.difference_high


def label_limits(people: int, seeds: int) -> tuple[float, float]:
    """Return how often 95 % intervals of labels hold the truth, and their width relative to those of single counts."""
    task, rng, inside, widths = by_group(epsilon=1, mechanism="grr"), default_rng(3), 0, np.zeros(2)
    for seed in range(seeds):
        labels = rng.choice(3, people, p=[0.5, 0.3, 0.2])
        tally = collect(task, people_who_hold(rng.random((people, KEYS)) < 0.2, labels), seed + 1)
        found = estimate(tally).segments
        assert found is not None
        low, high, truth = found.labels.share_low, found.labels.share_high, np.bincount(labels) / people
        inside += int(((low <= truth) & (truth <= high)).sum())
        alone = Items.of(tally, np.arange(3), 0, most=1, order=0, one_level=True).interval(0.95)
        widths += (high - low).sum(), (alone.high - alone.low).sum()
    return inside / (3 * seeds), widths[0] / widths[1]


def test_labels_are_known_better_since_everybody_has_one() -> None:
    """Seeded, 120 shares at 95 %: at least 107 hold (chance of fewer below 1 %); a half as wide one would hold 81."""
    held, width = label_limits(3000, 40)
    assert held >= 107 / 120
    assert width < 0.9


class Coverage(NamedTuple):
    """How often 95 % intervals of labels hold the truth, and half as wide ones; the width relative to single counts."""

    held: float
    of_halves: float
    width: float


def of_rare_noise(shares: tuple[float, ...], people: int, collections: int, **options: Any) -> Coverage:
    """Draw the counts of labels anew, where false supports are few."""
    count, rng = len(shares), default_rng(11)
    labels = Segment("age", [str(number) for number in range(count)])
    task = by_group(keys=7, mechanism="grr", segment=labels, **options)
    tally = collect(task, people_who_hold(np.zeros((people, 7), np.bool_), np.zeros(people, np.int64)))
    parents = Items.of(tally, np.arange(count), 0, most=1, order=0, one_level=True)
    assert parents.reports * parents.moments.noise < GAUSSIAN_NOISE
    # A report of `grr` says one label, the own one most often, or none.
    chances = np.full((count, count + 1), parents.moments.noise)
    chances[:, :count] += parents.moments.signal * np.eye(count)
    chances[:, count] = 1 - chances[:, :count].sum(axis=1)
    inside, widths = np.zeros(2), np.zeros(2)
    for number in range(collections):
        have = rng.multinomial(people, shares)
        asked = rng.multivariate_hypergeometric(have, parents.reports)
        said = sum(rng.multinomial(each, chance) for each, chance in zip(asked, chances, strict=True))
        now = replace(parents, support=KeySupport(np.asarray(said)[None, :count]))
        found = LabelCounts(now, now).labels(list(labels.labels), Origin("t", "grr", people, 2.0, "bayes", 0.95, 0))
        truth, middle = have / people, (found.share_low + found.share_high) / 2
        away, half = np.abs(truth - middle), (found.share_high - found.share_low) / 2
        inside += (away <= half + 1e-12).mean(), (away <= half / 2).mean()
        if number < 20:
            alone = now.interval(0.95)
            widths += half.sum(), (alone.high - alone.low).sum() / 2
    held, of_halves = inside / collections
    return Coverage(held, of_halves, widths[0] / widths[1])


@pytest.mark.parametrize(("shares", "people"), [((0.5, 0.5), 60), ((0.5, 0.5), 150), ((0.1, 0.9), 150)])
def test_two_labels_are_known_better_where_noise_is_rare(shares: tuple[float, float], people: int) -> None:
    """Of 2,000 collections, .93 to .975 hold at 95 % (a standard error is .005); half as wide ones, a control, do not.

    So do counts of 4 to 20, since the errors of both labels are one error with two signs.
    """
    held, of_halves, width = of_rare_noise(shares, people, 2_000, epsilon=2, padding=4)
    assert 0.93 < held < 0.975
    assert of_halves < 0.8
    assert width < 0.9


@pytest.mark.parametrize(
    ("shares", "people", "options"),
    [((1 / 16,) * 16, 60, {"epsilon": 6, "padding": 1}), ((0.9, *(0.025,) * 4), 100, {"epsilon": 4, "padding": 1})],
)
def test_intervals_of_many_labels_hold_where_noise_is_rare(
    shares: tuple[float, ...], people: int, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of 300 collections, at least .95 of 1,500 intervals and more; normal ones of sixteen labels, a control, do not."""
    assert of_rare_noise(shares, people, 300, **options).held > 0.95
    if len(shares) == 16:
        monkeypatch.setattr(Items, "are_few", False)
        assert of_rare_noise(shares, people, 300, **options).held < 0.92


def test_keys_are_those_of_all_labels() -> None:
    """Exactly, the counts; seeded, all twelve frequencies and the means that are known, at 95 %."""
    tally, held, _ = labelled(values=True)
    items, over_all = item_support(tally).counts, key_support(tally).counts
    for key in range(KEYS):
        assert over_all[:, key].tolist() == items[:, 3 + key :: KEYS].sum(axis=1).tolist()
    found, truth = estimate(tally), held.mean(axis=0)
    assert ((found.frequency_low <= truth) & (truth <= found.frequency_high)).sum() >= 11
    assert found.mean_known.any()
    assert ((found.mean_low <= 4) & (found.mean_high >= 4))[found.mean_known].all()


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_keys_without_values_are_those_of_all_labels(mechanism: str) -> None:
    """Seeded, all twelve at 95 %; and exactly, the variance of what a report supports, which is 0 or 1 by `grr`."""
    tally, held, _ = labelled(mechanism=mechanism)
    found, truth = estimate(tally), held.mean(axis=0)
    assert ((found.frequency_low <= truth) & (truth <= found.frequency_high)).sum() >= 11
    for law, item in zip(tally.count_law[:2], tally.item_law[:2], strict=True):
        one = float(item.own + 2 * item.other)
        squares = float(item.own * (1 - item.own) + 2 * item.other * (1 - item.other))
        expected = one * (1 - one) if mechanism == "grr" else squares
        assert SupportMoments.of(law).variance_sum == pytest.approx(expected)


def test_means_within_labels_are_true() -> None:
    """Seeded: all labels, at least 33 of 36 shares, and all means that are known, at 95 %."""
    tally, held, labels = labelled(values=True)
    found = estimate(tally).segments
    assert found is not None
    within = np.concatenate([held[labels == label].mean(axis=0) for label in range(3)])
    assert ((found.cells.share_low <= within) & (within <= found.cells.share_high)).sum() >= 33
    parents = Items.of(tally, np.arange(3), 0, most=1, order=0, one_level=True)
    # Three errors of the sum, which is 1 where the noise of one level is taken off.
    errors = 3 * np.sqrt(parents.variance(parents.frequency).sum())
    assert abs(parents.frequency.sum() - 1) < errors
    shares = np.bincount(labels) / labels.size
    assert ((found.labels.share_low <= shares) & (shares <= found.labels.share_high)).all()
    cells = [row for row in found.cells if row.mean_known]
    assert len(cells) > 2
    assert all(row.mean_low <= 4 <= row.mean_high for row in cells)


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_keys_that_go_together_or_exclude_each_other_are_found(mechanism: str) -> None:
    """Seeded: no other pair is claimed. Of all intervals that are shown at most 5 % miss, on average; here 10 % may."""
    tally, held = paired(mechanism=mechanism)
    found = estimate(tally).pairs
    assert found is not None
    related = {(row.first, row.second): row.relation for row in found if row.relation}
    assert related == {("0", "1"): "together", ("2", "3"): "apart"}
    missed = 0
    for row in found:
        first, second = held[:, int(row.first)], held[:, int(row.second)]
        both = float((first & second).mean())
        truth = {
            "share": both,
            "second_given_first": both / first.mean(),
            "first_given_second": both / second.mean(),
            "lift": both / (first.mean() * second.mean()),
        }
        known = {name: share for name, share in truth.items() if getattr(row, name) is not None}
        missed += sum(
            not getattr(row, f"{name}_low") <= share <= getattr(row, f"{name}_high") for name, share in known.items()
        )
    assert missed <= 0.1 * 4 * len(found)


def test_keys_that_padding_makes_rarer_together_are_not_said_to_exclude_each_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Independent keys, six of twelve each, of which three are reported: the lift that shows is about .7.

    The control: without what is hidden of pairs, half of the pairs are claimed.
    """
    held = default_rng(3).random((30_000, KEYS)) < 0.5
    tally = collect(together(size_share="0.1"), people_who_hold(held))
    found = estimate(tally).pairs
    assert found is not None
    assert found.detected.all()
    assert set(found.relation) == {""}
    assert np.nanmax(found.lift) < 0.95
    monkeypatch.setattr("pckv.estimators.together.hidden_limit", lambda *_, **__: 0.0)
    claimed = estimate(tally).pairs
    assert claimed is not None
    assert claimed.relation.count("apart") > 30


def test_a_key_that_padding_hides_in_one_label_is_not_said_to_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    """Half of all hold the first key; the young hold six others besides, so that two of seven keys are reported.

    The control: without what is hidden, the key is claimed to differ.
    """
    people, rng = 30_000, default_rng(4)
    labels = rng.integers(0, 3, people)
    held = np.zeros((people, KEYS), np.bool_)
    held[:, 0] = rng.random(people) < 0.5
    held[np.ix_(labels == 0, range(1, 7))] = True
    tally = collect(by_group(padding=2, size_share="0.1"), people_who_hold(held, labels))

    def differing() -> set[str]:
        found = estimate(tally).segments
        assert found is not None
        return {
            key for key, label in zip(found.differences.key, found.differences.label_b, strict=True) if label == "young"
        }

    assert "0" not in differing()
    monkeypatch.setattr("pckv.estimators.segments.hidden_limit", lambda *_, **__: 0.0)
    assert "0" in differing()


@pytest.mark.parametrize(
    "method", [each if each == "bayes" else pytest.param(each, marks=pytest.mark.verify) for each in METHODS]
)
def test_what_is_shown_is_possible(method: str) -> None:
    """A child never exceeds its parent, all shares are from 0 to 1, and intervals contain what they are about."""
    # Half of the people hold three keys, and no others: a pair is as frequent as its keys.
    held = (default_rng(5).random((3_000, 1)) < 0.5) & (np.arange(KEYS) < 3)
    found = estimate(collect(together(epsilon=3, more="refuse", size_share=0), people_who_hold(held)), method)
    assert found.pairs is not None
    assert len(found.pairs) >= 3
    frequency = dict(zip(found.key, np.clip(found.frequency, 0, 1).tolist(), strict=True))
    for row in found.pairs:
        assert row.share <= min(frequency[row.first], frequency[row.second]) + 1e-12
        for name in ("share", "second_given_first", "first_given_second"):
            assert 0 <= getattr(row, f"{name}_low") <= getattr(row, name) <= getattr(row, f"{name}_high") <= 1
    segments = estimate(labelled(3_000)[0], method).segments
    assert segments is not None
    share = dict(zip(segments.labels.label, segments.labels.share.tolist(), strict=True))
    for cell in segments.cells:
        assert cell.share_of_all <= share[cell.segment] + 1e-12
        assert 0 <= cell.share_low <= cell.share <= cell.share_high <= 1
        assert 0 <= cell.share_of_all_low <= cell.share_of_all <= cell.share_of_all_high <= 1


def test_few_reports_claim_nothing() -> None:
    """ε = 1 and 2,000 people, of whom all young hold the first key: too few to say anything."""
    labels = default_rng(6).integers(0, 3, 2_000)
    held = np.zeros((2_000, KEYS), np.bool_)
    held[labels == 0, :2] = True
    segments = estimate(collect(by_group(epsilon="0.5"), people_who_hold(held, labels))).segments
    pairs = estimate(collect(together(epsilon="0.5"), people_who_hold(held))).pairs
    assert segments is not None
    assert pairs is not None
    assert len(segments.differences) == len([row for row in pairs if row.relation]) == 0
    nothing = estimate(Tally(by_group())).segments
    assert nothing is not None
    assert (nothing.cells.share_low.max(), nothing.cells.share_high.min()) == (0, 1)
    assert len(nothing.labels) == 3
    assert estimate(Tally(together())).pairs is not None


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_intervals_hold_whatever_hostile_reports_say(mechanism: str) -> None:
    """All hostile reports say that a young person holds a rare key. The control: all taken to be honest.

    The key stands out in the doubted reports only if it does in the honest ones.
    """
    tally, held, labels = labelled(mechanism=mechanism)
    hostile, rng = 600, default_rng(7)
    forged = words_for(tally.task, len(LABELS.labels) + 11, rng.integers(0, 2**32, hostile))
    attacked = Tally(tally.task)
    attacked.merge(tally)
    attacked.add_many(forged)
    believed, doubted = (estimate(attacked, hostile=number).segments for number in (0, hostile))
    honest = estimate(tally).segments
    assert honest is not None
    assert believed is not None
    assert doubted is not None
    truth = held[labels == 0, 11].mean()
    assert believed.cells.detected[11]
    assert believed.cells.share_low[11] > truth
    assert doubted.cells.detected[11] <= honest.cells.detected[11]
    assert doubted.cells.share_low[11] <= truth <= doubted.cells.share_high[11]
    assert len(doubted.differences) <= len(believed.differences)
    assert "whatever 600 of the reports say" in " ".join(doubted.sentences)


@pytest.mark.verify
def test_named_keys_have_their_rows_alone() -> None:
    for method in METHODS:
        segments = estimate(labelled()[0], method, keys=["3", "0"]).segments
        assert segments is not None
        assert [*zip(segments.cells.segment[:3], segments.cells.key[:3], strict=True)] == (
            [("young", "0"), ("young", "3"), ("middle", "0")]
            if METHODS[method].needs_all_keys
            else [("young", "3"), ("young", "0"), ("middle", "3")]
        )
        pairs = estimate(paired()[0], method, keys=["0"]).pairs
        assert pairs is not None
        assert {"0"} == {key for key in pairs.first if key == "0"}
        assert all("0" in names for names in zip(pairs.first, pairs.second, strict=True))


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_counts_of_items_that_are_impossible_are_named(mechanism: str) -> None:
    tally, _, _ = labelled(3_000, mechanism=mechanism)
    copied = Tally(tally.task)
    copied.merge(tally)
    copied.add_many(words_for(tally.task, 3, np.full(3_000, 12_345)))
    said = " ".join(estimate(copied).warning)
    assert "“0” within the label “young” is counted" in said
    assert not estimate(tally).impossible


def test_sentences_are_those_of_all_that_was_tested() -> None:
    """Rates of false flags are those of all flags: a selection of keys has the same sentences as all."""
    for tally in (labelled()[0], paired()[0]):
        found = estimate(tally)
        parts = [each.segments or each.pairs for each in (found, found.top(1), estimate(tally, keys=["5"]))]
        assert len({None if part is None else part.sentences for part in parts}) == 1


def test_tables_say_where_they_come_from() -> None:
    """Postprocessing is of frequencies over all people: tables within labels and together are the same without it."""
    for tally in (labelled()[0], paired()[0]):
        plain, consistent = (estimate(tally, post=post) for post in ((), "consistent"))
        assert consistent.method == "bayes+consistent"
        for table, same in zip(tables_of(plain), tables_of(consistent), strict=True):
            assert same.to_json() == table.to_json()
            facts = json.loads(table.to_json())
            assert [facts[name] for name in ("task", "reports", "level")] == [tally.task.id, tally.reports, 0.95]
            assert table.title.endswith(f", collision, realised ε {plain.epsilon:g}, method bayes")


def test_differences_and_relations_do_not_depend_on_the_level_of_intervals() -> None:
    """What larger sets hide is allowed for at one level: the promised rate of false flags is the same for all."""
    held = default_rng(2).random((4_000, KEYS)) < np.array([0.3, 0.1, 0.3, 0.4, *[0.03] * 8])
    held[:, 1] |= held[:, 0] & (default_rng(3).random(4_000) < 0.7)
    for tally in (labelled(6_000)[0], collect(together(), people_who_hold(held))):
        flags = []
        for level in (0.1, 0.999999):
            found = estimate(tally, "corrected", level)
            part = found.segments or found.pairs
            assert part is not None
            flags.append(part.sentences[1])
        assert flags[0] == flags[1]


def test_a_label_that_may_be_that_of_no_one_is_too_rare_to_tell() -> None:
    labels = LabelShares(
        Origin("t", "collision", 9, 4.0, "bayes", 0.95, 0),
        ["a", "b", "c"],
        *np.array([[0, 0.7, 0.5], [0, 0.5, 0], [0.38, 0.9, 1]]),
    )
    assert [cells[1:] for cells in labels.cells()] == [
        ("not distinguishable from noise", "0 to 38 %"),
        ("70 %", "50 to 90 %"),
        ("unknown", "0 to 100 %"),
    ]


FAULTS = [
    in_place(
        "a key is counted within its most frequent label alone",
        "tally/decode/support.py",
        {"by_label.sum(axis=1)": "by_label.max(axis=1)"},
        test_keys_are_those_of_all_labels,
    ),
    in_place(
        "a label is read from all levels",
        "estimators/items.py",
        {"KeySupport(support.counts[:1])": "KeySupport(support.total[None])"},
        test_means_within_labels_are_true,
    ),
    in_place(
        "all labels together have the noise of one",
        "mechanisms/derivation.py",
        {"item_law.pooled(self.labels)": "item_law"},
        test_keys_are_those_of_all_labels,
    ),
    in_place(
        "what is shown of two keys may exceed either",
        "estimators/together.py",
        {"np.clip(frequency, 0, np.minimum(*held))": "np.clip(frequency, 0, 1)"},
        partial(test_what_is_shown_is_possible, "baseline"),
    ),
    in_place(
        "what is shown within a label may exceed it",
        "estimators/segments.py",
        {'np.clip(columns["frequency"], 0, parent)': 'np.clip(columns["frequency"] + 0.3, 0, 1)'},
        partial(test_what_is_shown_is_possible, "baseline"),
    ),
    in_place(
        "hostile reports are believed within labels",
        "estimators/segments.py",
        {"found.joined(self._whatever_is_said(level)) if hostile else found": "found"},
        partial(test_intervals_hold_whatever_hostile_reports_say, "collision"),
    ),
    in_place(
        "all labels together as if a report supported several",
        "mechanisms/base.py",
        {"Support.independent if each.own_and_other else Support.exclusive": "Support.independent"},
        partial(test_keys_without_values_are_those_of_all_labels, "grr"),
    ),
]


@pytest.mark.parametrize(
    "fault",
    [FAULTS[0], *(pytest.param(each, marks=pytest.mark.verify, id=str(each)) for each in FAULTS[1:])],
    ids=str,
)
def test_a_fault_of_derived_results_is_caught(fault: Fault, tmp_path: Path) -> None:
    fault.check_caught(tmp_path, raises=AssertionError)


def tables_of(found: Estimates) -> list[ColumnTable]:
    """Return the tables of what is known within labels, or together."""
    if found.segments is not None:
        return [found.segments.labels, found.segments.cells, found.segments.differences]
    assert found.pairs is not None
    return [found.pairs]


@pytest.mark.parametrize(
    "result",
    [
        lambda: labelled(values=True)[0],
        lambda: paired()[0],
        pytest.param(lambda: labelled()[0], marks=pytest.mark.verify),
    ],
)
def test_results_are_the_same_when_read_back(result: Any) -> None:
    found = estimate(result())
    again = Estimates.from_json(found.to_json())
    assert again.to_json() == found.to_json()
    assert again.with_verdict().verdict == again.verdict == found.verdict
    some = np.array([1, 0])
    assert again.take(some).to_json() == found.take(some).to_json()
    for table, same in zip(tables_of(found), tables_of(again), strict=True):
        assert same.shown(3)[0].cells() == table.shown(3)[0].cells()
        assert same.to_parquet() == table.to_parquet()
        frame = table.to_pandas()
        assert list(frame) == list(table.table()) == table.to_arrow().column_names
        assert len(frame) == len(table) == len(table.to_csv().splitlines()) - 1
        assert frame.attrs["reports"] == found.reports
        assert len(table.cells()) == len(table)
        assert all(len(row) == len(table.headers()) for row in table.cells())
    if found.segments is not None:
        frame = found.segments.cells.to_pandas()
        assert list(frame)[:2] == ["segment", "key"]
        assert ("mean" in frame) == found.has_means
        document = json.loads(found.to_json())
        document["segments"]["cells"][0]["segment"] = "another"
        with pytest.raises(DataError, match=r"segments\.cells: not of a label"):
            Estimates.from_dict(document)
