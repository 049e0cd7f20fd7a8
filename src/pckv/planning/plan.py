"""A plan: which mechanism and padding, what error to expect, what can go wrong; and all of it in words."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

from pckv.base.levels import listed
from pckv.base.limits import REFUSE, REPORT_ID_BYTES
from pckv.base.records import AnySize, Record
from pckv.base.words import TOO_RARE, percent, plural, points, rounded_up, two_digits
from pckv.planning.assessment import LevelCost
from pckv.planning.derived import PlannedSegment, PlannedTogether
from pckv.planning.influence import Hostile
from pckv.planning.mixing import PlannedMixing
from pckv.planning.outlook import CountedScenario, Outlook
from pckv.planning.people import ALIKE, DECLINING, ZIPF, people_text
from pckv.planning.plan_sections import (
    alternatives_section,
    error_cells,
    error_columns,
    hostile_sentences,
    light_rules,
    mean_range,
    users_needed_section,
)
from pckv.planning.prediction import BOTH, FREQUENCY, MEAN, MSE
from pckv.planning.sections import (
    HALF_RANGE,
    NO_BETTER,
    WORDS,
    Light,
    Section,
    html_sections,
    range_points,
    stands_out,
)
from pckv.planning.series import PlannedSeries
from pckv.sealing.envelope import sealed_length

WANTED = {
    BOTH: "frequencies and means alike",
    FREQUENCY: "frequencies",
    MEAN: "means",
    MSE: "frequencies, also where larger sets bias them",
}
# Where one pair per person is assumed, what that many would change is said; of fewer keys, what one pair of each would.
SEVERAL_PAIRS = 3
SHAPES = {
    ZIPF: "if a few keys prevail, as by Zipf's law",
    DECLINING: "if they decline evenly",
    ALIKE: "if all keys are equally frequent",
}


@dataclass(frozen=True)
class Option:
    """One mechanism with its best padding and parameters, and what it would cost; keys without values have no mean."""

    mechanism: str
    padding: int
    parameters: dict[str, str | int]
    bytes_per_report: int
    frequency_error: float
    mean_error: float | None = field(default=None, kw_only=True)
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
    mean_error: float | None = None


@dataclass(frozen=True)
class ErrorAt:
    """The errors to expect of method `corrected` at one true frequency, bias included.

    `rank` is that of a key that is expected to have this frequency, None where it is just an example.
    `mean_error` is None where keys have no values, `share_error` that of the share of one level among the holders, None
    unless there are more than two levels.
    """

    rank: int | None
    frequency: float
    frequency_error: float
    mean_error: float | None = None
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
    """How many people bring half the 95 % range of a typical frequency down to this; None if none do.

    They are people in all; where those take turns, the range is that of one round. None do where larger sets hide
    more than that.
    """

    half_range: float
    users: AnySize | None


@dataclass(frozen=True)
class Plan(Record):
    """What to run and what to expect of it; `to_json` and `from_json` write a plan and read it back.

    Attributes:
        keys: The number of keys, or `hashed`; then `candidates` is how many will be asked for.
        users: How many people were planned for, in all rounds together where they take turns in panels; those who
            take part through the mixer, where there is one.
        epsilon: The ε of a report.
        pairs: How many pairs people hold on average, those without any included; `usual_pairs` is how many nine of
            ten do not exceed.
        holding: The share of people who hold any pair.
        seen: The share of the most frequent key's frequency that reports show.
        frequency: Of a typical one of the keys that matter; `frequencies` are those of all, in descending order.
        assumed: What was assumed, as a sentence.
        more: What happens to a person with more pairs than the padding: `sample` or `refuse`.
        values: The range of the errors of means; `guessed_mean_error` is that of guessing the overall mean. Both are
            None where keys have no values.
        coin: Who draws the public function of a report.
        most_influence: As how many people one hostile report may count, where that was limited.
        size_share: The share of reports that answers how many pairs a person holds; errors are larger by
            `size_cost` for it. `share_above` is the share of people expected to hold more pairs than the
            padding, and `share_above_error` how far off its estimate will be (half a 95 % interval; None
            where nothing is asked).
        assumes_one_pair: Whether people are taken to hold one pair each although they may hold more.
        mixed: What is proposed for a mixer, where reports are to go through one; all else is then what to expect of
            them, and `epsilon` is not the one that was asked for.
        objective: Which error was made small.
        mechanism: The mechanism that is recommended, with its `parameters` and `padding`; `why` says why.
        budgets: How ε is split between the key and its value, where a mechanism splits it.
        a: The chance that a report supports the key that it was made from; `b` that of any other key, and `p`
            how often a supported key has the level of its value: with two levels, its sign; without values None.
        bytes_per_report: The size of a report with its id.
        errors: The errors to expect, by the frequency of a key. Here and in `options` and `alternatives` they
            are roots of mean squared errors; sections print 95 % ranges, about twice as wide to either side.
        smallest_frequency: The frequency that stands out from the noise about 80 % of the time, or more often.
        users_needed: How many people bring the 95 % range of the typical `frequency` down to each of some.
        hostile: What hostile reports can do.
        options: All mechanisms that were compared, each with its best padding.
        alternatives: What other rules and assumptions would choose.
        outlook: Which keys will stand out from the noise, the light, and what would be enough for green.
        series: What to expect of a series, where the plan is for one.
        levels: What more than two levels cost and tell, where the plan is for them.
        segment: What to expect within the labels of a segment, where there is one.
        together: What to expect of two keys together, where that is asked.
    """

    keys: int | str
    users: int
    epsilon: float
    pairs: float
    holding: float
    usual_pairs: int
    seen: float
    frequency: float
    frequencies: tuple[float, ...]
    assumed: str
    objective: str
    more: str
    values: tuple[float, float] | None
    mechanism: str
    padding: int
    parameters: dict[str, str | int]
    why: str
    budgets: dict[str, float]
    a: float
    b: float
    p: float | None = field(default=None, kw_only=True)
    bytes_per_report: int
    coin: str
    most_influence: float | None
    size_share: float
    size_cost: float
    share_above: float
    share_above_error: float | None
    assumes_one_pair: bool
    mixed: PlannedMixing | None
    errors: tuple[ErrorAt, ...]
    guessed_mean_error: float | None = field(default=None, kw_only=True)
    smallest_frequency: float
    users_needed: tuple[UsersNeeded, ...]
    hostile: Hostile
    options: tuple[Option, ...]
    alternatives: tuple[Alternative, ...]
    outlook: Outlook
    series: PlannedSeries | None = None
    levels: PlannedLevels | None = None
    candidates: int | None = None
    segment: PlannedSegment | None = None
    together: PlannedTogether | None = None

    @property
    def panels(self) -> int:
        """How many panels take turns in rounds; one where all people report."""
        return 1 if self.series is None else self.series.panels

    @property
    def among(self) -> str:
        """Among how many keys one is to stand out, in words; empty where keys are listed."""
        return "" if self.candidates is None else f" among {self.candidates:,} keys that are asked for"

    def _seen(self, users: int, frequency: float) -> str:
        """From which frequency a key stands out with so many people, as a clause."""
        in_round = " in one round" if self.panels > 1 else ""
        return f"with {people_text(users, self.panels)}, {stands_out(frequency, self.among + in_round)}"

    @property
    def noun(self) -> str:
        """What people hold: pairs, or keys without values."""
        return "key" if self.values is None else "pair"

    @property
    def may_truncate(self) -> bool:
        """Whether people may hold more pairs than the padding, for all that the task says."""
        return self.more != REFUSE and (isinstance(self.keys, str) or self.padding < self.keys)

    @property
    def chosen(self) -> Option:
        """The option that is recommended."""
        return next(option for option in self.options if not option.reason_not_chosen)

    @property
    def light(self) -> Light:
        """What to think of the plan at first sight: `green`, `amber` or `red`."""
        return self.outlook.light

    @property
    def verdict(self) -> str:
        """What it would take for a green light, in words; empty where it is green."""
        outlook = self.outlook
        if outlook.enough is None:
            return ""
        reached = outlook.reach is not None and outlook.reach <= outlook.rarest
        rarest = percent(outlook.rarest)
        wanted = f"For a key of {rarest}" if outlook.keys == 1 else f"For all of them to stand out even at {rarest}"
        wanted = "To know the shares of levels" if reached else wanted
        users, epsilon = outlook.enough.users, outlook.enough.epsilon
        ways = [] if users is None else [f"about {_needed_text(_rounded_up(users / self.panels), self.panels)}"]
        if self.mixed is not None:
            # More people allow a larger ε of a report, with which fewer of them are needed.
            number = f"{ways[0]} are enough" if ways else "no number of people is enough"
            return f"{wanted}, {number} at this ε of a report."
        ways += [] if epsilon is None else [f"ε = {epsilon:.2g}"]
        if not ways:
            return f"{wanted}, no number of people is enough."
        return f"{wanted}, you need {', or '.join(ways)}."

    def sections(self, *, verbose: bool = False) -> tuple[Section, ...]:
        """Return what the plan says, for people to read; what to think of it at first sight comes first.

        Args:
            verbose: Whether the probabilities and parameters of the mechanism have a section, too.
        """
        mixed, series = self.mixed, self.series
        choice = mixed and mixed.choice(self.users, self.smallest_frequency, self._seen)
        proposal = mixed and mixed.proposal(self.mechanism, self.padding, self.panels)
        spent = mixed.spent_in(series) if mixed and series else ()
        return (
            _first_sight(self),
            *([choice] if choice else []),
            Section("Recommended", tuple(_recommended(self))),
            *([_mechanism(self)] if verbose else []),
            *([proposal] if proposal else []),
            _options(self),
            _errors(self),
            *([] if self.segment is None else [self.segment.section(self.guessed_mean_error)]),
            *([] if self.together is None else [self.together.section()]),
            *([] if series is None else [series.section(spent)]),
            Section(f"People with more {self.noun}s than the padding", (_larger_sets(self),)),
            alternatives_section(self),
            users_needed_section(self),
            Section("Hostile reports", tuple(hostile_sentences(self))),
            Section("How the light is chosen", tuple(light_rules(self))),
        )

    def _repr_html_(self) -> str:
        return html_sections(self.sections())


def _first_sight(plan: Plan) -> Section:
    known = "" if plan.values is None else f"; {_mean_outlook(plan, plan.values)}{_share_outlook(plan.levels)}"
    of_round = " of one round" if plan.panels > 1 else ""
    ranges = (
        f"A key that {percent(plan.frequency)} of people hold comes out{of_round} with a 95 % range of about "
        f"{range_points(plan.chosen.frequency_error)}{known}."
    )
    levels = "" if plan.levels is None else _levels_text(plan.levels)
    sentences = (
        _reach_text(plan),
        _scenarios_text(plan.outlook),
        _more_pairs_text(plan),
        ranges,
        "" if plan.segment is None else plan.segment.first_sight(plan.frequency),
        "" if plan.together is None else plan.together.first_sight(),
        _allowance_text(plan),
        levels,
        plan.verdict,
        plan.assumed,
    )
    return Section(WORDS[plan.light], tuple(filter(None, sentences)), light=plan.light)


def _allowance_text(plan: Plan) -> str:
    """What the ranges of a plan leave out and those of estimates contain; empty where no larger sets can be."""
    if not plan.may_truncate:
        return ""
    return (
        "This and all ranges below are those of the noise and of the bias that is expected of the padding; the ranges "
        f"that estimates print also allow for what people with more than {plural(plan.padding, plan.noun)} may hide, "
        "and are wider for it."
    )


def _reach_text(plan: Plan) -> str:
    """From which frequency keys stand out."""
    outlook = plan.outlook
    turns = "," if plan.panels > 1 else ""
    mixed = "" if plan.mixed is None else " of a mixed report"
    people = f"With {people_text(plan.users, plan.panels)}{turns} at ε = {plan.epsilon:g}{mixed},"
    if outlook.reach is None:
        return f"{people} no key is sure to stand out from the noise, not even one that all people hold."
    least = f"{rounded_up(100 * outlook.reach)} %"
    if outlook.keys == 1:
        named = f"; you named {percent(plan.frequency)}" if plan.keys != 1 else ""
        which = "the key" if plan.keys == 1 else "a key"
        return f"{people} {which} stands out, four times out of five, if at least {least} of people hold it{named}."
    those = "keys" if plan.keys == outlook.keys else f"those of the {outlook.keys} most frequent keys"
    return (
        f"{people} {those} that at least {least} of people hold stand out from the noise: all of them together, "
        "four times out of five."
    )


def _scenarios_text(outlook: Outlook) -> str:
    """How many of the keys that matter that may be; empty where their frequency is named, or there is one."""
    if outlook.keys == 1 or outlook.reach is None:
        return ""
    counts = {each.standing_out for each in outlook.scenarios}
    if len(counts) == 1:
        return f"In all cases considered that is {_number_of(counts.pop(), outlook.keys)} of these {outlook.keys} keys."
    *first, last = (_scenario_text(each) for each in sorted(outlook.scenarios, key=lambda each: each.standing_out))
    return f"Of these {outlook.keys} keys that is {', '.join(first)}, and {last}."


def _more_pairs_text(plan: Plan) -> str:
    """What becomes of one pair per person where people hold several, one of which is reported at random."""
    reach = plan.outlook.reach
    if not plan.assumes_one_pair or reach is None:
        return ""
    pairs = SEVERAL_PAIRS if isinstance(plan.keys, str) else min(SEVERAL_PAIRS, plan.keys)
    several = reach * pairs
    least = f"it takes {rounded_up(100 * several)} %" if several <= 1 else "no key is sure to stand out"
    return (
        f"This assumes at most one {plan.noun} per person; if people hold {pairs}, {least} with this padding: "
        f"name the number of {plan.noun}s to plan for it."
    )


def _scenario_text(scenario: CountedScenario) -> str:
    number = _number_of(scenario.standing_out, len(scenario.frequencies))
    most, least = scenario.frequencies[0], scenario.frequencies[-1]
    # With as many digits as the frequency that they are compared with.
    held = f"{100 * most:.3g} % each" if most == least else f"{100 * most:.3g} % to {100 * least:.3g} %"
    return f"{number} {SHAPES[scenario.shape]} ({held})"


def _number_of(number: int, keys: int) -> str:
    return {0: "none", keys: "all"}.get(number, str(number))


def _mean_outlook(plan: Plan, values: tuple[float, float]) -> str:
    half = mean_range(plan.chosen.mean_error, plan)
    if half is None:
        return f"its mean is {NO_BETTER}"
    return f"its mean with ±{two_digits(half)}, for values from {values[0]:g} to {values[1]:g}"


def _share_outlook(levels: PlannedLevels | None) -> str:
    """What is learned of the shares of levels; nothing where there are only two."""
    if levels is None:
        return ""
    if levels.share_error >= levels.guessed_share_error:
        return f"; the shares of its {len(levels.values)} levels are {NO_BETTER}"
    return f"; the share of one of its {len(levels.values)} levels with {range_points(levels.share_error)}"


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


def _rounded_up(number: float) -> int:
    """A number of people with two digits, rounded up."""
    digits: int = 10 ** max(0, math.floor(math.log10(number)) - 1)
    return math.ceil(number / digits) * digits


def _needed_text(per_round: int, panels: int) -> str:
    """How many people are needed in all, and per round where they take turns."""
    return f"{per_round * panels:,} people" + (f" ({per_round:,} per round)" if panels > 1 else "")


def _recommended(plan: Plan) -> Iterator[str]:
    size, pairs = f"{plan.bytes_per_report:,} bytes", plural(plan.padding, plan.noun)
    yield f"{plan.mechanism} with padding {plan.padding:,}: a report has {size} and stands for up to {pairs}."
    if plan.mixed is not None:
        yield f"Sealed, it has {sealed_length(plan.bytes_per_report - REPORT_ID_BYTES):,} bytes."
    if plan.most_influence is not None:
        most = f"{plan.most_influence:g} people for a key"
        yield f"Only settings were considered in which one hostile report counts as at most {most}."
    if plan.why:
        yield f"{plan.why}."


def _mechanism(plan: Plan) -> Section:
    """The probabilities of the mechanism, by the paper's names, and its tuned parameters."""
    what, parts, total = "level" if plan.levels else "sign", plan.budgets.items(), f"ε = {plan.epsilon:g}"
    meaning = f"if it supports the former, then with the {what} of its value"
    of_value = [] if plan.p is None else [("p", f"{plan.p:.9f}", meaning)]
    rows = (
        ("a", f"{plan.a:.9f}", "a report supports the key that it was made from"),
        ("b", f"{plan.b:.9f}", "a report supports any other key"),
        *of_value,
        *((name, str(value), f"parameter of {plan.mechanism}") for name, value in plan.parameters.items()),
        *((f"ε of the {what}", f"{epsilon:.4f}", f"its part; all parts compose to {total}") for what, epsilon in parts),
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
            *error_cells(option, plan),
        )
        for option in plan.options
    )
    return Section(
        f"Mechanisms compared for {WANTED[plan.objective]}; 95 % ranges at a frequency of {percent(plan.frequency)}",
        tuple(f"{option.mechanism} is not chosen: {option.reason_not_chosen}." for option in others),
        ("mechanism", "parameters", "padding", "bytes", *error_columns(plan)),
        tuple(rows),
        texts=2,
    )


def _errors(plan: Plan) -> Section:
    rows = []
    for error in plan.errors:
        frequency_error, *mean_error = error_cells(error, plan)
        relative = f"±{percent(HALF_RANGE * error.frequency_error / error.frequency)}"
        share = _share_cells(error.share_error, plan.levels)
        key = {None: "a rarer key", 1: "the most frequent"}.get(error.rank, f"number {error.rank}")
        key = "as you named it" if error.rank is None and error.frequency == plan.frequency else key
        rows.append((key, percent(error.frequency), frequency_error, relative, *mean_error, *share))
    mean = [] if plan.values is None else ["mean, of [{:g}, {:g}]".format(*plan.values)]
    share_column = ["share of a level"] * bool(plan.levels)
    per_round = plan.users // plan.panels
    who = f" with {per_round:,} people" if plan.panels == 1 else f" of one round with {per_round:,} people"
    return Section(
        f"Expected 95 % ranges{who}, method corrected, the bias of a short padding included",
        tuple(_about_errors(plan)),
        ("key", "true frequency", "frequency", "relative", *mean, *share_column),
        tuple(rows),
    )


def _share_cells(error: float | None, levels: PlannedLevels | None) -> tuple[str, ...]:
    if levels is None or error is None:
        return ()
    return (range_points(error) if error < levels.guessed_share_error else NO_BETTER,)


def _about_errors(plan: Plan) -> Iterator[str]:
    if plan.levels is not None:
        yield (
            "The share is that of one level among the holders of a key. Guessing the same share for all "
            f"levels would typically be off by {points(plan.levels.guessed_share_error)} where any shares are "
            "equally likely."
        )
    guess = (
        f"Guessing the overall mean for every key would typically be off by {plan.guessed_mean_error:.3g} where "
        "means are spread over the whole range."
        if plan.guessed_mean_error is not None
        else ""
    )
    shrunk = "The default method, bayes, pulls noisy estimates together and is closer on average."
    if said := " ".join(filter(None, (guess, shrunk if plan.candidates is None else ""))):
        yield said
    clause = stands_out(plan.smallest_frequency, plan.among)
    rest = "" if plan.smallest_frequency == 1 else f". Rarer keys are often {TOO_RARE}"
    yield f"{clause[0].upper()}{clause[1:]}{rest}."


def _larger_sets(plan: Plan) -> str:
    """What is expected of people with more pairs than the padding, and what measuring them costs."""
    pairs = plural(plan.padding, plan.noun)
    if plan.more == REFUSE:
        return f"People may hold at most {pairs}: they choose up to that many."
    if isinstance(plan.keys, int) and plan.padding >= plan.keys:
        return f"No participant can hold more than {pairs}."
    if plan.share_above > 0:
        above = (
            f"{percent(plan.share_above)} of people are assumed to hold more than {pairs}; a random choice of "
            f"theirs is reported, and reports show {percent(plan.seen)} of the most frequent key's frequency."
        )
    else:
        above = f"People are assumed to hold at most {pairs}; of more, a random choice would be reported."
    if plan.share_above_error is None:
        return f"{above} How many hold more is not measured."
    return (
        f"{above} {percent(plan.size_share)} of the reports measure how many hold more, with a 95 % range of "
        f"about ±{points(min(plan.share_above_error, 1.0))}, which makes all ranges {plan.size_cost:.2f} times as wide."
    )
