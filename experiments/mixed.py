"""Whether the task that `plan --mixed` proposes tells the truth, as its plan says: docs/appendix/mixed.md."""

from __future__ import annotations

import math
import tempfile
import textwrap
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.random import Generator, default_rng

from experiments.settings import ExperimentSettings, Requirement, requirements_table, show_requirements
from pckv.base.arrays import Flags, Floats, Integers
from pckv.base.canonical import base64url
from pckv.base.population import Population
from pckv.base.seeded import seeded_source
from pckv.cli.demo_processes import collect
from pckv.cli.inputs import count_named
from pckv.cli.mixed_demo import mixed_services, proposed_task
from pckv.cli.signals import held_signals
from pckv.contract.task import Task
from pckv.counting.run import CountOptions
from pckv.device.vectorised import perturb_many
from pckv.estimators.estimate import estimate
from pckv.estimators.results.estimates import Estimates
from pckv.lab.dataset import Dataset
from pckv.planning.plan import Plan
from pckv.statistics.detection import DETECTION_POWER, false_chance, missed_rates, smallest_detected_frequency
from pckv.statistics.moments import CountMoments
from pckv.tally.tally import Tally

SEED, COLLECTIONS = 40, 60
USERS, KEYS, PAIRS, EPSILON, TOP = 20_000, 100, 3, 1, 10
NAMES = [f"key {number:02}" for number in range(KEYS)]
# The keys that are planted in every population, by how many people hold them: 1.5 %, the plan's smallest frequency,
# none.
PLANTED_SHARE, PLANTED, AT_LIMIT, UNHELD = 0.015, 20, 10, 10
OTHERS = KEYS - PLANTED - AT_LIMIT - UNHELD
LIMIT_END = KEYS - UNHELD
MIN_COVERAGE, MIN_TOP_COVERAGE = 0.93, 0.9
# Of a single collection, whose coverage varies by about two points and by a tenth of the top.
MIN_SINGLE_COVERAGE, MIN_SINGLE_TOP_COVERAGE = 0.9, 0.8
# How many standard errors a measured rate may be from the one that it is compared with.
ERRORS = 3
PAGE = """# Mixed tasks on the default path

Written by `make experiment NAME=mixed`. The task is the one that this plan proposes:

```
pckv plan --keys {keys} --mixed {users} --epsilon {epsilon} --pairs {pairs} --low 1 --high 5
```

{task}

There are three populations of {users:,} people, which no constant of the product was chosen on:

{populations}

{planted}

{requirements}
## Through three real processes

{single}

## From the law

{law}

| population | {header} |
|---|{rule}
{rows}

{notes}

**Next:** [what a mixer buys](../explanation/shuffling.md).
"""
TASK_TEXT = (
    "`{mechanism}` with padding {padding}, ε = {local:g} of a report, {size_share:g} of the reports about how "
    "many pairs people hold, a batch of {batch:,}, and ε = {central} with δ = {delta} towards the recipient "
    "{condition}."
)
PLANTED_TEXT = (
    "In each, {planted} keys are held by exactly {share:g} % of the people, {limit} by {smallest:.2f} %, the "
    "frequency that the plan says stands out four times out of five, or more often, and {unheld} by no one."
)
LAW_TEXT = (
    "{collections} collections of each population: every person's report is drawn by the vectorised code of the "
    "device, with seeds, counted, and estimated by the default method. The table has the shares of keys whose 95 "
    "% interval holds the true frequency or mean, and the shares of planted keys that stand out, ± one standard "
    "error."
)
NOTES = (
    'Means: of all keys that are held. "As shown": how often a key of {share:g} % stands out by the law that plans '
    'compute with, at the share of it that reports show with padding {padding}. "The plan": the same for the sets '
    "that the plan has to expect of {pairs} pairs on average, so it is a lower bound. False: how many times one of the "
    "{unheld} keys without holders stood out, in all collections together; if none of the {keys} keys had holders, at "
    "most one collection in 40 would show any. Control: the same intervals of frequencies, half as wide."
)


class Sets(NamedTuple):
    """Who holds what: a row per pair, with its value on [-1, 1]."""

    people: Integers
    keys: Integers
    values: Floats


def stairs(rng: Generator) -> Sets:
    """4 keys at 30 %, 8 at 12 %, 8 at 5 %, 40 at 0.2 %, each held by chance; values spread evenly around key means."""
    shares = np.repeat([0.3, 0.12, 0.05, 0.002], [4, 8, 8, 40])
    people = [rng.choice(USERS, round(USERS * share), replace=False) for share in shares]
    keys = np.repeat(np.arange(OTHERS), [len(each) for each in people])
    means = rng.uniform(-0.7, 0.7, OTHERS)
    return Sets(np.concatenate(people), keys, means[keys] + rng.uniform(-0.3, 0.3, keys.size))


def circles(rng: Generator) -> Sets:
    """Five circles of people, each with its own favourites; up to 25 pairs, geometrically; values differ by circle."""
    circle = np.arange(USERS) % 5
    own = np.arange(OTHERS) % 5 == circle[:, None]
    popularity = -np.log(1 + np.arange(OTHERS) // 5) + np.where(own, math.log(16), 0.0)
    people, keys = _draw_sets(popularity, np.minimum(rng.geometric(1 / 2.6, USERS), 25), rng)
    values = np.where(circle[people] < 2, -0.8, 0.5) + rng.normal(0, 0.2, people.size)  # noqa: PLR2004
    return Sets(people, keys, np.clip(values, -1, 1))


def long_tail(rng: Generator) -> Sets:
    """Popularity is lognormal (σ = 2), people hold 1 + Poisson(1.6) keys, and every value is -1 or 1."""
    popularity = np.broadcast_to(rng.normal(0, 2, OTHERS), (USERS, OTHERS))
    people, keys = _draw_sets(popularity, 1 + rng.poisson(1.6, USERS), rng)
    liked = rng.beta(2, 2, OTHERS)
    return Sets(people, keys, np.where(rng.random(keys.size) < liked[keys], 1.0, -1.0))


POPULATIONS: dict[str, Callable[[Generator], Sets]] = {"stairs": stairs, "circles": circles, "long tail": long_tail}
PROCESSES = "processes"
PARTS = (PROCESSES, *POPULATIONS)


def _draw_sets(popularity: Floats, sizes: Integers, rng: Generator) -> tuple[Integers, Integers]:
    """Draw a set of distinct keys per person, by logarithms of weights; return a row per pair."""
    # The largest of noisy logarithms are keys that are drawn one after another, by weight.
    order = np.argsort(-(popularity + rng.gumbel(size=popularity.shape)), axis=1)
    held = np.arange(popularity.shape[1]) < sizes[:, None]
    return np.nonzero(held)[0], order[held]


def population(name: str, smallest: float) -> Dataset:
    """Return a population with the planted keys last: of 1.5 %, of the `smallest` frequency, and of no one."""
    rng = default_rng([SEED, list(POPULATIONS).index(name)])
    people, keys, values = POPULATIONS[name](rng)
    counts = [round(PLANTED_SHARE * USERS)] * PLANTED + [math.ceil(smallest * USERS)] * AT_LIMIT + [0] * UNHELD
    planted = np.concatenate([rng.choice(USERS, count, replace=False) for count in counts])
    people = np.concatenate([people, planted])
    keys = np.concatenate([keys, np.repeat(np.arange(OTHERS, KEYS), counts)])
    values = np.concatenate([values, rng.uniform(-1, 1, planted.size)])
    order = np.argsort(people, kind="stable")
    offsets = np.concatenate([[0], np.cumsum(np.bincount(people, minlength=USERS))])
    return Dataset(name, Population(offsets, keys[order].astype(np.int32), values[order]), KEYS, -1.0, 1.0)


def detection_rate(task: Task, shown: float) -> float:
    """Return how often a key stands out that a share of all people's reports show, by the exact law that plans use."""
    moments = CountMoments.of(task.law.count_law, task.size_share)
    return 1 - missed_rates(moments, USERS, false_chance(KEYS))(round(shown * USERS))


def planned_rate(task: Task, planned: Plan, frequency: float) -> float:
    """Return how often a key stands out by the plan, with the sets that its smallest frequency is stated for."""
    moments = CountMoments.of(task.law.count_law, task.size_share)
    all_shown = smallest_detected_frequency(moments, USERS * (1 - task.size_share), KEYS)
    return detection_rate(task, frequency * all_shown / planned.smallest_frequency)


class Judged(NamedTuple):
    """What one collection shows of each key."""

    frequency: Flags
    mean: Flags
    detected: Flags
    narrow: Flags

    @classmethod
    def of(cls, found: Estimates, dataset: Dataset) -> Judged:
        """Compare estimates with the truth."""
        frequency, mean = dataset.truth
        half = (found.frequency_high - found.frequency_low) / 4
        middle = (found.frequency_high + found.frequency_low) / 2
        return cls(
            (found.frequency_low <= frequency) & (frequency <= found.frequency_high),
            (found.mean_low <= mean) & (mean <= found.mean_high),
            np.asarray(found.detected),
            np.abs(frequency - middle) <= half,
        )


class CoveredPopulation(NamedTuple):
    """A population: shares over all collections, each with its standard error, and the rates to compare with."""

    name: str
    all_keys: float
    top: float
    means: float
    found: tuple[float, float]
    shown_rate: float
    planned_rate: float
    found_at_limit: tuple[float, float]
    false_finds: int
    control: float

    @property
    def row(self) -> str:
        """The row of the table."""
        found, limit = (f"{share:.3f} ± {error:.3f}" for share, error in (self.found, self.found_at_limit))
        shares = f"{self.all_keys:.3f} | {self.top:.3f} | {self.means:.3f}"
        rates = f"{found} | {self.shown_rate:.3f} | {self.planned_rate:.3f} | {limit}"
        return f"| {self.name} | {shares} | {rates} | {self.false_finds} | {self.control:.3f} |"


def _with_error(found: Flags) -> tuple[float, float]:
    """Return the share of keys found, and its standard error over collections, which are independent."""
    shares = found.mean(axis=1)
    return float(shares.mean()), float(shares.std(ddof=1) / math.sqrt(shares.size))


def measure(dataset: Dataset, task: Task, planned: Plan, collections: int) -> CoveredPopulation:
    """Collect several times from the law, and compare with the truth."""
    judged = []
    for number in range(collections):
        tally = Tally(task)
        for batch in perturb_many(task, dataset.population, seeded_source(1000 * SEED + number)):
            tally.add_many(batch.messages)
        judged.append(Judged.of(estimate(tally), dataset))
    frequency, mean, detected, narrow = (np.array(each) for each in zip(*judged, strict=True))
    held = dataset.truth[0] > 0
    shown = float(dataset.sampled_share(task.padding)[OTHERS : OTHERS + PLANTED].mean())
    return CoveredPopulation(
        dataset.name,
        float(frequency.mean()),
        float(frequency[:, dataset.top(TOP)].mean()),
        float(mean[:, held].mean()),
        _with_error(detected[:, OTHERS : OTHERS + PLANTED]),
        detection_rate(task, shown),
        planned_rate(task, planned, PLANTED_SHARE),
        _with_error(detected[:, OTHERS + PLANTED : LIMIT_END]),
        int(detected[:, LIMIT_END:].sum()),
        float(narrow.mean()),
    )


class Single(NamedTuple):
    """One collection through processes: what was counted, and what its intervals hold."""

    sentence: str
    reports: int
    frequency: Flags
    top: Flags
    found: int

    @property
    def text(self) -> str:
        """What is said about it."""
        return (
            f"Population *stairs*, once: {USERS:,} participants seal their reports and send them to a mixer, the "
            f"clocks are moved to the closing day, and the collector fetches, opens and counts the batch. "
            f"{self.sentence} {self.frequency.sum()} of {KEYS} intervals of frequencies hold the truth, "
            f"{self.top.sum()} of the {TOP} most frequent keys'; "
            f"{self.found} of the {PLANTED} keys of {100 * PLANTED_SHARE:g} % stand out. Devices draw from the "
            "system's randomness, so another run has other figures."
        )


def through_processes(dataset: Dataset) -> Single:
    """Let all people take part through devices, a mixer and a collector that are processes of their own."""
    people = dataset.population
    participants = [{NAMES[key]: value for key, value in people.pairs(user).items()} for user in range(USERS)]
    with (
        held_signals() as signals,
        tempfile.TemporaryDirectory() as folder,
        mixed_services(MEMBERS, EPSILON, PAIRS, USERS, signals) as services,
    ):
        task, collector, reports = services.task, services.collector.remote, Path(folder) / "reports.parquet"
        collect(collector, task, participants, lambda _: None, signals)
        sentence = services.move_to_closing_day()
        collector.download(f"/tasks/{task.id}/reports", reports)
        tally = count_named(task, [reports], CountOptions()).tally
    judged = Judged.of(estimate(tally), dataset)
    found = int(judged.detected[OTHERS : OTHERS + PLANTED].sum())
    return Single(sentence, tally.reports, judged.frequency, judged.frequency[dataset.top(TOP)], found)


MEMBERS = {"name": "mixed", "keys": NAMES, "values": (-1, 1)}
# The key of no one: nothing is sealed for it.
AUTHOR = {"url": "https://mix.example", "operator": "Example Mixers", "key": base64url(bytes([9]) + bytes(31))}


def requirements(single: Single | None, rows: Sequence[CoveredPopulation]) -> Iterator[Requirement]:
    """Yield what must hold, and the control that must fail."""
    if single is not None:
        all_keys, top = float(single.frequency.mean()), float(single.top.mean())
        yield Requirement("processes: reports counted", f"{USERS:,}", f"{single.reports:,}", single.reports == USERS)
        for what, share, least in (
            ("all keys", all_keys, MIN_SINGLE_COVERAGE),
            (f"top {TOP}", top, MIN_SINGLE_TOP_COVERAGE),
        ):
            yield Requirement(f"processes: coverage, {what}", f"≥ {least:g}", f"{share:.2f}", share >= least)
    for row in rows:
        for what, share, least in (("all keys", row.all_keys, MIN_COVERAGE), (f"top {TOP}", row.top, MIN_TOP_COVERAGE)):
            yield Requirement(f"{row.name}: coverage, {what}", f"≥ {least:g}", f"{share:.3f}", share >= least)
        (found, error), (limit, limit_error) = row.found, row.found_at_limit
        yield Requirement(
            f"{row.name}: keys of {100 * PLANTED_SHARE:g} % found, against what reports show",
            f"{row.shown_rate:.3f}, within {ERRORS} standard errors",
            f"{found:.3f} ± {error:.3f}",
            abs(found - row.shown_rate) <= ERRORS * error,
        )
        yield Requirement(
            f"{row.name}: the same, against the plan",
            f"≥ {row.planned_rate:.3f}, less {ERRORS} standard errors",
            f"{found:.3f} ± {error:.3f}",
            found >= row.planned_rate - ERRORS * error,
        )
        yield Requirement(
            f"{row.name}: keys of the smallest frequency found",
            f"≥ {DETECTION_POWER}, less {ERRORS} standard errors",
            f"{limit:.3f} ± {limit_error:.3f}",
            limit >= DETECTION_POWER - ERRORS * limit_error,
        )
    for row in rows:
        yield Requirement(
            f"{row.name}: control, intervals half as wide",
            f"< {MIN_COVERAGE}",
            f"{row.control:.3f}",
            row.control < MIN_COVERAGE,
        )


def run(settings: ExperimentSettings) -> bool:
    """Collect from the law and through processes, and write docs/appendix/mixed.md; return whether all bars are met."""
    planned, task = proposed_task(MEMBERS, EPSILON, PAIRS, USERS, **AUTHOR)
    parts, collections = settings.parts or PARTS, settings.repeats or COLLECTIONS
    rows = []
    for name in (name for name in POPULATIONS if name in parts):
        rows.append(measure(population(name, planned.smallest_frequency), task, planned, collections))
        print(rows[-1].row, flush=True)
    single = None
    if PROCESSES in parts:
        single = through_processes(population("stairs", planned.smallest_frequency))
        print(single.text, flush=True)
    bars = list(requirements(single, rows))
    if single is not None and not settings.parts:
        texts = _texts(planned, task, collections)
        table = {"requirements": requirements_table(bars), "rows": "\n".join(row.row for row in rows)}
        text = PAGE.format(**texts, **table, single=_filled(single.text))
        (settings.out / "mixed.md").write_text(text, encoding="utf-8")
    return show_requirements(bars)


def _texts(planned: Plan, task: Task, collections: int) -> dict[str, object]:
    """Return the parts of the page that the plan and its task say."""
    assert planned.mixed is not None  # noqa: S101
    claim = planned.mixed.mixer
    facts = {
        "mechanism": task.mechanism,
        "padding": task.padding,
        "local": task.epsilon,
        "size_share": task.size_share,
        "batch": claim.batch,
        "central": claim.epsilon,
        "delta": claim.delta,
        "condition": claim.condition,
        "planted": PLANTED,
        "share": 100 * PLANTED_SHARE,
        "limit": AT_LIMIT,
        "unheld": UNHELD,
        "smallest": 100 * planned.smallest_frequency,
        "collections": collections,
        "pairs": PAIRS,
        "keys": KEYS,
    }
    planted, at_limit = (f"{100 * share:.3g} % found" for share in (PLANTED_SHARE, planned.smallest_frequency))
    header = ("all keys", f"top {TOP}", "means", planted, "as shown", "the plan", at_limit, "false", "control")
    made = (_filled(f"- *{name}*: {make.__doc__}", "  ") for name, make in POPULATIONS.items())
    return {
        "keys": KEYS,
        "users": USERS,
        "epsilon": EPSILON,
        "pairs": PAIRS,
        "task": _filled(TASK_TEXT.format(**facts)),
        "populations": "\n".join(made),
        "planted": _filled(PLANTED_TEXT.format(**facts)),
        "law": _filled(LAW_TEXT.format(**facts)),
        "notes": _filled(NOTES.format(**facts)),
        "header": " | ".join(header),
        "rule": "---:|" * len(header),
    }


def _filled(text: str, indent: str = "") -> str:
    return textwrap.fill(text, 100, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
