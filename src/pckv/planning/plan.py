"""A plan: which mechanism and padding, what error to expect, what can go wrong; and all of it in words."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from pckv.base.levels import listed
from pckv.base.limits import REFUSE, SERVER_COIN
from pckv.base.records import AnySize, Record
from pckv.base.words import TOO_RARE, percent, plural, points, two_digits
from pckv.planning.assessment import LevelCost
from pckv.planning.curves import Enough
from pckv.planning.influence import Hostile, Influence
from pckv.planning.people import RARER, USUAL_SHARE
from pckv.planning.prediction import BOTH, FREQUENCY, MEAN, MSE
from pckv.planning.sections import (
    LEVELS_RULE,
    NO_BETTER,
    RULE,
    WORDS,
    Light,
    Section,
    choose_light,
    error_points,
    html_sections,
)
from pckv.planning.series import PlannedSeries
from pckv.planning.shuffle import ShuffledPrivacy
from pckv.statistics.detection import DETECTION_POWER

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
class Option:
    """One mechanism with its best padding and parameters, and what it would cost."""

    mechanism: str
    padding: int
    parameters: dict[str, str | int]
    bytes_per_report: int
    frequency_error: float
    mean_error: float
    # Empty for the option that is chosen.
    reason_not_chosen: str


@dataclass(frozen=True)
class Alternative:
    """Another rule or assumption to choose by, what it leads to, and its errors at one frequency."""

    rule: str
    mechanism: str
    padding: int
    frequency: float
    frequency_error: float
    mean_error: float


@dataclass(frozen=True)
class ErrorAt:
    """The errors to expect of method `corrected` at one true frequency, bias included.

    `rank` is that of a key that is expected to have this frequency, None where it is just an example.
    `share_error` is that of the share of one level among the holders, None where there are only two levels.
    """

    rank: int | None
    frequency: float
    frequency_error: float
    mean_error: float
    share_error: float | None = None


@dataclass(frozen=True)
class PlannedLevels:
    """What a plan says of more than two levels.

    Attributes:
        values: What each is worth, in the units of the values.
        cost: What they cost relative to two.
        share_error: The error to expect of the share of one level, for a key of the typical frequency.
        guessed_share_error: That of guessing that all levels have the same share.
    """

    values: tuple[float, ...]
    cost: LevelCost
    share_error: float
    guessed_share_error: float


@dataclass(frozen=True)
class UsersNeeded:
    """How many people bring the error of a typical frequency down to this; None if larger sets hide more."""

    frequency_error: float
    users: AnySize | None


@dataclass(frozen=True)
class Plan(Record):
    """What to run and what to expect of it; `to_json` and `from_json` write a plan and read it back.

    Attributes:
        keys: The number of keys, or `hashed`; then `candidates` is how many will be asked for.
        users: How many people were planned for.
        epsilon: The ε of a report.
        pairs: How many pairs people hold on average; `usual_pairs` is how many nine of ten do not exceed.
        seen: The share of the most frequent key's frequency that reports show.
        frequency: Of a typical one of the keys that matter; `frequencies` are those of all, in descending order.
        assumed: What was assumed, as a sentence.
        more: What happens to a person with more pairs than the padding: `sample` or `refuse`.
        values: The range of the errors of means; `guessed_mean_error` is that of guessing the overall mean.
        coin: Who draws the public function of a report.
        most_influence: As how many people one hostile report may count, where that was limited.
        size_share: The share of reports that answers how many pairs a person holds; errors are larger by
            `size_cost` for it. `share_above` is the share of people expected to hold more pairs than the
            padding, and `share_above_error` how far off its estimate will be (half a 95 % interval; None
            where nothing is asked).
        shuffled: The central guarantee of shuffled reports, where the plan is for them.
        objective: Which error was made small.
        mechanism: The mechanism that is recommended, with its `parameters` and `padding`; `why` says why.
        budgets: How ε is split between the key and its value, where a mechanism splits it.
        a: The chance that a report supports the key that it was made from; `b` that of any other key, and `p`
            how often a supported key has the level of its value: with two levels, its sign.
        bytes_per_report: The size of a report with its id.
        errors: The errors to expect, by the frequency of a key.
        smallest_frequency: The frequency that stands out from the noise 80 % of the time.
        users_needed: How many people bring the error of the typical `frequency` down to each of some errors.
        hostile: What hostile reports can do.
        options: All mechanisms that were compared, each with its best padding.
        alternatives: What other rules and assumptions would choose.
        enough: What would be enough for all keys that matter to stand out; None where these people are.
        series: What to expect of a series, where the plan is for one.
        levels: What more than two levels cost and tell, where the plan is for them.
    """

    keys: int | str
    users: int
    epsilon: float
    pairs: float
    usual_pairs: int
    seen: float
    frequency: float
    frequencies: tuple[float, ...]
    assumed: str
    objective: str
    more: str
    values: tuple[float, float]
    mechanism: str
    padding: int
    parameters: dict[str, str | int]
    why: str
    budgets: dict[str, float]
    a: float
    b: float
    p: float
    bytes_per_report: int
    coin: str
    most_influence: float | None
    size_share: float
    size_cost: float
    share_above: float
    share_above_error: float | None
    shuffled: ShuffledPrivacy | None
    errors: tuple[ErrorAt, ...]
    guessed_mean_error: float
    smallest_frequency: float
    users_needed: tuple[UsersNeeded, ...]
    hostile: Hostile
    options: tuple[Option, ...]
    alternatives: tuple[Alternative, ...]
    enough: Enough | None
    series: PlannedSeries | None = None
    levels: PlannedLevels | None = None
    candidates: int | None = None

    @property
    def chosen(self) -> Option:
        """The option that is recommended."""
        return next(option for option in self.options if not option.reason_not_chosen)

    @property
    def standing_out(self) -> int:
        """How many of the keys that matter stand out from the noise, four times out of five."""
        # A least frequency of 1 means that nothing stands out, not even a key that all people hold.
        if self.smallest_frequency == 1:
            return 0
        return sum(frequency >= self.smallest_frequency for frequency in self.frequencies)

    @property
    def light(self) -> Light:
        """What to think of the plan at first sight: `green`, `amber` or `red`."""
        levels = self.levels
        guessed = 0.0 if levels is None else levels.share_error / levels.guessed_share_error
        relative_error = self.chosen.frequency_error / self.frequency
        return choose_light(self.standing_out / len(self.frequencies), relative_error, guessed)

    @property
    def verdict(self) -> str:
        """What will be learned, and what it would take to learn about all keys that matter, in words."""
        reached = self.smallest_frequency
        keys = "all keys are" if reached == 1 else f"keys below {percent(reached)} are often"
        known = f"With {self.users:,} people at ε = {self.epsilon:g} {keys} {TOO_RARE}."
        if self.enough is None:
            return known
        users, epsilon, wanted = self.enough.users, self.enough.epsilon, percent(self.frequencies[-1])
        ways = [] if users is None else [f"about {_rounded_people(users)} people"]
        ways += [] if epsilon is None else [f"ε = {epsilon:.2g}"]
        if not ways:
            return f"{known} Neither more people nor a larger ε would do for keys of {wanted}."
        return f"{known} For keys of {wanted} you need {', or '.join(ways)}."

    def sections(self, *, verbose: bool = False) -> tuple[Section, ...]:
        """Return what the plan says, for people to read; what to think of it at first sight comes first.

        Args:
            verbose: Whether the probabilities and parameters of the mechanism have a section, too.
        """
        return (
            _first_sight(self),
            Section("Recommended", tuple(_recommended(self))),
            *([_mechanism(self)] if verbose else []),
            *([] if self.shuffled is None else self.shuffled.sections()),
            _options(self),
            _errors(self),
            *([] if self.series is None else [self.series.section()]),
            Section("People with more pairs than the padding", (_larger_sets(self),)),
            _alternatives(self),
            _users_needed(self),
            Section("Hostile reports", tuple(_hostile(self))),
            Section("How the light is chosen", (RULE if self.levels is None else LEVELS_RULE,)),
        )

    def _repr_html_(self) -> str:
        return html_sections(self.sections())


def _first_sight(plan: Plan) -> Section:
    keys, share, error = len(plan.frequencies), percent(plan.frequency), plan.chosen.frequency_error
    subject = f"A typical one, held by {share} of people," if keys > 1 else f"Held by {share} of people, it"
    # With more pairs per person, keys of one frequency are known less well.
    assumed = " This assumes one pair per person." if plan.pairs == 1 and plan.keys != 1 else ""
    known = f"{_mean_outlook(plan)}{_share_outlook(plan.levels)}"
    outlook = f"{_count_text(plan)} {subject} comes out with an error of ±{points(error)}; {known}.{assumed}"
    levels = [] if plan.levels is None else [_levels_text(plan.levels)]
    return Section(WORDS[plan.light], (outlook, *levels, plan.verdict, plan.assumed), light=plan.light)


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
        ["share of a level"] * bool(plan.levels),
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
        f"{error_points(plan.share_above_error)} (95 %), which makes all errors {plan.size_cost:.2f} times as "
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
    rows = []
    for needed in plan.users_needed:
        people = none if needed.users is None else f"about {two_digits(needed.users)}"
        rows.append((error_points(needed.frequency_error), people))
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


def _error_cells(errors: Option | Alternative | ErrorAt, plan: Plan) -> tuple[str, str]:
    """Return the errors of a frequency and of a mean; in words where a guess of the mean would be as good."""
    mean = f"±{errors.mean_error:.3g}" if errors.mean_error < plan.guessed_mean_error else NO_BETTER
    return error_points(errors.frequency_error), mean
