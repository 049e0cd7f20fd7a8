"""What a plan says, in words, once: commands, notebooks and pages render these sections.

The traffic light follows one rule. The keys that matter are the ten most frequent ones, as the plan expects them, or
all where there are fewer. The light depends on how many of them stand out from the noise (four times out of five), and
on the expected error of a typical one of them relative to its frequency; with more than two levels also on the error of
the share of one level relative to guessing the same share for all levels.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
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
    f"{WORDS['green']} (green): all of the ten most frequent keys stand out from the noise, and the error of a "
    f"typical one is at most {percent(MAX_GREEN_ERROR)} of its frequency. {WORDS['red']} (red): fewer than "
    f"{percent(MIN_AMBER_SHARE)} of these keys do, or the error is more than {percent(MAX_AMBER_ERROR)} of the "
    f"frequency. {WORDS['amber']} (amber): anything between."
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
        columns: The names of the table's columns, of which the first `texts` are texts and the others numbers.
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
    """Return the light for a share of keys that stand out from the noise, and for the errors of a typical one.

    `relative_share_error` is that of a level's share, relative to guessing the same share for all levels.

    >>> choose_light(1, 0.25), choose_light(1, 0.26), choose_light(0.5, 0.5), choose_light(0.4, 0.1), choose_light(1, 0.6)
    ('green', 'amber', 'amber', 'red', 'red')
    >>> choose_light(1, 0.1, 0.5), choose_light(1, 0.1, 0.6)
    ('green', 'amber')
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
        _recommended(plan),
        *([_mechanism(plan)] if verbose else []),
        *([] if plan.shuffled is None else shuffle_sections(plan.shuffled)),
        _options(plan),
        _errors(plan),
        *([] if plan.series is None else [_series(plan.series)]),
        _larger_sets(plan),
        _alternatives(plan),
        _users_needed(plan),
        Section("Hostile reports", tuple(_hostile(plan))),
        Section("How the light is chosen", (RULE if plan.levels is None else LEVELS_RULE,)),
    )


def _first_sight(plan: Plan) -> Section:
    keys, chosen, share = len(plan.frequencies), plan.chosen, percent(plan.frequency)
    low, high = plan.values
    subject = f"A typical one, held by {share} of people," if keys > 1 else f"Held by {share} of people, it"
    mean = (
        f"its mean with ±{two_digits(chosen.mean_error)}, for values from {low:g} to {high:g}"
        if chosen.mean_error < plan.guessed_mean_error
        else f"its mean is {NO_BETTER}"
    )
    # With more pairs per person, keys of one frequency are known less well.
    assumed = " This assumes one pair per person." if plan.pairs == 1 and plan.keys != 1 else ""
    outlook = (
        f"{_count_text(plan)} {subject} comes out with an error of ±{points(chosen.frequency_error)}; "
        f"{mean}{_share_outlook(plan.levels)}.{assumed}"
    )
    levels = [] if plan.levels is None else [_levels_text(plan.levels)]
    return Section(WORDS[plan.light], (outlook, *levels, verdict_text(plan), plan.assumed), light=plan.light)


def _count_text(plan: Plan) -> str:
    standing_out, keys = plan.standing_out, len(plan.frequencies)
    if keys == 1:
        # Where a frequency was named, it is that of several keys.
        which = "The key" if plan.keys == 1 else "A key of the frequency that you named"
        return f"{which} stands out from the noise." if standing_out else f"{which} is {TOO_RARE}."
    number = {0: "None", keys: "All"}.get(standing_out, str(standing_out))
    return f"{number} of the {keys} most frequent keys {'stands' if standing_out == 1 else 'stand'} out from the noise."


def _share_outlook(levels: PlannedLevels | None) -> str:
    """What is learned of the shares of levels; nothing where there are only two."""
    if levels is None:
        return ""
    count = len(levels.values)
    if levels.share_error >= levels.guessed_share_error:
        return f"; the shares of its {count} levels are {NO_BETTER}"
    return f"; the share of one of its {count} levels with ±{points(levels.share_error)}"


def _levels_text(levels: PlannedLevels) -> str:
    """What more than two levels cost."""
    cost = levels.cost
    return (
        f"{len(levels.values)} levels ({listed(levels.values)}) instead of two, each with its best setting: the error of "
        f"a frequency is {cost.frequency:.2f} times as large, that of a mean {cost.mean_middle:.2f} times in the middle of "
        f"the range and {cost.mean_near_ends:.2f} times near its ends, with method corrected, for keys that are well above "
        "the noise. Bayes, the default method, may gain or lose: on real ratings its means were off 0.7 to 1.3 times as "
        "much with five levels as with two."
    )


def verdict_text(plan: Plan) -> str:
    """Return what will be learned, and what it would take to learn about the keys that matter."""
    people = f"With {plan.users:,} people at ε = {plan.epsilon:g}"
    if plan.smallest_frequency == 1:
        known = f"{people} all keys are {TOO_RARE}."
    else:
        known = f"{people} keys below {percent(plan.smallest_frequency)} are often {TOO_RARE}."
    if plan.enough is None:
        return known
    wanted = percent(plan.frequencies[-1])
    ways = []
    if plan.enough.users is not None:
        ways.append(f"about {_rounded_people(plan.enough.users)} people")
    if plan.enough.epsilon is not None:
        ways.append(f"ε = {plan.enough.epsilon:.2g}")
    if not ways:
        return f"{known} Neither more people nor a larger ε would do for keys of {wanted}."
    return f"{known} For keys of {wanted} you need {', or '.join(ways)}."


def _rounded_people(number: float) -> str:
    """A number of people with two digits, rounded up."""
    digits = 10 ** max(0, math.floor(math.log10(number)) - 1)
    return f"{math.ceil(number / digits) * digits:,}"


def _recommended(plan: Plan) -> Section:
    choice = (
        f"{plan.mechanism} with padding {plan.padding:,}, {plan.bytes_per_report:,} bytes per report, which stands "
        f"for up to {plural(plan.padding, 'pair')}."
    )
    spent = ", ".join(f"{what} {epsilon:.4f}" for what, epsilon in plan.budgets.items())
    composed = ", which compose to ε" if len(plan.budgets) > 1 else ""
    limit = (
        []
        if plan.most_influence is None
        else [
            (
                "Only settings were considered in which one hostile report counts as at most "
                f"{plan.most_influence:g} people for a key."
            )
        ]
    )
    sentences = (choice, *limit, *([f"{plan.why}."] if plan.why else []))
    return Section("Recommended", (*sentences, f"ε = {plan.epsilon:g} is spent as: {spent}{composed}."))


def _mechanism(plan: Plan) -> Section:
    """The probabilities of the mechanism, by the paper's names, and its tuned parameters."""
    what = "level" if plan.levels else "sign"
    rows = [
        ("a", f"{plan.a:.9f}", "a report supports the key that it was made from"),
        ("b", f"{plan.b:.9f}", "a report supports any other key"),
        ("p", f"{plan.p:.9f}", f"if it supports the former, then with the {what} of its value"),
        *((name, str(value), f"parameter of {plan.mechanism}") for name, value in plan.parameters.items()),
    ]
    return Section("The mechanism", columns=("name", "value", "meaning"), rows=tuple(rows), texts=3)


def shuffle_sections(privacy: ShuffledPrivacy) -> tuple[Section, ...]:
    """Return the central guarantee next to the local one, and under which conditions it holds."""
    colluding = f" ({privacy.colluding:,} colluding ones not counted)" if privacy.colluding else ""
    sentences = [
        f"Each report alone: ε = {rounded_up(privacy.local_epsilon)} (local), towards everybody, the shuffler included.",
        (
            f"After a shuffle of {privacy.honest:,} honest reports{colluding}: ε = {rounded_up(privacy.central_epsilon)} "
            f"with δ = {privacy.delta:g} (central), towards those who see only the result."
        ),
    ]
    if not privacy.gains:
        sentences.append(
            "With this many reports, this local ε and this δ, the shuffle is not known to add anything."
        )
    return (
        Section("Shuffled reports", tuple(sentences)),
        Section("Conditions of the central ε", privacy.conditions),
    )


def _options(plan: Plan) -> Section:
    return Section(
        f"Chosen from these for {WANTED[plan.objective]}; errors at a frequency of {percent(plan.frequency)}",
        tuple(
            f"{option.mechanism} is not chosen: {option.reason_not_chosen}."
            for option in plan.options
            if option.reason_not_chosen
        ),
        ("mechanism", "parameters", "padding", "bytes", "frequency error", "mean error"),
        tuple(
            (
                ("  " if option.reason_not_chosen else "→ ") + option.mechanism,
                ", ".join(f"{name} {value}" for name, value in option.parameters.items()),
                f"{option.padding:,}",
                f"{option.bytes_per_report:,}",
                _points(option.frequency_error),
                _mean_error(option.mean_error, plan),
            )
            for option in plan.options
        ),
        texts=2,
    )


def _errors(plan: Plan) -> Section:
    low, high = plan.values
    listed_keys = plan.candidates is None
    shrunk = (
        " The default method, bayes, pulls noisy estimates together and is closer on average."
        if listed_keys
        else ""
    )
    among = "" if listed_keys else f" among {plan.candidates:,} keys that are asked for"
    return Section(
        f"Expected errors with {plan.users:,} people, method corrected, the bias of a short padding included",
        (
            *([] if plan.levels is None else [_guessed_shares(plan.levels)]),
            (
                f"Guessing the overall mean for every key would be off by ±{plan.guessed_mean_error:.3g} where means are "
                f"spread over the whole range.{shrunk}"
            ),
            (
                f"The smallest frequency that stands out from the noise{among}, {percent(DETECTION_POWER)} of the time: "
                f"{percent(plan.smallest_frequency)}. Rarer keys are often {TOO_RARE}."
            ),
        ),
        (
            "key",
            "true frequency",
            "frequency error",
            "relative",
            f"mean, of [{low:g}, {high:g}]",
            *(["share of a level"] if plan.levels else []),
        ),
        tuple(
            (
                _key(error),
                percent(error.frequency),
                _points(error.frequency_error),
                f"±{percent(error.frequency_error / error.frequency)}",
                _mean_error(error.mean_error, plan),
                *_share_cells(error, plan.levels),
            )
            for error in plan.errors
        ),
    )


def _key(error: ErrorAt) -> str:
    if error.rank is None:
        return "a rarer key"
    return "the most frequent" if error.rank == 1 else f"number {error.rank}"


def _share_cells(error: ErrorAt, levels: PlannedLevels | None) -> Sequence[str]:
    if levels is None or error.share_error is None:
        return ()
    return (f"±{points(error.share_error)}" if error.share_error < levels.guessed_share_error else NO_BETTER,)


def _guessed_shares(levels: PlannedLevels) -> str:
    return (
        "The share is that of one level among the holders of a key. Guessing the same share for all levels would be off "
        f"by ±{points(levels.guessed_share_error)} where any shares are equally likely."
    )


def _series(series: PlannedSeries) -> Section:
    drifting = () if series.drift is None else (f"smoothed, drift {points(series.drift)} per round",)
    return Section(
        f"As a series: {series.panels:,} panels, about {series.reports_per_round:,} reports per round; errors of frequencies",
        (
            (
                f"Any {series.panels:,} rounds in a row hold at most one report of a device; over all {series.rounds:,} rounds "
                f"it spends at most ε = {series.total_epsilon:g}."
            ),
        ),
        (
            "true frequency",
            "one round",
            f"{series.panels:,} rounds pooled",
            f"{series.rounds:,} rounds smoothed, no change",
            *drifting,
        ),
        tuple(
            (
                percent(error.frequency),
                *(
                    _points(each)
                    for each in (error.one_round, error.pooled, error.smoothed, error.smoothed_drifting)
                    if each is not None
                ),
            )
            for error in series.errors
        ),
    )


def _larger_sets(plan: Plan) -> Section:
    """What is expected of people with more pairs than the padding, and what measuring them costs."""
    title, pairs = "People with more pairs than the padding", plural(plan.padding, "pair")
    if plan.more == REFUSE:
        return Section(title, (f"Nobody may hold more than {pairs}: people choose up to that many.",))
    if isinstance(plan.keys, int) and plan.padding >= plan.keys:
        return Section(title, (f"Nobody can hold more than {pairs}.",))
    above = (
        f"{percent(plan.share_above)} of people are expected to hold more than {pairs}; a random choice of theirs is "
        f"reported, and reports show {percent(plan.seen)} of the most frequent key's frequency."
    )
    measured = (
        "How many do is not measured."
        if plan.share_above_error is None
        else f"{percent(plan.size_share)} of the reports measure that share, to {_points(plan.share_above_error)} (95 %), "
        f"which makes all errors {plan.size_cost:.2f} times as large."
    )
    return Section(title, (f"{above} {measured}",))


def _alternatives(plan: Plan) -> Section:
    ways: list[tuple[str, float, Option | Alternative]] = [
        ("→ least predicted error", plan.frequency, plan.chosen),
        *((f"  {RULES[other.rule]}", other.frequency, other) for other in plan.alternatives),
    ]
    return Section(
        "Other ways to choose",
        columns=("rule", "mechanism", "padding", "at a frequency of", "frequency error", "mean error"),
        rows=tuple(
            (
                rule,
                way.mechanism,
                f"{way.padding:,}",
                percent(frequency),
                _points(way.frequency_error),
                _mean_error(way.mean_error, plan),
            )
            for rule, frequency, way in ways
        ),
        texts=2,
    )


def _users_needed(plan: Plan) -> Section:
    return Section(
        f"People needed for an error of a frequency of {percent(plan.frequency)}, method corrected",
        columns=("error", "people"),
        rows=tuple(
            (
                _points(each.frequency_error),
                "none: larger sets hide more than this"
                if each.users is None
                else f"about {two_digits(each.users)}",
            )
            for each in plan.users_needed
        ),
    )


def _hostile(plan: Plan) -> Iterator[str]:
    """What hostile reports can do, by who draws their functions; for a device's, what coins would change."""
    own, coin = plan.hostile.own_function, plan.hostile.server_coin
    if coin is not None and plan.coin == SERVER_COIN:
        yield f"On average over the collector's coins, one hostile report counts as {_gain(coin)}."
        return
    yield f"One hostile report counts as up to {_gain(own)}."
    if coin is not None:
        yield (
            f"If the collector hands out coins: {two_digits(coin.people)} people, {points(coin.one_percent)}, "
            f"{points(coin.ten_keys)}, on average."
        )


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
        f"A text of {length} that {percent(plan.frequency)} of the people hold is found {percent(DETECTION_POWER)} of the "
        "time; shorter ones are found at lower frequencies."
    )
    nothing = f"No text of {length} is sure to be found, even if everybody holds it."
    groups = (
        f"{plural(plan.users, 'participant')} are in {plural(plan.groups, 'group')}, each of which reports prefixes of "
        f"another length, at ε {plan.epsilon:g}. More people, a larger ε or fewer characters find rarer texts."
    )
    is_hopeless = plan.frequency >= 1
    return (
        Section(
            WORDS["red"] if is_hopeless else "What is found", (nothing if is_hopeless else found, groups)
        ),
    )


def _points(error: float) -> str:
    """Return the error of a share in percentage points."""
    return f"±{points(min(error, 1.0))}"


def _mean_error(error: float, plan: Plan) -> str:
    """Return the error of a mean, in words where a guess would be as good."""
    return f"±{error:.3g}" if error < plan.guessed_mean_error else NO_BETTER
