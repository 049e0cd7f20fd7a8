"""Events in series: intervals of rounds in which keys jump, of a single spike, and of keys that swing.

The populations, on which no constant of the method was chosen: 200 keys over 20 rounds, 200,000 people in four
panels, padding 4, ε = 2, with every mechanism, in counts drawn from its exact law. Twenty keys at 10 % stay, while the
means of their values have events; the others have frequencies by Zipf's law, and 1, 5 or 15 of each kind of event are
among them, at random ranks. Sizes are in standard errors of one round. The control is a smoother without transients,
whose intervals do not look at the round's own: what the bars of events must find.

Constants were chosen on other populations: normal noise, 16 rounds, without panels.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from typing import NamedTuple
from unittest.mock import patch

import numpy as np
from numpy.random import Generator, default_rng
from rich.box import MARKDOWN
from rich.console import Console
from rich.table import Table

from experiments.settings import Requirement
from pckv import Series, Task
from pckv.base.arrays import Floats, Integers
from pckv.estimators.results.trend import Trend
from pckv.estimators.trends import smoothing
from pckv.estimators.trends.rounds import RoundCounts
from pckv.estimators.trends.smoothing import DRIFTS, Movements
from pckv.estimators.trends.trend import trend
from pckv.lab.counting import draw_level_counts
from pckv.statistics.moments import CountMoments, Scale

SEED, REPEATS = 20_381, 6
KEYS, PEOPLE, ROUNDS, PANELS, PADDING = 200, 200_000, 20, 4, 4
MECHANISMS = ("ue", "grr", "ue-compact", "collision")
OF_EACH = (1, 5, 15)
FREQUENT, FREQUENT_SHARE, OTHERS_TOTAL = 20, 0.1, 1.5
# Rare keys have counts of their own: keys with events are held by at least this share of people.
LEAST_SHARE = 0.004
RATE = 0.05


class Event(NamedTuple):
    """How many standard errors of a round a key is off its usual value, in which rounds, and where it is judged."""

    size: float
    rounds: slice
    judged: slice


LAST, BEFORE = slice(ROUNDS - 1, None), slice(ROUNDS - 13, ROUNDS - 12)
JUMPS = {f"jump of {size}, newest round": Event(size, LAST, LAST) for size in (3, 4, 5)}
# In the newest round nothing tells a jump from a spike: what differs is what follows.
SPIKES = {
    "spike of 5, at once": Event(5, LAST, LAST),
    "spike of 5, after 12 rounds": Event(5, BEFORE, BEFORE),
}
SWINGS = {f"swinging by ±{size}": Event(2 * size, slice(0, None, 2), slice(None)) for size in (1.5, 3)}
FREQUENCY_EVENTS = JUMPS | SPIKES | SWINGS
MEAN_EVENTS = {f"mean, {name}": event for name, event in (JUMPS | SPIKES).items()}
STAYING, STAYING_NEWEST = "staying", "staying, newest round"
MEAN_STAYING = "mean, staying"
MIN_JUMP, MIN_SPIKE, MIN_KEPT, NO_WORSE = 0.85, 0.8, 0.8, 1.0
DIFFERING = 0.15


class Drawn(NamedTuple):
    """The counts of all rounds, the truth by key and round, and the event of every key."""

    counts: list[RoundCounts]
    frequency: Floats
    mean: Floats
    events: list[str]


class Sums(NamedTuple):
    """What is summed over rounds of one kind: how many, covered, squared errors of both, and relative widths."""

    rounds: float = 0.0
    covered: float = 0.0
    smoothed: float = 0.0
    single: float = 0.0
    width: float = 0.0
    single_covered: float = 0.0
    differs: float = 0.0

    def plus(self, other: Sums) -> Sums:
        """Return the sums over the rounds of both."""
        return Sums(*(one + another for one, another in zip(self, other, strict=True)))

    @property
    def coverage(self) -> float:
        """The share of smoothed intervals that contain the truth."""
        return self.covered / self.rounds

    @property
    def gain(self) -> float:
        """The squared error of a round over that of the smoothed one."""
        return self.single / self.smoothed


def make_series(mechanism: str) -> Series:
    """Return a series of a mechanism; no person holds more pairs than the padding."""
    task = Task(
        name="weekly",
        keys=KEYS,
        values=(-1, 1),
        epsilon="2",
        padding=PADDING,
        users=PEOPLE,
        mechanism=mechanism,
        more="refuse",
    )
    return Series(task=task, first="2030-01-07", period=7, panels=PANELS)


def draw(series: Series, of_each: int, rng: Generator) -> Drawn:
    """Draw the rounds of a series: every panel keeps its people, who hold what they hold while nothing happens."""
    count_law, reports = series.task.law.count_law, PEOPLE // PANELS
    scale = Scale.of_values(series.task.level_values)
    zipf = np.arange(1, KEYS - FREQUENT + 1) ** -0.7
    frequency = np.append(np.full(FREQUENT, FREQUENT_SHARE), zipf / zipf.sum() * OTHERS_TOTAL)
    mean = np.append(np.full(FREQUENT, -0.5), rng.uniform(-0.9, 0.9, KEYS - FREQUENT))
    events = _events(frequency, of_each, rng)
    moments = CountMoments.of(count_law, scale=scale)
    error = np.sqrt((moments.frequency_variance(frequency) + (1 - 1 / PANELS) * frequency * (1 - frequency)) / reports)
    mean_error = np.sqrt(moments.mean_variance(frequency, mean) / reports)
    found = FREQUENCY_EVENTS | MEAN_EVENTS
    size = np.array([found[name].size if name in found else 0.0 for name in events])
    of_mean = np.array([name in MEAN_EVENTS for name in events])
    happens = np.zeros((KEYS, ROUNDS), np.bool_)
    for key, name in enumerate(events):
        if name in found:
            happens[key, found[name].rounds] = True
    # What keys are normally, and where their event is.
    truths = [
        (frequency, mean),
        (frequency + np.where(of_mean, 0, size * error), np.where(of_mean, mean + size * mean_error, mean)),
    ]
    held = [_by_panel(*each, rng) for each in truths]
    exact = [(each.sum(axis=(0, 1)) / PEOPLE, _mean_of(each.sum(axis=0))) for each in held]
    counts = [
        RoundCounts(
            number=number + 1,
            panels=PANELS,
            reports=reports,
            size_answers=np.zeros(0, np.int64),
            keys=np.arange(KEYS),
            support=draw_level_counts(
                count_law,
                reports,
                np.where(happens[:, number], held[1][(number + 1) % PANELS], held[0][(number + 1) % PANELS]),
                rng,
            ),
            count_law=count_law,
            scale=scale,
        )
        for number in range(ROUNDS)
    ]
    of_frequency, of_means = (np.where(happens, exact[1][each][:, None], exact[0][each][:, None]) for each in (0, 1))
    return Drawn(counts, of_frequency, of_means, events)


def _events(frequency: Floats, of_each: int, rng: Generator) -> list[str]:
    """Return the event of every key: as many of each kind, at random ranks of keys that are not too rare."""
    events = [MEAN_STAYING if key < FREQUENT else STAYING for key in range(KEYS)]
    for place, name in enumerate(MEAN_EVENTS):
        events[3 * place : 3 * place + 3] = [name] * 3
    others = FREQUENT + np.flatnonzero(frequency[FREQUENT:] >= LEAST_SHARE)
    chosen = rng.permutation(others)[: of_each * len(FREQUENCY_EVENTS)]
    for place, key in enumerate(chosen.tolist()):
        events[key] = list(FREQUENCY_EVENTS)[place % len(FREQUENCY_EVENTS)]
    return events


def _by_panel(frequency: Floats, mean: Floats, rng: Generator) -> Integers:
    """Deal the holders of every key to the panels: panels × levels × keys, values at the two ends."""
    holders = np.rint(frequency * PEOPLE).astype(np.int64)
    upper = np.rint(holders * (1 + np.clip(mean, -1, 1)) / 2).astype(np.int64)
    left = np.stack([holders - upper, upper, PEOPLE - holders], axis=1)
    panels = []
    for _ in range(PANELS):
        dealt = np.array([rng.multivariate_hypergeometric(row, PEOPLE // PANELS) for row in left])
        left -= dealt
        panels.append(dealt[:, :2].T)
    return np.stack(panels)


def _mean_of(held: Integers) -> Floats:
    return np.asarray((held[1] - held[0]) / held.sum(axis=0))


def without_transients(gaps: tuple[int, ...]) -> Movements:
    """Return the movements of the control: keys that stay, drift or shift once."""
    steps = np.concatenate(
        [
            np.zeros((1, len(gaps))),
            np.outer(DRIFTS, gaps),
            *(size * np.eye(len(gaps)) for size in (4.0, 64.0, 1024.0)),
        ]
    )
    kind = np.append(np.arange(1 + len(DRIFTS)), np.repeat(1 + len(DRIFTS) + np.arange(3), len(gaps)))
    return Movements(steps, np.zeros((len(steps), len(gaps) + 1)), kind, (1, len(DRIFTS), 3))


def trends(series: Series, drawn: Drawn) -> Iterator[tuple[str, Trend]]:
    """Yield the trend, and that of the control."""
    yield "smoothed", trend(series, drawn.counts, false_discovery_rate=RATE)
    with ExitStack() as stack:
        stack.enter_context(patch.object(smoothing, "movements", without_transients))
        stack.enter_context(patch.object(smoothing, "DIFFERING_BY_NOISE", 0.0))
        yield "control", trend(series, drawn.counts, false_discovery_rate=RATE)


def measure(found: Trend, drawn: Drawn) -> Iterator[tuple[str, Sums]]:
    """Yield sums over the rounds in which every key is judged."""
    frequency = np.stack([each.frequency for each in drawn.counts], axis=1)
    of_frequency = _compare(found, ("smoothed", "frequency", "differs"), drawn.frequency, frequency)
    of_mean = _compare(
        found, ("smoothed_mean", "mean", "mean_differs"), drawn.mean, np.asarray(found.columns["mean"], np.float64)
    )
    for key, name in enumerate(drawn.events):
        if name in MEAN_EVENTS or name == MEAN_STAYING:
            judged = MEAN_EVENTS[name].judged if name in MEAN_EVENTS else slice(None)
            yield name, _sums([each[key, judged] for each in of_mean])
        if name not in FREQUENCY_EVENTS:
            yield STAYING, _sums([each[key] for each in of_frequency])
            yield STAYING_NEWEST, _sums([each[key, LAST] for each in of_frequency])
        else:
            yield name, _sums([each[key, FREQUENCY_EVENTS[name].judged] for each in of_frequency])


def _compare(found: Trend, names: tuple[str, str, str], truth: Floats, single: Floats) -> list[Floats]:
    """Return what is summed, by key and round, in the order of `Sums` without the number of rounds."""
    columns, (smoothed, own, differs) = found.columns, names

    def inside(name: str) -> Floats:
        return np.asarray((columns[f"{name}_low"] <= truth) & (truth <= columns[f"{name}_high"]), np.float64)

    def width(name: str) -> Floats:
        return np.asarray(columns[f"{name}_high"] - columns[f"{name}_low"])

    return [
        inside(smoothed),
        (columns[smoothed] - truth) ** 2,
        (single - truth) ** 2,
        width(smoothed) / np.maximum(width(own), 1e-12),
        inside(own),
        np.asarray(columns[differs], np.float64),
    ]


def _sums(columns: list[Floats]) -> Sums:
    return Sums(columns[0].size, *(float(each.sum()) for each in columns))


def false_flags(found: Trend, drawn: Drawn) -> float:
    """Return the share of keys that did not change among those flagged as changed."""
    flagged = found.changes.changed if found.changes is not None else np.zeros(KEYS, np.bool_)
    moved = np.ptp(drawn.frequency, axis=1) > 0
    return float((flagged & ~moved).sum() / max(1, flagged.sum()))


def events(repeats: int | None) -> list[Requirement]:
    """Measure all populations, print what was found, and return what must hold in each."""
    bars, false = [], []
    everything: dict[str, dict[str, Sums]] = {way: defaultdict(Sums) for way in ("smoothed", "control")}
    for of_each in OF_EACH:
        # As many keys with events in every population, as far as time allows.
        times = (repeats or REPEATS) * (3 if of_each == min(OF_EACH) else 1)
        totals: dict[str, dict[str, Sums]] = {way: defaultdict(Sums) for way in everything}
        for place, mechanism in enumerate(MECHANISMS):
            series = make_series(mechanism)
            for repeat in range(times):
                drawn = draw(series, of_each, default_rng([SEED, of_each, place, repeat]))
                for way, found in trends(series, drawn):
                    for name, sums in measure(found, drawn):
                        for totalled in (totals, everything):
                            totalled[way][name] = totalled[way][name].plus(sums)
                    if way == "smoothed":
                        false.append(false_flags(found, drawn))
        show(f"{of_each} of each kind", totals)
    show("all populations", everything)
    bars += requirements(everything)
    share = float(np.mean(false))
    bars.append(
        Requirement("events, false ones among keys flagged as changed", f"≤ {RATE}", f"{share:.3f}", share <= RATE)
    )
    return bars


def requirements(found: Mapping[str, Mapping[str, Sums]]) -> list[Requirement]:
    """Return what must hold of the smoother, and what the control must miss."""
    smoothed, control = found["smoothed"], found["control"]
    bars = []
    for name in (*JUMPS, *SPIKES, *MEAN_EVENTS):
        least, covered = MIN_SPIKE if "spike" in name else MIN_JUMP, smoothed[name].coverage
        bars.append(Requirement(f"events, {name}: coverage", f"≥ {least}", f"{covered:.3f}", covered >= least))
    for name in SWINGS:
        ratio = 1 / smoothed[name].gain
        bars.append(
            Requirement(
                f"events, {name}: squared error over single rounds", f"≤ {NO_WORSE:g}", f"{ratio:.3f}", ratio <= 1
            )
        )
    for name in (STAYING, STAYING_NEWEST, MEAN_STAYING):
        kept = smoothed[name].gain / control[name].gain
        bars.append(
            Requirement(f"events, {name}: gain over the control's", f"≥ {MIN_KEPT}", f"{kept:.3f}", kept >= MIN_KEPT)
        )
    differs = smoothed[STAYING].differs / smoothed[STAYING].rounds
    bars.append(
        Requirement("events, staying: rounds that differ", f"≤ {DIFFERING}", f"{differs:.3f}", differs <= DIFFERING)
    )
    # The control is to fail where the smoother was mended.
    for name in ("jump of 3, newest round", "spike of 5, after 12 rounds"):
        covered = control[name].coverage
        bars.append(Requirement(f"events, control, {name}: coverage", "< 0.8", f"{covered:.3f}", covered < MIN_SPIKE))
    return bars


def show(title: str, found: Mapping[str, Mapping[str, Sums]]) -> None:
    """Print coverage, errors and widths of every kind of key, of the smoother and of the control."""
    table = Table(box=MARKDOWN)
    for head in (
        title,
        "rounds",
        "one round",
        "coverage",
        "control",
        "error / one round",
        "control",
        "width",
        "control",
        "differ",
    ):
        table.add_column(head)
    for name, sums in found["smoothed"].items():
        other = found["control"][name]
        table.add_row(
            name,
            f"{sums.rounds:.0f}",
            f"{sums.single_covered / sums.rounds:.3f}",
            f"{sums.coverage:.3f}",
            f"{other.coverage:.3f}",
            f"{1 / sums.gain:.3f}",
            f"{1 / other.gain:.3f}",
            f"{sums.width / sums.rounds:.2f}",
            f"{other.width / other.rounds:.2f}",
            f"{sums.differs / sums.rounds:.3f}",
        )
    Console(width=160).print(table)
