"""What a plan says, in words, once: commands, notebooks and pages render these sections.

The keys that matter are the ten most frequent ones, as the plan expects them, or all where there are fewer.
The traffic light depends on how many of them stand out from the noise (four times out of five), and on the
expected error of a typical one relative to its frequency; with more than two levels also on the error of a
level's share.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from pckv.base.html import html_paragraphs, html_table
from pckv.base.levels import listed
from pckv.base.limits import REFUSE, SERVER_COIN
from pckv.base.records import Record
from pckv.base.words import TOO_RARE, percent, plural, points, rounded_up, two_digits
from pckv.planning.people import RARER, USUAL_SHARE
from pckv.planning.prediction import BOTH, FREQUENCY, MEAN, MSE
from pckv.statistics.detection import DETECTION_POWER

if TYPE_CHECKING:
    from pckv.planning.discovery import DiscoveryPlan
    from pckv.planning.influence import Influence
    from pckv.planning.plan import Alternative, ErrorAt, Option, Plan, PlannedLevels
    from pckv.planning.series import PlannedSeries
    from pckv.planning.shuffle import ShuffledPrivacy

Light = Literal["green", "amber", "red"]

MAX_GREEN_ERROR, MAX_AMBER_ERROR = 0.25, 0.5
MIN_AMBER_SHARE = 0.5
# With more than two levels, in addition.
MAX_GREEN_SHARE_ERROR = 0.5
# The light in words, for people who do not see colours.
WORDS: dict[Light, str] = {
    "green": "Enough people",
    "amber": "More people would help",
    "red": "Too few people",
}
RULE = (
    f"{WORDS['green']} (green): all of the ten most frequent keys stand out from the noise, and the error "
    f"of a typical one is at most {percent(MAX_GREEN_ERROR)} of its frequency. {WORDS['red']} (red): fewer "
    f"than {percent(MIN_AMBER_SHARE)} of these keys do, or the error is more than "
    f"{percent(MAX_AMBER_ERROR)} of the frequency. {WORDS['amber']} (amber): anything between."
)
LEVELS_RULE = (
    f"{RULE} With more than two levels, green also requires that the error of a level's share is at most "
    f"{percent(MAX_GREEN_SHARE_ERROR)} of that of guessing the same share for all levels."
)
# What is said of an estimate that is as far off as a guess.
NO_BETTER = "no better than a guess"
WANTED = {
    BOTH: "both errors alike",
    FREQUENCY: "the frequency",
    MEAN: "the mean",
    MSE: "the squared error of the frequency",
}
RULES = {
    "90 %": f"{percent(USUAL_SHARE)} of the people hold at most that many",
    "a tenth as frequent": f"if those keys are {RARER} times as rare",
}


@dataclass(frozen=True)
class Section(Record):
    """One thing that a plan says.

    Attributes:
        title: What it is about.
        sentences: What is to say of it; below the table, where there is one.
        columns: The names of the table's columns, of which the first `texts` are texts and the others
            numbers.
        rows: The cells of the table.
        light: The traffic light, where the section is what to think of a plan at first sight.
    """

    title: str
    sentences: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    texts: int = 1
    light: Light | None = None


def html_sections(sections: Iterable[Section]) -> str:
    """Return sections as HTML, for notebooks."""
    return "".join(
        html_table(each.title, each.columns, each.rows) + html_paragraphs(each.sentences)
        if each.columns
        else html_table(each.title, (), [(sentence,) for sentence in each.sentences])
        for each in sections
    )


def choose_light(
    share_standing_out: float, relative_error: float, relative_share_error: float = 0.0
) -> Light:
    """Return the light for a share of keys that stand out from the noise, and the errors of a typical one.

    `relative_share_error` is that of a level's share, relative to guessing the same share for all levels.

    >>> choose_light(1, 0.25), choose_light(1, 0.26), choose_light(0.4, 0.1), choose_light(1, 0.1, 0.6)
    ('green', 'amber', 'red', 'amber')
    """
    if share_standing_out < MIN_AMBER_SHARE or relative_error > MAX_AMBER_ERROR:
        return "red"
    known = relative_error <= MAX_GREEN_ERROR and relative_share_error <= MAX_GREEN_SHARE_ERROR
    return "green" if share_standing_out == 1 and known else "amber"


def light_of(plan: Plan) -> Light:
    """Return the light of a plan."""
    levels = plan.levels
    guessed = 0.0 if levels is None else levels.share_error / levels.guessed_share_error
    return choose_light(
        plan.standing_out / len(plan.frequencies), plan.chosen.frequency_error / plan.frequency, guessed
    )


def plan_sections(plan: Plan, *, verbose: bool) -> tuple[Section, ...]:
    """Return what a plan says: what to think of it first, how it is rated last."""
    return (
        _first_sight(plan),
        Section("Recommended", tuple(_recommended(plan))),
        *([_mechanism(plan)] if verbose else []),
        *([] if plan.shuffled is None else shuffle_sections(plan.shuffled)),
        _options(plan),
        _errors(plan),
        *([] if plan.series is None else [_series(plan.series)]),
        Section("People with more pairs than the padding", (_larger_sets(plan),)),
        _alternatives(plan),
        _users_needed(plan),
        Section("Hostile reports", tuple(_hostile(plan))),
        Section("How the light is chosen", (RULE if plan.levels is None else LEVELS_RULE,)),
    )


def _first_sight(plan: Plan) -> Section:
    keys, share, error = len(plan.frequencies), percent(plan.frequency), plan.chosen.frequency_error
    subject = f"A typical one, held by {share} of people," if keys > 1 else f"Held by {share} of people, it"
    # With more pairs per person, keys of one frequency are known less well.
    assumed = " This assumes one pair per person." if plan.pairs == 1 and plan.keys != 1 else ""
    known = f"{_mean_outlook(plan)}{_share_outlook(plan.levels)}"
    outlook = f"{_count_text(plan)} {subject} comes out with an error of ±{points(error)}; {known}.{assumed}"
    levels = [] if plan.levels is None else [_levels_text(plan.levels)]
    return Section(WORDS[plan.light], (outlook, *levels, verdict_text(plan), plan.assumed), light=plan.light)


def _count_text(plan: Plan) -> str:
    standing_out, keys = plan.standing_out, len(plan.frequencies)
    if keys == 1:
        # Where a frequency was named, it is that of several keys.
        which = "The key" if plan.keys == 1 else "A key of the frequency that you named"
        return f"{which} stands out from the noise." if standing_out else f"{which} is {TOO_RARE}."
    number = {0: "None", keys: "All"}.get(standing_out, str(standing_out))
    stand = "stands" if standing_out == 1 else "stand"
    return f"{number} of the {keys} most frequent keys {stand} out from the noise."


def _mean_outlook(plan: Plan) -> str:
    if plan.chosen.mean_error >= plan.guessed_mean_error:
        return f"its mean is {NO_BETTER}"
    low, high = plan.values
    return f"its mean with ±{two_digits(plan.chosen.mean_error)}, for values from {low:g} to {high:g}"


def _share_outlook(levels: PlannedLevels | None) -> str:
    """What is learned of the shares of levels; nothing where there are only two."""
    if levels is None:
        return ""
    if levels.share_error >= levels.guessed_share_error:
        return f"; the shares of its {len(levels.values)} levels are {NO_BETTER}"
    return f"; the share of one of its {len(levels.values)} levels with ±{points(levels.share_error)}"


def _levels_text(levels: PlannedLevels) -> str:
    """What more than two levels cost."""
    cost = levels.cost
    return (
        f"{len(levels.values)} levels ({listed(levels.values)}) instead of two, each with its best setting: "
        f"the error of a frequency is {cost.frequency:.2f} times as large, that of a mean "
        f"{cost.mean_middle:.2f} times in the middle of the range and {cost.mean_near_ends:.2f} times near "
        "its ends, with method corrected, for keys that are well above the noise. Bayes, the default "
        "method, may gain or lose: on real ratings its means were off 0.7 to 1.3 times as much with five "
        "levels as with two."
    )


def verdict_text(plan: Plan) -> str:
    """Return what will be learned, and what it would take to learn about the keys that matter."""
    reached = plan.smallest_frequency
    keys = "all keys are" if reached == 1 else f"keys below {percent(reached)} are often"
    known = f"With {plan.users:,} people at ε = {plan.epsilon:g} {keys} {TOO_RARE}."
    if plan.enough is None:
        return known
    users, epsilon, wanted = plan.enough.users, plan.enough.epsilon, percent(plan.frequencies[-1])
    ways = [] if users is None else [f"about {_rounded_people(users)} people"]
    ways += [] if epsilon is None else [f"ε = {epsilon:.2g}"]
    if not ways:
        return f"{known} Neither more people nor a larger ε would do for keys of {wanted}."
    return f"{known} For keys of {wanted} you need {', or '.join(ways)}."


def _rounded_people(number: float) -> str:
    """A number of people with two digits, rounded up."""
    digits = 10 ** max(0, math.floor(math.log10(number)) - 1)
    return f"{math.ceil(number / digits) * digits:,}"


def _recommended(plan: Plan) -> Iterator[str]:
    size, pairs = f"{plan.bytes_per_report:,} bytes per report", plural(plan.padding, "pair")
    yield f"{plan.mechanism} with padding {plan.padding:,}, {size}, which stands for up to {pairs}."
    if plan.most_influence is not None:
        most = f"{plan.most_influence:g} people for a key"
        yield f"Only settings were considered in which one hostile report counts as at most {most}."
    if plan.why:
        yield f"{plan.why}."
    spent = ", ".join(f"{what} {epsilon:.4f}" for what, epsilon in plan.budgets.items())
    composed = ", which compose to ε" if len(plan.budgets) > 1 else ""
    yield f"ε = {plan.epsilon:g} is spent as: {spent}{composed}."


def _mechanism(plan: Plan) -> Section:
    """The probabilities of the mechanism, by the paper's names, and its tuned parameters."""
    what = "level" if plan.levels else "sign"
    rows = (
        ("a", f"{plan.a:.9f}", "a report supports the key that it was made from"),
        ("b", f"{plan.b:.9f}", "a report supports any other key"),
        ("p", f"{plan.p:.9f}", f"if it supports the former, then with the {what} of its value"),
        *((name, str(value), f"parameter of {plan.mechanism}") for name, value in plan.parameters.items()),
    )
    return Section("The mechanism", columns=("name", "value", "meaning"), rows=rows, texts=3)


def shuffle_sections(privacy: ShuffledPrivacy) -> tuple[Section, ...]:
    """Return the central guarantee next to the local one, and under which conditions it holds."""
    local, central = rounded_up(privacy.local_epsilon), rounded_up(privacy.central_epsilon)
    delta = f"δ = {privacy.delta:g}"
    colluding = f" ({privacy.colluding:,} colluding ones not counted)" if privacy.colluding else ""
    after = f"After a shuffle of {privacy.honest:,} honest reports{colluding}"
    no_gain = "With this many reports, this local ε and this δ, the shuffle is not known to add anything."
    sentences = (
        f"Each report alone: ε = {local} (local), towards every recipient, the shuffler included.",
        f"{after}: ε = {central} with {delta} (central), towards those who see only the result.",
        *(() if privacy.gains else (no_gain,)),
    )
    conditions = Section("Conditions of the central ε", privacy.conditions)
    return Section("Shuffled reports", sentences), conditions


def _options(plan: Plan) -> Section:
    others = [option for option in plan.options if option.reason_not_chosen]
    rows = (
        (
            f"{'  ' if option.reason_not_chosen else '→ '}{option.mechanism}",
            ", ".join(f"{name} {value}" for name, value in option.parameters.items()),
            f"{option.padding:,}",
            f"{option.bytes_per_report:,}",
            *_error_cells(option, plan),
        )
        for option in plan.options
    )
    return Section(
        f"Chosen from these for {WANTED[plan.objective]}; errors at a frequency of {percent(plan.frequency)}",
        tuple(f"{option.mechanism} is not chosen: {option.reason_not_chosen}." for option in others),
        ("mechanism", "parameters", "padding", "bytes", "frequency error", "mean error"),
        tuple(rows),
        texts=2,
    )


def _errors(plan: Plan) -> Section:
    rows = []
    for error in plan.errors:
        frequency_error, mean_error = _error_cells(error, plan)
        relative = f"±{percent(error.frequency_error / error.frequency)}"
        share = _share_cells(error.share_error, plan.levels)
        key = {None: "a rarer key", 1: "the most frequent"}.get(error.rank, f"number {error.rank}")
        rows.append((key, percent(error.frequency), frequency_error, relative, mean_error, *share))
    mean, share_column = (
        "mean, of [{:g}, {:g}]".format(*plan.values),
        ("share of a level",) if plan.levels else (),
    )
    return Section(
        f"Expected errors with {plan.users:,} people, method corrected, the bias of a short padding included",
        tuple(_about_errors(plan)),
        ("key", "true frequency", "frequency error", "relative", mean, *share_column),
        tuple(rows),
    )


def _share_cells(error: float | None, levels: PlannedLevels | None) -> tuple[str, ...]:
    if levels is None or error is None:
        return ()
    return (f"±{points(error)}" if error < levels.guessed_share_error else NO_BETTER,)


def _about_errors(plan: Plan) -> Iterator[str]:
    if plan.levels is not None:
        yield (
            "The share is that of one level among the holders of a key. Guessing the same share for all "
            f"levels would be off by ±{points(plan.levels.guessed_share_error)} where any shares are "
            "equally likely."
        )
    shrunk = " The default method, bayes, pulls noisy estimates together and is closer on average."
    yield (
        f"Guessing the overall mean for every key would be off by ±{plan.guessed_mean_error:.3g} where "
        f"means are spread over the whole range.{shrunk if plan.candidates is None else ''}"
    )
    among = "" if plan.candidates is None else f" among {plan.candidates:,} keys that are asked for"
    yield (
        f"The smallest frequency that stands out from the noise{among}, {percent(DETECTION_POWER)} of the "
        f"time: {percent(plan.smallest_frequency)}. Rarer keys are often {TOO_RARE}."
    )


def _series(series: PlannedSeries) -> Section:
    panels, reports = f"{series.panels:,}", f"{series.reports_per_round:,}"
    rows = []
    for error in series.errors:
        errors = (error.one_round, error.pooled, error.smoothed, error.smoothed_drifting)
        rows.append((percent(error.frequency), *(_points(each) for each in errors if each is not None)))
    drifting = () if series.drift is None else (f"smoothed, drift {points(series.drift)} per round",)
    smoothed = f"{series.rounds:,} rounds smoothed, no change"
    spent = (
        f"Any {panels} rounds in a row hold at most one report of a device; over all {series.rounds:,} "
        f"rounds it spends at most ε = {series.total_epsilon:g}."
    )
    return Section(
        f"As a series: {panels} panels, about {reports} reports per round; errors of frequencies",
        (spent,),
        ("true frequency", "one round", f"{panels} rounds pooled", smoothed, *drifting),
        tuple(rows),
    )


def _larger_sets(plan: Plan) -> str:
    """What is expected of people with more pairs than the padding, and what measuring them costs."""
    pairs = plural(plan.padding, "pair")
    if plan.more == REFUSE:
        return f"People may hold at most {pairs}: they choose up to that many."
    if isinstance(plan.keys, int) and plan.padding >= plan.keys:
        return f"No participant can hold more than {pairs}."
    above = (
        f"{percent(plan.share_above)} of people are expected to hold more than {pairs}; a random choice of "
        f"theirs is reported, and reports show {percent(plan.seen)} of the most frequent key's frequency."
    )
    if plan.share_above_error is None:
        return f"{above} How many do is not measured."
    return (
        f"{above} {percent(plan.size_share)} of the reports measure that share, to "
        f"{_points(plan.share_above_error)} (95 %), which makes all errors {plan.size_cost:.2f} times as "
        "large."
    )


def _alternatives(plan: Plan) -> Section:
    ways: list[tuple[str, float, Option | Alternative]] = [
        ("→ least predicted error", plan.frequency, plan.chosen),
        *((f"  {RULES[other.rule]}", other.frequency, other) for other in plan.alternatives),
    ]
    return Section(
        "Other ways to choose",
        columns=("rule", "mechanism", "padding", "at a frequency of", "frequency error", "mean error"),
        rows=tuple(
            (rule, way.mechanism, f"{way.padding:,}", percent(frequency), *_error_cells(way, plan))
            for rule, frequency, way in ways
        ),
        texts=2,
    )


def _users_needed(plan: Plan) -> Section:
    none = "none: larger sets hide more than this"
    rows = (
        (
            _points(needed.frequency_error),
            none if needed.users is None else f"about {two_digits(needed.users)}",
        )
        for needed in plan.users_needed
    )
    title = f"People needed for an error of a frequency of {percent(plan.frequency)}, method corrected"
    return Section(title, columns=("error", "people"), rows=tuple(rows))


def _hostile(plan: Plan) -> Iterator[str]:
    """What hostile reports can do, by who draws their functions; for a device's, what coins would change."""
    own, coin = plan.hostile.own_function, plan.hostile.server_coin
    if coin is not None and plan.coin == SERVER_COIN:
        yield f"On average over the collector's coins, one hostile report counts as {_gain(coin)}."
        return
    yield f"One hostile report counts as up to {_gain(own)}."
    if coin is not None:
        one, ten = points(coin.one_percent), points(coin.ten_keys)
        yield f"If the collector hands out coins: {two_digits(coin.people)} people, {one}, {ten}, on average."


def _gain(gained: Influence) -> str:
    """As how many people a hostile report counts, and what 1 % of them can do."""
    return (
        f"{two_digits(gained.people)} people for a key; 1 % of all reports can raise a key's frequency by "
        f"{points(gained.one_percent)}, or those of ten keys by {points(gained.ten_keys)} in all"
    )


def discovery_sections(plan: DiscoveryPlan) -> tuple[Section, ...]:
    """Return what a plan for a discovery says."""
    length = plural(plan.characters, "character")
    found = (
        f"A text of {length} that {percent(plan.frequency)} of the people hold is found "
        f"{percent(DETECTION_POWER)} of the time; shorter ones are found at lower frequencies."
    )
    groups = (
        f"{plural(plan.users, 'participant')} are in {plural(plan.groups, 'group')}, each of which reports "
        f"prefixes of another length, at ε {plan.epsilon:g}. More people, a larger ε or fewer characters "
        "find rarer texts."
    )
    if plan.frequency < 1:
        return (Section("What is found", (found, groups)),)
    nothing = f"No text of {length} is sure to be found, even if all people hold it."
    return (Section(WORDS["red"], (nothing, groups)),)


def _points(error: float) -> str:
    """Return the error of a share in percentage points."""
    return f"±{points(min(error, 1.0))}"


def _error_cells(errors: Option | Alternative | ErrorAt, plan: Plan) -> tuple[str, str]:
    """Return the errors of a frequency and of a mean; in words where a guess of the mean would be as good."""
    mean = f"±{errors.mean_error:.3g}" if errors.mean_error < plan.guessed_mean_error else NO_BETTER
    return _points(errors.frequency_error), mean
