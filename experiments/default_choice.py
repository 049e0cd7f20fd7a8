"""Whether defaults choose padding and mechanism well: the top-10 frequency error relative to the best.

People hold sets of keys drawn by Zipf weights, of sizes that are constant, uniform, geometric or
heavy-tailed. The error of a law is exact for the people drawn: variances from its law, and what truncation
takes from every key. Nothing is tuned on the settings that are judged: `development` has other keys, users,
ε, sizes and people.

Three choices are compared: from the histogram of sizes, by default and with objective `mse`, and from the
average size alone. By default a padding may truncate by no more than one standard error, so that the best
padding is out of reach where all is noise: its error is compared with that of the best padding that keeps
this rule, too. The average alone does not determine the best padding, which is the average itself where sizes
are constant and several times that where they have a tail: no bar is set.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import cycle, product
from typing import NamedTuple

import numpy as np
from numpy.random import Generator, default_rng
from numpy.typing import NDArray

from experiments.settings import ExperimentSettings, Requirement, show_requirements
from pckv.base.arrays import Floats
from pckv.base.errors import ParameterError
from pckv.base.limits import AUTO
from pckv.mechanisms.base import Law
from pckv.mechanisms.registry import LAWS, build
from pckv.planning.assessment import Assessment, planned_size_share
from pckv.planning.people import Expectations, expect
from pckv.planning.prediction import MSE
from pckv.planning.selection import choose_law, exclusion_reason
from pckv.statistics.moments import CountMoments

PEOPLE, PEOPLE_PER_BLOCK = 5000, 500
TOP, ZIPF_EXPONENT, TAIL_EXPONENT = 10, 1.1, 1.5
KINDS = ("constant", "uniform", "geometric", "heavy-tailed")
PARTS = ("judged", "development")
MAX_RATIO, MAX_MEAN_RATIO = 1.25, 1.10
# The paddings that the best one is found among.
MAX_DENSE, STEP = 24, 1.08
WORST_SHOWN = 12
# What a choice is made from.
HISTOGRAM, HISTOGRAM_MSE, AVERAGE = "the histogram", "the histogram with objective mse", "the average size"
COMPARISONS = {
    "the best padding": "by_padding",
    "the best honest padding": "by_honest_padding",
    "the best padding of all mechanisms": "by_mechanism",
}
# By default the best padding is out of reach where it is not honest.
JUDGED = {(HISTOGRAM, "by_honest_padding"), (HISTOGRAM_MSE, "by_padding"), (HISTOGRAM_MSE, "by_mechanism")}


class ChoiceSetting(NamedTuple):
    """The numbers of a collection, and how many pairs people hold: the kind of distribution, and its mean."""

    keys: int
    users: int
    epsilon: str
    kind: str
    pairs: int


class DrawnPeople(NamedTuple):
    """People by size: how many pairs they hold, how many people do, and how many hold each top key."""

    sizes: NDArray[np.int64]
    people: NDArray[np.int64]
    holders: NDArray[np.int64]

    @property
    def mean_size(self) -> float:
        """How many pairs people hold on average."""
        return float(self.sizes @ self.people / self.people.sum())

    def shown(self, padding: float) -> Floats:
        """The frequencies of the top keys that reports show."""
        return np.asarray(np.minimum(1.0, padding / self.sizes) @ self.holders / self.people.sum(), np.float64)


class PaddingError(NamedTuple):
    """The squared error of a padding, and whether it truncates by at most one standard error."""

    error: float
    padding: int
    truncates_within_noise: bool


class JudgedChoice(NamedTuple):
    """What was chosen; its error relative to the best padding, the best honest one, and all mechanisms."""

    setting: ChoiceSetting
    inputs: str
    mechanism: str
    padding: int
    best_padding: int
    best_mechanism: str
    by_padding: float
    by_honest_padding: float
    by_mechanism: float


def grid(part: str) -> Iterator[ChoiceSetting]:
    """Yield the settings of a part; mean sizes take turns, and are at most a third of the keys."""
    if part == "judged":
        numbers, pairs = (
            product((12, 100, 1000, 5000), (500, 20_000, 10**6), ("0.5", "1", "2", "4")),
            (2, 4, 10),
        )
    else:
        numbers, pairs = product((30, 300, 3000), (2000, 50_000, 300_000), ("0.7", "1.5", "3")), (3, 7, 15)
    turns = cycle(pairs)
    for (keys, users, epsilon), kind in product(numbers, KINDS):
        yield ChoiceSetting(keys, users, epsilon, kind, min(next(turns), keys // 3))


@cache
def draw_people(part: str, keys: int, kind: str, pairs: int) -> DrawnPeople:
    """Draw people once for all settings that need such; the first keys are the most frequent ones."""
    rng = default_rng([PARTS.index(part), keys, KINDS.index(kind), pairs])
    sizes, people = np.unique(np.clip(_draw_sizes(kind, pairs, rng), 1, keys), return_counts=True)
    top = min(keys, TOP)
    holders = np.zeros((sizes.size, top), np.int64)
    for row, (size, count) in enumerate(zip(sizes.tolist(), people.tolist(), strict=True)):
        for first in range(0, count, PEOPLE_PER_BLOCK):
            # The m smallest of exponential variables with rates w are m distinct keys, drawn by weight.
            times = rng.exponential(size=(min(PEOPLE_PER_BLOCK, count - first), keys)).astype(np.float32)
            times *= np.arange(1, keys + 1, dtype=np.float32) ** ZIPF_EXPONENT
            held = np.partition(times, size - 1)[:, size - 1 : size] >= times[:, :top]
            holders[row] += held.sum(axis=0)
    return DrawnPeople(sizes, people, holders)


def _draw_sizes(kind: str, pairs: int, rng: Generator) -> NDArray[np.int64]:
    if kind == "constant":
        return np.full(PEOPLE, pairs)
    if kind == "uniform":
        return rng.integers(1, 2 * pairs, PEOPLE)
    if kind == "geometric":
        return rng.geometric(1 / pairs, PEOPLE)
    least = pairs * (TAIL_EXPONENT - 1) / TAIL_EXPONENT
    return np.ceil(least * rng.random(PEOPLE) ** (-1 / TAIL_EXPONENT)).astype(np.int64)


def measure(law: Law, people: DrawnPeople, expected: Expectations) -> PaddingError:
    """Return the exact mean squared error of the frequencies of the top keys, before clipping."""
    shown, reports = people.shown(law.padding), expected.people.users * _pair_share(law, expected)
    variance = CountMoments.of(law.count_law).frequency_variance(shown) / reports
    squares = (people.shown(math.inf) - shown) ** 2
    return PaddingError(float(np.mean(variance + squares)), law.padding, bool(squares[0] <= variance[0]))


def _pair_share(law: Law, expected: Expectations) -> float:
    return 1 - float(planned_size_share(law, expected))


def measure_paddings(
    setting: ChoiceSetting, people: DrawnPeople, expected: Expectations
) -> dict[str, list[PaddingError]]:
    """Return, by mechanism that `auto` may choose, the errors of all paddings, the least first."""
    found: dict[str, list[PaddingError]] = {}
    for name, padding in product(LAWS, _fine_paddings(int(people.sizes.max()))):
        try:
            law = build(name, setting.keys, padding, Fraction(setting.epsilon), {})
        except ParameterError:
            continue
        if not exclusion_reason(Assessment(law, expected)):
            found.setdefault(name, []).append(measure(law, people, expected))
    return {name: sorted(errors) for name, errors in found.items()}


def _fine_paddings(largest: int) -> list[int]:
    steps, padding = [], 1
    while padding < largest:
        steps.append(padding)
        padding = padding + 1 if padding < MAX_DENSE else math.ceil(padding * STEP)
    return [*steps, largest]


def judge(part: str, setting: ChoiceSetting) -> list[JudgedChoice]:
    """Compare what is chosen with the best."""
    people = draw_people(part, setting.keys, setting.kind, setting.pairs)
    histogram = dict(zip(people.sizes.tolist(), people.people.tolist(), strict=True))
    known = expect(setting.keys, users=setting.users, sizes=histogram)
    measured = measure_paddings(setting, people, known)
    overall = min(measured, key=lambda name: measured[name][0])
    inputs = {
        HISTOGRAM: known,
        HISTOGRAM_MSE: expect(setting.keys, users=setting.users, sizes=histogram, objective=MSE),
        AVERAGE: expect(setting.keys, users=setting.users, pairs=people.mean_size),
    }
    judged = []
    for name, expected in inputs.items():
        law = choose_law(Fraction(setting.epsilon), {"name": AUTO}, None, expected)
        error, best = measure(law, people, known).error, measured[law.name]
        honest = next(each for each in best if each.truncates_within_noise)
        judged.append(
            JudgedChoice(
                setting=setting,
                inputs=name,
                mechanism=law.name,
                padding=law.padding,
                best_padding=best[0].padding,
                best_mechanism=f"{overall} {measured[overall][0].padding}",
                by_padding=error / best[0].error,
                by_honest_padding=error / honest.error,
                by_mechanism=error / measured[overall][0].error,
            )
        )
    return judged


def run(settings: ExperimentSettings) -> bool:
    """Print the worst choices and a summary of each part; only the judged one counts."""
    holds = True
    for part in settings.parts or PARTS:
        judged = [choice for setting in grid(part) for choice in judge(part, setting)]
        for inputs in (HISTOGRAM, HISTOGRAM_MSE, AVERAGE):
            chosen = [choice for choice in judged if choice.inputs == inputs]
            for choice in sorted(chosen, key=lambda each: -each.by_padding)[:WORST_SHOWN]:
                print(_line(choice))
        met = _summarise(part, judged)
        holds = holds and (met or part != PARTS[0])
    return holds


def _line(choice: JudgedChoice) -> str:
    keys, users, epsilon, kind, pairs = choice.setting
    return (
        f"d {keys:>5} n {users:>7} ε {epsilon:>3} {kind:12} {pairs:>3} pairs, from {choice.inputs}: {choice.mechanism} "
        f"{choice.padding} (best {choice.best_padding}) {choice.by_padding:.2f}, of honest ones "
        f"{choice.by_honest_padding:.2f}; best of all {choice.best_mechanism} {choice.by_mechanism:.2f}"
    )


def _summarise(part: str, judged: Sequence[JudgedChoice]) -> bool:
    requirements = []
    for inputs, (what, attribute) in product((HISTOGRAM, HISTOGRAM_MSE, AVERAGE), COMPARISONS.items()):
        ratios = [getattr(choice, attribute) for choice in judged if choice.inputs == inputs]
        mean = math.exp(math.fsum(map(math.log, ratios)) / len(ratios))
        within = sum(ratio <= MAX_RATIO for ratio in ratios)
        measured = f"{within} of {len(ratios)} within {MAX_RATIO}, worst {max(ratios):.2f}, geometric mean {mean:.3f}"
        if (inputs, attribute) in JUDGED:
            bar = f"all within {MAX_RATIO}, geometric mean at most {MAX_MEAN_RATIO}"
            holds = max(ratios) <= MAX_RATIO and mean <= MAX_MEAN_RATIO
            requirements.append(Requirement(f"{part}, from {inputs}, relative to {what}", bar, measured, holds))
        else:
            print(f"       {part}, from {inputs}, relative to {what}: {measured}")
    return show_requirements(requirements)
