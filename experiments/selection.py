"""Intervals and flags of what is shown because it was detected, against the truth: docs/appendix/selection.md.

Hashed keys and changes of series are drawn from the exact law of their counts; discoveries are made of reports
by the device's own code. The controls are what the same collections give without the correction. With some parts
only, bars are printed and nothing is written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.random import Generator, default_rng
from rich.progress import track

from experiments.discovery import random_texts
from experiments.settings import ExperimentSettings, Requirement, requirements_table, show_requirements
from pckv import Tally, Task, discover
from pckv.base.arrays import Flags, Floats, Integers
from pckv.base.population import Population
from pckv.device.vectorised import perturb_texts
from pckv.estimators.intervals import frequency_interval, mean_interval, two_sided_z
from pckv.estimators.results.changes import Changes
from pckv.estimators.trends.changes import ComparedCounts, find_changes, neighbouring_windows
from pckv.estimators.trends.rounds import RoundCounts
from pckv.estimators.trends.smoothing import normal_cdf
from pckv.lab.counting import draw_counts
from pckv.mechanisms.registry import build
from pckv.planning.discovery import DEFAULT_FOUND_RATE, smallest_found_frequency
from pckv.statistics.detection import DEFAULT_FLAG_RATE, Detection, discoveries, selected_level
from pckv.statistics.moments import CountMoments, equal_scale

SEED, LEVEL = 20_290, 0.95
REPEATS = {"hashed": 300, "changes": 100, "discoveries": 30}
PARTS = tuple(REPEATS)
# A rate that is held exactly is measured above this many of its standard errors in one of a thousand experiments.
STANDARD_ERRORS = 3
NO_ANSWERS = np.zeros(0, np.int64)


class Rates(NamedTuple):
    """What one collection shows: how many of it, and which shares are false, or do not contain the truth.

    The last two are the same without any correction, of what is shown then.
    """

    shown: int
    false: float
    missed: float
    false_unadjusted: float
    missed_unadjusted: float


class SelectionSetting(NamedTuple):
    """What is collected, under a name, the false discovery rate that is stated, and one collection of it."""

    part: str
    name: str
    rate: float
    collect: Callable[[Generator], Rates]


def _share(flags: Flags | Sequence[bool], shown: int) -> float:
    return float(np.sum(flags)) / max(shown, 1)


# Hashed keys: the number of candidates, how many of them are held, and the people. A held key has `TIMES` the
# frequency at which a single candidate is detected half of the time.
CANDIDATES, HELD, PEOPLE = 2_000, 40, 100_000
TIMES = (0.5, 0.8, 1.0, 1.3, 2.0)


def hashed_setting(epsilon: str, pairs: int) -> SelectionSetting:
    """Return candidates among which some are held by few people, and some by more."""
    count_law = build("collision", 2**29 - 1, pairs, Fraction(epsilon), {}).count_law
    moments = CountMoments.of(count_law, scale=equal_scale(2))
    error = float(np.sqrt(moments.frequency_variance(0.0) / PEOPLE))
    holders = np.zeros(CANDIDATES, np.int64)
    holders[:HELD] = np.round(np.resize(TIMES, HELD) * 4 * error * PEOPLE)

    def collect(rng: Generator) -> Rates:
        means = rng.uniform(-1, 1, CANDIDATES)
        support = draw_counts(count_law, PEOPLE, holders, means, rng)
        found = Detection(CANDIDATES, LEVEL, DEFAULT_FLAG_RATE).detected(support.total, PEOPLE, moments)
        alone = Detection(1, LEVEL).detected(support.total, PEOPLE, moments)
        shown = int(found.sum())

        def missed(flags: Flags, level: float) -> float:
            low, high = frequency_interval(support, PEOPLE, moments, level)
            of_mean = mean_interval(support, PEOPLE, moments, level)
            frequency = (holders / PEOPLE < low) | (holders / PEOPLE > high)
            # The mean of a key without holders is no number.
            mean = (holders > 0) & ((means < of_mean.low - 0.02) | (means > of_mean.high + 0.02))
            return max(_share(flags & each, int(flags.sum())) for each in (frequency, mean))

        return Rates(
            shown,
            _share(found & (holders == 0), shown),
            missed(found, selected_level(LEVEL, shown, CANDIDATES)),
            _share(alone & (holders == 0), int(alone.sum())),
            missed(found, LEVEL),
        )

    return SelectionSetting("hashed", f"ε = {epsilon}, padding {pairs}", DEFAULT_FLAG_RATE, collect)


# Series: the number of keys, of people per series, of panels, and of rounds.
KEYS, MEMBERS, PANELS, ROUNDS = 200, 48_000, 4, 12


def _by_panel(chosen: Integers, among: Integers, rng: Generator) -> Integers:
    """Return how many people of each panel are chosen, by panel and key, given among how many of it."""
    found, left = [], chosen.copy()
    for panel, people in enumerate(among):
        found.append(rng.hypergeometric(people, among[panel + 1 :].sum(axis=0), left))
        left = left - found[-1]
    return np.array(found)


def draw_rounds(frequency: Floats, mechanism: str, epsilon: str, rng: Generator) -> list[RoundCounts]:
    """Draw rounds of the same people, in panels, given the share of all who hold each key (keys × rounds).

    Where it changes, the people who begin to hold a key, or cease to, are drawn among all who do not, or do.
    """
    count_law = build(mechanism, max(len(frequency), KEYS), 1, Fraction(epsilon), {}).count_law
    totals, reports = np.round(frequency * MEMBERS).astype(np.int64), MEMBERS // PANELS
    everybody = np.full((PANELS, len(totals)), reports)
    by_panel, found = _by_panel(totals[:, 0], everybody, rng), []
    for number in range(1, frequency.shape[1] + 1):
        if number > 1:
            step = totals[:, number - 1] - totals[:, number - 2]
            ceased = _by_panel(np.maximum(-step, 0), by_panel, rng)
            by_panel = by_panel + _by_panel(np.maximum(step, 0), everybody - by_panel, rng) - ceased
        support = draw_counts(count_law, reports, by_panel[number % PANELS], np.zeros(len(totals)), rng)
        keys = np.arange(len(totals))
        found.append(RoundCounts(number, PANELS, reports, NO_ANSWERS, keys, support, count_law, equal_scale(2)))
    return found


def find(rounds: Sequence[RoundCounts], frequency: Floats) -> Changes:
    """Return what changed at the default level and rate, given the frequencies of the last round."""
    names = [str(key) for key in range(len(frequency))]
    return find_changes(rounds, names, frequency, LEVEL, DEFAULT_FLAG_RATE, all_keys=False)


def false_changes(found: Changes, frequency: Floats, narrower: float = 1.0) -> tuple[set[str], set[str]]:
    """Return the keys with a change where there is none, and those with an interval without the true change.

    Intervals are made narrower by a factor.
    """
    false, missed = set(), set()
    for row in found.rows:
        path = frequency[int(row.key)]
        if np.ptp(path[row.before_first - 1 : row.after_last]) == 0:
            false.add(row.key)
        after, before = path[row.after_first - 1 : row.after_last], path[row.before_first - 1 : row.before_last]
        error = after.mean() - before.mean() - row.change
        if not narrower * (row.change_low - row.change) <= error <= narrower * (row.change_high - row.change):
            missed.add(row.key)
    return false, missed


def draw_paths(changing: int, rng: Generator) -> Floats:
    """Draw frequencies by Zipf's law over the rounds: some keys jump once, or drift, and all others stay."""
    frequency = np.repeat(0.3 / np.arange(1, KEYS + 1)[:, None] ** 0.8, ROUNDS, axis=1)
    for key in rng.permutation(KEYS)[:changing].tolist():
        to = max(frequency[key, 0] + rng.choice([-1, 1]) * rng.uniform(0.01, 0.06), 0.0)
        jump, path = int(rng.integers(1, ROUNDS)), np.linspace(frequency[key, 0], to, ROUNDS)
        frequency[key] = path if rng.random() < 1 / 3 else np.where(np.arange(ROUNDS) < jump, path[0], path[-1])
    return np.round(frequency * MEMBERS) / MEMBERS


def changes_setting(mechanism: str, epsilon: str, changing: int) -> SelectionSetting:
    """Return a series of which some keys change."""

    def collect(rng: Generator) -> Rates:
        frequency = draw_paths(changing, rng)
        rounds = draw_rounds(frequency, mechanism, epsilon, rng)
        found = find(rounds, frequency[:, -1])
        shown, (false, missed) = found.keys_changed, false_changes(found, frequency)
        # As if each pair of windows were the only one that is compared, and each interval the only one.
        p_values = 2 * normal_cdf(-ComparedCounts.of(rounds).distances(neighbouring_windows(ROUNDS)))
        unadjusted = np.any([discoveries(each, DEFAULT_FLAG_RATE) for each in p_values.T], axis=0)
        narrower = two_sided_z(LEVEL) / two_sided_z(found.changed_level)
        return Rates(
            shown,
            len(false) / max(shown, 1),
            len(missed) / max(shown, 1),
            _share(unadjusted & (np.ptp(frequency, axis=1) == 0), int(unadjusted.sum())),
            len(false_changes(found, frequency, narrower)[1]) / max(shown, 1),
        )

    name = f"`{mechanism}`, ε = {epsilon}, {changing} of {KEYS} keys change"
    return SelectionSetting("changes", name, DEFAULT_FLAG_RATE, collect)


class Seen(NamedTuple):
    """How often a change of the size that a trend states is found: into the last round, and a lasting one."""

    mechanism: str
    epsilon: str
    repeats: int
    found: tuple[float, float]
    half: tuple[float, float]


def measure_seen(mechanism: str, epsilon: str, repeats: int) -> Seen:
    """Change the key that changes are hardest to see of, by what a trend states and by half of it."""
    rng = default_rng([SEED, 1])
    still = draw_paths(0, rng)
    stated = find(draw_rounds(still, mechanism, epsilon, rng), still[:, -1]).seen
    shares = []
    for factor in (1.0, 0.5):
        of_factor = []
        for seen in stated:
            path = still.copy()
            path[0, seen.after_first - 1 : seen.after_last] += factor * seen.change
            times = [find(draw_rounds(path, mechanism, epsilon, rng), path[:, -1]).changed[0] for _ in range(repeats)]
            of_factor.append(float(np.mean(times)))
        shares.append((of_factor[0], of_factor[-1]))
    return Seen(mechanism, epsilon, repeats, *shares)


# Discoveries: the number of people, the longest text, and the number of planted and of other texts.
USERS, CHARACTERS, PLANTED, OTHER_TEXTS = 100_000, 6, 12, 2_000


def discovery_setting(epsilon: str) -> SelectionSetting:
    """Return texts planted around the frequency that is found four times out of five."""
    task = Task.discovery(name="discovery", epsilon=epsilon, characters=CHARACTERS)
    smallest = smallest_found_frequency(task.law, task.tree, USERS)  # type: ignore[arg-type]
    holders = np.round(np.resize((0.7, 0.9, 1.1, 1.5), PLANTED) * smallest * USERS).astype(np.int64)

    def collect(rng: Generator) -> Rates:
        texts = list(dict.fromkeys(map(task.tree.cut, random_texts(task.tree.alphabet, PLANTED + OTHER_TEXTS, rng))))
        held = rng.integers(PLANTED, len(texts), USERS)
        held[: holders.sum()] = np.repeat(np.arange(PLANTED), holders)
        tally = Tally(task)
        people = Population(np.arange(USERS + 1), held.astype(np.int32), np.ones(USERS))
        for batch in perturb_texts(task, texts, people, rng.bytes):
            tally.add_many(batch.messages)
        truth = dict(zip(texts, (np.bincount(held, minlength=len(texts)) / USERS).tolist(), strict=True))
        found = discover(tally)
        narrower = two_sided_z(LEVEL) / two_sided_z(found.keys_level)
        outside = [
            (
                truth.get(key.key, 0.0),
                key.frequency,
                key.frequency_low - key.frequency,
                key.frequency_high - key.frequency,
            )
            for key in found
        ]
        missed, unadjusted = (
            [not factor * low <= true - estimate <= factor * high for true, estimate, low, high in outside]
            for factor in (1.0, narrower)
        )
        return Rates(
            len(found),
            _share([key not in truth for key in found.key], len(found)),
            _share(missed, len(found)),
            float("nan"),
            _share(unadjusted, len(found)),
        )

    return SelectionSetting("discoveries", f"ε = {epsilon}", DEFAULT_FOUND_RATE, collect)


def settings_of(part: str) -> list[SelectionSetting]:
    """Return what is collected in a part."""
    if part == "hashed":
        return [hashed_setting(epsilon, pairs) for epsilon in ("1", "4") for pairs in (1, 3)]
    if part == "changes":
        laws = [("collision", "2"), ("ue", "6"), ("grr", "6")]
        return [changes_setting(*law, changing) for law in laws for changing in (0, 10, 100)]
    return [discovery_setting(epsilon) for epsilon in ("2", "4")]


class MeasuredRates(NamedTuple):
    """A setting with the means of its rates over all collections, and their standard errors."""

    setting: SelectionSetting
    repeats: int
    mean: Rates
    error: Rates


def measure(setting: SelectionSetting, repeats: int) -> MeasuredRates:
    """Collect several times."""
    found = np.array([setting.collect(default_rng([SEED, repeat])) for repeat in range(repeats)], float)
    return MeasuredRates(
        setting, repeats, Rates(*found.mean(axis=0)), Rates(*(found.std(axis=0, ddof=1) / np.sqrt(repeats)))
    )


def requirements_of(cells: Sequence[MeasuredRates], seen: Sequence[Seen]) -> Iterator[Requirement]:
    """Yield what must hold."""
    for setting, _, mean, error in cells:
        for what, name, bar in (
            ("false discoveries", "false", setting.rate),
            ("intervals that miss", "missed", 1 - LEVEL),
        ):
            value, spread = getattr(mean, name), getattr(error, name)
            yield Requirement(
                f"{setting.part}, {setting.name}: {what}",
                f"≤ {bar:.0%}, up to {STANDARD_ERRORS} standard errors",
                f"{value:.2%} ± {spread:.2%}",
                value <= bar + STANDARD_ERRORS * spread,
            )
    for each in seen:
        least = 0.8 - STANDARD_ERRORS * (0.16 / each.repeats) ** 0.5
        for when, found in zip(("in the last round", "that last"), each.found, strict=True):
            yield Requirement(
                f"`{each.mechanism}`, ε = {each.epsilon}: changes of the stated size {when} that are found",
                f"≥ 80 %, up to {STANDARD_ERRORS} standard errors",
                f"{found:.0%}",
                found >= least,
            )


INTRODUCTION = f"""# Measured: what is shown because it was detected

Of all hashed keys, changes of series and discovered texts that are shown because they stand out
from the noise: how many are false, and how many have an interval that misses the truth? Both rates
are stated with every result ([detection](../../proofs/detection.md),
[trends](../../proofs/trends.md), [discoveries](../../proofs/discovery.md)). `make experiment
NAME=selection` writes this page.

- *hashed*: {PEOPLE:,} people, {CANDIDATES:,} candidates, {HELD} of them held by few people, counts
  drawn from their exact law. The rate of intervals is the larger one of frequencies and means.
- *changes*: {MEMBERS:,} people in {PANELS} panels, {ROUNDS} rounds, {KEYS} keys with Zipf's
  frequencies, of which none, some or half jump once or drift, by 1 to 6 points. A key counts as
  false if one of its changes is not one, and as missed if one of its intervals misses.
- *discoveries*: {USERS:,} people, reports of the devices' code, {PLANTED} texts of at most
  {CHARACTERS} characters planted around the frequency that is found four times out of five.
- In brackets, the same collections without the correction: candidates judged one by one, every
  pair of windows compared at the rate as if it were the only one, and intervals of {LEVEL:.0%} each.

"""
TABLE = """
| | | shown | false | | missed | |
|---|---|---:|---:|---:|---:|---:|
"""


def _page(cells: Sequence[MeasuredRates], seen: Sequence[Seen], requirements: Sequence[Requirement]) -> Iterator[str]:
    yield INTRODUCTION
    yield requirements_table(requirements)
    yield TABLE
    for setting, _, mean, error in cells:
        false = "" if np.isnan(mean.false_unadjusted) else f"({mean.false_unadjusted:.1%})"
        yield (
            f"| {setting.part} | {setting.name} | {mean.shown:.1f} | {mean.false:.2%} ± {error.false:.2%} | {false} "
            f"| {mean.missed:.2%} ± {error.missed:.2%} | ({mean.missed_unadjusted:.1%}) |\n"
        )
    yield "\nA change of half the size that a trend states is found less often, in the last round and lasting: "
    yield "; ".join(f"`{one.mechanism}`, ε = {one.epsilon}: {one.half[0]:.0%} and {one.half[1]:.0%}" for one in seen)
    yield ".\n\n**Next:** [levels](levels.md).\n"


def run(settings: ExperimentSettings) -> bool:
    """Run the parts, print the bars and write the page; return whether all bars are met."""
    parts = settings.parts or PARTS
    jobs = [(setting, settings.repeats or REPEATS[part]) for part in parts for setting in settings_of(part)]
    cells = [measure(*job) for job in track(jobs, "selection")]
    laws = [("collision", "2"), ("ue", "6"), ("grr", "6")] if "changes" in parts else []
    seen = [measure_seen(*law, settings.repeats or REPEATS["changes"]) for law in laws]
    requirements = list(requirements_of(cells, seen))
    if not settings.parts:
        (settings.out / "selection.md").write_text("".join(_page(cells, seen, requirements)), encoding="utf-8")
    return show_requirements(requirements)
