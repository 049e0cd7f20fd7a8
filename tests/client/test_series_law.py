"""The exact law of all that a collector sees of a device over several rounds, and of the panel that a device draws."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

import pckv.client.ledger
import pckv.client.panel
import pckv.client.rounds
from pckv import Report, Task
from pckv.auditing.interval_tape import explore
from pckv.base.randomness import Tape, fixed_source
from pckv.client.panel import Panel
from pckv.client.reports import Reports
from pckv.contract.series import Series
from support.client_series import FIRST, NEW, PERIOD, TASK, SeriesDevice, a_series

ROUNDS = 3
# What a participant may hold in a round, and the signed key that it stands for.
HOLDINGS: tuple[tuple[dict[str, float], dict[int, int]], ...] = (({}, {}), ({"alien": 5.0}, {0: 1}))
HISTORIES = tuple(product(range(len(HOLDINGS)), repeat=ROUNDS))
# Which rounds the device is on in.
SCHEDULES = ((1, 2, 3), (2, 3), (1, 3))
# How much of a round has passed when the device starts, twice per round.
STARTS = (0.25, 0.75)
Outcome = tuple[tuple[object, ...], ...]
MessageDistribution = Mapping[Outcome, Fraction]


class Choices:
    """All runs of a function that chooses: every run repeats the choices of one before, and takes another at the last."""

    def __init__(self) -> None:
        self._taken: list[tuple[int, Sequence[Fraction]]] = []
        self._place = 0

    def choose(self, chances: Sequence[Fraction]) -> int:
        """Return the number of a choice."""
        if self._place == len(self._taken):
            self._taken.append((0, chances))
        self._place += 1
        return self._taken[self._place - 1][0]

    def runs(self) -> Iterator[None]:
        """Yield once per run."""
        while True:
            self._place = 0
            yield
            while self._taken and self._taken[-1][0] + 1 == len(self._taken[-1][1]):
                self._taken.pop()
            if not self._taken:
                return
            number, chances = self._taken.pop()
            self._taken.append((number + 1, chances))

    @property
    def chance(self) -> Fraction:
        """The chance of the current run."""
        result = Fraction(1)
        for number, chances in self._taken:
            result *= chances[number]
        return result


def distribution(
    patch: pytest.MonkeyPatch,
    series: Series,
    history: Sequence[int],
    schedule: Sequence[int],
    spread: float = 0.0,
    starts: Sequence[float] = STARTS,
) -> MessageDistribution:
    """Return the law of what a collector sees of a device with a history, which starts in the rounds of a schedule."""
    device, choices = SeriesDevice(series, ROUNDS, 0, patch), Choices()
    signs = {tuple(pairs.items()): signs for pairs, signs in HOLDINGS}

    def tape(_: int) -> Tape:
        panel = choices.choose([Fraction(1, series.panels)] * series.panels)
        return Tape(1, fixed_source(bytes(16) + panel.to_bytes(8, "little")))

    def perturb(task: Task, pairs: Mapping[str, float], *_: object, **__: object) -> Report:
        weights, total = task.law.distribution(signs[tuple(pairs.items())])
        word = choices.choose([Fraction(weights[word], total) for word in range(len(weights))])
        return Report(bytes(16), word.to_bytes(8, "little"))

    patch.setattr("pckv.client.panel.Tape", tape)
    patch.setattr("pckv.client.reports.perturb", perturb)
    found: Counter[Outcome] = Counter()
    for _ in choices.runs():
        device.return_to(NEW)
        for number in schedule:
            for share in starts:
                device.collector.now = FIRST + dt.timedelta(days=PERIOD * (number - 1 + share))
                device.report(device.collector.now, pairs=HOLDINGS[history[number - 1]][0], spread=spread)
        found[tuple(device.collector.seen)] += choices.chance  # type: ignore[assignment]
    assert sum(found.values()) == 1
    return found  # type: ignore[return-value]


def distributions(
    patch: pytest.MonkeyPatch,
    panels: int,
    schedule: Sequence[int],
    spread: float = 0.0,
    starts: Sequence[float] = STARTS,
) -> dict[tuple[int, ...], MessageDistribution]:
    """Return the law of every history."""
    series = a_series(panels, ROUNDS)
    return {history: distribution(patch, series, history, schedule, spread, starts) for history in HISTORIES}


def largest_ratio(found: Mapping[tuple[int, ...], MessageDistribution], window: int) -> Fraction | None:
    """Return the largest ratio of chances between histories that differ within a window; None if it has no bound."""
    largest = Fraction(1)
    for first, second in product(found, repeat=2):
        differing = [place for place in range(ROUNDS) if first[place] != second[place]]
        if not differing or differing[-1] - differing[0] >= window:
            continue
        for outcome, chance in found[first].items():
            other = found[second].get(outcome)
            if other is None:
                return None
            largest = max(largest, chance / other)
    return largest


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("panels", [2, 3])
def test_histories_that_differ_within_a_window_differ_by_epsilon(
    monkeypatch: pytest.MonkeyPatch, panels: int, schedule: tuple[int, ...]
) -> None:
    found = distributions(monkeypatch, panels, schedule, spread=1.0)
    assert largest_ratio(found, panels) == TASK.realised
    # Over all rounds, ε adds up once per window.
    windows = 2 if panels == 2 and schedule != (2, 3) else 1
    assert largest_ratio(found, ROUNDS) == TASK.realised**windows


def test_with_one_panel_every_round_spends(monkeypatch: pytest.MonkeyPatch) -> None:
    found = distributions(monkeypatch, 1, SCHEDULES[0], starts=STARTS[:1])
    ratios = [largest_ratio(found, window) for window in (1, 2, 3)]
    assert ratios == [TASK.realised**window for window in (1, 2, 3)]


def panel_law(panels: int) -> Mapping[int, Fraction]:
    """Return the exact law of the panel over all draws of the tape."""

    def run(tape: Tape) -> Any:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("pckv.client.panel.Tape", lambda _: tape)
            return pckv.client.panel._draw(panels).number

    chances: Counter[int] = Counter()
    for leaf in explore(run):
        for number in range(leaf.first, leaf.last + 1, leaf.step):
            chances[number] += leaf.chance / leaf.messages  # type: ignore[assignment]
    return chances  # type: ignore[return-value]


@pytest.mark.parametrize("panels", [1, 2, 3, 4, 7, 1000])
def test_panels_are_uniform(panels: int) -> None:
    assert panel_law(panels) == dict.fromkeys(range(panels), Fraction(1, panels))


Plant = Callable[[pytest.MonkeyPatch], None]
_due, _find_panel, _draw = Panel.due, pckv.client.panel.find_panel, pckv.client.panel._draw
_report = pckv.client.rounds.RoundReporter.report


def every_round(patch: pytest.MonkeyPatch) -> None:
    """Draw the panel anew for each call, and remember no round."""
    patch.setattr("pckv.client.rounds.find_panel", lambda _, series: _draw(series.panels))
    patch.setattr(pckv.client.ledger, "_last_round", lambda *_: 0)


def with_pairs(change: Callable[[pytest.MonkeyPatch, Mapping[str, float]], None]) -> Plant:
    """Let what a call does depend on its pairs."""

    def plant(patch: pytest.MonkeyPatch) -> None:
        def report(self: Any, series: Series, pairs: Mapping[str, float], segment: str | None, spread: float) -> Any:
            with pytest.MonkeyPatch.context() as inner:
                change(inner, pairs)
                return _report(self, series, pairs, segment, spread)

        patch.setattr("pckv.client.rounds.RoundReporter.report", report)

    return plant


def panel_from_pairs(patch: pytest.MonkeyPatch, pairs: Mapping[str, float]) -> None:
    patch.setattr("pckv.client.panel._draw", lambda panels: Panel((1 + len(pairs)) % panels, bytes(16)))


def delay_from_pairs(patch: pytest.MonkeyPatch, pairs: Mapping[str, float]) -> None:
    patch.setattr(Panel, "due", lambda self, series, number, spread: _due(self, series, number, spread * len(pairs)))


def silent_without_pairs(patch: pytest.MonkeyPatch, pairs: Mapping[str, float]) -> None:
    if not pairs:
        patch.setattr("pckv.client.rounds.RoundReporter._complete", lambda _, receipt, *__: receipt)


def forgotten(patch: pytest.MonkeyPatch) -> None:
    """Store no report, so that every start makes another."""
    make = Reports.make

    def remembered_by_nobody(self: Reports, task: Task, *others: Any) -> bool:
        made = make(self, task, *others)
        self._transport.send(task.id, self._outbox.find(task.id).report, None)  # type: ignore[union-attr, arg-type]
        for name in [name for name in self._folder.files if name.startswith(task.id)]:  # type: ignore[attr-defined]
            self._folder.remove(name)
        return made

    patch.setattr(Reports, "make", remembered_by_nobody)


@dataclass(frozen=True)
class LawMutant:
    """A fault after which histories that differ within a window can be told apart too well."""

    fault: str
    plant: Plant
    spread: float = 0.0
    starts: tuple[float, ...] = STARTS


MUTANTS = (
    LawMutant("a panel for each round, and no window", every_round, starts=STARTS[:1]),
    LawMutant("a panel from the pairs", with_pairs(panel_from_pairs)),
    LawMutant("a delay from the pairs", with_pairs(delay_from_pairs), spread=1.0),
    LawMutant("silent without pairs", with_pairs(silent_without_pairs)),
    LawMutant("a report at every start", forgotten),
)


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.fault)
def test_mutant_of_the_law_is_caught(monkeypatch: pytest.MonkeyPatch, mutant: LawMutant) -> None:
    mutant.plant(monkeypatch)
    ratio = largest_ratio(distributions(monkeypatch, 2, (1, 2), mutant.spread, mutant.starts), 2)
    assert ratio is None or ratio > TASK.realised


def _tape() -> Tape:
    """Return the tape that panels are drawn from, which `panel_law` replaces."""
    tape: Tape = vars(pckv.client.panel)["Tape"](1)
    return tape


PANEL_MUTANTS: dict[str, Callable[[int], Panel]] = {
    "one seed for all devices": lambda panels: Panel(Tape(1, fixed_source(bytes(24))).below(panels), bytes(16)),
    "from the name of the device": lambda panels: Panel(hash("device") % panels, bytes(16)),
    "remainders of one draw": lambda panels: Panel(_tape().draw() % panels, bytes(16)),
    "never the last": lambda panels: Panel(_tape().below(panels - 1), bytes(16)),
}


@pytest.mark.parametrize("fault", PANEL_MUTANTS)
def test_mutant_of_the_panel_is_caught(monkeypatch: pytest.MonkeyPatch, fault: str) -> None:
    monkeypatch.setattr("pckv.client.panel._draw", PANEL_MUTANTS[fault])
    assert panel_law(3) != dict.fromkeys(range(3), Fraction(1, 3))
