"""Whether as many keys stand out as a plan's light says, in simulated collections: docs/appendix/light.md."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import groupby, pairwise
from typing import NamedTuple

import numpy as np
from numpy.random import Generator, default_rng

from experiments.settings import ExperimentSettings, Requirement, requirements_table, show_requirements
from pckv.base.arrays import Floats, Integers
from pckv.lab.counting import draw_counts
from pckv.mechanisms.registry import build
from pckv.planning.people import UNIT_RANGE, expect
from pckv.planning.plan import Plan
from pckv.planning.planner import plan
from pckv.planning.sections import LIGHTS
from pckv.planning.selection import reference_laws
from pckv.planning.set_sizes import SetSizes
from pckv.statistics.detection import DETECTION_LEVEL, DETECTION_POWER, detection_threshold
from pckv.statistics.moments import CountMoments

SEED, SETTINGS, REPEATS = 37, 200, 400
MIN_KEYS, MAX_KEYS = 2, 1000
MIN_USERS, MAX_USERS = 100, 10**6
MIN_EPSILON, MAX_EPSILON = 0.5, 8.0
MAX_PAIRS = 10
# Where all people choose one key, shares are exact; sets of several are those of this many people.
DRAWN_PEOPLE = 4000
# How many times the reports of pairs are counted anew: the threshold depends on them.
COUNTS = 8
# The light is compared with that of this many times as many people.
FEWER = (0.1, 0.3, 0.9, 0.99)
# How popular keys are: the three that a light is chosen by, and others.
Weights = Callable[[int], Floats]
PLAUSIBLE: dict[str, Weights] = {
    "zipf": lambda keys: 1 / np.arange(1.0, keys + 1),
    "declining": lambda keys: np.arange(min(keys, 10), 0, -1.0),
    "alike": np.ones,
}
OTHERS: dict[str, Weights] = {
    "steep": lambda keys: 1 / np.arange(1.0, keys + 1) ** 2,
    "one prevails": lambda keys: np.where(np.arange(keys) == 0, 4.0 * keys, 1.0),
    "half as steep": lambda keys: 1 / np.sqrt(np.arange(1.0, keys + 1)),
}
SHAPES = PLAUSIBLE | OTHERS
PAGE = """# The light of a plan

Written by `make experiment NAME=light`. {settings} settings are drawn: 2 to 1,000 keys, 100 to 10^6
people, ε from 0.5 to 8, one choice per person in every second of them and 1 to 10 pairs on average in
the others. Each is planned without knowing how popular the keys are, and simulated for six such
populations: the three that the light is chosen by (a few keys prevail by Zipf's law, the ten most
frequent decline evenly, all are alike), and three others (k^-2, one key four times as frequent as all
others together, k^-1/2). A case is a setting with one of these. Every case has {repeats}
collections, whose counts are drawn from the exact law of the mechanism that the plan chose. Lights:
{counts}.

{requirements}
A plan says from which frequency the named keys (the ten most frequent, or all) stand out together
four times out of five. The table has, by light, the least share of collections in which at least as
many of the named keys stood out as have that frequency, over all cases with at least one.

{table}

**Next:** [mechanism choice](mechanism-choice.md).
"""


class LightSetting(NamedTuple):
    """What a plan is made for; 1 pair per person is one choice, and all people hold some."""

    keys: int
    users: int
    epsilon: str
    pairs: float

    def plan(self) -> Plan:
        """Return the plan."""
        return plan(self.keys, self.users, self.epsilon, self.pairs, holding=1, values=UNIT_RANGE)

    def light_with(self, share: float) -> int:
        """Return the light with this share of the people, as a number that is larger for better ones."""
        expected = expect(self.keys, users=max(1, round(self.users * share)), pairs=self.pairs, holding=1)
        return max(LIGHTS.index(each.light) for each in reference_laws(expected, Fraction(self.epsilon)))


class JudgedLight(NamedTuple):
    """What a plan says of a setting, and how often it held where keys are popular in one way.

    Attributes:
        setting: What the plan is made for.
        light: Its light.
        shape: How popular the keys are.
        named: How many keys it names: the most frequent ten, or all.
        told: How many of them are as frequent as it says is needed.
        held: In what share of the collections at least as many stood out.
        all_held: The same for all that it names.
        bold: The same for those that are half as frequent as is needed; None where these are not more.
        is_monotone: Whether fewer people never had a better light.
    """

    setting: LightSetting
    light: str
    shape: str
    named: int
    told: int
    held: float
    all_held: float
    bold: float | None
    is_monotone: bool


def drawn_setting(number: int) -> LightSetting:
    """Draw one; every second has one choice per person."""
    rng = default_rng([SEED, number])
    keys = round(MIN_KEYS * (MAX_KEYS / MIN_KEYS) ** rng.random())
    users = round(MIN_USERS * (MAX_USERS / MIN_USERS) ** rng.random())
    epsilon = MIN_EPSILON * (MAX_EPSILON / MIN_EPSILON) ** rng.random()
    pairs = 1.0 if number % 2 else float(f"{min(keys, MAX_PAIRS) ** rng.random():.2g}")
    return LightSetting(keys, users, f"{epsilon:.2f}", pairs)


def shares_held(setting: LightSetting, shape: str, padding: int, rng: Generator) -> tuple[Floats, Floats]:
    """Return the shares of people who hold each of the most frequent keys, and of those whose report shows it."""
    weights = np.zeros(setting.keys)
    found = SHAPES[shape](setting.keys)
    weights[: found.size] = found / found.sum()
    named = min(setting.keys, 10)
    if setting.pairs == 1:
        held = np.sort(weights)[::-1][:named]
        return held, held
    people = SetSizes.assumed(setting.pairs, None, setting.keys).grouped()
    sizes = rng.choice([round(size) for size, _ in people], DRAWN_PEOPLE, p=[share for _, share in people])
    # The largest of noisy logarithms are keys that are drawn one after another, by weight.
    with np.errstate(divide="ignore"):
        order = np.argsort(-(np.log(weights) + rng.gumbel(size=(DRAWN_PEOPLE, setting.keys))), axis=1)
    holds = np.zeros((DRAWN_PEOPLE, setting.keys), bool)
    np.put_along_axis(holds, order, np.arange(setting.keys) < sizes[:, None], axis=1)
    counts, shown = holds.sum(axis=0), np.minimum(1, padding / sizes) @ holds
    top = np.argsort(-counts)[:named]
    return counts[top] / DRAWN_PEOPLE, shown[top] / DRAWN_PEOPLE


def count_detected(planned: Plan, shown: Sequence[float] | Floats, rng: Generator, repeats: int) -> Integers:
    """Return how many of some keys stand out in each of many collections, from the exact law of their counts.

    Every collection asks new people; `shown` are the shares of people whose reports show each key.
    """
    keys, epsilon = int(planned.keys), Fraction(str(planned.epsilon))
    law = build(planned.mechanism, keys, planned.padding, epsilon, planned.parameters)
    moments = CountMoments.of(law.count_law)
    shares, found = np.asarray(shown), []
    for part in np.array_split(np.arange(repeats), COUNTS):
        reports = max(1, int(rng.binomial(planned.users, 1 - planned.size_share)))
        threshold = detection_threshold(moments, reports, keys, DETECTION_LEVEL)
        holders = rng.binomial(reports, shares, (part.size, shares.size))
        support = draw_counts(law.count_law, reports, holders.ravel(), np.zeros(holders.size), rng)
        found.append((support.counts.sum(axis=0).reshape(holders.shape) >= threshold).sum(axis=1))
    return np.concatenate(found)


def judge(number: int, repeats: int, shapes: Iterable[str] = SHAPES) -> Iterator[JudgedLight]:
    """Make the plan of a setting, and compare what it says with simulated collections."""
    setting, rng = drawn_setting(number), default_rng([SEED, number, 1])
    planned = setting.plan()
    lights = [*map(setting.light_with, FEWER), LIGHTS.index(planned.light)]
    reach = planned.outlook.reach
    for shape in shapes:
        held, shown = shares_held(setting, shape, planned.padding, rng)
        told, bold = (0 if reach is None else int(np.sum(held >= part * reach)) for part in (1, 0.5))
        detected = count_detected(planned, shown, rng, repeats)
        yield JudgedLight(
            setting,
            planned.light,
            shape,
            named=held.size,
            told=told,
            held=float(np.mean(detected >= told)),
            all_held=float(np.mean(detected == held.size)),
            bold=float(np.mean(detected >= bold)) if bold > told else None,
            is_monotone=all(fewer <= more for fewer, more in pairwise(lights)),
        )


def run(settings: ExperimentSettings) -> bool:
    """Judge the light in many settings, and write docs/appendix/light.md; return whether all bars are met."""
    repeats = settings.repeats or REPEATS
    judged = [each for number in range(SETTINGS) for each in judge(number, repeats)]
    requirements = requirements_of(judged)
    (settings.out / "light.md").write_text(_page(judged, requirements, repeats), encoding="utf-8")
    return show_requirements(requirements)


def requirements_of(judged: Sequence[JudgedLight]) -> list[Requirement]:
    """Return the bars, and the control that must fail: keys of half the frequency do not stand out as often."""
    told = [each.held for each in judged if each.told]
    green = [each.all_held for each in judged if each.light == "green" and each.shape in PLAUSIBLE]
    bold = [each.bold for each in judged if each.bold is not None]
    worse = sum(not each.is_monotone for each in judged)
    missed = sum(share < DETECTION_POWER for share in bold) / max(len(bold), 1)
    bar = f"at least {DETECTION_POWER}"
    return [
        Requirement(
            f"As many named keys stand out as are said to, worst of {len(told):,} cases",
            bar,
            f"{min(told):.3f}",
            min(told) >= DETECTION_POWER,
        ),
        Requirement(
            f"Green: all named keys stand out, worst of {len(green):,} cases",
            bar,
            f"{min(green):.3f}",
            min(green) >= DETECTION_POWER,
        ),
        Requirement("Settings in which fewer people have a better light", "0", str(worse), worse == 0),
        Requirement(
            f"Control: keys of half the frequency do so less often, of {len(bold):,} cases",
            "more than half",
            f"{missed:.3f}",
            missed > 0.5,  # noqa: PLR2004
        ),
    ]


def _page(judged: Sequence[JudgedLight], requirements: Sequence[Requirement], repeats: int) -> str:
    lights = Counter(next(rows).light for _, rows in groupby(judged, key=lambda each: each.setting))
    counts = ", ".join(f"{lights[light]} {light}" for light in reversed(LIGHTS))
    header = ("how popular keys are", *(f"{light}: worst" for light in reversed(LIGHTS)), "cases", "median")
    lines = [f"| {' | '.join(header)} |", "|---|" + "---:|" * (len(header) - 1)]
    for shape in SHAPES:
        rows = [each for each in judged if each.shape == shape and each.told]
        worst = (min((each.held for each in rows if each.light == light), default=None) for light in reversed(LIGHTS))
        cells = ("–" if share is None else f"{share:.3f}" for share in worst)
        median = float(np.median([each.held for each in rows]))
        lines.append(f"| {shape} | {' | '.join(cells)} | {len(rows):,} | {median:.3f} |")
    return PAGE.format(
        settings=SETTINGS,
        repeats=repeats,
        counts=counts,
        requirements=requirements_table(requirements),
        table="\n".join(lines),
    )
