"""Every sentence about results: its claim is true where it is said, and it is not said everywhere.

Each case is a seeded collection whose truth is known. A sentence that no row describes fails, so that a new one needs
its claim here. Claims of plans are checked by `tests/planning/test_outlook.py` and the experiment `light`.
Claims about one collection are intervals at 95 %, or rates: with these seeds they hold, and a control shows that claims
can fail.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import pytest

from pckv import Segment, Series, Tally, Task, estimate, trend
from pckv.base.arrays import Flags, Floats, Integers
from pckv.base.population import Population
from pckv.base.seeded import seeded_source
from pckv.device.vectorised import perturb_many
from pckv.estimators.alarms import Alarms, check_reports
from pckv.estimators.results.estimates import Estimates
from pckv.estimators.results.together import KeysTogether
from pckv.estimators.results.trend import Trend
from pckv.lab.populations import zipf_sets
from support.derived import collect, people_who_hold
from support.german import english_left, technical_left

PEOPLE, KEYS = 6_000, 20


@dataclass
class Case:
    """A result, and the truth about the people whose reports it was made from."""

    result: Estimates | Trend | Alarms
    truth: Floats
    sizes: Integers
    forged: int = 0
    changed: Sequence[str] = ()
    # The frequencies of the last round of a trend.
    last: Sequence[float] | Floats = ()
    # Who holds what, a row per person, and their labels: of tasks with a segment, or of keys together.
    held: Flags | None = None
    labels: Integers | None = None

    @property
    def sentences(self) -> tuple[str, ...]:
        return self.result.sentences if isinstance(self.result, Alarms) else self.result.verdict

    @property
    def estimates(self) -> Estimates:
        assert isinstance(self.result, Estimates | Trend)
        return self.result.pooled if isinstance(self.result, Trend) else self.result

    @property
    def true_of_rows(self) -> Floats:
        """The true frequency of every row; of what is not in the truth 0."""
        found = self.estimates
        return np.array([self.truth[row] if row < self.truth.size else 0.0 for row in range(len(found))])


def percent_of(text: str) -> float:
    return float(text) / 100


def detected_are_held(case: Case, match: re.Match[str]) -> bool:
    rows = case.estimates.listed
    counts = int(match[1]) if match[1].isdigit() else {"All": len(rows), "Both": 2, "No": 0}[match[1]]
    held = case.true_of_rows[: len(rows)] > 0
    return int(rows.detected.sum()) == counts and bool(held[rows.detected].all())


def larger_is_within(case: Case, match: re.Match[str]) -> bool:
    larger = float(np.mean(case.sizes > int(match["pairs"])))
    low = percent_of(match["low"]) if match["low"] else 0.0
    return low <= larger <= percent_of(match["high"]) and intervals_hold(case) and hides_at_most(case, match)


def hides_at_most(case: Case, match: re.Match[str]) -> bool:
    """What frequencies are too low by: the mean of 1 - ℓ/m over larger sets."""
    padding = int(match["pairs"])
    hidden = float(np.maximum(1 - padding / np.maximum(case.sizes, 1), 0).mean())
    return hidden <= float(match["hidden"]) / 100


def intervals_hold(case: Case, *_: object) -> bool:
    """Nine of ten intervals of frequencies hold the truth: 95 % on average."""
    found, truth = case.estimates, case.true_of_rows
    inside = (found.frequency_low <= truth) & (truth <= found.frequency_high)
    return float(inside[: len(found.listed)].mean()) >= 0.9


def other_is_within(case: Case, match: re.Match[str]) -> bool:
    low = percent_of(match["low"]) if match["low"] else 0.0
    return bool(low <= case.truth[-1] <= percent_of(match["high"]))


def is_forged(case: Case, _: re.Match[str]) -> bool:
    return case.forged > 0


def is_honest(case: Case, _: re.Match[str]) -> bool:
    return case.forged == 0


def always(_: Case, __: re.Match[str]) -> bool:
    return True


def changes_are_true(case: Case, match: re.Match[str]) -> bool:
    assert isinstance(case.result, Trend)
    assert case.result.changes is not None
    rows = {row.key for row in case.result.changes.rows if row.changed}
    return len(rows) == int(match[1]) and rows <= set(case.changed)


def differing_are_within(case: Case, match: re.Match[str]) -> bool:
    """As many keys are marked, their intervals contain the round's own, and both contain the truth."""
    assert isinstance(case.result, Trend)
    columns = {name: column[:, -1] for name, column in case.result.columns.items()}
    marked, truth = columns["differs"].astype(bool), np.array(case.last)
    low, high = (columns[f"smoothed_{end}"] for end in ("low", "high"))
    contains = (
        (low <= columns["frequency_low"]) & (columns["frequency_high"] <= high) & (low <= truth) & (truth <= high)
    )
    return int(marked.sum()) == int(match[1]) and bool(contains[marked].all())


def cells_are_held(case: Case, match: re.Match[str]) -> bool:
    """As many shares within labels stand out, people hold these keys there, and nine of ten intervals hold the truth."""
    segments, held, labels = case.estimates.segments, case.held, case.labels
    assert segments is not None
    assert held is not None
    assert labels is not None
    cells = segments.cells
    truth = np.array(
        [
            held[labels == segments.labels.row_of(label), case.estimates.row_of(key)].mean()
            for label, key in zip(cells.segment, cells.key, strict=True)
        ]
    )
    inside = (cells.share_low <= truth) & (truth <= cells.share_high)
    found = int(match[1]) if match[1] else 0
    return found == cells.detected.sum() and bool((truth[cells.detected] > 0).all()) and inside.mean() >= 0.9


def differences_are_true(case: Case, match: re.Match[str]) -> bool:
    segments, held, labels = case.estimates.segments, case.held, case.labels
    assert segments is not None
    assert held is not None
    assert labels is not None

    def share(key: str, label: str) -> float:
        return float(held[labels == segments.labels.row_of(label), case.estimates.row_of(key)].mean())

    rows = list(segments.differences)
    return len(rows) == int(match[1] or 0) and all(
        share(row.key, row.label_a) - share(row.key, row.label_b) >= row.difference_low > 0 for row in rows
    )


def pairs_are_held(case: Case, match: re.Match[str]) -> bool:
    pairs, held = case.estimates.pairs, case.held
    assert pairs is not None
    assert held is not None
    rows = [row for row in pairs if row.detected]
    both = [(held[:, int(row.first)] & held[:, int(row.second)]).mean() for row in rows]
    inside = [row.share_low <= share <= row.share_high for row, share in zip(rows, both, strict=True)]
    return len(rows) == int(match[1] or 0) and all(both) and sum(inside) >= 0.9 * len(rows)


def relations_are_true(case: Case, match: re.Match[str]) -> bool:
    pairs, held = case.estimates.pairs, case.held
    assert pairs is not None
    assert held is not None

    def lift(row: KeysTogether) -> float:
        first, second = held[:, int(row.first)], held[:, int(row.second)]
        return float((first & second).mean() / (first.mean() * second.mean()))

    together, apart = ([lift(row) for row in pairs if row.relation == name] for name in ("together", "apart"))
    counts = [int(number) for number in match.groups() if number] or [0, 0]
    return [len(together), len(apart)] == counts and min(together, default=2) > 1 > max(apart, default=0)


def none_is_larger_than_seen(case: Case, _: re.Match[str]) -> bool:
    return not case.changed


OFF = (
    r"if people with many pairs give other values than the rest, the means are off\. "
    r"The intervals include both\."
)
NUMBER = r"[\d.,]+"
# Claims about results, by their words.
CLAIMS: list[tuple[str, Callable[[Case, re.Match[str]], bool]]] = [
    (r"There are no reports yet\.", lambda case, _: case.estimates.reports == 0),
    (r"Do not use these numbers: honest reports do not give such counts, whatever people hold\.", is_forged),
    (r".*: a chance of at most \S+ if all reports were honest\.", is_forged),
    (r"Some reports were copied, made up, or made by a faulty client: .*", is_forged),
    (r"(\d+) of [\d,]+ keys stands? out from the noise; the (?:others|one that does not) may be zero\.", detected_are_held),
    (r"(\d+) of [\d,]+ keys stands? out from the noise \(at most 5 % of such flags .*", detected_are_held),
    (r"(All|Both) (?:\d+ )?keys stand out from the noise\.", detected_are_held),
    (r"(No) key stands out from the noise: each may be zero\. More people or a larger ε would help\.", detected_are_held),
    (
        r"(No) key stands out from the noise: how frequent they are is unknown\. More people or a larger ε would help\.",
        lambda case, match: detected_are_held(case, match) and bool((case.estimates.listed.frequency_high == 1).any()),
    ),
    (
        r"(\d+) of the keys share their numbers with each other: reports do not tell such keys apart, .*",
        lambda case, match: len(case.estimates) - len({*case.estimates.frequency.tolist()}) == int(match[1]) - 1,
    ),
    (r"Of the intervals of keys that stand out, at most 5 % miss the truth .*", intervals_hold),
    (rf"Up to (?P<high>{NUMBER}) % of people may hold keys that are not listed\.(?P<low>)", other_is_within),
    (rf"{NUMBER} % of people hold keys that are not listed \((?P<low>{NUMBER}) % to (?P<high>{NUMBER}) %\)\.", other_is_within),
    (r"No participant holds more than (\d+) (?:pair|key)s?, by contract\.", lambda case, match: case.sizes.max() <= int(match[1])),
    (rf"How many pairs people hold is not known, .* up to {NUMBER} times, and {OFF}", intervals_hold),
    (
        (rf"Up to (?P<high>{NUMBER}) % of people may hold more than the (?P<pairs>\d+) pairs? that a report stands for: "
        rf"frequencies may be too low by up to (?P<hidden>{NUMBER}) points? for that reason, and {OFF}(?P<low>)"),
        larger_is_within,
    ),
    (
        (rf"{NUMBER} % of people hold more than (?P<pairs>\d+) pairs? \((?P<low>{NUMBER}) % to (?P<high>{NUMBER}) %\), but a "
        rf"report stands for at most \d+\. So frequencies may be too low by up to (?P<hidden>{NUMBER}) points?, and {OFF}"),
        larger_is_within,
    ),
    (
        r"The means? of (\d+) keys? (?:is|are) unknown for that reason: the mean of the reported pairs stands beside\.(?: By .*)?",
        lambda case, match: int(case.estimates.listed.is_mean_hidden.sum()) == int(match[1]),
    ),
    (r"(\d+) of \d+ keys changed between rounds \d+ and \d+ \(at most 5 % of such flags are false, on average\)\.", changes_are_true),
    (r"On average at most 5 % of these keys have a change outside its interval: .*", lambda case, _: bool(case.changed)),
    (r"No change stands out from the noise between rounds \d+ and \d+\.", none_is_larger_than_seen),
    (r"A change of any key by .* stands out at least four times out of five.*; smaller ones may not\.", always),
    (r"These are too few reports to see any change four times out of five\.", lambda case, _: case.estimates.reports < 100),
    (
        (r"In round \d+, (\d+) of \d+ keys? differs? from what the other rounds lead to expect, as up to 15 % do by noise alone, "
        r"on average\. There the smoothed interval contains that of the round alone, which is shown as well\."),
        differing_are_within,
    ),
    (
        (r"Changes are those of reported pairs: of a person who holds more than the (\d+) pairs? that a report stands for, .*"
        r"the intervals of changes do not include it\."),
        lambda case, match: case.sizes.max() > int(match[1]),
    ),
    (r"Within the labels of “age”, (\d+) shares? of (?:a key stands|keys stand) out from the noise, of \d+ tested \(.*\)\.", cells_are_held),
    (r"Within the labels of “age”, no key stands out from the noise\.()", cells_are_held),
    (r"(\d+) differences? of shares between labels of “age” stands? out from the noise, of \d+ tested \(.*\)\.", differences_are_true),
    (r"No difference of shares between labels of “age” stands out from the noise\.()", differences_are_true),
    (r"Means are not compared between labels: only shares are\.", lambda case, _: case.estimates.has_means),
    (r"(\d+) pairs? of keys stands? out from the noise, of \d+ tested \(.*\)\.", pairs_are_held),
    (r"No two keys together stand out from the noise\.()", pairs_are_held),
    (
        (r"(\d+) pairs? of keys (?:is|are) held together more often than by chance, and (\d+) less often, of \d+ tested "
        r"\(at most 5 % of such flags are false, on average\)\."),
        relations_are_true,
    ),
    (r"That two keys are held together more or less often than by chance does not stand out from the noise\.", relations_are_true),
    (
        r"The trend is that of all labels of “age” together: the estimates of a round tell them apart\.",
        lambda case, _: case.estimates.segments is None,
    ),
    (
        r"The trend is that of single keys: the estimates of a round have those of two keys together\.",
        lambda case, _: case.estimates.pairs is None,
    ),
    (r"Single reports of this mechanism cannot be tested, only their counts: copied reports .* are not found\.", always),
    (r"Nothing unusual about the random parts of the reports\.", is_honest),
    (r"These reports are unusual, and numbers that come from them may be wrong\.", is_forged),
    (r"Find where these reports come from, and count again without them: nothing is dropped\.", is_forged),
]  # fmt: skip
# What is true of every result of its kind has nothing to check.
SAID_OF_ALL = {pattern for pattern, claim in CLAIMS if claim is always}


def counted(task: Task, population: Population, seed: int = 1, copies: int = 0) -> Tally:
    tally = Tally(task)
    batches = [batch.messages for batch in perturb_many(task, population, seeded_source(seed))]
    for messages in [*batches, *([batches[0][:1].repeat(copies, axis=0)] if copies else [])]:
        tally.add_many(messages)
    return tally


def make(**options: object) -> Task:
    chosen = {"values": (-1, 1), "epsilon": 4, "keys": KEYS, **options}
    return Task(name="t", **chosen)  # type: ignore[arg-type]


def one_key_each(shares: Sequence[float], people: int = PEOPLE, seed: int = 1) -> Population:
    """People who hold one key each, by these shares; the others hold none."""
    rng = np.random.default_rng(seed)
    keys = rng.choice(len(shares) + 1, people, p=[*shares, max(0.0, 1 - sum(shares))])
    held = keys < len(shares)
    return Population(np.append(0, np.cumsum(held)), keys[held].astype(np.int32), rng.uniform(-1, 1, int(held.sum())))


def case_of(task: Task, population: Population, keys: Sequence[str] | None = None, copies: int = 0) -> Case:
    found = estimate(counted(task, population, copies=copies), keys=keys)
    holders = np.bincount(population.keys, minlength=task.key_count if keys is None else len(keys))
    return Case(found, holders / max(population.sizes.size, 1), population.sizes, copies)


def alarms_of(task: Task, population: Population, copies: int = 0) -> Case:
    batches = [batch.messages for batch in perturb_many(task, population, seeded_source(2))]
    copied = [batches[0][:1].repeat(copies, axis=0)] if copies else []
    return Case(
        check_reports(task, [*batches, *copied], np.random.default_rng(1)), np.zeros(0), population.sizes, copies
    )


def rounds_of(paths: Sequence[Sequence[float]], people: int, changed: Sequence[str] = ()) -> Case:
    """A trend over rounds with these frequencies of two keys."""
    task = make(keys=["a", "b"], padding=1, mechanism="grr", more="refuse", size_share=0)
    series = Series(task=task, first="2030-01-07", period=7, panels=len(paths))
    rounds = [
        counted(series.task_of(number), one_key_each(path, people, number), number)
        for number, path in enumerate(paths, 1)
    ]
    truth = np.mean(paths, axis=0)
    return Case(trend(series, rounds), truth, np.ones(people, np.int64), changed=changed, last=paths[-1])


def other_sets(people: int) -> Case:
    """A trend in which half of the people hold the first key in all rounds, most of them with the second one at first.

    Of those who hold both, one is reported: what is reported of the first key changes.
    """
    task = make(keys=["a", "b"], padding=1, mechanism="grr", size_share=0.2)
    series = Series(task=task, first="2030-01-07", period=7, panels=6)
    rounds, all_sizes = [], []
    for number in range(1, 7):
        sizes = np.zeros(people, np.int64)
        all_sizes.append(sizes)
        sizes[: people // 2] = 1
        sizes[: 4 * people // 10] += number <= 3
        keys = np.concatenate([np.arange(size, dtype=np.int32) for size in sizes])
        population = Population(np.append(0, np.cumsum(sizes)), keys, np.zeros(keys.size))
        rounds.append(counted(series.task_of(number), population, number))
    truth = np.array([0.5, 0.2])
    return Case(trend(series, rounds), truth, np.concatenate(all_sizes), changed=["a", "b"], last=[0.5, 0.0])


def same_number(task: Task) -> tuple[str, str]:
    """Return two texts that reports do not tell apart, of as many as make that likely: there are 2^29 numbers."""
    numbers: dict[int, str] = {}
    for count in range(200_000):
        text = f"text {count}"
        if (first := numbers.setdefault(task.key_index(text), text)) != text:
            return first, text
    raise AssertionError


def of_groups(people: int, epsilon: float, values: tuple[int, int] | None = None) -> Case:
    """People of three labels; the old hold the first key, and nearly all others the second."""
    rng = np.random.default_rng(8)
    labels = rng.integers(0, 3, people)
    held = np.zeros((people, 6), np.bool_)
    held[np.arange(people), np.where(labels == 2, 0, rng.choice([1, 2], people, p=[0.9, 0.1]))] = True
    segment = Segment("age", ["a", "b", "c"])
    task = make(keys=6, values=values, epsilon=epsilon, padding=1, more="refuse", segment=segment)
    found = estimate(collect(task, people_who_hold(held, labels)))
    return Case(found, held.mean(axis=0), held.sum(axis=1), held=held, labels=labels)


def of_pairs(people: int, epsilon: float) -> Case:
    """People who hold the first two keys, the third, or the fourth and any other one."""
    rng = np.random.default_rng(9)
    kinds = np.array([[1, 1, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0], [0, 0, 0, 1, 1, 0], [0, 0, 0, 1, 0, 1]], np.bool_)
    held = kinds[rng.integers(0, 4, people)]
    task = make(keys=6, values=None, epsilon=epsilon, padding=2, more="refuse", together=True)
    found = estimate(collect(task, people_who_hold(held)))
    return Case(found, held.mean(axis=0), held.sum(axis=1), held=held)


def rounds_of_items(**options: object) -> Case:
    """A trend of one round of derived items, which half of the people hold the first key of."""
    task = make(keys=3, values=None, padding=2, more="refuse", size_share=0, **options)
    series = Series(task=task, first="2030-01-07", period=7, panels=1)
    held = np.zeros((2_000, 3), np.bool_)
    held[::2, 0] = True
    tally = collect(
        series.task_of(1), people_who_hold(held, None if task.segment is None else np.zeros(2_000, np.int64))
    )
    return Case(trend(series, [tally]), held.mean(axis=0), held.sum(axis=1))


@cache
def cases() -> tuple[Case, ...]:
    rng = np.random.default_rng(3)
    sets = zipf_sets(rng.integers(1, 6, PEOPLE), KEYS, rng).population
    half, skewed = [0.5, 0.3, 0.1], [0.3, 0.2, 0.1, *[0.01] * 17]
    sites = [f"site {number}" for number in range(KEYS)]
    hashed = make(keys="hashed", padding=1, more="refuse")
    listed = {number: hashed.key_index(site) for number, site in enumerate(sites)}
    of_sites = one_key_each(skewed)
    texts = Population(of_sites.offsets, np.array([listed[key] for key in of_sites.keys.tolist()]), of_sites.values)
    found = Case(
        estimate(counted(hashed, texts), keys=sites),
        np.bincount(of_sites.keys, minlength=KEYS) / PEOPLE,
        of_sites.sizes,
    )
    colliding = estimate(counted(hashed, texts), keys=[*same_number(hashed), *sites[:2]])
    steady = [[0.3, 0.2]] * 4
    return (
        Case(estimate(Tally(make(padding=1))), np.zeros(KEYS), np.zeros(1, np.int64)),
        case_of(make(padding=2), sets),
        case_of(make(padding=2, mechanism="ue"), sets),
        case_of(make(padding=5), sets),
        case_of(make(keys=3, padding=1, more="refuse"), one_key_each(half)),
        case_of(make(padding=1, epsilon=0.2, more="refuse"), one_key_each(skewed, 3_000)),
        case_of(make(keys=2, padding=1, more="refuse", other="other"), one_key_each(half)),
        case_of(make(keys=2, padding=1, more="refuse", other="other", epsilon=1), one_key_each([0.5, 0.4, 0.0], 2_000)),
        case_of(
            make(keys=40, padding=1, mechanism="grr", epsilon=2, more="refuse"), one_key_each([0.02] * 40), copies=700
        ),
        found,
        Case(colliding, np.append([0.0, 0.0], found.truth[:2]), of_sites.sizes),
        rounds_of([*steady, *[[0.3, 0.5]] * 4], 3_000, changed=["b"]),
        rounds_of(steady, 3_000),
        rounds_of(steady, 4),
        alarms_of(make(padding=1, mechanism="grr", size_share=0), sets),
        alarms_of(make(padding=2, mechanism="collision"), sets),
        alarms_of(make(padding=2, mechanism="collision"), sets, copies=400),
        # A jump, or a spike, in the newest round.
        rounds_of([*steady, *steady, [0.3, 0.35]], 3_000, changed=["b"]),
        other_sets(3_000),
        case_of(make(keys=2, padding=1, epsilon=1, more="refuse"), one_key_each([0.5, 0.5], 2)),
        of_groups(6_000, 4),
        of_groups(300, 0.2),
        of_pairs(6_000, 4),
        of_pairs(300, 0.2),
        rounds_of_items(segment=Segment("age", ["a", "b"])),
        rounds_of_items(together=True),
        of_groups(300, 0.2, (-1, 1)),
    )


def claims_of(case: Case) -> Iterator[tuple[str, bool]]:
    """Yield the words of every sentence, and whether its claim is true."""
    for sentence in case.sentences:
        matches = [(pattern, claim, match) for pattern, claim in CLAIMS if (match := re.fullmatch(pattern, sentence))]
        assert len(matches) == 1, f"{len(matches)} claims for: {sentence}"
        [(pattern, claim, match)] = matches
        yield pattern, bool(claim(case, match))


@pytest.mark.parametrize("number", range(27))
def test_every_sentence_is_true(number: int) -> None:
    assert number < len(cases())
    for pattern, is_true in claims_of(cases()[number]):
        assert is_true, pattern


def test_every_sentence_is_said_somewhere_and_not_everywhere() -> None:
    said = [{pattern for pattern, _ in claims_of(case)} for case in cases()]
    for pattern, _ in CLAIMS:
        times = sum(pattern in each for each in said)
        assert 0 < times < len(said), pattern


def test_every_sentence_is_said_in_german_and_in_everyday_english() -> None:
    """In German also the titles and headers of tables; the control is a sentence that no catalog has."""
    texts = {text for case in cases() for text in case.sentences}
    results = [case.result for case in cases() if not isinstance(case.result, Alarms)]
    texts |= {text for result in results for text in (result.title, *result.headers())}
    assert english_left(texts) == {}
    assert technical_left(text for case in cases() for text in case.sentences) == {}
    unknown = "These keys have never been heard of."
    assert english_left([unknown]) == technical_left([unknown]) == {unknown: unknown}


def test_claims_can_be_false() -> None:
    """The control: with another truth, claims about keys, sets, unlisted keys and changes are false."""
    for number, truth, sizes, changed in (
        (1, np.zeros(KEYS), np.full(10, 5), ()),
        (6, np.ones(3), np.full(10, 2), ()),
        (11, np.zeros(2), np.ones(10, np.int64), ["a"]),
        (12, np.zeros(2), np.ones(10, np.int64), ["a"]),
        (17, np.zeros(2), np.ones(10, np.int64), ["b"]),
    ):
        case = cases()[number]
        other = Case(case.result, truth, sizes, case.forged, changed, truth)
        assert not all(is_true for _, is_true in claims_of(other)), number
    for number in (20, 22):
        case = cases()[number]
        assert case.held is not None
        other = replace(case, held=case.held[:, ::-1])
        assert sum(not is_true for _, is_true in claims_of(other)) >= 2, number
