"""People without pairs: errors and what a plan says of them, from hints alone: docs/appendix/empty-sets.md.

A share of the people holds nothing, the others hold sets of keys drawn by weight. A plan is made from the average
over all people and the share that holds any pair, and its top-10 error is compared with that of a plan from the
histogram of sizes. Errors are exact for the people drawn: variances from the law, and what truncation takes from
every key. Nothing is chosen on the settings that are judged: `development` has other keys, people, ε, shares, sizes
and weights, and `MIN_PAIRS_OF_HOLDERS` was chosen there.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.random import default_rng

from experiments.light import count_detected
from experiments.settings import ExperimentSettings, Requirement, requirements_table, show_requirements
from pckv.base.arrays import Floats, Integers
from pckv.base.errors import ParameterError
from pckv.base.limits import AUTO
from pckv.mechanisms.base import Law
from pckv.mechanisms.registry import LAWS, build
from pckv.planning.assessment import SHARES, planned_size_share
from pckv.planning.people import TOP_KEYS, UNIT_RANGE, expect
from pckv.planning.planner import plan
from pckv.planning.selection import choose_law
from pckv.statistics.detection import DETECTION_POWER
from pckv.statistics.moments import CountMoments

SEED, REPEATS, PEOPLE = 41, 2000, 4000
MAX_RATIO, MAX_OFF = 1.5, 0.1
# What is said of the people; the first is what all else is relative to.
HISTOGRAM, HINTS, MAXIMUM, AVERAGE = "the histogram", "average and share", "and the maximum", "the average alone"
# The sizes of those who hold any, by the average: how many people hold how many pairs.
CONSTANT, UNIFORM, GEOMETRIC, GROUPS = "constant", "uniform", "geometric", "two groups"
WORDS = {
    CONSTANT: "all hold the average, or one of the two whole numbers next to it",
    UNIFORM: "1 to twice the average less 1",
    GEOMETRIC: "each number of pairs is rarer than the one before by the same factor",
    GROUPS: "three quarters hold few, one quarter seven times as many",
}
# Of two groups, the share that holds few, and how many times as many the others hold.
FEW_SHARE, MANY = 0.75, 7
# Numbers of people up to this are judged apart, and paddings up to this many times the average are tried.
MANY_PEOPLE, MAX_TRIED = 20_000, 8
BISECTIONS = 60
PAGE = """# Measured: people without pairs

Written by `make experiment NAME=empty-sets`. In {settings} settings 0, 30, 60 or 90 % of the people
hold nothing, and the others 2.5 or 5 pairs on average: all the same number, uniform, geometric, or
in two groups (three quarters hold few, one quarter seven times as many). There are 30 or 1,000 keys
of popularity k^-1 or k^-0.7, 2,000 to 500,000 people, and ε from 1 to 4. These were named before
anything was chosen; the one constant, two pairs at least on average for those who hold any where
nothing is said of them, was chosen on others (part `development`). That the stated frequency allows
for a long tail of sizes was added after a first run here, whose least share was 0.45; nothing in it
was fitted.

Errors are roots of exact mean squared errors of the ten most frequent keys, relative to a plan from
the histogram of sizes. *Average and share*: `--pairs`, over all people, and `--holding`. *And the
maximum*: `--most-pairs`, too. *The average alone*: `--pairs` and nothing else.

{requirements}
Errors relative to those with the histogram, worst and geometric mean:

{errors}

By how the sizes of those who hold any are distributed, from average and share:

{kinds}

By the number of people and ε, from average and share; beside it what a choice from these hints
cannot avoid, since the sizes are not known: the worst error over the four kinds of sizes with the
mechanism and the padding that suit all four best, at most and on average over shares, averages and
keys.

{collections}

A plan from average and share states a frequency at which a key stands out 80 % of the time. The
table has how often a key of exactly that frequency did, in {repeats:,} collections per setting: the
least and the most over all settings in which as many people hold any pair. The plan allows for
sizes with a long tail, so that it is more often than 80 % where the sizes of those who hold any
differ less, and reports show more. Then how often as many of the ten most frequent keys stood
out as the plan says, and, where it is green, all ten: the least of all settings, whose number is in
brackets.

{detection}

How often a key of the stated frequency stood out, by how the sizes of those who hold any are
distributed: the least and the most.

{powers}

**Next:** [the choice of mechanism](mechanism-choice.md).
"""


class EmptySetting(NamedTuple):
    """A collection, the share of people without pairs, and what the others hold."""

    keys: int
    users: int
    epsilon: str
    empty: float
    kind: str
    average: float
    exponent: float

    def hints(self, people: DrawnHolders, known: str) -> dict[str, Any]:
        """Return what is said of the people."""
        hints: dict[str, Any] = {"pairs": people.average * (1 - self.empty), "holding": 1 - self.empty}
        if known == HISTOGRAM:
            hints = {"sizes": {0: self.empty} | {size: (1 - self.empty) * part for size, part in people.shares.items()}}
        elif known == MAXIMUM:
            hints["most_pairs"] = max(people.shares)
        elif known == AVERAGE:
            del hints["holding"]
        return hints


class DrawnHolders(NamedTuple):
    """People who hold any pair: how many, which of the most frequent keys, and when the last of them was drawn.

    Keys are drawn at exponential times, at a rate of their weight: a person of m pairs holds those of the m least
    times, and would hold one more key of weight w with chance 1 - exp(-w·t), where t is the last of these times.
    """

    sizes: Integers
    held: Floats
    last: Floats

    @property
    def average(self) -> float:
        """How many pairs they hold on average."""
        return float(self.sizes.mean())

    @property
    def shares(self) -> Mapping[int, float]:
        """The share of them with each number of pairs."""
        sizes, counts = np.unique(self.sizes, return_counts=True)
        return {int(size): int(count) / self.sizes.size for size, count in zip(sizes, counts, strict=True)}

    def shown(self, padding: float) -> Floats:
        """The frequencies of the most frequent keys, as reports show them."""
        return np.asarray(np.minimum(1.0, padding / self.sizes) @ self.held / self.sizes.size, np.float64)

    def shown_of(self, frequency: float, padding: float) -> float:
        """What reports show of a key of one frequency."""
        low, high = 0.0, 1.0
        while self._chances(high).mean() < frequency and high < 1 / np.finfo(float).eps:
            low, high = high, 2 * high
        for _ in range(BISECTIONS):
            middle = (low + high) / 2
            low, high = (middle, high) if self._chances(middle).mean() < frequency else (low, middle)
        return float((np.minimum(1.0, padding / self.sizes) * self._chances(high)).mean())

    def _chances(self, weight: float) -> Floats:
        return np.asarray(-np.expm1(-weight * self.last), np.float64)


class JudgedHints(NamedTuple):
    """What was planned for a setting, and what came of it.

    Attributes:
        setting: What the plan is made for.
        ratios: The top-10 error relative to that with the histogram, by what is known.
        light: The light of the plan from average and share.
        power: How often a key stands out that has the frequency of which the plan says 80 %; None where none can.
        told: How many of the ten most frequent keys are as frequent as the plan says is needed, all together.
        held: How often at least as many stood out; `all_held` how often all ten did.
    """

    setting: EmptySetting
    ratios: dict[str, float]
    light: str
    power: float | None
    told: int
    held: float
    all_held: float


PARTS = ("judged", "development")


def grid(part: str) -> Iterator[EmptySetting]:
    """Yield the settings of a part; weights take turns."""
    collections: tuple[tuple[int, str], ...]
    exponents: tuple[float, ...]
    if part == "judged":
        collections = ((2_000, "1"), (2_000, "4"), (20_000, "2"), (500_000, "1"), (500_000, "4"))
        numbers = product((30, 1_000), collections, (0.0, 0.3, 0.6, 0.9), WORDS, (2.5, 5.0))
        exponents = (1.0, 0.7)
    else:
        collections = ((5_000, "0.7"), (5_000, "3"), (100_000, "0.7"), (100_000, "3"))
        numbers = product((50, 400), collections, (0.0, 0.2, 0.5, 0.8), (CONSTANT, UNIFORM, GEOMETRIC), (2.0, 6.0))
        exponents = (1.1,)
    for turn, (keys, (users, epsilon), empty, kind, average) in enumerate(numbers):
        yield EmptySetting(keys, users, epsilon, empty, kind, average, exponents[turn // 2 % len(exponents)])


@cache
def draw_people(keys: int, kind: str, average: float, exponent: float) -> DrawnHolders:
    """Draw those who hold any pair once for all settings that need such."""
    rng = default_rng([SEED, keys, list(WORDS).index(kind), round(10 * average), round(10 * exponent)])
    quantiles = (np.arange(PEOPLE) + 0.5) / PEOPLE
    if kind == CONSTANT:
        drawn = np.where(quantiles < average % 1, math.floor(average) + 1, math.floor(average))
    elif kind == UNIFORM:
        drawn = 1 + np.floor(quantiles * (2 * average - 1))
    elif kind == GEOMETRIC:
        drawn = np.ceil(np.log1p(-quantiles) / math.log1p(-1 / average))
    else:
        few = average / (FEW_SHARE + (1 - FEW_SHARE) * MANY)
        drawn = np.where(quantiles < FEW_SHARE, few, MANY * few)
    sizes = np.clip(drawn, 1, keys).astype(np.int64)
    times = rng.exponential(size=(PEOPLE, keys)) * np.arange(1.0, keys + 1) ** exponent
    last = np.take_along_axis(np.sort(times, axis=1), sizes[:, None] - 1, axis=1)
    return DrawnHolders(sizes, (times[:, :TOP_KEYS] <= last).astype(float), last[:, 0])


def chosen(setting: EmptySetting, people: DrawnHolders, known: str) -> tuple[Law, float]:
    """Return what is chosen from what is known, and its error."""
    expected = expect(setting.keys, users=setting.users, **setting.hints(people, known))
    law = choose_law(Fraction(setting.epsilon), {"name": AUTO}, None, expected)
    return law, error_of(law, planned_size_share(law, expected), people, setting)


def error_of(law: Law, size_share: str, people: DrawnHolders, setting: EmptySetting) -> float:
    """Return the root of the exact mean squared error of the frequencies of the top keys, before clipping."""
    true, shown = ((1 - setting.empty) * people.shown(padding) for padding in (math.inf, law.padding))
    variance = CountMoments.of(law.count_law).frequency_variance(shown) / (setting.users * (1 - float(size_share)))
    return math.sqrt(float(np.mean(variance + (true - shown) ** 2)))


def least_worst(settings: Sequence[EmptySetting]) -> float:
    """Return the least of the worst errors, relative to the histogram's, of one law in settings with the same hints."""
    one, drawn = settings[0], [draw_people(each.keys, each.kind, each.average, each.exponent) for each in settings]
    known = [chosen(each, people, HISTOGRAM)[1] for each, people in zip(settings, drawn, strict=True)]
    worst = []
    for name, padding in product(LAWS, range(1, min(one.keys, round(MAX_TRIED * one.average)))):
        try:
            law = build(name, one.keys, padding, Fraction(one.epsilon), {})
        except ParameterError:
            continue
        if law.word_limit is None:
            # Its reports cannot say how many pairs people hold.
            continue
        rows = zip(settings, drawn, known, strict=True)
        worst.append(max(error_of(law, SHARES[0], people, each) / error for each, people, error in rows))
    return min(worst)


def judge(number: int, setting: EmptySetting, repeats: int) -> JudgedHints:
    """Compare plans from hints with that from the histogram, and what one of them says with simulated collections."""
    people, rng = (
        draw_people(setting.keys, setting.kind, setting.average, setting.exponent),
        default_rng([SEED, number]),
    )
    errors = {known: chosen(setting, people, known)[1] for known in (HISTOGRAM, HINTS, MAXIMUM, AVERAGE)}
    planned = plan(setting.keys, setting.users, setting.epsilon, values=UNIT_RANGE, **setting.hints(people, HINTS))
    holding = 1 - setting.empty
    stated, reach = planned.smallest_frequency, planned.outlook.reach
    power = None
    if stated < holding:
        shown = holding * people.shown_of(stated / holding, planned.padding)
        power = float(count_detected(planned, (shown,), rng, repeats).mean())
    held = holding * people.shown(math.inf)
    detected = count_detected(planned, holding * people.shown(planned.padding), rng, repeats)
    told = 0 if reach is None else int(np.sum(held >= reach))
    return JudgedHints(
        setting,
        {known: error / errors[HISTOGRAM] for known, error in errors.items() if known != HISTOGRAM},
        planned.light,
        power,
        told,
        held=float(np.mean(detected >= told)),
        all_held=float(np.mean(detected == held.size)),
    )


def run(settings: ExperimentSettings) -> bool:
    """Judge all settings of the parts, and write docs/appendix/empty-sets.md; return whether all bars are met."""
    holds = True
    for part in settings.parts or PARTS[:1]:
        judged = [judge(number, each, settings.repeats or REPEATS) for number, each in enumerate(grid(part))]
        requirements = requirements_of(judged)
        holds = show_requirements(requirements) and holds
        if part == PARTS[0]:
            page = _page(judged, requirements, settings.repeats or REPEATS)
            (settings.out / "empty-sets.md").write_text(page, encoding="utf-8")
        else:
            print(_error_table(judged), _kind_table(judged), _detection_table(judged), sep="\n\n")
            print(_collection_table(judged))
    return holds


def requirements_of(judged: Sequence[JudgedHints]) -> list[Requirement]:
    """Return the bars, and the control that must fail: the average alone, where people hold nothing."""
    ratios = [each.ratios[HINTS] for each in judged]
    few = [each.ratios[HINTS] for each in judged if each.setting.users <= MANY_PEOPLE]
    alone = [each.ratios[AVERAGE] for each in judged if each.setting.empty]
    powers = [each.power for each in judged if each.power is not None]
    told = [each.held for each in judged if each.told]
    green = [each.all_held for each in judged if each.light == "green"]
    least, most = DETECTION_POWER - MAX_OFF, DETECTION_POWER + MAX_OFF
    bar = f"at most {MAX_RATIO}"
    return [
        *(
            Requirement(f"Top-10 error, {HINTS}, worst of {what}", bar, f"{max(some):.2f}", max(some) <= MAX_RATIO)
            for what, some in (
                (f"{len(few):,} settings with up to {MANY_PEOPLE:,} people", few),
                (f"all {len(ratios):,} settings", ratios),
            )
        ),
        Requirement(
            f"A key of the stated frequency stands out, least of {len(powers):,} settings",
            f"at least {least:g}",
            f"{min(powers):.3f}",
            min(powers) >= least,
        ),
        Requirement("The same, most often", f"at most {most:g}", f"{max(powers):.3f}", max(powers) <= most),
        Requirement(
            f"As many keys stand out as are said to, worst of {len(told):,} settings",
            f"at least {least:g}",
            f"{min(told):.3f}",
            min(told) >= least,
        ),
        Requirement(
            f"Green: all ten keys stand out, worst of {len(green):,} settings",
            f"at least {least:g}",
            f"{min(green):.3f}",
            min(green) >= least,
        ),
        Requirement(
            f"Control: the average alone, worst of {len(alone):,} settings with people who hold nothing",
            f"more than {MAX_RATIO}",
            f"{max(alone):.2f}",
            max(alone) > MAX_RATIO,
        ),
    ]


def _page(judged: Sequence[JudgedHints], requirements: Sequence[Requirement], repeats: int) -> str:
    return PAGE.format(
        settings=len(judged),
        repeats=repeats,
        requirements=requirements_table(requirements),
        errors=_error_table(judged),
        kinds=_kind_table(judged),
        collections=_collection_table(judged),
        detection=_detection_table(judged),
        powers=_power_table(judged),
    )


def _by_empty(judged: Sequence[JudgedHints]) -> Iterator[tuple[str, list[JudgedHints]]]:
    for empty in sorted({each.setting.empty for each in judged}):
        yield f"{100 * empty:.0f} %", [each for each in judged if each.setting.empty == empty]


def _error_table(judged: Sequence[JudgedHints]) -> str:
    known = (HINTS, MAXIMUM, AVERAGE)
    rows = [
        (empty, *(_ratios([each.ratios[name] for each in those]) for name in known))
        for empty, those in _by_empty(judged)
    ]
    return _table(("people without pairs", *known), rows)


def _kind_table(judged: Sequence[JudgedHints]) -> str:
    kinds = [kind for kind in WORDS if any(each.setting.kind == kind for each in judged)]
    rows = [
        (empty, *(_ratios([each.ratios[HINTS] for each in those if each.setting.kind == kind]) for kind in kinds))
        for empty, those in _by_empty(judged)
    ]
    return _table(("people without pairs", *kinds), rows)


def _collection_table(judged: Sequence[JudgedHints]) -> str:
    rows = []
    for users, epsilon in sorted({(each.setting.users, each.setting.epsilon) for each in judged}):
        those = [each for each in judged if (each.setting.users, each.setting.epsilon) == (users, epsilon)]
        alike: dict[tuple[float, ...], list[EmptySetting]] = {}
        for each in those:
            alike.setdefault((each.setting.keys, each.setting.empty, each.setting.average), []).append(each.setting)
        unavoidable = [max(1.0, least_worst(settings)) for settings in alike.values()]
        rows.append((f"{users:,}, {epsilon}", _ratios([each.ratios[HINTS] for each in those]), _ratios(unavoidable)))
    return _table(("people, ε", HINTS, "unavoidable"), rows)


def _ratios(ratios: Sequence[float]) -> str:
    return f"{max(ratios):.2f}, {math.exp(float(np.mean(np.log(ratios)))):.2f}"


def _detection_table(judged: Sequence[JudgedHints]) -> str:
    rows = []
    for empty, those in _by_empty(judged):
        powers = [each.power for each in those if each.power is not None]
        told, green = [each.held for each in those if each.told], [e.all_held for e in those if e.light == "green"]
        stated = f"{min(powers):.3f} to {max(powers):.3f} ({len(powers)})"
        rows.append((empty, stated, *(f"{min(some):.3f} ({len(some)})" if some else "–" for some in (told, green))))
    return _table(("people without pairs", "80 % stated", "as many as said", "green: all"), rows)


def _power_table(judged: Sequence[JudgedHints]) -> str:
    kinds = [kind for kind in WORDS if any(each.setting.kind == kind for each in judged)]
    rows = []
    for empty, those in _by_empty(judged):
        powers = [[each.power for each in those if each.setting.kind == kind and each.power] for kind in kinds]
        rows.append((empty, *(f"{min(some):.2f} to {max(some):.2f}" for some in powers)))
    return _table(("people without pairs", *kinds), rows)


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(header)} |", "|---|" + "---:|" * (len(header) - 1)]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])
