"""Trends of simulated weekly series against the truth: errors, coverage, false discoveries, and events.

50,000 people, 200 keys, 20 rounds, four panels, ε = 2, real reports. Half of the keys stay, a quarter drifts
and a quarter jumps once. People are the same in all rounds, so that the errors of panels return as they do in
a real series. The part `events` is in `series_events.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, cast

import numpy as np
from numpy.random import Generator, default_rng
from rich.box import MARKDOWN
from rich.console import Console
from rich.table import Table

from experiments.series_events import events
from experiments.series_population import DRIFTING, JUMPING, KINDS, STAYING, Crowd, Paths, draw_crowd
from experiments.settings import ExperimentSettings, Requirement, show_requirements
from pckv import Series, Tally, Task
from pckv.base.arrays import Flags, Floats, Integers
from pckv.base.seeded import seeded_source
from pckv.device.vectorised import perturb_many
from pckv.estimators.results.trend import Trend
from pckv.estimators.trends.rounds import RoundCounts
from pckv.estimators.trends.trend import ComparedRounds, trend

SEED, REPEATS = 20_268, 50
KEYS, PEOPLE, ROUNDS, PANELS = 200, 50_000, 20, 4
EPSILON, RATE = "2", 0.05
# Rounds on either side of a jump that the bar of jumping keys leaves out.
NEAR_JUMP = 2
LARGE_CHANGE = 0.035
MIN_GAIN, MAX_LOSS, MIN_COVERAGE = 2.0, 1.1, 0.93


class SeriesSetting(NamedTuple):
    """How many pairs people hold at most, the sum of all frequencies, and what jumps add to them."""

    pairs: int
    total: float
    jumps: tuple[float, float, float]


# With one pair per person the noise of a round is a third of that with four, and jumps stand out from it.
SETTINGS = {
    "four-pairs": SeriesSetting(4, 1.6, (0.0, 0.01, 0.04)),
    "one-pair": SeriesSetting(1, 0.3, (0.0, 0.005, 0.04)),
}
JUMP_CHANCES = (0.5, 0.4, 0.1)
EVENTS = "events"
PARTS = (*SETTINGS, EVENTS)


class Measured(NamedTuple):
    """One repeat: squared errors and coverage by kind of key, and the flags of all successive rounds."""

    single: dict[str, float]
    smoothed: dict[str, float]
    covered: dict[str, float]
    single_covered: float
    mean_gain: float
    mean_covered: float
    pooled_covered: float
    false_share: float
    found_share: float
    # Of the keys that drift or jump by more than twice the noise of a round: how many, and the same three
    # numbers.
    visible: dict[str, tuple[int, float, float, float]]


def draw_paths(setting: SeriesSetting, rng: Generator) -> Paths:
    """Draw frequencies by Zipf's law, in a random order of kinds; means are spread, and drift a little."""
    zipf = np.arange(1, KEYS + 1) ** -0.7
    base = zipf / zipf.sum() * setting.total
    kind = rng.permutation(np.repeat([0, 0, 1, 2], KEYS // 4))
    frequency = np.repeat(base[:, None], ROUNDS, axis=1)
    time = np.linspace(0, 1, ROUNDS)
    jump = np.where(kind == KINDS.index(JUMPING), rng.integers(4, ROUNDS - 3, KEYS), 0)
    for key in range(KEYS):
        if KINDS[kind[key]] == DRIFTING:
            # Less than one slow wave, up to 80 % around the base.
            wave = np.sin(2 * np.pi * (time * rng.uniform(0.2, 0.8) + rng.random()))
            frequency[key] *= 1 + rng.uniform(0.3, 0.8) * wave
        elif KINDS[kind[key]] == JUMPING:
            relative = rng.choice([-0.6, 0.6])
            frequency[key, jump[key] :] += relative * base[key] + rng.choice(setting.jumps, p=JUMP_CHANCES)
    mean = np.clip(rng.uniform(-0.9, 0.9, (KEYS, 1)) + 0.2 * np.sin(2 * np.pi * time) * rng.random((KEYS, 1)), -1, 1)
    return Paths(frequency, mean, kind, jump)


def make_series(setting: SeriesSetting) -> Series:
    """Return the series: no person holds more pairs than the padding."""
    task = Task(
        name="weekly",
        keys=KEYS,
        values=(-1, 1),
        epsilon=EPSILON,
        padding=setting.pairs,
        users=PEOPLE,
        more="refuse",
    )
    return Series(task=task, first="2030-01-07", period=7, panels=PANELS)


def collect(series: Series, crowd: Crowd, repeat: int) -> Iterator[RoundCounts]:
    """Collect every round from its panel, with real reports."""
    panel = default_rng([SEED, repeat, 1]).integers(0, PANELS, PEOPLE)
    for number in range(1, ROUNDS + 1):
        tally = Tally(series.task_of(number))
        people = np.flatnonzero(panel == number % PANELS)
        source = seeded_source(SEED + 1000 * repeat + number)
        for batch in perturb_many(tally.task, crowd.population(people, number - 1), source):
            tally.add_many(batch.messages)
        yield RoundCounts.of(series, tally)


def far_from_jumps(paths: Paths) -> Flags:
    """Return the rounds of every key but those on either side of its jump."""
    rounds = np.arange(ROUNDS)
    near = (rounds >= paths.jump[:, None] - NEAR_JUMP) & (rounds < paths.jump[:, None] + NEAR_JUMP)
    return ~(near & (paths.jump > 0)[:, None])


def measure(series: Series, setting: SeriesSetting, repeat: int) -> Measured:
    """Run one series and compare its trend with the truth."""
    rng = default_rng([SEED, repeat])
    crowd = draw_crowd(draw_paths(setting, rng), PEOPLE, setting.pairs, rng)
    found = trend(series, collect(series, crowd, repeat), false_discovery_rate=RATE)
    truth = np.stack([crowd.truth(number) for number in range(ROUNDS)], axis=1)
    counts = cast("ComparedRounds", found.compare_counts).counts
    # Not clipped, as the smoothed ones are made from these.
    own = np.stack([each.frequency for each in counts], axis=1)
    squares, smoothed = (own - truth) ** 2, (found.columns["smoothed"] - truth) ** 2
    inside = _inside(found, "smoothed", truth)
    counted, kinds = far_from_jumps(crowd.paths), crowd.paths.kind
    rows = {name: (kinds == place)[:, None] & counted for place, name in enumerate(KINDS)}
    false, share = flags(found, truth)
    return Measured(
        single={name: float(squares[row].mean()) for name, row in rows.items()},
        smoothed={name: float(smoothed[row].mean()) for name, row in rows.items()},
        covered={name: float(inside[kinds == place].mean()) for place, name in enumerate(KINDS)},
        single_covered=float(_inside(found, "frequency", truth).mean()),
        **_means(found, crowd),
        pooled_covered=_pooled_coverage(found, truth),
        false_share=false,
        found_share=share,
        visible=_visible(kinds, truth, counted, squares, smoothed, inside),
    )


def _visible(  # noqa: PLR0917
    kinds: Integers, truth: Floats, counted: Flags, squares: Floats, smoothed: Floats, inside: Flags
) -> dict[str, tuple[int, float, float, float]]:
    """Return sums over the keys whose movement is more than twice the noise of a round, by kind."""
    moved = np.ptp(truth, axis=1) > 2 * np.sqrt(squares.mean())
    found = {}
    for name in (DRIFTING, JUMPING):
        keys = moved & (kinds == KINDS.index(name))
        rows = keys[:, None] & counted
        found[name] = (
            int(keys.sum()),
            float(squares[rows].sum()),
            float(smoothed[rows].sum()),
            float(inside[keys].mean(axis=1).sum()),
        )
    return found


def _inside(found: Trend, name: str, truth: Floats) -> Flags:
    low, high = (found.columns[f"{name}_{end}"] for end in ("low", "high"))
    return np.asarray((low <= truth) & (truth <= high))


def _means(found: Trend, crowd: Crowd) -> dict[str, float]:
    """Return how much smoothing lowers the squared error of means of keys that stand out, and coverage."""
    rows = found.pooled.detected
    truth = np.stack([crowd.mean_truth(number) for number in range(ROUNDS)], axis=1)[rows]
    single = (found.columns["mean"][rows] - truth) ** 2
    smoothed = (found.columns["smoothed_mean"][rows] - truth) ** 2
    low, high = (found.columns[f"smoothed_mean_{end}"][rows] for end in ("low", "high"))
    inside = (low <= truth) & (truth <= high)
    return {"mean_gain": float(single.mean() / smoothed.mean()), "mean_covered": float(inside.mean())}


def _pooled_coverage(found: Trend, truth: Floats) -> float:
    """Return how often pooled intervals hold the average of the rounds that they are made from."""
    average = truth[:, -PANELS:].mean(axis=1)
    inside = (found.pooled.frequency_low <= average) & (average <= found.pooled.frequency_high)
    return float(inside.mean())


def flags(found: Trend, truth: Floats) -> tuple[float, float]:
    """Return the mean share of false flags over successive rounds, and the share of large changes found."""
    false, changed, seen = [], 0, 0
    for number in range(1, ROUNDS):
        flagged = found.compare(number, number + 1, RATE).changed
        moved = truth[:, number] != truth[:, number - 1]
        false.append((flagged & ~moved).sum() / max(1, flagged.sum()))
        large = np.abs(truth[:, number] - truth[:, number - 1]) > LARGE_CHANGE
        changed += int(large.sum())
        seen += int((large & flagged).sum())
    return float(np.mean(false)), seen / max(1, changed)


def requirements(found: list[Measured]) -> list[Requirement]:
    """Return what must hold on average over all repeats."""
    ratio = {
        name: np.mean([each.single[name] for each in found]) / np.mean([each.smoothed[name] for each in found])
        for name in KINDS
    }
    coverage = {name: float(np.mean([each.covered[name] for each in found])) for name in KINDS}
    everything = float(np.average([coverage[STAYING], coverage[DRIFTING], coverage[JUMPING]], weights=[2, 1, 1]))
    false = float(np.mean([each.false_share for each in found]))
    return [
        Requirement(
            f"{name}: squared error of single rounds over smoothed",
            f"≥ {MIN_GAIN:g}" if name != JUMPING else f"≥ {1 / MAX_LOSS:.2f}",
            f"{ratio[name]:.2f}",
            bool(ratio[name] >= (MIN_GAIN if name != JUMPING else 1 / MAX_LOSS)),
        )
        for name in KINDS
    ] + [
        Requirement("coverage, all keys", f"≥ {MIN_COVERAGE}", f"{everything:.3f}", everything >= MIN_COVERAGE),
        *(
            Requirement(f"coverage, {name}", f"≥ {MIN_COVERAGE}", f"{value:.3f}", value >= MIN_COVERAGE)
            for name, value in coverage.items()
        ),
        Requirement("false discovery rate", f"≤ {RATE}", f"{false:.3f}", false <= RATE),
    ]


def run(settings: ExperimentSettings) -> bool:
    """Print what every setting measured on average, and the bars."""
    bars = []
    for name in settings.parts or PARTS:
        if name == EVENTS:
            bars += events(settings.repeats)
            continue
        setting = SETTINGS[name]
        series = make_series(setting)
        found = [measure(series, setting, repeat) for repeat in range(settings.repeats or REPEATS)]
        show(name, series, found)
        bars += [each._replace(what=f"{name}, {each.what}") for each in requirements(found)]
    return show_requirements(bars)


def show(name: str, series: Series, found: list[Measured]) -> None:
    """Print the averages of one setting."""
    table = Table(box=MARKDOWN)
    table.add_column(f"{name}: {series.task.mechanism}, padding {series.task.padding}")
    table.add_column("")
    for what in (
        "single_covered",
        "mean_gain",
        "mean_covered",
        "pooled_covered",
        "false_share",
        "found_share",
    ):
        table.add_row(what.replace("_", " "), f"{np.mean([getattr(each, what) for each in found]):.4f}")
    for kind in KINDS:
        single, smoothed = (np.mean([getattr(each, what)[kind] for each in found]) for what in ("single", "smoothed"))
        table.add_row(f"{kind}: squared error, single and smoothed", f"{single:.3g}, {smoothed:.3g}")
    for kind in (DRIFTING, JUMPING):
        keys, single, smoothed, inside = np.sum([each.visible[kind] for each in found], axis=0)
        numbers = f"{keys:.0f} keys, gain {single / smoothed:.2f}, covered {inside / keys:.3f}" if keys else "none"
        table.add_row(f"{kind} visibly", numbers)
    Console(width=120).print(table)
