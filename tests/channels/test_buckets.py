"""The pilot: a task of sizes, its buckets, its reports and its estimates."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy import stats

from device.test_device import chi_square_p, population_of
from pckv import Tally, Task, estimate, perturb
from pckv.auditing.exhaustive import ExhaustiveTape, sampler_law
from pckv.budget import exp_lower
from pckv.channels import CHANNELS
from pckv.channels.buckets import BucketsChannel
from pckv.device import vectorised
from pckv.device.vectorised import VectorisedTape, perturb_many
from pckv.errors import PairsError, ParameterError, TaskError
from pckv.estimators.estimate import default_method, methods_for
from pckv.estimators.intervals import frequency_interval
from pckv.mechanisms import load_part
from pckv.moments import CountMoments
from pckv.population import Population
from pckv.seeded import seeded_source
from pckv.tally.decode.support import KeySupport

MOVIES = ["alien", "heat", "up"]


def pilot(**changes: Any) -> Task:
    parts: dict[str, Any] = {"name": "movies", "keys": MOVIES, "values": (1, 5), "epsilon": 1}
    return Task(**(parts | {"padding": 512, "kind": "sizes"} | changes))


def channel_of(padding: int, epsilon: str = "1", bits: int = 64) -> BucketsChannel:
    return BucketsChannel(3, padding, Fraction(epsilon), bits)


def holding(size: int) -> dict[int, int]:
    return dict.fromkeys(range(size), 1)


# --- buckets ---


@pytest.mark.parametrize(
    ("padding", "labels"),
    [
        (1, "0 1+"),
        (2, "0 1 2+"),
        (3, "0 1 2 3+"),
        (4, "0 1 2 3+"),
        (5, "0 1 2 3-4 5+"),
        (9, "0 1 2 3-4 5-8 9+"),
        (512, "0 1 2 3-4 5-8 9-16 17-32 33-64 65-128 129-256 257+"),
    ],
)
def test_labels(padding: int, labels: str) -> None:
    assert channel_of(padding).labels == tuple(labels.split())


def test_every_size_falls_into_its_bucket() -> None:
    for padding in (*range(1, 70), 512, 2**14 - 1, 2**14):
        channel = channel_of(padding)
        ranges = [range(start, end + 1) for start, end in zip(channel.starts, channel.ends, strict=True)]
        assert [size for sizes in ranges for size in sizes] == list(range(padding + 1))
        for bucket, sizes in enumerate(ranges):
            assert {channel.bucket_of(size) for size in sizes} == {bucket}
        assert channel.bucket_of(padding + 1) == channel.bucket_of(10**9) == channel.rows - 1
        assert channel.rows == channel.word_limit == len(channel.labels) <= 16
    assert channel_of(2**14).rows == 16


# --- the task ---


def test_a_pilot_is_a_task() -> None:
    task = pilot()
    assert (task.kind, task.mechanism, task.parameters) == ("sizes", "buckets", {})
    assert task.to_json() == (
        '{"closes":null,"epsilon":"1","high":"5","keys":["alien","heat","up"],"kind":"sizes","low":"1",'
        '"mechanism":{"name":"buckets"},"name":"movies","opens":null,"padding":512,"version":1}'
    )
    assert Task.from_json(task.to_json()) == task == pilot(mechanism="buckets")
    assert Task.from_json(task.to_json()).kind == "sizes"
    assert Task(name="t", keys=2, values=(0, 1), epsilon=1).kind == "pairs"
    # Only the empty set is distinguished from the others.
    assert pilot(padding=1).word_limit == 2


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"kind": "words"}, "^kind 'words' does not exist: choose from pairs, sizes$"),
        ({"kind": ["pairs"]}, "^kind .* does not exist"),
        ({"mechanism": "grr"}, "^mechanism 'grr' is for tasks of kind 'pairs', not 'sizes'$"),
        (
            {"mechanism": "buckets", "kind": "pairs"},
            "^mechanism 'buckets' is for tasks of kind 'sizes', not 'pairs'$",
        ),
        ({"padding": 2**14 + 1}, r"^padding of a task of sizes must be at most 2\^14, not 16385$"),
        ({"padding": 0}, "^padding must be at least 1"),
        ({"mechanism": {"name": "buckets", "q": 3}}, "^mechanism 'buckets' has no parameter 'q'$"),
    ],
)
def test_bad_pilots(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        pilot(**changes)


def test_texts_that_mix_the_kinds() -> None:
    pairs = Task(name="movies", keys=MOVIES, values=(1, 5), epsilon=1, mechanism="grr")
    for text in (
        pilot().to_json().replace('"sizes"', '"pairs"'),
        pairs.to_json().replace('"pairs"', '"sizes"'),
    ):
        with pytest.raises(TaskError, match="is for tasks of kind"):
            Task.from_json(text)


def test_buckets_are_never_chosen_for_pairs() -> None:
    assert "buckets" not in CHANNELS
    with pytest.raises(ParameterError, match=r"choose from ue, grr, ue-compact, collision$"):
        Task(name="t", keys=2, values=(0, 1), epsilon=1, mechanism="bucket")


# --- reports ---


def laws_differ(padding: int, sampler: Any) -> bool:
    """Return whether a sampler, run on every value of a toy tape, differs from the stated law at some size."""
    channel = channel_of(padding, bits=6)
    for size in range(padding + 3):
        weights, total = channel.law(holding(size))
        law = {bucket: Fraction(weight, total) for bucket, weight in weights.items()}
        pairs = [(key, 7) for key in range(size)]
        if sampler_law(sampler, channel, pairs, ExhaustiveTape(6)) != law:
            return True
    return False


def test_the_sampler_follows_the_law_at_every_size() -> None:
    """The conformance suite has few keys, and so few sizes; the control takes a pair away from large sets."""
    right = load_part("buckets", "sampler")
    for padding in (1, 2, 3, 4, 5, 8, 17):
        assert not laws_differ(padding, right)
    assert laws_differ(17, lambda channel, pairs, tape: right(channel, pairs[: max(8, len(pairs) - 1)], tape))


@pytest.mark.parametrize("epsilon", ["0.000001", "0.1", "1", "4", "20"])
def test_the_loss_over_every_size(epsilon: str) -> None:
    """Exactly the closed form, which is within the claim; the control is a threshold one unit larger."""
    for padding in (1, 2, 3, 7, 40, 2**14):
        channel = channel_of(padding, epsilon)
        assert enumerated(channel) == channel.realised <= channel.claim == exp_lower(Fraction(epsilon))
        channel.__dict__.update(kept=channel.kept + 1)
        assert enumerated(channel) > channel.claim


def enumerated(channel: BucketsChannel) -> Fraction:
    laws = [channel.law(holding(end)).weights for end in channel.ends]
    columns = zip(*(law.values() for law in laws), strict=True)
    return max(Fraction(max(column), min(column)) for column in columns)


def test_pairs_are_checked_as_the_survey_does() -> None:
    for pairs in ({"solaris": 3}, {"alien": 6}, {"alien": None}):
        with pytest.raises(PairsError):
            perturb(pilot(), pairs)  # type: ignore[arg-type]
    assert len(perturb(pilot(), {}).body) == 8


def words(task: Task, population: Population, seed: int) -> Any:
    return np.concatenate([batch.messages for batch in perturb_many(task, population, seeded_source(seed))])


def test_the_vectorised_path_has_the_same_buckets() -> None:
    """At ε = 20 another bucket has a chance of 7·10^-9."""
    sizes = np.arange(60)
    task = pilot(keys=60, padding=40, epsilon=20)
    people = Population(
        np.concatenate([[0], np.cumsum(sizes)]),
        np.concatenate([np.arange(size) for size in sizes]),
        np.full(sizes.sum(), 1.0),
    )
    channel = channel_of(40)
    assert words(task, people, 1).tolist() == [channel.bucket_of(size) for size in range(60)]


def never_the_last(channel: BucketsChannel, sizes: Any, tape: VectorisedTape) -> Any:
    """A planted fault: the true bucket is not skipped, and the last is never another one."""
    buckets = vectorised.perturb_buckets(channel, sizes, tape)
    truth = channel.bucket_of(int(sizes[0]))
    return buckets - (buckets > truth)


@pytest.mark.parametrize("size", [0, 1, 3])
def test_the_vectorised_path_follows_the_law(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """χ² at α = 1e-6; the controls, a law wrong by 1 % in the true bucket and a planted fault, must fail.

    The true bucket of five has p = .65 at ε = 2; with n = 6·10^5 the noncentrality of that law is 111 and the
    power above .999999. The seed is fixed.
    """
    task, count = pilot(padding=5, epsilon=2), 600_000
    people = population_of(dict.fromkeys(range(size), 2.0), count)
    weights, total = task.channel.law(holding(size))
    law = {bucket: weight / total for bucket, weight in weights.items()}
    truth = max(law, key=lambda bucket: law[bucket])
    scale = (1 - 1.01 * law[truth]) / (1 - law[truth])
    wrong = {bucket: chance * (1.01 if bucket == truth else scale) for bucket, chance in law.items()}
    observed = dict(enumerate(np.bincount(words(task, people, 3), minlength=5).tolist()))
    assert chi_square_p(observed, law, count) > 1e-6
    assert chi_square_p(observed, wrong, count) < 1e-6
    monkeypatch.setattr(vectorised, "load_part", lambda *_: never_the_last)
    faulty = dict(enumerate(np.bincount(words(task, people, 3), minlength=5).tolist()))
    assert chi_square_p(faulty, law, count) < 1e-6


# --- estimates ---


def tally_of(task: Task, counts: list[int]) -> Tally:
    tally = Tally(task)
    tally.add_many(np.repeat(np.arange(len(counts)), counts))
    return tally


def test_estimates_are_a_distribution_over_buckets() -> None:
    task = pilot(padding=8)
    counts = [1000, 2700, 2100, 2100, 2100]
    estimates = estimate(tally_of(task, counts), level=0.9)
    assert (estimates.task, estimates.mechanism, estimates.method, estimates.level) == (
        task.id,
        "buckets",
        "consistent",
        0.9,
    )
    assert (estimates.reports, estimates.epsilon) == (10_000, task.realised_epsilon)
    assert estimates.key == ["0", "1", "2", "3-4", "5+"]
    assert estimates.mean_low.tolist() == [0, 1, 2, 3, 5]
    assert estimates.mean_high.tolist() == [0, 1, 2, 4, 8]
    assert estimates.mean == pytest.approx([0, 1, 2, 12**0.5, 40**0.5])
    # Unbiased, these are a distribution but for the first.
    p, q = (float(chance) for chance in task.channel.probabilities[:2])
    unbiased = (np.array(counts) / 10_000 - q) / (p - q)
    assert unbiased.sum() == pytest.approx(1)
    assert unbiased[0] < 0
    assert estimates.frequency == pytest.approx(np.r_[0, unbiased[1:] + unbiased[0] / 4])
    assert estimates.frequency.sum() == pytest.approx(1)
    assert np.all(
        (estimates.frequency_low <= estimates.frequency) & (estimates.frequency <= estimates.frequency_high)
    )
    wider = estimate(tally_of(task, counts), level=0.99)
    assert np.all(
        wider.frequency_high - wider.frequency_low >= estimates.frequency_high - estimates.frequency_low
    )


@pytest.mark.parametrize("epsilon", [0.01, 1, 20])
@pytest.mark.parametrize("padding", [1, 40])
def test_edges_give_numbers(epsilon: float, padding: int) -> None:
    task = pilot(epsilon=epsilon, padding=padding)
    last = (task.word_limit or 0) - 1
    for reports, word in ((0, 0), (1, 0), (1, last), (1000, 0), (1000, last)):
        estimates = estimate(tally_of(task, [0] * word + [reports]))
        for name in ("frequency", "frequency_low", "frequency_high", "mean", "mean_low", "mean_high"):
            assert np.isfinite(getattr(estimates, name)).all(), name
        assert estimates.frequency.sum() == pytest.approx(1)
        assert np.all((estimates.frequency_low >= 0) & (estimates.frequency_low <= estimates.frequency))
        assert np.all((estimates.frequency <= estimates.frequency_high) & (estimates.frequency_high <= 1))
        assert np.all((estimates.mean_low <= estimates.mean) & (estimates.mean <= estimates.mean_high))


def test_shown_estimates_are_shares_by_bucket_without_means() -> None:
    estimates = estimate(tally_of(pilot(padding=4), [10, 20, 30, 940]))
    assert repr(estimates).startswith("<Estimates of 4 buckets from 1,000 reports: buckets")
    page = estimates._repr_html_()
    assert "<tr><th>pairs</th><th>share of people</th><th>interval</th></tr>" in page
    assert [page.index(f"<td>{bucket}</td>") for bucket in estimates.key] == sorted(
        page.index(f"<td>{bucket}</td>") for bucket in estimates.key
    )
    assert page.count("<td>") == 3 * 4


def test_without_reports_anything_is_possible() -> None:
    estimates = estimate(Tally(pilot(padding=4)))
    assert estimates.frequency == pytest.approx([0.25] * 4)
    assert (estimates.frequency_low.tolist(), estimates.frequency_high.tolist()) == ([0.0] * 4, [1.0] * 4)


def test_some_buckets() -> None:
    tally = tally_of(pilot(padding=8), [3, 1, 4, 1, 5])
    every, some = estimate(tally), estimate(tally, keys=["5+", "0"])
    assert some.to_dict() == every.take(np.array([4, 0])).to_dict()
    with pytest.raises(ParameterError, match=r"^bucket '5-8' does not exist: choose from 0, 1, 2, 3-4, 5"):
        estimate(tally, keys=["5-8"])


def test_every_kind_of_task_has_its_own_methods() -> None:
    tally = Tally(pilot())
    assert estimate(tally, method="consistent").to_json() == estimate(tally).to_json()
    assert (default_method(tally.task), methods_for(tally.task)) == ("consistent", ["consistent"])
    for method in ("baseline", "corrected", "bayes", "best"):
        message = f"^method '{method}' is not for a task of sizes, which has 'consistent' alone$"
        with pytest.raises(ParameterError, match=message):
            estimate(tally, method=method)
    with pytest.raises(ParameterError, match="level must be between"):
        estimate(tally, level=1)
    pairs = Tally(Task(name="t", keys=2, values=(0, 1), epsilon=1))
    assert estimate(pairs).method == default_method(pairs.task) == "bayes"
    assert methods_for(pairs.task) == ["baseline", "corrected", "bayes"]
    with pytest.raises(ParameterError, match="method 'consistent' does not exist"):
        estimate(pairs, method="consistent")


@pytest.mark.parametrize("epsilon", ["0.5", "1", "4"])
@pytest.mark.parametrize("people", [200, 2000])
def test_intervals_cover(epsilon: str, people: int) -> None:
    """The exact coverage of a share, from the law of its count; the control assumes another ε."""
    channel, wrong = channel_of(512, epsilon), channel_of(512, str(float(epsilon) * 1.3))
    own_chance, other_chance = (float(chance) for chance in channel.probabilities[:2])
    for share in (0.05, 0.4):
        holders = round(share * people)
        holder_law = stats.binom.pmf(np.arange(holders + 1), holders, own_chance)
        law = np.convolve(
            holder_law, stats.binom.pmf(np.arange(people - holders + 1), people - holders, other_chance)
        )
        assert 0.945 <= coverage(channel, law, share) <= 0.98
        if people == 2000 and share == 0.4:
            assert coverage(wrong, law, share) < 0.9


def coverage(believed: BucketsChannel, law: Any, share: float) -> float:
    counts = np.flatnonzero(law > 1e-9)
    support = KeySupport(counts, np.zeros_like(counts))
    low, high = frequency_interval(support, law.size - 1, CountMoments.of(believed.count_law), 0.95)
    return float(law[counts[(low <= share) & (share <= high)]].sum())
